# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""World: runs the kernels over its arrays and shows them as plain numpy.  No physics here."""
import hashlib
import math

import numpy as np

from ..checks import array, unit_quaternion, whole
from ..constants import LANES, MAX_COORDINATE, MAX_SPEED, UNIT_TOLERANCE
from ..errors import EngineError
from ..maths.direct import Direct
from ..maths.matrices import times
from ..maths.quat import conj_rows, mul_rows, rotate_rows
from ..model import layout as L
from ..model.allocate import allocate
from ..model.growing import grow
from ..model.materials import Material
from ..model.motions import are_motions, as_motions, read_columns, read_motions, write_motions
from ..model.profiles import drop_pending, drop_profiles
from ..model.seams import with_seams
from ..model.sleepers import wake_beside
from ..model.solvers import SOLVERS
from ..model.stable_step import stable_step
from ..model.stats import Stats, stats
from ..shapes import Box, Capsule
from . import queries
from .constraints import Constrained
from .replacing import Replacing
from .resizing import resize
from .saved import Saved, copied, masses
from .views import CONTACT, contact_table, kinetic_energy, potential_energy

_READ = Direct(read_columns)


class World(Constrained, Replacing):
    """A built world.  Arrays are indexed by body; N bodies; world frame, SI; see WorldBuilder for making one."""

    def __init__(self, spec):
        self._s = allocate(spec)
        self._axes = np.array([b.axes for b in spec.bodies], np.float64).reshape(-1, 4)
        self._turned = bool((self._axes[:, 0] != 1.0).any())
        self.names = tuple(b.name for b in spec.bodies)
        self._poses = len(spec.bodies), L.H_V     # shape of `pose`, which is asked for in every step
        self.kinds = tuple(('static', 'kinematic', 'dynamic')[b.kind] for b in spec.bodies)
        self.shapes = [b.shape for b in spec.bodies]
        self.mass = np.array([b.mass for b in spec.bodies])
        self.com = np.array([b.com for b in spec.bodies])
        self.gravity, self.dt = spec.gravity.copy(), spec.dt
        # s, the longest stable step of a solver with springs; inf for the others
        self.stable_dt = stable_step(self._s, spec.penalty_stiffness) if SOLVERS[spec.solver].has_springs else math.inf
        self._springs = spec.penalty_stiffness
        self._inertia = np.array([b.tensor for b in spec.bodies])
        self._inverse_inertia = np.array([b.inverse_tensor for b in spec.bodies])
        self._index = {name: i for i, name in enumerate(self.names)}
        self._run, self._threads, self._joint_names = None, spec.threads, []
        self._force, self._torque = self._s.load[L.LOAD_F], self._s.load[L.LOAD_T]  # they stay the arrays they are

    # ---- what there is
    @property
    def n(self):
        """Number of bodies."""
        return len(self.names)

    def index(self, name):
        """Index of the body called `name`; EngineError if there is none."""
        if name not in self._index:
            raise EngineError(f'no body called {name!r}')
        return self._index[name]

    @property
    def inertia(self):
        """(N, 3, 3) kg m^2 about the centre of mass, body frame; inf on the diagonal of bodies that are not dynamic."""
        return self._inertia

    # ---- state
    def _column(self, first, count):
        out = np.empty((len(self.names), count))
        _READ.call(self._s.block, first, out)
        return out

    @property
    def pos(self):
        """(N, 3) m, centres of mass."""
        return self._column(L.H_X, 3)

    @property
    def quat(self):
        """(N, 4) wxyz, body to world."""
        q = self._column(L.H_Q, 4)
        return mul_rows(q, conj_rows(self._axes)) if self._turned else q

    @property
    def pose(self):
        """(N, 7): pos (m) and quat (wxyz) side by side, in half the time that both of them take."""
        out = np.empty(self._poses)
        _READ.call(self._s.block, L.H_X, out)
        if self._turned:
            out[:, L.H_Q:] = mul_rows(out[:, L.H_Q:], conj_rows(self._axes))
        return out

    @property
    def linvel(self):
        """(N, 3) m/s."""
        return self._column(L.H_V, 3)

    @property
    def angvel(self):
        """(N, 3) rad/s, world frame."""
        return self._column(L.H_W, 3)

    @property
    def force(self):
        """(N, 3) N, world, at the centre of mass; writable, acts every step until changed."""
        return self._force

    @force.setter
    def force(self, value):
        self._force[...] = value

    @property
    def torque(self):
        """(N, 3) N m, world; writable, acts every step until changed."""
        return self._torque

    @torque.setter
    def torque(self, value):
        self._torque[...] = value

    @property
    def asleep(self):
        """(N,) bool: bodies at rest, until a contact, another load, a state that is set or a parameter wakes them."""
        return self._s.body[:, L.B_SLEEP] > 0

    # ---- loads at a point
    def apply_force(self, i, force):
        """A force (N, world) at the centre of mass of body i during the next step, besides `w.force`.

        Any number of them add up.  i may be (K,) indices with (K, 3) values, a body several times among them.  Errors:
        EngineError naming the body that is not dynamic or not enabled, or the value that is not finite; nothing is
        applied then.
        """
        index, force, _ = self._load_at(i, 'force', force)
        self._push(index, L.PUSH_F, force)

    def apply_force_at(self, i, force, point):
        """A force (N, world) on body i at a point (3,) m, world; otherwise as apply_force.

        Its torque about the centre of mass is that at the time of the call.
        """
        index, force, arm = self._load_at(i, 'force', force, point)
        self._push(index, L.PUSH_F, force)
        self._push(index, L.PUSH_T, np.cross(arm, force))

    def apply_torque(self, i, torque):
        """A torque (N m, world) on body i during the next step, besides `w.torque`; arguments as in apply_force."""
        index, torque, _ = self._load_at(i, 'torque', torque)
        self._push(index, L.PUSH_T, torque)

    def apply_impulse(self, i, impulse):
        """An impulse (N s, world) at the centre of mass of body i, at once; arguments as in apply_force."""
        index, impulse, _ = self._load_at(i, 'impulse', impulse)
        self._kick(index, impulse, np.zeros_like(impulse))

    def apply_impulse_at(self, i, impulse, point):
        """An impulse (N s, world) on body i at a point (3,) m, world, at once; arguments as in apply_force_at."""
        index, impulse, arm = self._load_at(i, 'impulse', impulse, point)
        self._kick(index, impulse, np.cross(arm, impulse))

    def apply_angular_impulse(self, i, impulse):
        """An angular impulse (N m s, world) on body i, at once; arguments as in apply_force."""
        index, impulse, _ = self._load_at(i, 'angular impulse', impulse)
        self._kick(index, np.zeros_like(impulse), impulse)

    def _load_at(self, i, key, value, point=None):
        """Checked (K,) indices, (K, 3) loads and (K, 3) arms from the centres of mass, or None."""
        index = self._indices(key, np.atleast_1d(i))
        for k in index:
            if self.kinds[k] != 'dynamic':
                raise EngineError(f'{self.names[k]}: {key}: acts on dynamic bodies only, this one is {self.kinds[k]}')
            if not self._s.body[k, L.B_ENABLED]:
                raise EngineError(f'{self.names[k]}: {key}: the body is disabled and takes none')
        value = self._vectors(key, value, index)
        if point is None:
            return index, value, None
        return index, value, self._vectors(f'point of the {key}', point, index, MAX_COORDINATE) - self.pos[index]

    def _indices(self, key, i):
        index = np.asarray(i)
        if index.ndim != 1 or (index.size and index.dtype.kind not in 'iu'):
            raise EngineError(f'{key}: indices: must be whole numbers, got {i!r}')
        if index.size and (index.min() < 0 or index.max() >= self.n):
            bad = int(index.min() if index.min() < 0 else index.max())
            raise EngineError(f'{key}: no body {bad}, the world has {self.n}')
        return index.astype(np.int64)

    def _vectors(self, key, value, index, limit=np.inf):
        try:
            a = np.asarray(value, np.float64)
        except (TypeError, ValueError):
            raise EngineError(f'{key}: must be numbers of shape (3,), got {value!r}') from None
        if a.shape == (3,):
            a = np.broadcast_to(a, (len(index), 3))
        if a.shape != (len(index), 3):
            raise EngineError(f'{key}: must have shape (3,) or {(len(index), 3)}, got {a.shape}')
        good = (np.isfinite(a) & (np.abs(a) <= limit)).all(axis=1)
        if not good.all():
            k = int(np.argmin(good))
            raise EngineError(f'{self.names[index[k]]}: {key}: must be finite and within +-{limit:g}, '
                              f'got {a[k].tolist()}')
        return a

    def _push(self, index, kind, value):
        with np.errstate(over='ignore'):    # the step refuses what is not finite
            np.add.at(self._s.load[kind], index, value)
        self._s.count[L.N_PUSHED] += len(index)

    def _kick(self, index, impulse, angular):
        """Velocities after impulses and angular impulses about the centres of mass, all at the present attitude."""
        bodies, rows = np.unique(index, return_inverse=True)
        total = np.zeros((2, len(bodies), 3))
        np.add.at(total[0], rows, impulse)
        np.add.at(total[1], rows, angular)
        q = self.quat[bodies]
        body = times(self._inverse_inertia[bodies], rotate_rows(conj_rows(q), total[1]))
        self.set_states(bodies, linvel=self.linvel[bodies] + total[0] / self.mass[bodies, None],
                        angvel=self.angvel[bodies] + rotate_rows(q, body), keep_impacts=True)

    def _body(self, i):
        k = whole('body', i)
        if not 0 <= k < self.n:
            raise EngineError(f'no body {i}, the world has {self.n}')
        return k

    def set_state(self, i, pos=None, quat=None, linvel=None, angvel=None):
        """Set what is given of body i: pos (3,) m, quat (4,) wxyz, linvel (3,) m/s, angvel (3,) rad/s; world frame."""
        i = self._body(i)
        name = self.names[i]
        self.set_states(np.array([i]),
                        None if pos is None else array(f'{name}: pos', pos, (3,), MAX_COORDINATE)[None],
                        None if quat is None else unit_quaternion(f'{name}: quat', quat)[None],
                        None if linvel is None else array(f'{name}: linvel', linvel, (3,), MAX_SPEED)[None],
                        None if angvel is None else array(f'{name}: angvel', angvel, (3,), MAX_SPEED)[None])

    def set_states(self, indices, pos=None, quat=None, linvel=None, angvel=None, keep_impacts=False):
        """As set_state for several bodies: (K,) indices, (K, 3) or (K, 4) values; all are checked before any is set.

        A body that is set is where and as fast as it is said to be: what is left of its impacts over time is dropped on
        its side.  keep_impacts, True or (K,) bool: for these it goes on, as for a body that is nudged.
        """
        index = self._indices('set_states', indices)
        changes = []
        for key, value, first, width, limit in (
                ('pos', pos, L.H_X, 3, MAX_COORDINATE), ('quat', quat, L.H_Q, 4, 2.0),
                ('linvel', linvel, L.H_V, 3, MAX_SPEED), ('angvel', angvel, L.H_W, 3, MAX_SPEED)):
            if value is not None:
                changes.append((first, self._checked(key, value, index, width, limit)))
        fixed = self._s.body[index, L.B_KIND] == L.STATIC
        if fixed.any():
            for first, value in changes:
                if first in (L.H_V, L.H_W) and value[fixed].any():
                    k = index[fixed & value.any(axis=1)][0]
                    raise EngineError(f'{self.names[k]}: set_states: a static body does not move, its velocity is 0')
            self._s.count[L.N_STALE_LIST] = self._s.count[L.N_CHANGED] = 1
        if self._s.count[L.N_PROFILES] > 0 and changes:
            drop_pending(self._s, index[~np.broadcast_to(np.asarray(keep_impacts, bool), index.shape)])
        for first, value in changes:
            for c in range(value.shape[1]):
                self._s.block[index // LANES, (first + c) * LANES + index % LANES] = value[:, c]
        self._s = with_seams(self._s) if fixed.any() else self._s

    def motions(self, indices):
        """pos, quat, linvel, angvel of bodies (K,) side by side: (K, 13)."""
        index = self._indices('motions', indices)
        out = np.empty((len(index), L.STATE))
        read_motions(self._s.block, self._axes, self._turned, index, out)
        return out

    def set_motions(self, indices, motions, keep_impacts=False):
        """As set_states, of bodies (K,) that are not static, with motions (K, 13) as `motions` gives them."""
        index = self._indices('set_motions', indices)
        m = as_motions(motions, len(index))
        if not are_motions(self._s.body, index, m):     # set_states says what is wrong
            return self.set_states(index, *np.split(m, (L.H_Q, L.H_V, L.H_W), axis=1), keep_impacts)
        if self._s.count[L.N_PROFILES] > 0:
            drop_pending(self._s, index[~np.broadcast_to(np.asarray(keep_impacts, bool), index.shape)])
        return write_motions(self._s.block, self._axes, self._turned, index, m)

    def _checked(self, key, value, index, width, limit):
        try:
            a = np.asarray(value, np.float64)
        except (TypeError, ValueError):
            raise EngineError(f'set_states: {key}: must be numbers of shape {(len(index), width)}, '
                              f'got {value!r}') from None
        if a.shape != (len(index), width):
            raise EngineError(f'set_states: {key}: must have shape {(len(index), width)}, got {a.shape}')
        if not (np.abs(a) <= limit).all():
            k = int(np.argmin((np.abs(a) <= limit).all(axis=1)))
            raise EngineError(f'{self.names[index[k]]}: {key}: must be finite and within +-{limit:g}, '
                              f'got {a[k].tolist()}')
        if key == 'quat':
            length = np.sqrt((a * a).sum(axis=1))
            if (np.abs(length - 1.0) > UNIT_TOLERANCE).any():
                k = int(np.argmax(np.abs(length - 1.0)))
                raise EngineError(f'{self.names[index[k]]}: quat: must be a unit quaternion (w, x, y, z), '
                                  f'got {a[k].tolist()}')
            a = np.where((length == 1.0)[:, None], a, a / length[:, None])
            a = mul_rows(a, self._axes[index]) if self._turned else a
        return a

    def set_enabled(self, i, enabled):
        """A disabled body is frozen and out of contact.

        What sleeps beside it wakes.  The rest of its impacts over time is dropped, on the other bodies' side too.
        """
        i = self._body(i)
        self._s.body[i, L.B_ENABLED] = bool(enabled)
        self._s.count[L.N_STALE_LIST] = 1
        wake_beside(self._s, i)
        if not enabled and self._s.count[L.N_PROFILES] > 0:
            drop_profiles(self._s, i)

    def set_material(self, i, restitution=None, friction=None, rolling_friction=None, torsional_friction=None):
        """Material of body i, as in WorldBuilder.add_body; None: as it is."""
        i = self._body(i)
        new = Material.checked(self.names[i], restitution, friction, rolling_friction, torsional_friction)
        curve = [tuple(p) for p in self._s.curve.tolist()]
        row, mine = new.row(curve), self._s.material[i]
        if row[L.S_POINTS] == mine[L.S_POINTS] > 0:   # in the place of the old table
            first, n = int(mine[L.S_TABLE]), int(row[L.S_POINTS])
            curve[first:first + n], row[L.S_TABLE] = curve[-n:], first
            del curve[-n:]
        given = ~np.isnan(row)
        given[L.S_TABLE:L.S_POINTS + 1] = given[L.S_E]
        mine[given] = row[given]
        self._s = self._s._replace(curve=np.array(curve, np.float64).reshape(-1, 2))
        self._s.count[L.N_CHANGED] = 1

    def set_capsule(self, i, radius, length):
        """New size (m) of body i, a Capsule (a bone of a tracked hand); its mass and inertia stay."""
        resize(self, self._body(i), Capsule(radius, length))

    def set_box(self, i, size):
        """New full sides (3,) m of body i, a Box (the palm of a tracked hand); its mass and inertia stay."""
        resize(self, self._body(i), Box(size))

    # ---- queries
    def distance(self, a, b, limit=np.inf):
        """Distance of bodies a and b as they are: (distance m, point_a, point_b (3,) m, normal (3,) a -> b), world.

        Signed: minus the depth where they overlap.  inf beyond `limit` (m), which saves time.  Of a mesh the surface
        counts, as seen from its front.  Filters and `enabled` play no part.  Errors: EngineError for a body that is not
        there, or where both are half-spaces or meshes.
        """
        return queries.distance(self, self._body(a), self._body(b), limit)

    def overlap(self, a, b):
        """Whether bodies a and b touch or overlap; errors as of distance."""
        return self.distance(a, b, 0.0).distance <= 0.0

    def nearest(self, indices, limit):
        """Of bodies `indices` (K,) the nearest enabled body each may collide with: (distance (K,) m, other (K,) index).

        inf and -1 where there is none within limit (m).  Cost grows with the number of bodies, not its square.
        """
        return queries.nearest(self, self._indices('nearest', indices), limit)

    def ray_cast(self, origin, direction, longest=np.inf, mask=-1):
        """First body that a ray enters: Hit(body, part, distance m, point, normal), or None.

        origin (3,) m, direction (3,), world; longest m; mask: groups of bodies that count.  Bodies that hold the origin
        are not entered; meshes are met from their front.  Errors: EngineError for a zero direction.
        """
        return queries.ray_cast(self, origin, direction, longest, mask)

    # ---- run
    def step(self, n=1):
        """Run n steps.

        Errors: EngineError naming the body whose force or torque is not finite or too large, or whose pose is not
        finite; the step that it stands in the way of is not taken, those before it are.
        """
        n = n if type(n) is int else whole('step: n', n)
        if not 0 < n <= 10**9:
            if n != 0:
                raise EngineError(f'step: n must be in [0, 1e9], got {n!r}')
            return
        if self._run is None:
            from .runner import Runner  # late: importing the world compiles nothing
            self._run = Runner(self._threads)
        done, status = self._run(self._s, n, 1)
        while status != L.OK:
            self._mend(status)
            k, status = self._run(self._s, n - done, 0)
            done += k

    def _mend(self, status):
        """Make room for what a step needs; EngineError for a load that it refused."""
        if status not in (L.BAD_FORCE, L.BAD_STATE):
            self._s = grow(self._s, status)
            return
        i = int(self._s.count[L.N_BAD])
        if status == L.BAD_STATE:
            raise self._of_body(i, f'pose: must be finite, is {self.pose[i].tolist()}; set it anew')
        got = ', '.join(str(self._s.load[k, i].tolist()) for k in range(L.LOADS))
        self._s.load[L.PUSH_F:, i] = 0.0
        raise self._of_body(i, 'force, torque, pushes of this step: must be finite and change the speed by less than '
                               f'{MAX_SPEED:g} m/s or rad/s in a step, got {got}; the pushes are dropped')

    def require_poses(self):
        """What the next step would do: EngineError naming a body whose pose is not finite."""
        for i in np.flatnonzero(~np.isfinite(self.pose).all(axis=1)):
            self._s.count[L.N_BAD] = i
            self._mend(L.BAD_STATE)

    def _of_body(self, i, text):
        error = EngineError(f'{self.names[i]}: {text}')
        error.body = i
        return error

    time_steps = property(lambda self: int(self._s.count[L.N_STEPS]), doc='Steps taken; time = time_steps * dt.')
    cuts = property(lambda self: int(self._s.count[L.N_LIMITED]), doc='stats().limited.')

    # ---- what happened
    def limited(self):
        """Dynamic bodies that were held within the limits since the last call: indices (K,), and the largest speed
        (m/s), rate (rad/s) and coordinate (m) that was cut of each, (K, 3), 0 for none."""
        cut = self._s.anchor[:, L.A_CUT_V:]
        bodies = np.flatnonzero(cut.any(axis=1))
        values = cut[bodies]
        cut[bodies] = 0.0
        return bodies, values

    def contact_log(self):
        """Structured array (dtype CONTACT) of the contact points of the last step(n) call, in time order.

        All of them, but for those of the oldest steps of a call with more than half a million rows: those are counted
        in stats().lost_log_rows.
        """
        return contact_table(self._s.out[:self.log_rows], int(self._s.count[L.N_FIRST]))

    @property
    def log_rows(self):
        """Number of rows of contact_log()."""
        return int(self._s.count[L.N_OUT])

    def contacts(self):
        """Rows of the last executed step."""
        rows = self._s.out[:self._s.count[L.N_OUT]]
        return contact_table(rows[rows[:, L.O_STEP] == self.time_steps - 1], int(self._s.count[L.N_FIRST]))

    def stats(self):
        """The counters, as `Stats`."""
        return stats(self._s)

    def kinetic_energy(self):
        """J, of the enabled dynamic bodies."""
        return kinetic_energy(self)

    def potential_energy(self):
        """J, in the world's gravity, zero at the origin."""
        return potential_energy(self)

    def energy(self):
        """J, kinetic + potential."""
        return self.kinetic_energy() + self.potential_energy()

    # ---- memory
    def save(self):
        """All that the future depends on, as an opaque object for `restore`."""
        return Saved(copied(self._s), list(self.shapes), list(self._joint_names))

    def restore(self, saved):
        """Back to a saved state of this world, exact to the bit; w.force and w.torque stay the arrays they are."""
        if not isinstance(saved, Saved):
            raise EngineError(f'restore: must be what save() gave, got {saved!r}')
        s, shapes, names = saved
        if s.body.shape != self._s.body.shape:
            raise EngineError(f'restore: saved from a world of {len(s.body)} bodies, this one has {self.n}')
        settings = slice(L.F_H, L.F_RESIDUAL)
        same = np.array_equal(s.par[settings], self._s.par[settings]) and np.array_equal(s.tensor, self._s.tensor)
        if not (same and np.array_equal(masses(s), masses(self._s))):
            raise EngineError('restore: saved from a world with other settings (time step, gravity, threshold, '
                              'integrator, solver, rules, contact over time) or masses')
        self.shapes, self._joint_names = list(shapes), list(names)
        self._s.load[:] = s.load
        self._s = copied(s)._replace(load=self._s.load, convex=self._s.convex)

    def state_hash(self):
        """Hex digest of positions, attitudes, velocities and the step count: equal iff they agree to the bit."""
        return hashlib.sha256(self._column(0, L.STATE).tobytes() + self.time_steps.to_bytes(8, 'little')).hexdigest()


__all__ = ['CONTACT', 'Stats', 'World']
