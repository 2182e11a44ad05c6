"""How a step goes on in time: free flight of all bodies, then contacts from event to event, each island at its own
time.

What is found is in ``detect``, what impulses do in ``solve``, how one body moves in ``motion``.
"""
