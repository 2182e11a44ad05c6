# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""SurfaceMotion: one body that slides, rolls, flies and lands on one floor.  Checks and views; the kernels do the rest.
"""
import numpy as np

from ..engine.checks import array, choice, number, unit_quaternion, whole
from ..engine.constants import MAX_COORDINATE, MAX_SPEED
from ..engine.errors import (
    ConstraintVelocityError,
    CurvatureError,
    EngineError,
    MassError,
    OffSurfaceError,
    TwoContactsError,
)
from ..engine.mass import principal_axes
from ..engine.maths import rounding
from ..engine.maths.matrices import length, lengths, product, solution
from . import layout as L
from .bodies import as_body, neighbours
from .floors import Floor
from .run import run

MODES = {'free': L.FREE, 'slide': L.SLIDE, 'roll': L.ROLL, 'coulomb': L.COULOMB}
STATES = 'free', 'slide', 'roll'
INTEGRATORS = {'rk4': L.RK4, 'implicit_midpoint': L.MIDPOINT, 'semi_implicit_euler': L.EULER}
EVENTS = {L.RELEASE: 'release', L.LAND: 'land', L.SLIP: 'slide', L.STICK: 'roll'}
# m and m/s: starts that are this near to the constraint are on it, and are projected
ON_SURFACE = 1e-9


def make_arrays(floor, body, mass, moments, frame, com, settings=()):
    """Arrays of a motion; settings: (column of par, value) pairs."""
    if not isinstance(floor, Floor):
        raise EngineError(f'floor: must be a floor, got {floor!r}')
    samples = np.ascontiguousarray(body.surface(), np.float64)
    par = np.zeros(L.PAR)
    par[L.P_MASS], par[L.P_SIZE] = mass, lengths(samples).max()
    par[L.P_MOMENTS:L.P_MOMENTS + 3], par[L.P_FRAME:L.P_FRAME + 4] = moments, frame
    par[L.P_COM:L.P_COM + 3] = com
    for column, value in settings:
        par[column:column + np.size(value)] = value
    flag = np.zeros(L.FLAGS, np.int64)
    flag[L.I_CONVEX], flag[L.I_RESTS] = floor.convex, floor.rests
    return L.Arrays(
        par=par, flag=flag, floor=floor.row(), body=body.row().astype(np.float64), samples=samples,
        beside=neighbours(), near=np.zeros(len(samples)), load=np.zeros((2, 3)), y=np.zeros((4, L.STATE)),
        k=np.zeros((2, L.MOVING)), out=np.zeros(L.OUT), drag=np.zeros(L.DRAG),
        kept=np.zeros(L.KEPT_ENERGY), matrix=np.zeros((4, 5)),
        count=np.zeros(L.COUNTS, np.int64), result=np.zeros(L.RESULT), event=np.zeros((64, L.EVENT)),
        trace=np.zeros((0, L.TRACE)))


def contact_point(floor, body, pos, quat, t=0.0, com=(0.0, 0.0, 0.0)):
    """(point (3,) m of the body, gap m) nearest to the floor at time t (s), by Newton's method on (12) of
    docs/smooth_floor.md.

    pos (3,) m of the centre of mass, quat (4,) wxyz, com (3,) m in the shape's frame.  The gap is the distance along
    the common normal, negative where they overlap; at gap 0 the point is the contact.  Errors: CurvatureError,
    OffSurfaceError where no point is the nearest.
    """
    body = as_body('body', body)
    s = make_arrays(floor, body, 1.0, np.ones(3), (1.0, 0.0, 0.0, 0.0), array('com', com, (3,), MAX_COORDINATE))
    s.y[0, L.Y_X:L.Y_X + 3], s.y[0, L.Y_Q:L.Y_Q + 4] = array('pos', pos, (3,), MAX_COORDINATE), \
        unit_quaternion('quat', quat)
    _, status = run(s, floor.code(), body.code(), L.NEAREST, number('t', t), 0, 0)
    if status in (L.NO_CONTACT, L.TOO_FLAT):
        _fail(s, status, 0.0)
    return s.result[:3].copy(), float(s.result[L.R_GAP])


def multiplier(mass, inertia_world, angvel, B, B_dot, b_dot, force, torque, linvel=(0.0, 0.0, 0.0)):
    """lambda (k,) of B Omega + b = 0, Omega = (v, omega): (9) of docs/smooth_floor.md, with its minus sign.

    -(B mu^-1 B^T)^-1 [B' Omega + b' + B mu^-1 (Phi - mu' Omega)].  mass kg; inertia_world (3, 3) kg m^2 about the
    centre of mass; angvel (3,) rad/s and linvel (3,) m/s, world; B, B_dot (k, 6), b_dot (k,); force (3,) N, torque (3,)
    N m about the centre of mass.  linvel counts where B_dot has columns for it.  Errors: EngineError naming the value,
    or rows that depend on each other.
    """
    mass, inertia = number('mass', mass, positive=True), array('inertia_world', inertia_world, (3, 3))
    v, w = array('linvel', linvel, (3,)), array('angvel', angvel, (3,))
    k = np.shape(B)[0] if np.ndim(B) == 2 else 0
    rows = array('B', B, (k, 6))
    rows_dot, b_dot = array('B_dot', B_dot, (k, 6)), array('b_dot', b_dot, (k,))
    try:
        eased = np.hstack([rows[:, :3] / mass, solution(inertia.T, rows[:, 3:].T).T])
    except ZeroDivisionError:
        raise EngineError(f'inertia_world: must have an inverse, got {inertia.tolist()}') from None
    force, torque = array('force', force, (3,)), array('torque', torque, (3,))
    load = np.concatenate([force, torque - np.cross(w, product(inertia, w))])
    try:
        return -solution(product(eased, rows.T),
                         product(rows_dot, np.concatenate([v, w])) + b_dot + product(eased, load))
    except ZeroDivisionError:
        raise EngineError(f'B: its rows must not depend on each other, got {rows.tolist()}') from None


def _fail(s, status, time):
    """Raise what a status of the kernels means."""
    at_time, point, (body, floor, gap) = f'at {time:.9g} s', s.result[:3].copy(), s.result[L.R_BODY:L.R_LEFT].tolist()
    where = f'({point[0]:.6g}, {point[1]:.6g}, {point[2]:.6g}) m'
    on_floor = status == L.NO_CONTACT and s.count[L.C_STEPS] > 0 and s.count[L.C_STATE] != L.FREE
    if status == L.TOO_FLAT or on_floor:
        raise CurvatureError(f'{at_time} body and floor touch at no single point near {where}: in one direction the '
                             f"body's curvature is {body:.6g} 1/m and the floor's {-floor:.6g} 1/m towards it, which "
                             'must be less', body, -floor)
    if status == L.TWO_CONTACTS:
        raise TwoContactsError(f'{at_time} body and floor meet at a second point {where}, gap {gap:.3g} m there',
                               point, gap)
    if status == L.JAMMED:
        raise EngineError(f'{at_time} friction: {s.par[L.P_MU]:g} jams the body: it would press it into the floor '
                          'harder than the floor resists')
    raise OffSurfaceError(f'{at_time} no contact point found, gap about {gap:.3g} m', gap)


class SurfaceMotion:
    """One body on one floor: frictionless sliding, rolling, Coulomb friction between them, flight and landing.

    floor: a floor; body: Sphere, Ellipsoid, Superquadric or SmoothBody, its frame at the centre of the shape.  mass kg;
    inertia (3,) or (3, 3) kg m^2 about the centre of mass in the body's axes, None: of the uniform shape; com (3,) m in
    the shape's frame.  pos (3,) m of the centre of mass, quat (4,) wxyz, linvel m/s, angvel rad/s, world.
    mode: 'slide' (no friction), 'roll' (no slip), 'coulomb' (friction decides) or 'free' (in the air; it lands, and
    goes on as 'coulomb').  restitution e and friction mu count in landings, mu in 'coulomb'; what slides or rolls by
    decree lands without friction or without slip.  unilateral=False keeps it on the floor though the force would pull.
    integrator: 'rk4', 'implicit_midpoint' or 'semi_implicit_euler'; dt s.  project=True moves the start onto the
    surface and its velocities onto the constraint, which must hold to 1e-9 otherwise.  force (3,) N, at the centre of
    mass; time s at the start.
    Attributes to write: force, torque (3,) N, N m, world, acting every step.
    Errors: EngineError naming the argument, OffSurfaceError, ConstraintVelocityError, TwoContactsError, CurvatureError.
    """

    def __init__(self, floor, body, *, mass, inertia=None, com=(0.0, 0.0, 0.0), mode='slide', pos=(0.0, 0.0, 0.0),
                 quat=(1.0, 0.0, 0.0, 0.0), linvel=(0.0, 0.0, 0.0), angvel=(0.0, 0.0, 0.0), gravity=(0.0, 0.0, -9.81),
                 friction=0.0, restitution=0.0, integrator='rk4', dt=1e-3, project=False, force=None, time=0.0,
                 unilateral=True):
        rounding.keep()
        shape = as_body('body', body)
        mass, moments, frame, com = _inertia(shape, mass, inertia, com)
        self._s = s = make_arrays(floor, shape, mass, moments, frame, com, (
            (L.P_H, number('dt', dt, 1e-7, 1.0)), (L.P_GRAVITY, array('gravity', gravity, (3,), 1e4)),
            (L.P_MU, number('friction', friction, 0.0, 1e3)), (L.P_E, number('restitution', restitution, 0.0, 1.0))))
        self.floor, self.body, self._code = floor, body, (floor.code(), shape.code())
        self._start, self.dt, self._mode = number('time', time), float(s.par[L.P_H]), choice('mode', mode, MODES)
        s.flag[L.I_SCHEME] = INTEGRATORS[choice('integrator', integrator, INTEGRATORS)]
        s.flag[L.I_MODE] = L.COULOMB if mode == 'free' else MODES[mode]
        s.flag[L.I_UNILATERAL] = bool(unilateral)
        s.load[0] = np.zeros(3) if force is None else array('force', force, (3,))
        s.y[0, :L.MOVING] = np.concatenate([
            array('pos', pos, (3,), MAX_COORDINATE), unit_quaternion('quat', quat),
            array('linvel', linvel, (3,), MAX_SPEED), array('angvel', angvel, (3,), MAX_SPEED)])
        self._place(bool(project))

    @classmethod
    def resting(cls, floor, body, *, at=(0.0, 0.0, 0.0), **options):
        """A body put on the floor near `at` (3,) m: moved along the floor's normal to touch it, its velocities
        projected on the constraint.  Options as of SurfaceMotion."""
        return cls(floor, body, pos=at, project=True, **options)

    @classmethod
    def from_world(cls, world, i, floor, body=None, mode='slide', **options):
        """Body i of a World, with its mass, inertia, centre of mass and state; gravity and dt are the world's.

        body: the smooth shape that slides, None for the body's own if that is a Sphere or an Ellipsoid.
        """
        i = world.index(i) if isinstance(i, str) else whole('i', i)
        given = dict(mass=world.mass[i], inertia=world.inertia[i], com=world.com[i], pos=world.pos[i],
                     quat=world.quat[i], linvel=world.linvel[i], angvel=world.angvel[i], gravity=world.gravity,
                     dt=world.dt)
        return cls(floor, world.shapes[i] if body is None else body, mode=mode, **(given | options))

    def write(self, world, i):
        """Give body i of a World this state."""
        world.set_state(i, pos=self.pos, quat=self.quat, linvel=self.linvel, angvel=self.angvel)

    # ---- start
    def _run(self, task, n=0, every=0):
        rounding.keep()
        return run(self._s, *self._code, task, self._start, n, every)

    def _place(self, project):
        s, y = self._s, self._s.y[0]
        free = self._mode == 'free'
        s.count[L.C_STATE] = L.FREE if free else L.ROLL if self._mode == 'roll' else L.SLIDE
        _, status = self._run(L.NEAREST if free else L.TOUCHING)
        gap = float(y[L.Y_GAP])
        if free:
            if status != L.NO_CONTACT and gap < -ON_SURFACE and not project:
                raise OffSurfaceError(f'pos: the body is {-gap:.6g} m inside the floor', gap)
        else:
            self._touch(status, gap, project)
            _, status = self._run(L.INSPECT)
            speed = float(s.result[L.R_LEFT + 1])
            if status == L.OK and speed > ON_SURFACE and not project:
                what = 'slips on or leaves' if self._mode == 'roll' else 'leaves or enters'
                raise ConstraintVelocityError(f'linvel, angvel: the touching point {what} the floor with {speed:.6g} '
                                              'm/s; project=True changes them', speed)
        _, status = self._run(L.START)
        if status != L.OK:
            _fail(s, status, self.time)

    def _touch(self, status, gap, project):
        """Errors of a start off the surface, or at more than a point."""
        s, y = self._s, self._s.y[0]
        if status == L.NO_CONTACT or (abs(gap) > ON_SURFACE and not project):
            side = 'above the floor' if gap > 0.0 else 'inside the floor'
            raise OffSurfaceError(f'pos: the body is {abs(gap):.6g} m {side}; project=True moves it there', gap)
        if project and status != L.TOO_FLAT:
            gradient = self.floor.at(self.time, y[L.Y_S:L.Y_S + 3])['gradient']
            y[L.Y_X:L.Y_X + 3] -= gap * gradient / length(gradient)
            _, status = self._run(L.TOUCHING)
        if status != L.OK:
            _fail(s, status, self.time)

    # ---- run
    def step(self, n=1):
        """Run n steps.

        Errors: EngineError for forces that are not finite; TwoContactsError, CurvatureError where the body comes to
        such a place, in the state before the step that would bring it there.
        """
        self._advance(whole('step: n', n), 0)

    def trace(self, n, every=1):
        """Run n steps; the state after every so many: dict of arrays time (k,), pos, quat, linvel, angvel,
        contact_point, contact_force (k, 3 or 4), state (k,) words, energy (k,) J."""
        n, every = whole('trace: n', n), whole('trace: every', every)
        if every < 1:
            raise EngineError(f'trace: every: must be >= 1, got {every}')
        if n < 0:
            raise EngineError(f'trace: n: must be >= 0, got {n}')
        self._s = self._s._replace(trace=np.zeros((n // every + 1, L.TRACE)))
        self._s.count[L.C_ROWS] = 0
        try:
            self._advance(n, every)
        finally:
            rows = self._s.trace[:self._s.count[L.C_ROWS]]
            self._s = self._s._replace(trace=np.zeros((0, L.TRACE)))
        time, pos, quat, linvel, angvel, point, force, state, energy = np.split(
            rows, [1, 4, 8, 11, 14, 17, 20, 21], axis=1)
        return dict(time=time[:, 0], pos=pos, quat=quat, linvel=linvel, angvel=angvel, contact_point=point,
                    contact_force=force, state=np.array(STATES)[state[:, 0].astype(int)], energy=energy[:, 0])

    def _advance(self, n, every):
        if not 0 <= n <= 10**9:
            raise EngineError(f'step: n: must be in [0, 1e9], got {n}')
        for key, value in (('force', self.force), ('torque', self.torque)):
            array(key, value, (3,))
        while n > 0:
            done, status = self._run(L.STEP, n, every)
            n -= done
            if status == L.LOG_FULL:
                self._s = self._s._replace(event=np.concatenate([self._s.event, np.zeros_like(self._s.event)]))
            elif status != L.OK:
                _fail(self._s, status, self.time)

    # ---- state
    def _columns(self, first, count):
        return self._s.y[0, first:first + count].copy()

    @property
    def time(self):
        """s."""
        return self._start + int(self._s.count[L.C_STEPS]) * self.dt

    @property
    def pos(self):
        """(3,) m, centre of mass."""
        return self._columns(L.Y_X, 3)

    @property
    def quat(self):
        """(4,) wxyz, body to world."""
        return self._columns(L.Y_Q, 4)

    @property
    def linvel(self):
        """(3,) m/s."""
        return self._columns(L.Y_V, 3)

    @property
    def angvel(self):
        """(3,) rad/s, world."""
        return self._columns(L.Y_W, 3)

    @property
    def force(self):
        """(3,) N, world, at the centre of mass; writable, acts every step."""
        return self._s.load[0]

    @force.setter
    def force(self, value):
        self._s.load[0] = value

    @property
    def torque(self):
        """(3,) N m, world; writable, acts every step."""
        return self._s.load[1]

    @torque.setter
    def torque(self, value):
        self._s.load[1] = value

    @property
    def state(self):
        """'slide', 'roll' or 'free': what the body does now."""
        return STATES[self._s.count[L.C_STATE]]

    @property
    def mode(self):
        """The law it follows: 'slide', 'roll' or 'coulomb'; 'free' in the air."""
        words = {number: word for word, number in MODES.items()}
        return 'free' if self.state == 'free' else words[int(self._s.flag[L.I_MODE])]

    @property
    def gap(self):
        """m between body and floor, 0 in contact."""
        return float(self._s.y[0, L.Y_GAP])

    @property
    def contact_point(self):
        """(3,) m; in flight the point of the floor that is nearest."""
        return self._columns(L.Y_S, 3)

    @property
    def contact_velocity(self):
        """(3,) m/s of the contact as a point of geometry, (15) of docs/smooth_floor.md; zeros in flight."""
        return np.zeros(3) if self.state == 'free' else self._columns(L.Y_S_DOT, 3)

    @property
    def normal(self):
        """(3,) unit, out of the floor at the contact point."""
        gradient = self.floor.at(self.time, self.contact_point)['gradient']
        return gradient / length(gradient)

    @property
    def slip(self):
        """(3,) m/s of the touching material along the floor's; zeros in flight."""
        return np.zeros(3) if self.state == 'free' else self._s.out[L.O_SLIP:L.O_SLIP + 3].copy()

    @property
    def multiplier(self):
        """The multiplier lambda: (1,) of sliding, the floor's force is grad G lambda and friction; (3,) N of
        rolling."""
        if self.state == 'slide':
            return self._s.out[L.O_LAMBDA:L.O_LAMBDA + 1].copy()
        return self.contact_force if self.state == 'roll' else np.zeros(0)

    @property
    def contact_force(self):
        """(3,) N on the body, at the contact point."""
        return self._s.out[L.O_FORCE:L.O_FORCE + 3].copy()

    @property
    def events(self):
        """List of (time s, kind, data), kind 'release', 'land', 'slide' or 'roll'.

        data: tuples contact_point (3,) m, normal (3,), impulse (3,) N s of a landing, slip (3,) m/s before, and the
        state after.
        """
        return [(float(r[L.E_TIME]), EVENTS[int(r[L.E_KIND])], _event(r))
                for r in self._s.event[:self._s.count[L.C_EVENTS]]]

    def energy(self):
        """J, kinetic and gravity's potential, zero at the origin."""
        self._run(L.INSPECT)
        return float(self._s.result[L.R_ENERGY])

    def residual(self):
        """(gap m, velocity m/s) by which the constraint is missed; zeros in flight."""
        if self.state == 'free':
            return 0.0, 0.0
        self._run(L.INSPECT)
        return abs(float(self._s.result[L.R_LEFT])), float(self._s.result[L.R_LEFT + 1])


def _event(row):
    """What happened, from a row of the log."""
    vectors = (('contact_point', L.E_POINT), ('normal', L.E_NORMAL), ('impulse', L.E_IMPULSE), ('slip', L.E_SLIP))
    data = {key: tuple(row[first:first + 3].tolist()) for key, first in vectors}
    return data | dict(state=STATES[int(row[L.E_STATE])])


def _inertia(shape, mass, inertia, com):
    """(mass, principal moments, their frame, com), checked."""
    try:
        mass = number('mass', mass, 1e-12, 1e12, positive=True)
    except EngineError as error:
        raise MassError(str(error)) from None
    com = array('com', com, (3,), MAX_COORDINATE)
    if inertia is None:
        uniform = shape.uniform()
        if np.abs(com - uniform.com).max() > ON_SURFACE:
            raise EngineError('inertia: must be given about the centre of mass where com is off the centroid '
                              f'{uniform.com.tolist()}, got com {com.tolist()}')
        inertia = mass * uniform.inertia
    return mass, *principal_axes('inertia', inertia), com
