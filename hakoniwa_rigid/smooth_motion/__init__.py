# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One body on one smooth floor, by Lagrange's multipliers: sliding, rolling, release, landing.

Floors G(t, x) <= 0 and bodies H(X) <= 0 as functions with two derivatives, their contact point, the constraint's rows,
schemes of integration and the events between them.  It stands on the engine, whose maths, shapes, masses and law of
one contact it takes, and beside the engine's step: no contact points, islands or broad phase here.  Many bodies are the
World's matter, which a body is taken from and given back to.  Numbers only, as in the engine.
"""
from .bodies import SmoothBody
from .floors import CustomFloor, CylinderFloor, MovingFloor, ParaboloidFloor, PlaneFloor, SineFloor, SphereFloor
from .motion import SurfaceMotion, contact_point, multiplier
from .warm import warmup

__all__ = ['CustomFloor', 'CylinderFloor', 'MovingFloor', 'ParaboloidFloor', 'PlaneFloor', 'SineFloor', 'SmoothBody',
           'SphereFloor', 'SurfaceMotion', 'contact_point', 'multiplier', 'warmup']
