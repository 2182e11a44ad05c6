"""Shapes: typed, frozen, validated descriptions in metres.  No poses, no masses, no arrays of the world."""
from .definitions import Box, Capsule, HalfSpace, Shape, Sphere

__all__ = ['Box', 'Capsule', 'HalfSpace', 'Shape', 'Sphere']
