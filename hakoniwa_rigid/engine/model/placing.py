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


def placed(s, i, spec, pieces, convex, excluded):
    """New Arrays of a world whose body i is what a BodySpec says, disabled; s may share memory with them, and is not to
    be used any more.

    pieces: its shapes; convex: the table that has their hulls and meshes.  excluded: bodies that it never meets.
    """
    _forget(s, i)
    s = s._replace(convex=convex, **_with_shapes(s, i, pieces))
    own, column = s.body[i], body_column(spec)
    own[[L.B_KIND, L.B_GROUP, L.B_MASK]] = spec.kind, spec.group, spec.mask
    s.block.reshape(-1, L.BLOCK, LANES)[i // LANES, :, i % LANES] = column
    s.anchor[i] = 0.0
    s.anchor[i, L.A_RADIUS] = pieces.geom[:, L.G_RADIUS].max()
    if len(s.tensor):
        s.tensor[i] = tensor_row(spec)
    s.load[:, i] = s.pending[i] = s.still[i] = 0.0
    s.count[L.N_STALE_LIST] = 1
    s = s._replace(excluded=_with_excluded(s, i, excluded), **_with_material(s, i, spec.material))
    if spec.kind == L.STATIC:
        return with_seams(s)
    return _with_neighbours(s, i, pieces)


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


def _forget(s, i):
    """What is remembered of body i: forces, manifolds, impacts over time, what sleeps with it."""
    own = s.body[i]
    if s.count[L.N_PROFILES] > 0:
        drop_profiles(s, i)
    s.count[L.N_ASLEEP] -= own[L.B_SLEEP] > 0   # the others of its island wake since it was disabled
    for counter, name, at in KEPT:
        table, n = getattr(s, name), int(s.count[counter])
        there = table[:n]
        s.count[counter] = _close_up(there, (there[:, at + L.L_A] != i) & (there[:, at + L.L_B] != i))
    half = s.cache[s.count[L.N_STEPS] & 1, :s.count[L.N_CACHED]]
    s.count[L.N_CACHED] = _close_up(half, (half[:, L.X_KEY] != i) & (half[:, L.X_KEY + 1] != i))
    own[[c for c in range(L.BODY) if c not in (L.B_GEOM, L.B_GEOMS, L.B_CLASS)]] = 0


def _close_up(rows, kept):
    """Those that are kept come first, in their order; how many they are."""
    n = int(kept.sum())
    if n < len(rows):
        rows[:n] = rows[kept]
    return n


def _with_shapes(s, i, pieces):
    """geom, geom_i with the shapes of body i."""
    s.geom_i[slice(*s.body[i, [L.B_GEOM, L.B_GEOMS]]), L.GI_BESIDES] = 0
    s.body[i, [L.B_GEOM, L.B_GEOMS]] = 0
    needed = len(pieces.geom)
    first = _gap(s.body[:, L.B_GEOM], s.body[:, L.B_GEOMS] - s.body[:, L.B_GEOM], needed)
    s.body[i, [L.B_GEOM, L.B_GEOMS]] = first, first + needed
    rows = pieces.geom_i.copy()
    rows[:, L.GI_BODY] = i
    rows[:, [L.GI_BESIDE, L.GI_BESIDES]] = 0
    return {'geom': _with_rows(s.geom, first, pieces.geom), 'geom_i': _with_rows(s.geom_i, first, rows)}


def _with_neighbours(s, i, pieces):
    """Arrays with the neighbours of the shapes of a body that moves."""
    if pieces.neighbours is None:
        return s
    (rows, counts, axis), begin = pieces.neighbours, s.body[i, L.B_GEOM]
    rows = rows.copy()
    rows[:, L.K_SHAPE] += begin
    first = _gap(s.geom_i[:, L.GI_BESIDE], s.geom_i[:, L.GI_BESIDES], len(rows))
    own = s.geom_i[begin:begin + len(counts)]
    own[:, L.GI_BESIDE], own[:, L.GI_BESIDES], own[:, L.GI_AXIS] = first + np.cumsum(counts) - counts, counts, axis
    return s._replace(beside=_with_rows(s.beside, first, rows))


def _with_excluded(s, i, bodies):
    """Sorted keys of the pairs that never collide."""
    n, keys = len(s.body), s.excluded
    own = [min(i, k) * n + max(i, k) for k in bodies]
    return np.unique(np.concatenate([keys[(keys // n != i) & (keys % n != i)], np.array(own, np.int64)]))


def _with_material(s, i, material):
    """material, curve with those of body i."""
    curve = [tuple(p) for p in s.curve.tolist()]
    s.material[i] = material.row(curve)
    return _compact(s.material, np.array(curve, np.float64).reshape(-1, 2))


def _compact(material, curve):
    """material, curve without tables of restitution that no row has."""
    parts, first = [np.zeros((0, 2))], 0
    for k in np.flatnonzero(material[:, L.S_POINTS] > 0):
        begin, n = int(material[k, L.S_TABLE]), int(material[k, L.S_POINTS])
        parts.append(curve[begin:begin + n])
        material[k, L.S_TABLE], first = first, first + n
    return {'material': material, 'curve': np.concatenate(parts)}
