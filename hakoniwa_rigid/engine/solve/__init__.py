"""Contact impulses: the exact single contact, impacts at an instant, resting contacts over a step, overlap recovery.

Works on contact rows and work rows only; knows no shapes.  A new solver is a new file plus a line in ``registry``.
"""
