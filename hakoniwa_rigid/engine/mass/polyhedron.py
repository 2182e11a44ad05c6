# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mass properties of what triangles enclose: signed tetrahedra (article on polyhedra, corrected)."""
from typing import NamedTuple

import numpy as np

from ..constants import FACES_PER_PASS, ROUNDING
from ..errors import VolumeError
from ..maths.matrices import product
from ..shapes.arrays import flat
from .body import from_moments


class Integrals(NamedTuple):
    """Sums over the signed tetrahedra of a surface: volume m^3, first (3,) m^4 and second (3, 3) m^5 moments about
    origin (3,) m, the rounding in the second, and whether the volume is no more than the rounding of the corners."""

    volume: float
    origin: np.ndarray
    first: np.ndarray
    second: np.ndarray
    noise: float
    flat: bool


def surface_integrals(vertices, faces):
    """Integrals inside closed, outward faces (F, 3) over vertices (V, 3) m; negative ones if the faces are inward.

    With d = a . (b x c) and k = a + b + c, the tetrahedron of a face (a, b, c) and the origin has the volume d/6, the
    first moment d/24 k and the second moment d/120 (k k^T + a a^T + b b^T + c c^T).  The origin is the middle of the
    bounding box: a mesh far from the origin of its frame keeps its digits.
    """
    columns = np.ascontiguousarray(vertices.T)
    used = np.zeros(len(vertices), dtype=bool)
    used[faces.ravel()] = True
    reached = columns if used.all() else columns[:, used]
    box = np.array([reached.min(axis=1), reached.max(axis=1)])
    middle = box.mean(axis=0)
    volume, first, second = _moments(columns - middle[:, None], faces)
    # a plate is a small difference of tetrahedra as large as its box
    size = float(np.ptp(box, axis=0).max())
    noise = ROUNDING * (size * (size * size) * (size * size))
    return Integrals(volume, middle, first, second, noise, bool(flat(volume, box)))


def polyhedron_body(name, integrals):
    """Body of unit density; VolumeError, with the shape's name, if there is nothing inside."""
    if integrals.flat:
        raise VolumeError(f'{name}: encloses no volume: it is flat, or its parts cancel')
    return from_moments(*integrals[:5])


def corners(columns, faces):
    """Corners a, b, c, (3, F) m each, of faces (F, 3) over columns (3, V) m, the vertices coordinate by coordinate.

    Such rows are what numpy adds and multiplies fastest.
    """
    return [columns.take(corner, axis=1) for corner in faces.T]


def triple_product(a, b, c):
    """a . (b x c) (F,), six times the volume between the origin and the corners a, b, c (3, F)."""
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))


def _moments(columns, faces):
    """Volume, first (3,) and second (3, 3) moment about the origin."""
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for begin in range(0, len(faces), FACES_PER_PASS):
        a, b, c = corners(columns, faces[begin:begin + FACES_PER_PASS])
        k, d = a + b + c, triple_product(a, b, c)
        volume += d.sum() / 6.0
        first += product(k, d) / 24.0
        second += sum(product(d * x, x.T) for x in (k, a, b, c)) / 120.0
    return volume, first, second
