# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What an impact was for a drone whose simulator has to apply it: all that the two-body formula asks for.

The engine logs what an impact did, not where the bodies were: that is found from the state before the engine's steps,
flown to the instant of the impact through whatever else happened to the body until then; a body under constraints
moves on as it did.
"""
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ... import rotations as rot
from ...codec.motion_columns import MOTION, OMEGA, POS, QUAT, VEL
from ...engine.mass.principal import principal_axes
from ...engine.maths.matrices import inverse, length, product
from ...engine.world.constraint_view import constraint_count, joined_bodies
from ..bodies import BodyTable
from ..records import ImpactRecord
from .impact_kernels import fly

# s: impulses closer together than this are one instant
INSTANT = 1e-12

# a restitution this close to the material's is that
ROUNDING = 1e-12
# cosine: impulses of immovable bodies at one instant whose normals are closer than this are one impact
ALIKE = 0.5

State = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]   # x m, q wxyz, v m/s, w rad/s, world
NOTHING = np.zeros((1, 3))


class NewImpacts(NamedTuple):
    """K contact points of one drone, as it feels them: the other bodies (K,), times (K,) s after `look`, points (K,3)
    m, normals (K,3) towards the drone, impulses (K,3) N s and moments (K,3) N m s on it, restitutions (K,)."""

    others: np.ndarray
    times: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    impulses: np.ndarray
    moments: np.ndarray
    restitutions: np.ndarray

    def only(self, rows: np.ndarray) -> NewImpacts:
        """Those of rows."""
        return NewImpacts(*(column[rows] for column in self))


class ImpactReporter:
    """Reports the impacts of some drones.  `watched` (B,) bool: their bodies."""

    def __init__(self, world, table: BodyTable, watched: np.ndarray) -> None:
        self._world, self._table, self.watched = world, table, watched
        self._all = np.arange(len(table.names))
        self._axes: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._before = np.zeros((len(self._all), MOTION))
        self._laws: dict[int, tuple] = {}
        self._paths: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._predicted: Mapping[int, np.ndarray] = {}
        self._held: set[int] = set()    # bodies under constraints

    def forget(self, body: int) -> None:
        """Another body has come to its place."""
        self.watched[body] = False
        for known in (self._axes, self._laws, self._paths):
            known.pop(body, None)

    def look(self) -> None:
        """Remember where all bodies are: the steps follow."""
        self._before = self._world.motions(self._all)

    def report(self, rows: np.ndarray, new_pairs: Iterable[tuple[int, int, int, int]], t0_ns: int,
               predicted: Mapping[int, np.ndarray]) -> list[ImpactRecord]:
        """The impacts of the part pairs `new_pairs` (body_a, body_b, part_a, part_b) among the contact points of the
        steps since `look`, at t0.

        Whatever one other body does to a drone in these steps is one impact; a hand is one body, and so are walls that
        stand side by side and are met at one instant.  predicted: by how much (3,) m/s bodies met the steps faster than
        their simulators have them; to those the other bodies come so much faster.
        """
        new_pairs = set(new_pairs)
        self._held = set(joined_bodies(self._world).ravel().tolist()) if constraint_count(self._world) else set()
        keys = zip(*(rows[name].tolist() for name in ('body_a', 'body_b', 'part_a', 'part_b')), strict=True)
        mine = rows['impact'] & np.fromiter((key in new_pairs for key in keys), dtype=bool, count=len(rows))
        when = rows['step'] * self._world.dt + rows['time']
        bodies = np.unique([rows['body_a'][mine], rows['body_b'][mine]])
        self._laws, self._paths, self._predicted = {}, {}, predicted
        return [self._record(int(body), group, rows, when, t0_ns)
                for body in bodies[self.watched[bodies]]
                for group in self._groups(_felt(int(body), rows[mine], when[mine]))]

    def _groups(self, found: NewImpacts) -> list[NewImpacts]:
        """What is one impact each, in order of time."""
        im, names = self._table.inverse_mass, self._table.names
        groups: list[list[int]] = []
        for k in np.argsort(found.times, kind='stable').tolist():
            for group in groups:
                first = group[0]
                pair = (int(found.others[first]), int(found.others[k]))
                alike = product(found.normals[first], found.normals[k]) > ALIKE
                side_by_side = (im[pair[0]] == im[pair[1]] == 0.0 and alike
                                and found.times[k] - found.times[first] < INSTANT)
                if names[pair[0]] == names[pair[1]] or side_by_side:
                    group.append(k)
                    break
            else:
                groups.append([k])
        return [found.only(np.array(group)) for group in groups]

    def _record(self, body: int, found: NewImpacts, rows: np.ndarray, when: np.ndarray, t0_ns: int) -> ImpactRecord:
        """One impact, at the time of the first of its contact points."""
        time, leader = float(found.times.min()), int(np.argmax((found.impulses ** 2).sum(axis=1)))
        own = self._at(body, time, rows, when)
        met = {k: self._at(k, time, rows, when) for k in dict.fromkeys(found.others.tolist())}
        others = [met[k] for k in found.others.tolist()]
        other, (y, q, v, w) = int(found.others[leader]), others[leader]
        weight = rot.norm(found.impulses)
        weight /= weight.sum()
        point = product(weight, found.points)
        if self._table.inverse_mass[other] == 0.0:
            # only the velocity of the matter that is met counts: so no simulator has to know how it turns
            v = product(weight, [_velocity(state, x) for state, x in zip(others, found.points, strict=True)])
            w = np.zeros(3)
        normal, e = self._as_one(body, found, leader, point, weight, own, (other, (y, q, v, w)))
        turning = (rot.cross(found.points - own[0], found.impulses) + found.moments).sum(axis=0)
        v = v - self._predicted.get(body, 0.0)
        names = self._table.names[body], self._table.names[other]
        vectors = (normal, point, point - own[0], point - y, v, w)
        return ImpactRecord(*names, t0_ns, time, e, *map(_vec, vectors), *self._matter(other, q),
                            _vec(found.impulses.sum(axis=0)), _vec(turning), _vec(own[1]))

    def _as_one(self, body, found: NewImpacts, leader: int, point, weight, own: State,
                target) -> tuple[np.ndarray, float]:
        """Normal and restitution of one impact at the point that changes the normal velocity as all together do; of a
        single one its own."""
        alone = found.normals[leader], float(found.restitutions[leader])
        if len(weight) == 1:
            return alone
        normal = product(weight, found.normals)
        size = length(normal)
        if size < ALIKE:
            return alone
        normal /= size
        other, (y, q, v, w) = target
        closing = -product(normal, _velocity(own, point) - v - rot.cross(w, point - y))
        share = self._yielding(body, own, point, normal) + self._yielding(other, (y, q, v, w), point, normal)
        if closing <= 0.0:
            return alone
        e = float(product(normal, found.impulses.sum(axis=0)) * share / closing) - 1.0
        # the material's own, where it is that to rounding
        return normal, alone[1] if abs(e - alone[1]) < ROUNDING else max(e, 0.0)

    def _yielding(self, body: int, state: State, point: np.ndarray, normal: np.ndarray) -> float:
        """1/kg, how much normal velocity an impulse of 1 N s gives the body's material at the point."""
        im = self._table.inverse_mass[body]
        if im == 0.0:
            return 0.0
        arm = rot.rotate_inverse(state[1], rot.cross(point - state[0], normal))
        return im + float(product(arm, product(inverse(self._world.inertia[body]), arm)))

    def _matter(self, body: int, q: np.ndarray) -> tuple[float, tuple, tuple]:
        """Mass (inf: immovable), principal moments, and their axes (wxyz) in the world for a body turned by q."""
        im = self._table.inverse_mass[body]
        if im == 0.0:
            return math.inf, (math.inf,) * 3, _vec(q)
        if body not in self._axes:
            self._axes[body] = principal_axes(self._table.names[body], self._world.inertia[body])
        moments, axes = self._axes[body]
        return 1.0 / float(im), _vec(moments), _vec(rot.multiply(q, axes))

    def _at(self, body: int, time: float, rows: np.ndarray, when: np.ndarray) -> State:
        """The state of a body `time` s after `look`, just before what happens then; rows: all that happened."""
        if body in self._held:
            # what its constraints did meanwhile is not known: as it moved at first
            m = self._flown(body, self._before[body], np.array((max(0.0, time),)), NOTHING, NOTHING)[1]
            return m[POS:QUAT], m[QUAT:VEL], m[VEL:OMEGA], m[OMEGA:]
        if body not in self._paths:
            mine = np.flatnonzero((rows['body_a'] == body) | (rows['body_b'] == body))
            mine = mine[np.argsort(when[mine], kind='stable')]
            is_b = (rows['body_b'][mine] == body)[:, None]
            im = self._table.inverse_mass[body]
            dv = np.where(is_b, im, -im) * rows['impulse'][mine]
            dw = np.where(is_b, rows['delta_omega_b'][mine], rows['delta_omega_a'][mine])
            self._paths[body] = when[mine], self._flown(body, self._before[body], when[mine], dv, dw)
        times, states = self._paths[body]
        k = int(np.searchsorted(times, time - INSTANT))
        since = np.array((time - max(0.0, times[k - 1] if k else 0.0),))
        m = self._flown(body, states[k], since, NOTHING, NOTHING)[1]
        return m[POS:QUAT], m[QUAT:VEL], m[VEL:OMEGA], m[OMEGA:]

    def _flown(self, body: int, start: np.ndarray, times: np.ndarray, dv: np.ndarray, dw: np.ndarray) -> np.ndarray:
        """`fly` of a body under the forces that act."""
        if body not in self._laws:
            world, im = self._world, self._table.inverse_mass[body]
            free = im > 0.0 and body not in self._held
            inertia = world.inertia[body] if free else np.eye(3)
            self._laws[body] = (bool(free), world.gravity + world.force[body] * im, world.torque[body].copy(),
                                np.ascontiguousarray(inertia), inverse(inertia))
        states = np.empty((len(times) + 1, MOTION))
        fly(start, np.ascontiguousarray(times), np.ascontiguousarray(dv), np.ascontiguousarray(dw), *self._laws[body],
            states)
        return states


def _felt(body: int, rows: np.ndarray, when: np.ndarray) -> NewImpacts:
    """The rows of one body, from its side."""
    is_b = rows['body_b'] == body
    on = is_b | (rows['body_a'] == body)
    rows, is_b, when = rows[on], is_b[on], when[on]
    sign = np.where(is_b, 1.0, -1.0)[:, None]
    others = np.where(is_b, rows['body_a'], rows['body_b'])
    return NewImpacts(others, when, rows['position'], sign * rows['normal'], sign * rows['impulse'],
                      sign * rows['moment'], rows['restitution'])


def _velocity(state: State, point: np.ndarray) -> np.ndarray:
    return state[2] + rot.cross(state[3], point - state[0])


def _vec(values) -> tuple[float, ...]:
    return tuple((np.asarray(values, dtype=float) + 0.0).tolist())
