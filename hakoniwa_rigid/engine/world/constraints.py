# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints of a world as a user attaches, reads and detaches them; what they do is in engine/constraints."""
from typing import NamedTuple

import numpy as np

from ..checks import array, choice, number, switch, whole
from ..constants import MAX_COORDINATE, MOST_ARM
from ..errors import EngineError
from ..maths.matrices import length
from ..maths.quat import conj_rows, mul_rows, rotate_one
from ..model import layout as L
from ..model.arrays import joint_buffers
from ..model.solvers import SOLVERS, solvers_with_constraints
from .constraint_view import list_joints

KINDS = {'fixed': L.FIXED, 'ball': L.SOCKET, 'hinge': L.HINGE, 'distance': L.DISTANCE, 'cable': L.CABLE,
         'spring': L.SPRING}
PHASES = ('taut', 'slack', 'broken_by_force', 'broken_by_impulse')
# m: what anchors may be apart, or a length be off, unless a constraint says otherwise
GAP = 1e-3
# m: least length of what has a line
SHORTEST = 1e-6
# places for constraints at first
FIRST = 16

# A row of World.constraint_log(): constraint and its name as it was given, number of the step and time in it (s), one
# of PHASES, force (N, mean over the step) or impulse (N s) on body b, world.
CONSTRAINT = np.dtype([('constraint', 'i8'), ('step', 'i8'), ('time', 'f8'), ('phase', 'i8'), ('amount', 'f8', 3)])


class ConstraintState(NamedTuple):
    """What a constraint does; vectors are on body b, world frame, those on a are opposed to them."""

    name: str
    kind: str
    body_a: int
    body_b: int
    anchor_a: np.ndarray        # (3,) m
    anchor_b: np.ndarray        # (3,) m
    length: float               # m, of distance, cable and spring; else 0
    is_taut: bool               # of a cable
    slips: bool                 # it gave its max_force or max_torque in the last step
    force: np.ndarray           # (3,) N, mean of its lasting load over the last step
    torque: np.ndarray          # (3,) N m, the same, beside the force at the anchor of b
    impulse: np.ndarray         # (3,) N s, sum of its instants in the last step
    angular_impulse: np.ndarray     # (3,) N m s


def _limit(key, value):
    return np.inf if value is None else number(key, value, 0.0, 1e15)


class Constrained:
    """The part of World that is about constraints."""

    def attach(self, kind, a, b, *, name=None, anchor_a=None, anchor_b=None, axis=None, length=None, restitution=0.0,
               stiffness=None, damping=0.0, max_force=None, max_torque=None, break_force=None, break_impulse=None,
               collide=None, gap=GAP):
        """Hold bodies a and b together from now on; returns the number of the constraint.

        kind: 'fixed' (they move as one), 'ball' (a point in common), 'hinge' (and an axis), 'distance' (a rod between
        two points), 'cable' (no farther apart than its length), 'spring'.  a, b: indices, one of them dynamic.
        anchor_a, anchor_b (3,) m in the frames of their shapes: where it holds.  Of `fixed`, `ball` and `hinge` the one
        that is left out is where the other is now; of `fixed` both may be (the centre of mass of b), of the others
        each is the origin of its shape.  axis (3,) of a hinge, in the frame of a.  length m of a rod, a cable or a
        spring at rest: the present distance if left out.  restitution e of a cable that snaps taut; stiffness N/m and
        damping N s/m of a spring.  max_force N, max_torque N m: it gives no more, and slips; break_force N (mean over
        an interval) and break_impulse N s (of an instant) break it, after it has given that much.  collide: whether a
        and b meet all the same; False for fixed, ball and hinge and True for the others if left out.  gap m: what
        given anchors may be apart, or a rod longer or a cable shorter than their distance; they then hold midway, or
        at the present distance.
        Errors: EngineError naming the constraint, the key and the value.
        """
        name = self._new_name(name)
        kind = KINDS[choice(f'{name}: kind', kind, tuple(KINDS))]
        a, b = self._ends(name, a, b)
        gap = number(f'{name}: gap', gap, 0.0, 1.0)
        row = np.zeros(L.JOINT)
        row[L.JT_MAX_F], row[L.JT_MAX_T] = _limit(f'{name}: max_force', max_force), _limit(
            f'{name}: max_torque', max_torque)
        row[L.JT_BREAK_F], row[L.JT_BREAK_J] = _limit(f'{name}: break_force', break_force), _limit(
            f'{name}: break_impulse', break_impulse)
        self._only(name, kind, dict(length=length, stiffness=stiffness, axis=axis), max_torque, restitution, damping)
        anchor_a, anchor_b = (None if x is None else array(f'{name}: {key}', x, (3,), limit=MAX_COORDINATE)
                              for key, x in (('anchor_a', anchor_a), ('anchor_b', anchor_b)))
        if kind in (L.FIXED, L.SOCKET, L.HINGE):
            self._set_points(name, kind, a, b, anchor_a, anchor_b, gap, row)
            self._set_turns(name, kind, a, b, axis, row)
        else:
            self._set_line(name, kind, a, b, anchor_a, anchor_b, length, gap, row)
            row[L.JT_E] = number(f'{name}: restitution', restitution, 0.0, 1.0)
            row[L.JT_DAMPING] = number(f'{name}: damping', damping, 0.0, 1e15)
            if kind == L.SPRING:
                row[L.JT_STIFFNESS] = number(f'{name}: stiffness', stiffness, 1e-9, 1e15)
        for key, first, body in (('anchor_a', L.JT_ANCHOR_A, a), ('anchor_b', L.JT_ANCHOR_B, b)):
            arm = row[first:first + 3]
            if self.kinds[body] == 'dynamic' and not np.abs(arm).max() <= MOST_ARM:
                raise EngineError(f'{name}: {key}: must be within {MOST_ARM:g} m of {self.names[body]!r}, which moves, '
                                  f'got {arm.tolist()}')
        collide = kind in (L.DISTANCE, L.CABLE, L.SPRING) if collide is None else collide
        return self._put(name, kind, a, b, switch(f'{name}: collide', collide), row)

    def detach(self, constraint):
        """Let go of a constraint, by its number or name."""
        k = self._constraint(constraint)
        self._s.joint_i[k, L.JI_STATE] = 0
        self._joint_names[k] = None
        self._link_joints()

    @property
    def constraints(self):
        """Names of the constraints that hold, in the order of their numbers."""
        return tuple(self._joint_names[k] for k in self._in_force())

    def constraint_number(self, name):
        """Number of the constraint of that name; EngineError if there is none."""
        return self._constraint(str(name))

    def constraint(self, constraint):
        """ConstraintState of a constraint, by its number or name."""
        k = self._constraint(constraint)
        flags, row, h = self._s.joint_i[k], self._s.joint[k], self.dt
        a, b = int(flags[L.JI_A]), int(flags[L.JI_B])
        kind = int(flags[L.JI_KIND])
        pos = self.pos
        ends = [pos[i] + rotate_one(self._principal(i), row[first:first + 3]) for i, first in (
            (a, L.JT_ANCHOR_A), (b, L.JT_ANCHOR_B))]
        of = {first: row[first:first + 3].copy() for first in (L.JT_LOAD, L.JT_LOAD_T, L.JT_SNAP, L.JT_SNAP_T)}
        return ConstraintState(
            self._joint_names[k], list(KINDS)[kind], a, b, *ends, float(row[L.JT_LENGTH]), bool(flags[L.JI_TAUT]),
            bool(flags[L.JI_SLIPS]), of[L.JT_LOAD] / h, of[L.JT_LOAD_T] / h, of[L.JT_SNAP], of[L.JT_SNAP_T])

    def constraint_log(self):
        """Structured array (dtype CONSTRAINT) of what happened to constraints in the last step(n) call, in the order of
        time within each island: cables that became taut or slack, constraints that broke.

        All of it, but for the oldest steps of a call with more than some million rows: those are counted in
        stats().lost_log_rows."""
        rows = self._s.joint_log[:self._s.count[L.N_JOINT_ROWS]]
        out = np.empty(len(rows), CONSTRAINT)
        out['constraint'], out['step'], out['time'] = rows[:, L.JL_JOINT], rows[:, L.JL_STEP], rows[:, L.JL_TIME]
        out['phase'], out['amount'] = rows[:, L.JL_PHASE], rows[:, L.JL_F:L.JL_F + 3]
        return out

    # ---- checks
    def _in_force(self):
        return np.flatnonzero(self._s.joint_i[:, L.JI_STATE] == 1).tolist()

    def _constraint(self, constraint):
        names = {self._joint_names[k]: k for k in self._in_force()}
        if isinstance(constraint, str):
            if constraint not in names:
                raise EngineError(f'no constraint called {constraint!r}')
            return names[constraint]
        k = whole('constraint', constraint)
        if k not in names.values():
            raise EngineError(f'no constraint {constraint}')
        return int(k)

    def _new_name(self, name):
        taken = self.constraints
        if name is not None:
            if str(name) in taken:
                raise EngineError(f'{name}: name: already taken by a constraint')
            return str(name)
        k = len(taken)
        while f'constraint{k}' in taken:
            k += 1
        return f'constraint{k}'

    def _ends(self, name, a, b):
        ends = []
        for key, i in (('body_a', a), ('body_b', b)):
            i = whole(f'{name}: {key}', i)
            if not 0 <= i < self.n:
                raise EngineError(f'{name}: {key}: no body {i}, the world has {self.n}')
            ends.append(int(i))
        a, b = ends
        if a == b:
            raise EngineError(f'{name}: body_b: must be another body than body_a, got {self.names[a]!r} twice')
        if 'dynamic' not in (self.kinds[a], self.kinds[b]):
            raise EngineError(f'{name}: body_b: one of the bodies must be dynamic, got {self.kinds[a]} '
                              f'{self.names[a]!r} and {self.kinds[b]} {self.names[b]!r}')
        holds = [SOLVERS[word].number for word in solvers_with_constraints()]
        if self._s.par[L.F_SOLVER] not in holds or self._s.par[L.F_PROFILE] != L.NO_PROFILE:
            words = ' or '.join(map(repr, solvers_with_constraints()))
            raise EngineError(f'{name}: constraints need solver {words} without contact_profile')
        return a, b

    @staticmethod
    def _only(name, kind, given, max_torque, restitution, damping):
        """Keys that mean nothing to a kind are mistakes."""
        for key, kinds in (('length', (L.DISTANCE, L.CABLE, L.SPRING)), ('stiffness', (L.SPRING,)),
                           ('axis', (L.HINGE,))):
            if given[key] is None and key != 'length' and kind in kinds:
                raise EngineError(f'{name}: {key}: must be given for a {list(KINDS)[kind]}, got None')
            if given[key] is not None and kind not in kinds:
                raise EngineError(f'{name}: {key}: means nothing to a {list(KINDS)[kind]}, got {given[key]!r}')
        for key, value, none, kinds in (('max_torque', max_torque, None, (L.FIXED, L.HINGE)),
                                        ('restitution', restitution, 0.0, (L.CABLE,)),
                                        ('damping', damping, 0.0, (L.SPRING,))):
            if value != none and kind not in kinds:
                raise EngineError(f'{name}: {key}: means nothing to a {list(KINDS)[kind]}, got {value!r}')

    # ---- geometry
    def _principal(self, i):
        """Attitude (4,) wxyz of the principal frame of body i."""
        return mul_rows(self.quat[i:i + 1], self._axes[i:i + 1])[0]

    def _to_world(self, i, anchor):
        """World point (3,) m of an anchor in the frame of the shape of body i."""
        return self.pos[i] + rotate_one(self.quat[i], anchor - self.com[i])

    def _to_body(self, i, point):
        """A world point (m) in the principal frame of body i, about its centre of mass."""
        return rotate_one(conj_rows(self._principal(i)[None])[0], point - self.pos[i])

    def _set_points(self, name, kind, a, b, anchor_a, anchor_b, gap, row):
        if anchor_a is None and anchor_b is None:
            if kind != L.FIXED:
                raise EngineError(f'{name}: anchor_a: must be given, or anchor_b, got None')
            point = self.pos[b]
        else:
            ends = [self._to_world(i, x) for i, x in ((a, anchor_a), (b, anchor_b)) if x is not None]
            apart = length(ends[-1] - ends[0])
            if apart > gap:
                raise EngineError(f'{name}: anchor_b: must be within gap {gap:g} m of anchor_a, is {apart:g} m away')
            point = 0.5 * (ends[0] + ends[-1])
        row[L.JT_ANCHOR_A:L.JT_ANCHOR_A + 3] = self._to_body(a, point)
        row[L.JT_ANCHOR_B:L.JT_ANCHOR_B + 3] = self._to_body(b, point)

    def _set_turns(self, name, kind, a, b, axis, row):
        qa, qb = self._principal(a), self._principal(b)
        row[L.JT_Q:L.JT_Q + 4] = mul_rows(conj_rows(qa[None]), qb[None])[0]
        if kind == L.HINGE:
            axis = array(f'{name}: axis', axis, (3,))
            size = length(axis)
            if size < SHORTEST:
                raise EngineError(f'{name}: axis: must not be zero, got {axis.tolist()}')
            axis = rotate_one(self.quat[a], axis / size)
            in_a = rotate_one(conj_rows(qa[None])[0], axis)
            across = np.eye(3)[np.argmin(np.abs(in_a))]
            across = across - in_a * (in_a @ across)
            row[L.JT_AXIS_A:L.JT_AXIS_A + 3] = in_a
            row[L.JT_AXIS_B:L.JT_AXIS_B + 3] = rotate_one(conj_rows(qb[None])[0], axis)
            row[L.JT_ACROSS:L.JT_ACROSS + 3] = across / length(across)

    def _set_line(self, name, kind, a, b, anchor_a, anchor_b, given, gap, row):
        ends = [self._to_world(i, np.zeros(3) if x is None else x) for i, x in ((a, anchor_a), (b, anchor_b))]
        apart = length(ends[1] - ends[0])
        size = apart if given is None else number(f'{name}: length', given, SHORTEST, MAX_COORDINATE)
        if size < SHORTEST:
            raise EngineError(f'{name}: length: must be given, the anchors are in one place')
        if kind == L.DISTANCE and abs(size - apart) > gap or kind == L.CABLE and apart - size > gap:
            raise EngineError(f'{name}: length: must be within gap {gap:g} m of the distance of the anchors, '
                              f'{apart:g} m, got {size:g}')
        row[L.JT_LENGTH] = apart if kind == L.DISTANCE else max(size, apart) if kind == L.CABLE else size
        row[L.JT_ANCHOR_A:L.JT_ANCHOR_A + 3] = self._to_body(a, ends[0])
        row[L.JT_ANCHOR_B:L.JT_ANCHOR_B + 3] = self._to_body(b, ends[1])

    # ---- memory
    def _put(self, name, kind, a, b, collide, row):
        free = np.flatnonzero(self._s.joint_i[:, L.JI_STATE] == 0)
        if len(free) == 0:
            n = len(self._s.joint)
            new = joint_buffers(max(FIRST, 2 * n))
            new['joint'][:n], new['joint_i'][:n] = self._s.joint, self._s.joint_i
            self._s = self._s._replace(**new)
            free = [n]
        k = int(free[0])
        self._s.joint[k] = row
        self._s.joint_i[k] = 0
        self._s.joint_i[k, [L.JI_KIND, L.JI_A, L.JI_B, L.JI_STATE, L.JI_COLLIDE]] = kind, a, b, 1, collide
        self._joint_names += [None] * (len(self._s.joint) - len(self._joint_names))
        self._joint_names[k] = name
        self._link_joints()
        return k

    def _link_joints(self):
        """The lists of the constraints of each body, and their number; what sleeps wakes, candidates are found anew."""
        list_joints(self._s)
        self._s.count[L.N_STALE_LIST] = self._s.count[L.N_CHANGED] = 1
