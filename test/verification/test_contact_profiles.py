# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact over time: the profiles as functions, their durations by ODE, and two bodies that share one impulse."""

import numpy as np
import pytest
from contact_scenes import (
    PROFILES,
    area,
    ball_on_plane,
    builder,
    delivered,
    head_on,
    peak,
    walk,
)
from numpy.testing import assert_allclose
from oracles.rotations import matrix
from scenes import DRONE_INERTIA, DRONE_MASS, G, impacts, pair_world, reference_wall, touching_pair
from scipy.integrate import quad, solve_ivp

from hakoniwa_rigid.engine import (
    Box,
    EngineError,
    Sphere,
    contact_duration,
    contact_force,
    peak_force,
)

TOI = 2.37e-3  # s, of head_on: inside the third step
TIMES = [1e-5, 0.3e-3, 0.63e-3, 1e-3, 1.7e-3, 20.3e-3]  # s, below, up to the end of, about and far above a step
OVER_TIME = [(p, t) for p in PROFILES for t in TIMES]
J = 0.7 * 1.9 / 2.6 * 1.6 * 4.0  # N s, m_n (1 + e) v of head_on


# --- pure functions


@pytest.mark.parametrize('profile', PROFILES)
@pytest.mark.parametrize('duration', [1e-5, 3e-3, 2.0])
def test_integral_of_the_force_is_the_impulse(profile, duration):
    """∫ f dt = J to 1e-12, by quadrature in an angle that makes the ends smooth."""
    def f(a):
        return contact_force(profile, 3.7, duration, duration * (1 - np.cos(a)) / 2) * duration * np.sin(a) / 2

    assert_allclose(quad(f, 0, np.pi, epsabs=0, epsrel=1e-13)[0], 3.7, rtol=1e-12)


@pytest.mark.parametrize('profile', PROFILES)
def test_force_has_the_shape_of_its_name(profile):
    """Equal to the closed form inside, 0 outside, its top the peak force; arrays of times are welcome."""
    t = np.linspace(-0.02, 0.04, 121)[[*range(40), *range(41, 80), *range(81, 121)]]  # without the two ends
    inside = (t > 0) & (t < 0.02)
    top = {'rectangle': 1.0, 'half_sine': np.pi / 2, 'hertz': 1 / area('hertz', 1.0)}[profile] * 3.7 / 0.02
    power = {'rectangle': 0.0, 'half_sine': 1.0, 'hertz': 1.5}[profile]
    want = np.where(inside, top * np.abs(np.sin(np.pi * t / 0.02)) ** power, 0.0)
    got = contact_force(profile, 3.7, 0.02, t)
    assert_allclose(got, want, rtol=1e-12, atol=1e-12)
    assert_allclose(peak_force(profile, 3.7, 0.02), top, rtol=1e-12)
    assert_allclose(contact_force(profile, 3.7, 0.02, 0.01), top, rtol=1e-12)


def test_peaks_of_the_article():
    """J/T, pi J/(2 T), J/(0.5564 T)."""
    assert_allclose([peak_force(p, 1.0, 1.0) for p in PROFILES], [1, np.pi / 2, 1 / 0.5564], rtol=1e-4)
    assert_allclose(peak_force('half_sine', np.array([1.0, 2.0]), np.array([1.0, 4.0])), [np.pi / 2, np.pi / 4])


def time_of_contact(power, stiffness, mass, speed):
    """m x'' = -k x^power from x = 0 at `speed` until x = 0 again, by DOP853 in units where m = k = 1."""
    scale = (mass * speed**2 / stiffness) ** (1 / (power + 1))

    def rate(t, y):
        return [y[1], -max(y[0], 0.0) ** power]

    def back(t, y):
        return y[0]

    back.terminal, back.direction = True, -1
    out = solve_ivp(rate, (0, 10), [0.0, 1.0], method='DOP853', events=back, rtol=1e-13, atol=1e-15, max_step=0.01)
    return out.t_events[0][0] * scale / speed


@pytest.mark.parametrize(('profile', 'power'), [('rectangle', 1.0), ('half_sine', 1.0), ('hertz', 1.5)])
@pytest.mark.parametrize(('stiffness', 'mass', 'speed'), [(1e5, 0.7, 3.0), (2e7, 1e-3, 0.02), (40.0, 30.0, 12.0)])
def test_duration_is_that_of_the_spring(profile, power, stiffness, mass, speed):
    """Linear spring: pi sqrt(m/k). Hertz: 2.94327 d/v, in full 0.8 B(2/5, 1/2)."""
    got = contact_duration(profile, stiffness, mass, speed)
    assert_allclose(got, time_of_contact(power, stiffness, mass, speed), rtol=1e-8)


@pytest.mark.parametrize(('call', 'words'), [
    (lambda: contact_force('sine', 1.0, 1.0, 0.5), 'sine'), (lambda: peak_force('sine', 1.0, 1.0), 'sine'),
    (lambda: contact_force('hertz', 1.0, 0.0, 0.5), 'duration'), (lambda: peak_force('hertz', 1.0, -1.0), 'duration'),
    (lambda: contact_force('hertz', np.nan, 1.0, 0.5), 'impulse'),
    (lambda: contact_duration('Hertz', 1.0, 1.0, 1.0), 'Hertz'),
    (lambda: contact_duration('hertz', -1.0, 1.0, 1.0), 'stiffness'),
    (lambda: contact_duration('hertz', 1.0, 0.0, 1.0), 'mass'),
    (lambda: contact_duration('hertz', 1.0, 1.0, np.nan), 'speed')])  # fmt: skip
def test_bad_values_of_the_functions(call, words):
    with pytest.raises(EngineError, match=words):
        call()


# --- two bodies in the world


@pytest.mark.parametrize(('profile', 'duration'), OVER_TIME)
def test_momentum_at_every_step_and_whole_impulse_at_the_end(profile, duration):
    """Σ m v constant and Σ f dt = J, both to 1e-12; one impact row and no second."""
    w = head_on(contact_profile=profile, contact_time=duration)
    velocities, rows = walk(w, 40)
    total = velocities @ [1, 0, 0] @ w.mass
    assert_allclose(total, 0.7 * 4.0, rtol=1e-12)
    assert_allclose(w.mass * (velocities[-1] - velocities[0])[:, 0], [-J, J], rtol=1e-12)
    ((step, row),) = rows
    assert step == 2
    assert_allclose(row['impulse'], [J, 0, 0], atol=1e-12 * J)
    assert_allclose(velocities[:, :, 1:], 0.0, atol=1e-14)


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize(('profile', 'duration'), OVER_TIME)
def test_each_step_gets_its_share(profile, duration, dt):
    """v_b at every step is J/m_b times ∫ f/J from the time of impact, wherever in the step that is."""
    velocities, _ = walk(head_on(contact_profile=profile, contact_time=duration, dt=dt), 30)
    share = [delivered(profile, (k * dt - TOI) / duration) for k in range(31)]
    assert_allclose(velocities[:, 1, 0], J / 1.9 * np.array(share), rtol=0, atol=1e-9 * J / 1.9)


@pytest.mark.parametrize('integrator', ['rk4', 'implicit_midpoint', 'semi_implicit_euler'])
def test_any_integrator_delivers_it(integrator):
    w = head_on(contact_profile='hertz', contact_time=7.7e-3, integrator=integrator)
    velocities, rows = walk(w, 20)
    assert len(rows) == 1
    assert_allclose(velocities @ [1, 0, 0] @ w.mass, 0.7 * 4.0, rtol=1e-12)
    assert_allclose(velocities[-1, 1, 0], J / 1.9, rtol=1e-12)


@pytest.mark.parametrize('friction', [0.0, 0.1, 2.0])
@pytest.mark.parametrize('e', [0.2, 0.6, 1.0])
@pytest.mark.parametrize('profile', PROFILES)
def test_afterwards_the_velocities_are_those_of_an_instant(profile, e, friction):
    """Spinning, drifting balls that slide or stick: v and w after T as without a profile, 1e-10."""
    case = dict(e=e, friction=friction, spin=7.0, drift=-1.3)
    w, sudden = head_on(contact_profile=profile, contact_time=6.4e-3, **case), head_on(**case)
    w.step(12)
    sudden.step(12)
    assert_allclose(w.linvel, sudden.linvel, rtol=0, atol=1e-10 * 4)
    assert_allclose(w.angvel, sudden.angvel, rtol=0, atol=1e-10 * 10)


@pytest.mark.parametrize('profile', PROFILES)
def test_row_tells_the_law_s_impact(profile):
    """Velocities after, e', jumps of spin as of the instant; T; peak = top of the profile of |J|."""
    case = dict(friction=0.1, spin=7.0, drift=-1.3)
    row = walk(head_on(contact_profile=profile, contact_time=6.4e-3, **case), 5)[1][0][1]
    want = walk(head_on(**case), 5)[1][0][1]
    same = ('impulse', 'position', 'normal', 'velocity_before', 'velocity_after', 'restitution', 'delta_omega_a',
            'delta_omega_b', 'time')  # fmt: skip
    for name in same:
        assert_allclose(row[name], want[name], rtol=0, atol=1e-12, err_msg=name)
    assert_allclose(row['duration'], 6.4e-3, rtol=1e-12)
    assert_allclose(row['peak_force'], peak(profile, np.linalg.norm(row['impulse']), 6.4e-3), rtol=1e-12)
    assert_allclose(want['duration'], 1e-3, rtol=1e-12)
    assert_allclose(want['peak_force'], np.linalg.norm(want['impulse']) / 1e-3, rtol=1e-12)


def test_resting_row_tells_its_force():
    w, _ = ball_on_plane(gravity=G)
    w.step(200)
    (row,) = w.contacts()
    assert_allclose([row['peak_force'], row['duration']], [1.3 * G, 1e-3], rtol=1e-6)


@pytest.mark.parametrize('profile', PROFILES)
def test_penetration_stays_below_speed_times_duration(profile):
    """They overlap meanwhile, at most by |u_n| T, and leave each other."""
    w = head_on(contact_profile=profile, contact_time=10e-3)
    depths = []
    for _ in range(60):
        w.step(1)
        depths.append(0.3 - np.linalg.norm(w.pos[1] - w.pos[0]))
    assert 0.1 * 4.0 * 10e-3 < max(depths) <= 4.0 * 10e-3
    assert depths[-1] < 0


@pytest.mark.parametrize('profile', PROFILES)
def test_stats_count_what_runs(profile):
    w = head_on(contact_profile=profile, contact_time=5e-3)
    counts = []
    for _ in range(10):
        w.step(1)
        counts.append(w.stats().profiles)
    assert counts == [0, 0, 1, 1, 1, 1, 1, 0, 0, 0]  # from 2.37 to 7.37 ms


@pytest.mark.parametrize('profile', PROFILES)
def test_duration_from_stiffness(profile):
    """Reduced mass of two balls; 1/K_nn of a drone hit off its centre; the approach speed counts for Hertz."""
    w = head_on(contact_profile=profile, contact_stiffness=3e4)
    ((_, row),) = walk(w, 5)[1]
    assert_allclose(row['duration'], contact_duration(profile, 3e4, 0.7 * 1.9 / 2.6, 4.0), rtol=1e-12)
    drone = off_centre(contact_profile=profile, contact_stiffness=3e4)
    drone.step(1)
    m_n = 1 / (1 / DRONE_MASS + 0.01 / DRONE_INERTIA[2])
    assert_allclose(impacts(drone)[0]['duration'], contact_duration(profile, 3e4, m_n, 3.0), rtol=1e-10)


def spin_momentum(world, i):
    """I_w w of one body, which free tumbling leaves alone (3,)."""
    r = matrix(world.quat[i])
    return r @ world.inertia[i] @ r.T @ world.angvel[i]


def off_centre(**options):
    """scenes.reference_wall(0.1) with options of the builder."""
    b = builder(**options)
    b.add_body(Box((0.4, 0.4, 0.1)), mass=DRONE_MASS, inertia=DRONE_INERTIA, linvel=(3, 0, 0), restitution=0.5,
               friction=0.0)  # fmt: skip
    b.add_body(Sphere(0.3), pos=(0.5, 0.1, 0), kind='static', friction=0.0)
    return b.build()


@pytest.mark.parametrize('profile', PROFILES)
def test_drone_hit_off_its_centre(profile):
    """The article's numbers after T: the arms are those of the impact, so that v' and I w' are too."""
    w, want = off_centre(contact_profile=profile, contact_time=4.5e-3), reference_wall(0.1)[0]
    w.step(6)
    want.step(6)
    assert_allclose(w.linvel[0], want.linvel[0], atol=1e-10)
    assert_allclose(w.angvel[0], want.angvel[0], atol=1e-10 * 17)


@pytest.mark.parametrize('seed', range(6))
def test_tumbling_bodies_with_full_tensors(seed):
    """dt 1 us, T 7.3 us: velocity and spin momentum I_w w as without a profile, for no arm turns meanwhile."""
    pair = touching_pair(np.random.default_rng(seed), restitution=0.5, friction=0.3)
    w, i, j = pair_world(pair, dt=1e-6)
    w.step(12)
    b = builder(dt=1e-6, contact_profile='half_sine', contact_time=7.3e-6)
    for body, shape in ((pair['box'], Box(tuple(pair['sides']))), (pair['ball'], Sphere(pair['radius']))):
        b.add_body(shape, mass=body.mass, inertia=body.inertia, pos=body.pos, quat=body.quat, linvel=body.linvel,
                   angvel=body.angvel, restitution=0.5, friction=0.3)  # fmt: skip
    slow = b.build()
    slow.step(12)
    assert_allclose(slow.linvel, w.linvel[[i, j]], rtol=0, atol=1e-9)
    for k, m in ((0, i), (1, j)):
        want = spin_momentum(w, m)
        assert_allclose(spin_momentum(slow, k), want, rtol=0, atol=1e-9 * np.linalg.norm(want))


@pytest.mark.parametrize('profile', PROFILES)
def test_without_bounce_they_go_on_together(profile):
    """e = 0: the common velocity after T, though they still overlap; one impact row."""
    w = head_on(e=0.0, contact_profile=profile, contact_time=4.1e-3)
    velocities, rows = walk(w, 40)
    assert len(rows) == 1
    assert_allclose(velocities[7:, :, 0], 0.7 * 4 / 2.6, rtol=0, atol=1e-10)
    assert_allclose(velocities @ [1, 0, 0] @ w.mass, 0.7 * 4.0, rtol=1e-12)


def test_without_a_profile_nothing_is_spread():
    w = head_on()
    w.step(3)
    assert w.stats().profiles == 0
    assert_allclose(w.linvel[1, 0], J / 1.9, rtol=1e-12)
