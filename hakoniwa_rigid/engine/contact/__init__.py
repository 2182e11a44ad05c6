"""What one contact point is: frame and velocities, effective mass, material, force over time, its row in the log.

Below detection, which fills contact points, and the solvers, which find their impulses.  Nothing here searches, solves
or moves bodies.
"""
