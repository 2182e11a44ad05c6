"""Motion between contacts: free rotation, the vectorised pass over free bodies, the scalar pass over bodies in contact.

Nothing here knows of shapes or contacts; see ``detect`` and ``solve``.
"""
