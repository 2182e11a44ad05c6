# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One body of a world becomes another: its rows in all tables, while those of the others stay where they are.

Rows of shapes, of their neighbours and of tables of restitution lie in the first gap that is large enough, so that
bodies that come and go take no more memory than the most that were there at once.
"""
from typing import NamedTuple

import numpy as np

from ..constants import LANES
from . import layout as L
from .allocate import body_column, tensor_row
from .geometry import build_geometry
from .materials import Material, material_tables
from .profiles import drop_profiles
from .seams import neighbour_table, with_seams

__all__ = ['Pieces', 'pieces_of', 'placed', 'with_pair_materials']

# counters, and the tables of rows that name two bodies first: what is remembered of contacts
KEPT = ((L.N_LAST, 'last', 0), (L.N_REST, 'rest', L.Z_ROW))


class Pieces(NamedTuple):
    """The shapes of one body: geom (k, GEOM) and geom_i (k, GEOM_I), hulls and meshes as in a SolidTable; rows of
    `beside` that are numbered from its first shape, their number and axis by shape, or None for a single shape."""

    geom: np.ndarray
    geom_i: np.ndarray
    neighbours: tuple | None


def pieces_of(spec, solids):
    """The Pieces of a BodySpec; hulls and meshes go into the SolidTable.  CapacityError."""
    geometry = build_geometry([spec])
    geom, geom_i = geometry.geom, solids.place(geometry)
    several = len(geom) > 1 and spec.kind != L.STATIC
    return Pieces(geom, geom_i, neighbour_table(
        np.arange(len(geom)), geom, geom_i, geom[:, L.G_X:L.G_X + 3], geom[:, L.G_Q:L.G_Q + 4]) if several else None)


def placed(s, bodies, spec, pieces, convex, excluded):
    """New Arrays of a world whose bodies (N,) are what a BodySpec says, disabled; s may share memory with them, and is
    not to be used any more.

    pieces: the shapes of each; convex: the table that has their hulls and meshes.  excluded: bodies that they never
    meet.
    """
    _forget(s, bodies)
    s = s._replace(convex=convex, **_with_shapes(s, bodies, pieces))
    s.body[bodies, L.B_KIND], s.body[bodies, L.B_GROUP], s.body[bodies, L.B_MASK] = spec.kind, spec.group, spec.mask
    s.block.reshape(-1, L.BLOCK, LANES)[bodies // LANES, :, bodies % LANES] = body_column(spec)
    s.anchor[bodies] = 0.0
    s.anchor[bodies, L.A_RADIUS] = pieces.geom[:, L.G_RADIUS].max()
    if len(s.tensor):
        s.tensor[bodies] = tensor_row(spec)
    s.load[:, bodies] = s.pending[bodies] = s.still[bodies] = 0.0
    s.count[L.N_STALE_LIST] = 1
    s = s._replace(excluded=_with_excluded(s, bodies, excluded), **_with_material(s, bodies, spec.material))
    if spec.kind == L.STATIC:
        return with_seams(s)
    for i in bodies.tolist() if pieces.neighbours is not None else ():
        s = _with_neighbours(s, i, pieces.neighbours)
    return s


def with_pair_materials(s, rules):
    """Arrays with other rules [(bodies, bodies, Material)] for pairs of bodies, of which the later wins."""
    n = len(s.body)
    rows, curve, classes, special = material_tables([Material()] * n, rules)
    s.body[:, L.B_CLASS] = classes
    material = np.concatenate([s.material[:n], rows[n:]])
    material[n:, L.S_TABLE] += np.where(rows[n:, L.S_POINTS] > 0, len(s.curve), 0)
    s = s._replace(material=material, curve=np.concatenate([s.curve, curve]), special=special)
    return s._replace(**_compact(s.material, s.curve))


def _gap(first, count, needed):
    """Where the first gap of `needed` rows begins in a table of which the ranges first (K,), count (K,) are in use."""
    first, count = first[count > 0], count[count > 0]
    order = np.argsort(first, kind='stable')
    ends = np.concatenate([[0], np.maximum.accumulate(first[order] + count[order])])
    large = np.flatnonzero(first[order] - ends[:-1] >= needed)
    return int(ends[large[0]] if len(large) else ends[-1])


def _with_rows(table, first, rows):
    """The table with rows from `first` on; another one where it has to grow."""
    missing = first + len(rows) - len(table)
    if missing > 0:
        table = np.concatenate([table, np.zeros((missing, *table.shape[1:]), table.dtype)])
    table[first:first + len(rows)] = rows
    return table


def _forget(s, bodies):
    """What is remembered of bodies: forces, manifolds, impacts over time, what sleeps with them."""
    if s.count[L.N_PROFILES] > 0:
        for i in bodies.tolist():
            drop_profiles(s, i)
    s.count[L.N_ASLEEP] -= (s.body[bodies, L.B_SLEEP] > 0).sum()   # the others of their islands wake since disabled
    for counter, name, at in KEPT:
        table, n = getattr(s, name), int(s.count[counter])
        there = table[:n]
        s.count[counter] = _close_up(there, _without(there[:, at + L.L_A], there[:, at + L.L_B], bodies))
    half = s.cache[s.count[L.N_STEPS] & 1, :s.count[L.N_CACHED]]
    s.count[L.N_CACHED] = _close_up(half, _without(half[:, L.X_KEY], half[:, L.X_KEY + 1], bodies))
    forgotten = [c for c in range(L.BODY) if c not in (L.B_GEOM, L.B_GEOMS, L.B_CLASS)]
    s.body[bodies[:, None], forgotten] = 0


def _without(a, b, bodies):
    """Which of the pairs a (M,), b (M,) have none of the bodies."""
    if len(bodies) == 1 or len(a) == 0:
        return (a != bodies[0]) & (b != bodies[0])
    return ~(np.isin(a, bodies) | np.isin(b, bodies))


def _close_up(rows, kept):
    """Those that are kept come first, in their order; how many they are."""
    n = int(kept.sum())
    if n < len(rows):
        rows[:n] = rows[kept]
    return n


def _with_shapes(s, bodies, pieces):
    """geom, geom_i with the shapes of bodies; where a body had as many, they take the same rows."""
    first, last, needed = s.body[:, L.B_GEOM], s.body[:, L.B_GEOMS], len(pieces.geom)
    count = last[bodies] - first[bodies]
    for i in bodies[count > 0].tolist() if needed > 1 or count.max() > 1 else ():
        s.geom_i[first[i]:last[i], L.GI_BESIDES] = 0
    moved = bodies[count != needed]
    first[moved] = last[moved] = 0
    rows = pieces.geom_i.copy()
    rows[:, [L.GI_BESIDE, L.GI_BESIDES]] = 0
    geom, geom_i = s.geom, s.geom_i
    for i in moved.tolist():
        first[i] = _gap(first, last - first, needed)
        last[i] = first[i] + needed
        geom, geom_i = _with_rows(geom, first[i], pieces.geom), _with_rows(geom_i, first[i], rows)
    at = first[bodies][:, None] + np.arange(needed)
    geom[at], geom_i[at] = pieces.geom, rows
    geom_i[at, L.GI_BODY] = bodies[:, None]
    return {'geom': geom, 'geom_i': geom_i}


def _with_neighbours(s, i, neighbours):
    """Arrays with the neighbours of the shapes of a body that moves."""
    (rows, counts, axis), begin = neighbours, s.body[i, L.B_GEOM]
    rows = rows.copy()
    rows[:, L.K_SHAPE] += begin
    first = _gap(s.geom_i[:, L.GI_BESIDE], s.geom_i[:, L.GI_BESIDES], len(rows))
    own = s.geom_i[begin:begin + len(counts)]
    own[:, L.GI_BESIDE], own[:, L.GI_BESIDES], own[:, L.GI_AXIS] = first + np.cumsum(counts) - counts, counts, axis
    return s._replace(beside=_with_rows(s.beside, first, rows))


def _with_excluded(s, bodies, others):
    """Sorted keys of the pairs that never collide."""
    n, keys = len(s.body), s.excluded
    others = np.array(others, np.int64)
    own = np.minimum(bodies[:, None], others) * n + np.maximum(bodies[:, None], others)
    return np.unique(np.concatenate([keys[_without(keys // n, keys % n, bodies)], own.ravel()]))


def _with_material(s, bodies, material):
    """material, curve with those of bodies."""
    curve = [tuple(p) for p in s.curve.tolist()]
    s.material[bodies] = material.row(curve)
    return _compact(s.material, np.array(curve, np.float64).reshape(-1, 2))


def _compact(material, curve):
    """material, curve without tables of restitution that no row has."""
    parts, first = [np.zeros((0, 2))], 0
    for k in np.flatnonzero(material[:, L.S_POINTS] > 0):
        begin, n = int(material[k, L.S_TABLE]), int(material[k, L.S_POINTS])
        parts.append(curve[begin:begin + n])
        material[k, L.S_TABLE], first = first, first + n
    return {'material': material, 'curve': np.concatenate(parts)}
