"""One body on one smooth floor, by Lagrange's multipliers: sliding, rolling, release, landing.

Floors G(t, x) <= 0 and bodies H(X) <= 0 as functions with two derivatives, their contact point, the constraint's rows,
schemes of integration and the events between them.  No contact points, islands or broad phase: many bodies are the
World's matter (`engine.step`), which a body is taken from and given back to.
"""
from .bodies import SmoothBody
from .floors import CustomFloor, CylinderFloor, MovingFloor, ParaboloidFloor, PlaneFloor, SineFloor, SphereFloor
from .motion import SurfaceMotion, contact_point, multiplier

__all__ = ['CustomFloor', 'CylinderFloor', 'MovingFloor', 'ParaboloidFloor', 'PlaneFloor', 'SineFloor', 'SmoothBody',
           'SphereFloor', 'SurfaceMotion', 'contact_point', 'multiplier']
