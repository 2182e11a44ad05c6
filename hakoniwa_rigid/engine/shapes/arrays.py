# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Checked arrays of vertices and indices, and shapes that hold them."""
from dataclasses import fields

import numpy as np

from ..constants import MAX_COORDINATE, ROUNDING
from ..errors import MeshError
from ..maths.matrices import dots, lengths
from .shape import Shape


class ArrayShape(Shape):
    """Base of shapes that hold read-only arrays: equal by value, hashable, printed by their sizes.

    All have vertices (V, 3) m.  kind: number of those with contacts, whose frame in the engine begins in the middle of
    the box around them.
    """

    kind = None

    def core(self):
        return super().core() if self.kind is None else (self.kind, (0.0, 0.0, 0.0), tuple(self._middle().tolist()))

    def extent(self):
        return float(lengths(self.centred()).max())

    def half_sides(self):
        return np.abs(self.centred()).max(axis=0)

    def reach(self, d):
        return float(dots(self.vertices, np.asarray(d)).max())

    def centred(self):
        """(V, 3) vertices (m) about the middle of their box."""
        return self.vertices - self._middle()

    def _middle(self):
        return 0.5 * (self.vertices.min(axis=0) + self.vertices.max(axis=0))

    def _values(self):
        return [getattr(self, f.name) for f in fields(self)]

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return all(np.array_equal(a, b) for a, b in zip(self._values(), other._values(), strict=True))

    def __hash__(self):
        return hash((type(self), *(v.tobytes() if isinstance(v, np.ndarray) else v for v in self._values())))

    def __repr__(self):
        named = zip(fields(self), self._values(), strict=True)
        return f'{type(self).__name__}({", ".join(f"{f.name}: {_words(v)}" for f, v in named)})'


def _words(value):
    return 'x'.join(map(str, value.shape)) if isinstance(value, np.ndarray) else repr(value)


def points(key, value, count=None):
    """A read-only (count, 3) float64 copy, m; any number of rows if count is None.  MeshError names the bad row."""
    wanted = f'({"n" if count is None else count}, 3)'
    try:
        a = np.array(value, dtype=np.float64, order='C')
    except (TypeError, ValueError, OverflowError):
        raise MeshError(f'{key}: must be numbers of shape {wanted}') from None
    if a.ndim != 2 or a.shape[1] != 3 or count not in (None, len(a)):
        raise MeshError(f'{key}: must have shape {wanted}, got shape {a.shape}')
    if not np.isfinite(a).all():
        row = int(np.argmin(np.isfinite(a).all(axis=1)))
        raise MeshError(f'{key}[{row}]: must be finite, got {a[row].tolist()}')
    if max(a.max(initial=0.0), -a.min(initial=0.0)) > MAX_COORDINATE:
        row = int(np.argmax(np.abs(a).max(axis=1)))
        raise MeshError(f'{key}[{row}]: must be within +-{MAX_COORDINATE:g} m, got {a[row].tolist()}')
    a += 0.0    # -0.0 becomes 0.0: equal shapes have equal hashes
    a.setflags(write=False)
    return a


def indices(key, value, width, count):
    """A read-only (m, width) int64 copy with entries in 0..count - 1, no two the same in a row; m >= 1."""
    try:
        a = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise MeshError(f'{key}: must be whole numbers of shape (m, {width})') from None
    if a.ndim != 2 or a.shape[1] != width:
        hint = '; cut polygons into triangles first' if width == 3 and a.ndim == 2 and a.shape[1] > 3 else ''
        raise MeshError(f'{key}: must have shape (m, {width}), got shape {a.shape}{hint}')
    if len(a) == 0:
        raise MeshError(f'{key}: must not be empty')
    if a.dtype.kind not in 'iu':
        raise MeshError(f'{key}: must be whole numbers, got {a.dtype}')
    if a.min() < 0 or a.max() >= count:
        row = int(np.argmax(((a < 0) | (a >= count)).any(axis=1)))
        raise MeshError(f'{key}[{row}]: must name vertices 0..{count - 1}, got {a[row].tolist()}')
    a = np.array(a, dtype=np.int64, order='C')
    _no_repeats(key, a)
    a.setflags(write=False)
    return a


def _no_repeats(key, a):
    columns = np.ascontiguousarray(a.T)
    for i in range(len(columns)):
        for j in range(i):
            same = columns[i] == columns[j]
            if same.any():
                row = int(np.argmax(same))
                raise MeshError(f'{key}[{row}]: names vertex {a[row, i]} twice, got {a[row].tolist()}; drop it')


# share of a mesh's extent by which the vertical through a point is moved aside: so it goes through no edge
ASIDE = (1.3e-7, 2.9e-7)


def winding(mesh, p):
    """How often a closed mesh winds around the point p (3,) in its frame: faces above it, downward ones less."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    if (p < low).any() or (p > high).any():
        return 0
    corners = mesh.vertices[mesh.faces]
    x, y = p[:2] + (high - low).max() * np.array(ASIDE)
    over = corners[(corners[:, :, 0].min(axis=1) <= x) & (corners[:, :, 0].max(axis=1) >= x)
                   & (corners[:, :, 1].min(axis=1) <= y) & (corners[:, :, 1].max(axis=1) >= y)]
    shadow = over[:, :, :2] - (x, y)
    b, c = np.roll(shadow, -1, axis=1), np.roll(shadow, -2, axis=1)
    area = b[..., 0] * c[..., 1] - b[..., 1] * c[..., 0]
    total = area.sum(axis=1)
    hit = ((area > 0.0).all(axis=1) | (area < 0.0).all(axis=1)) & (total != 0.0)
    height = (area[hit] * over[hit, :, 2]).sum(axis=1) / total[hit]
    return int(np.sign(total[hit][height > p[2]]).sum())


def flat(volume, corners):
    """Whether |volume| (...) m^3 is no more than the rounding of the corners (..., k, 3) m may leave."""
    extent = np.ptp(corners, axis=-2).max(axis=-1)
    reach = np.abs(corners).max(axis=(-2, -1))
    return np.abs(volume) <= ROUNDING * (extent * extent) * reach
