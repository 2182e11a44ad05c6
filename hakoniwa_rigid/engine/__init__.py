# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The rigid-body engine: numbers only.  No ROS, files, clocks, printing or global random numbers here.

Folders are the pipeline, each above those before it: shapes and mass describe, model holds memory, motion moves one
body, constraints and contact are one constraint and one contact point, detect finds contacts, solve makes impulses,
integrate goes on in time; `step` reads as the table of contents, and world is what a user holds.  bilateral is beside
them: one body on one smooth floor.
"""
from ..moved import old_names
from ..on_demand import names_on_demand
from . import shapes
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

# what takes kernels, and numba
_KERNELS = {
    'contact.force_profile': 'contact_duration contact_force peak_force',
    'two_body': 'Impact MovingBody two_body_impulse',
    'warm': 'warmup',
    'world.builder': 'WorldBuilder',
    'world.world': 'World',
}
__all__ = [
    'CapacityError', 'ConstraintVelocityError', 'CurvatureError', 'EngineError', 'InertiaError', 'InvertedMeshError',
    'MassError', 'MassProperties', 'MeshError', 'OffSurfaceError', 'OpenMeshError', 'TwoContactsError', 'VolumeError',
    'WindingError', 'mass_properties', *' '.join(_KERNELS.values()).split(), *shapes.__all__,
]
# beside it what 0.1.0 had here, for one more release
__getattr__, __dir__ = names_on_demand(__name__, _KERNELS, otherwise=old_names(__name__))
