# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The engine's shapes as a world file calls them: their words, the names of their parts, how far they reach."""
from __future__ import annotations

import numpy as np

from ... import rotations as rot
from ...engine import SHAPES, Compound, Shape
from ...engine.maths.matrices import dots

SOLIDS = {shape.word: shape for shape in SHAPES if shape.word and not shape.static}
STATIC = {shape.word: shape for shape in SHAPES if shape.word and shape.static}


def word_of(shape: Shape) -> str:
    """The word for a shape's `type`; the class's own name for a shape that no world file has."""
    return shape.word or type(shape).__name__


def part_name(k: int, name: str) -> str:
    """Name of part k of a compound."""
    return name or f'part{k}'


def leaf_names(shape: Shape) -> tuple[str, ...]:
    """Names of a compound's parts in the order of the engine's part numbers, 'arm/tip' for a part of a part; ('',) for
    any other shape."""
    if not isinstance(shape, Compound):
        return ('',)
    return tuple(part_name(k, part.name) + (f'/{leaf}' if leaf else '') for k, part in enumerate(shape.parts)
                 for leaf in leaf_names(part.shape))


def reach(shape: Shape, d: np.ndarray) -> float:
    """Largest d . x (m) over a shape, unit d (3,) in its frame; inf for a half-space."""
    if isinstance(shape, Compound):
        return max(float(dots(d, np.array(part.pos))) + reach(part.shape, rot.rotate_inverse(np.array(part.quat), d))
                   for part in shape.parts)
    return shape.reach(d)


def box_around(shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Low and high corner (3,) m of the box around a shape, in its own axes."""
    axes = np.eye(3)
    return np.array([-reach(shape, -axis) for axis in axes]), np.array([reach(shape, axis) for axis in axes])
