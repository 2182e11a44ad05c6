# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`correct`: what a user sees when the source ignores corrections, applies them, applies them late or in part.

The offset obeys d'' = -2 d'/tau - d/tau^2 as long as that is below g; from rest at d0 its speed is at most
d0/(e tau), from d0 = 0 at speed v0 it reaches v0 tau/e.  Lengths m, times s.
"""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scene_worlds import MODEL, make_scene, wall_x
from sources import Applier, Link, Source, hover, line, out_and_back, watch

from hakoniwa_rigid.engine import Box
from hakoniwa_rigid.scene.records import DEFLECTED, IN_CONTACT
from hakoniwa_rigid.scene.world_files.world_types import DroneModel, MaterialConfig, Pose, WallConfig

M, G, TAU = MODEL.mass, 9.80665, 0.3
SOFT = DroneModel('soft', M, MODEL.inertia, MODEL.shape, material=MaterialConfig('soft', 0.0, 0.0))
RATES = (50.0, 100.0, 200.0)
REACH = 0.1                      # of the hull along x and y; 0.025 along z
TABLE = WallConfig('table', Box((0.6, 0.6, 0.1)), Pose((0, 0, 0.45)), MaterialConfig('wood', 0.0, 0.5))


def events_per_second(seen, a, b):
    return sum(a <= e.stamp_ns * 1e-9 < b for e in seen.events) / (b - a)


# -- ignores corrections

@pytest.mark.parametrize(('rate', 'velocity'), [(50.0, True), (50.0, False), (100.0, False), (200.0, True)])
def test_a_plan_through_a_wall_and_back(rate, velocity):
    """The drone stays before the wall, still while pressed, and is on its plan again after it: never faster than the
    plan and the return together."""
    scene = make_scene('d0', walls=[wall_x(0.6)], model=SOFT)
    depth = 0.5
    seen = watch(scene, [Source('d0', out_and_back((0, 0, 1), (0.5 + depth, 0, 0), 4.0))], 7.0, rate,
                 Link(rate, velocity=velocity))
    x, v = seen.x[:, 0], seen.v[:, 0]
    assert x[:, 0].max() < 0.5 + 1e-3
    pressed = seen.between(1.5, 2.5)
    assert np.abs(v[pressed]).max() < 0.01 and np.ptp(x[pressed, 0]) < 1e-3
    assert all(seen.flags[pressed, 0] == IN_CONTACT | DEFLECTED)
    assert len(seen.begins()) == 1 and events_per_second(seen, 0, 7) < 11
    assert np.abs(v).max() < np.abs(seen.own_v).max() + depth / (np.e * TAU)
    assert np.abs(x[:, 1]).max() < 1e-9 and np.abs(x[:, 2] - 1).max() < 1e-9
    # after 6 more time constants (1 + 6) exp(-6) = 1.7 % of what was left, of at most `depth`
    assert np.abs(x[seen.after(5.8)] - seen.own_x[seen.after(5.8), 0]).max() < 0.01


@pytest.mark.parametrize('d0', [0.1, 0.5, 1.0, 3.0])
def test_return_from_an_offset_overshoots_no_more_than_critical_damping(d0):
    """Touching a wall, the drone sees its plan jump d0 away from it, and comes after it: it does not pass it, also
    where the pull, bounded by g, is saturated."""
    scene = make_scene('d0', walls=[wall_x(0.1)], model=SOFT, scene={'teleport_bound': 20.0})
    seen = watch(scene, [Source('d0', lambda t: (np.array([0.0 if t < 1 else -d0, 0, 1]), np.zeros(3)))], 8.0, 100.0)
    x = seen.x[:, 0, 0]
    assert x.min() > -d0 - 1e-6
    assert_allclose(x[-1], -d0, atol=1e-9)


@pytest.mark.parametrize('speed', [0.5, 2.0, 6.0])
def test_thrown_off_by_a_wall_and_back(speed):
    """A bounce (e = 0.5) leaves dv = 1.5 v: off by dv tau/e at most where the pull stays below g, and never more than
    dv^2/2g + dv tau; back without crossing the plan; the plan waits at the wall."""
    scene = make_scene('d0', walls=[wall_x(1.1)])
    seen = watch(scene, [Source('d0', line((1.0 - speed, 0, 1), (speed, 0, 0), 0.0, 0.999))], 7.0, 100.0)
    off = seen.x[:, 0, 0] - seen.own_x[:, 0, 0]
    dv = 1.5 * speed
    assert off.max() < 2e-3
    assert -off.min() <= dv * dv / (2 * G) + dv * TAU
    assert_allclose(off[-1], 0, atol=1e-6)
    assert events_per_second(seen, 0, 7) < 15


@pytest.mark.parametrize('rate', RATES)
def test_plans_through_each_other(rate):
    """One hovers, the other's plan goes through it: both are pushed by equal impulses, none is faster than the plan
    and the impulses explain, both are home after the plan is through."""
    scene = make_scene('d0', 'd1', model=SOFT)
    seen = watch(scene, [Source('d0', line((-1, 0, 1), (1, 0, 0), 0.2, 2.2)), Source('d1', hover(0, 0.03, 1))], 6.0,
                 rate, Link(rate))
    assert 1 <= len(seen.begins()) <= 3
    assert seen.v[:, :, :].max() < 2.0
    for k in (0, 1):
        assert_allclose(seen.x[seen.after(5.5), k], seen.own_x[seen.after(5.5), k], atol=2e-3)
    # squares of 0.2 m that do not overlap have their centres that far apart, however they are turned
    assert np.linalg.norm(seen.x[:, 1] - seen.x[:, 0], axis=1).min() > 0.2 - 2e-3
    assert events_per_second(seen, 0, 6) < 15


@pytest.mark.parametrize(('rate', 'noise', 'tilt'), [(50.0, 0.0, 0.0), (100.0, 0.003, 0.0), (200.0, 0.0, 0.0),
                                                     (50.0, 0.0, 0.2), (200.0, 0.0, 0.2)])
def test_rests_on_a_table_while_the_plan_sinks_through_it(rate, noise, tilt):
    """The plan sinks to 0.4 m below the table top: the drone lies still on it, speed below 1 cm/s, no drift, one
    contact, PERSIST ten times a second; then the plan rises and takes it along."""
    scene = make_scene('d0', walls=[TABLE], model=SOFT)
    rng = np.random.default_rng(11)
    sink = out_and_back((0, 0, 0.7), (0, 0, -0.6), 7.0, begin=0.0)
    source = Source('d0', lambda t: (sink(t)[0] + noise * rng.normal(size=3), sink(t)[1]),
                    attitude_xyzw=(np.sin(tilt / 2), 0.0, 0.0, np.cos(tilt / 2)))
    seen = watch(scene, [source], 9.0, rate, Link(rate))
    rest = seen.between(2.5, 4.5)
    assert np.abs(seen.v[rest, 0]).max() < 0.01 + 2 * noise / TAU
    assert np.ptp(seen.x[rest, 0, 2]) < 1e-3 and np.abs(seen.x[rest, 0, :2]).max() < 1e-3 + 3 * noise
    assert np.abs(seen.x[rest, 0, 2] - 0.525).max() < 1e-3
    assert len(seen.begins()) <= 1 + 5 * bool(noise) and events_per_second(seen, 2, 4) < 11
    assert_allclose(seen.x[seen.after(8.5), 0], seen.own_x[seen.after(8.5), 0], atol=1e-3 + 5 * noise)


# -- applies

def bounce(applier, rate=200.0, seconds=5.0, link=None):
    """A path out to 0.3 m behind a wall and back (e = 0.5), 1 m/s at the wall; the source applies what it receives."""
    scene = make_scene('d0', walls=[wall_x(0.8)])
    applier.path = out_and_back((0, 0, 1), (1, 0, 0), 3.0)
    return watch(scene, [applier], seconds, rate, link or Link(rate))


@pytest.mark.parametrize('rate', RATES)
@pytest.mark.parametrize('always', [False, True], ids=['once', 'always'])
def test_applied_at_once_is_handed_over(rate, always):
    """From the next sample on the shown drone is the source, to within the 1 % of the offset that a tick of decay
    makes of it: never twice."""
    seen = bounce(Applier('d0', hover(), stiffness=2.0, always=always), rate)
    (begin,) = seen.begins()[:1]
    t = begin.stamp_ns * 1e-9
    after = seen.after(t + 3 / rate)
    assert np.abs(seen.x[after, 0] - seen.own_x[after, 0]).max() < 1.5 / rate * 3
    assert seen.jumps().max() < 0.02
    assert np.abs(seen.v).max() < 1.0 + 0.05
    settled = seen.after(4.7)
    assert_allclose(seen.x[settled, 0], seen.own_x[settled, 0], atol=2e-3)


@pytest.mark.parametrize(('rate', 'delay'), [(50.0, 0.02), (100.0, 0.1), (200.0, 0.3), (50.0, 1.0)])
@pytest.mark.parametrize('share', [(1, 1), (1, 0), (0, 1), (0.5, 0.5)], ids=['all', 'position', 'velocity', 'half'])
def test_applied_late_or_in_part_is_no_second_jump(rate, delay, share):
    """The source's jump is what it applied; the shown drone, which moved already, goes on without a jump of its own
    and ends where the source is."""
    applier = Applier('d0', hover(), stiffness=2.0, delay_ns=round(delay * 1e9), share=share)
    seen = bounce(applier, rate)
    assert applier.applied >= 1
    first = seen.begins()[0].stamp_ns * 1e-9
    # plan 1 m/s and bounce 0.5, or what the source itself flies once it has added a late 1.5 m/s to its return
    assert np.abs(seen.v).max() < max(1.5, np.abs(seen.own_v).max()) + 0.05
    assert seen.jumps()[seen.after(first + 2 / rate).start:].max() < 0.02
    settled = seen.after(4.7)
    assert_allclose(seen.x[settled, 0], seen.own_x[settled, 0], atol=0.01)


@pytest.mark.parametrize(('rate', 'delay', 'always'), [(50.0, 0.0, True), (200.0, 0.0, True), (200.0, 0.0, False),
                                                       (50.0, 0.02, False), (200.0, 0.1, False)])
@pytest.mark.parametrize('absolute', [False, True], ids=['moved', 'set'])
def test_applied_by_a_source_that_sends_poses_only(rate, delay, always, absolute):
    """The source's jump is not taken for a velocity: 0.1 m in a sample of 5 ms would be 20 m/s.  (What is applied late
    must be applied once: a source that adds every late correction adds each of them many times.)"""
    applier = Applier('d0', hover(), stiffness=2.0, delay_ns=round(delay * 1e9), absolute=absolute, always=always)
    seen = bounce(applier, rate, link=Link(rate, velocity=False))
    assert applier.applied >= 1
    assert np.abs(seen.v).max() < max(1.5, np.abs(seen.own_v).max()) + 0.1
    assert_allclose(seen.x[seen.after(4.7), 0], seen.own_x[seen.after(4.7), 0], atol=0.03)


@pytest.mark.parametrize(('rate', 'velocity', 'delay'), [(50.0, True, 0.0), (100.0, False, 0.1), (200.0, True, 0.1)])
def test_a_turn_is_handed_over_too(rate, velocity, delay):
    """Hit 7 cm off its centre, the drone turns; its source takes place and attitude over, and steers both back: shown
    is one turn, not two."""
    scene = make_scene('d0', 'd1', model=SOFT)
    applier = Applier('d1', hover(0.6, 0.07, 1), stiffness=2.0, delay_ns=round(delay * 1e9))
    seen = watch(scene, [Source('d0', out_and_back((0, 0, 1), (0.5, 0, 0), 2.0)), applier], 5.0, rate,
                 Link(rate, velocity=velocity))
    (begin, *_) = seen.begins()
    spun = np.abs(begin.delta_omega_b).max()
    assert spun > 0.5 and applier.applied >= 1
    assert np.abs(seen.w[:, 1]).max() < 2 * spun
    assert seen.turned[:, 1].max() < spun * TAU
    assert seen.turned[seen.after(4.7), 1].max() < 0.01
    assert_allclose(seen.x[seen.after(4.7), 1], seen.own_x[seen.after(4.7), 1], atol=0.01)


@pytest.mark.parametrize(('delay', 'noise'), [(0.0, 0.0), (0.1, 0.005), (0.3, 0.0), (1.0, 0.005)])
def test_total_displacement_equals_one(delay, noise):
    """A source without a controller that applies the velocity keeps it; the shown drone moves with it, not at twice
    the speed, and ends at its place."""
    scene = make_scene('d0', 'd1', model=SOFT, gravity=(0.0, 0.0, 0.0))
    applier = Applier('d1', hover(0, 0, 1), stiffness=0.0, delay_ns=round(delay * 1e9), noise=noise)
    seen = watch(scene, [Source('d0', out_and_back((-1, 0, 1), (0.85, 0, 0), 2.0)), applier], 6.0, 100.0, Link(100.0))
    assert applier.applied >= 1
    late = seen.after(5.5)
    assert_allclose(seen.x[late, 1], seen.own_x[late, 1], atol=2e-3)
    assert_allclose(seen.v[late, 1], seen.own_v[late, 1], atol=2e-3)
    assert np.abs(seen.v[:, 1]).max() < 1.5
