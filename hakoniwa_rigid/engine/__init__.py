"""The rigid-body engine: numbers only.  No ROS, files, clocks, printing or global random numbers here.

Folders are the pipeline, each above those before it: shapes and mass describe, model holds memory, motion moves one
body, contact is one contact point, detect finds contacts, solve makes impulses, integrate goes on in time; `step` reads
as the table of contents, and world is what a user holds.  bilateral is beside them: one body on one smooth floor.
"""
from . import shapes
from .bilateral import (
    CustomFloor,
    CylinderFloor,
    MovingFloor,
    ParaboloidFloor,
    PlaneFloor,
    SineFloor,
    SmoothBody,
    SphereFloor,
    SurfaceMotion,
    contact_point,
    multiplier,
)
from .contact.force_profile import contact_duration, contact_force, peak_force
from .errors import (
    CapacityError,
    ConstraintVelocityError,
    CurvatureError,
    EngineError,
    InertiaError,
    InvertedMeshError,
    MassError,
    MeshError,
    OffSurfaceError,
    OpenMeshError,
    TwoContactsError,
    VolumeError,
    WindingError,
)
from .mass import MassProperties, mass_properties
from .shapes import *  # noqa: F403 - a shape is named in its own room only
from .two_body import Impact, MovingBody, two_body_impulse
from .warm import warmup
from .world.builder import WorldBuilder
from .world.world import World

__all__ = [
    'CapacityError', 'ConstraintVelocityError', 'CurvatureError', 'CustomFloor', 'CylinderFloor', 'EngineError',
    'Impact', 'InertiaError', 'InvertedMeshError', 'MassError', 'MassProperties', 'MeshError', 'MovingBody',
    'MovingFloor', 'OffSurfaceError', 'OpenMeshError', 'ParaboloidFloor', 'PlaneFloor', 'SineFloor', 'SmoothBody',
    'SphereFloor', 'SurfaceMotion', 'TwoContactsError', 'VolumeError', 'WindingError', 'World', 'WorldBuilder',
    'contact_duration', 'contact_force', 'contact_point', 'mass_properties', 'multiplier', 'peak_force',
    'two_body_impulse', 'warmup', *shapes.__all__,
]
