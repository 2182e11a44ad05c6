"""The rigid-body engine: numbers only.  No ROS, files, clocks, printing or global random numbers here.

Folders are the pipeline: shapes and mass describe, model holds memory, detect finds contacts, solve makes impulses,
integrate moves; `step` reads as the table of contents.
"""
from .errors import CapacityError, EngineError
from .model.builder import WorldBuilder
from .model.world import World
from .shapes import Box, Capsule, HalfSpace, Shape, Sphere
from .warm import warmup

__all__ = [
    'Box', 'CapacityError', 'Capsule', 'EngineError', 'HalfSpace', 'Shape', 'Sphere', 'World', 'WorldBuilder', 'warmup',
]
