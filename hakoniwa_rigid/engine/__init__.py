# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The rigid-body engine: numbers only.  No ROS, files, clocks, printing or global random numbers here.

Folders are the pipeline, each above those before it: shapes and mass describe, model holds memory, motion moves one
body, constraints and contact are one constraint and one contact point, detect finds contacts, solve makes impulses,
integrate goes on in time; `step` reads as the table of contents, and world is what a user holds.  bilateral is beside
them: one body on one smooth floor.
"""
from ..moved import old_names
from . import shapes
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
    'CapacityError', 'ConstraintVelocityError', 'CurvatureError', 'EngineError', 'Impact', 'InertiaError',
    'InvertedMeshError', 'MassError', 'MassProperties', 'MeshError', 'MovingBody', 'OffSurfaceError', 'OpenMeshError',
    'TwoContactsError', 'VolumeError', 'WindingError', 'World', 'WorldBuilder', 'contact_duration', 'contact_force',
    'mass_properties', 'peak_force', 'two_body_impulse', 'warmup', *shapes.__all__,
]
# what 0.1.0 had here, for one more release
__getattr__ = old_names(__name__)
