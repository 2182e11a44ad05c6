# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Events: what contacts report, in which order, and that they agree with what the engine did."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scene_worlds import MODEL, MS, TICK, UPRIGHT, ZERO, events_of, floor, fly, make_scene, wall_x

from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.scene import Kind, Phase
from hakoniwa_rigid.scene.events.merging import merge
from hakoniwa_rigid.scene.world_files.world_types import (
    DroneConfig,
    FilterConfig,
    MaterialConfig,
    ObjectConfig,
    Pose,
)

M = 0.71
GRAVITY_FREE = {'gravity': (0.0, 0.0, 0.0)}


def cross(scene, plans, end_ns):
    """Feed several plans (position, velocity at t) every 10 ms; returns the ticks."""
    ticks = []
    for now in range(0, end_ns, TICK):
        if now % (2 * TICK) == 0:
            for name, (x, v) in plans.items():
                scene.feed_drone(name, now, np.add(x, np.multiply(v, now * 1e-9)), UPRIGHT, v, ZERO)
        ticks.append(scene.advance(now + TICK))
    return ticks


def ball(name, position, velocity=ZERO, radius=0.1, mass=0.5, e=0.0):
    return ObjectConfig(name, Sphere(radius), mass, None, Pose(position), velocity,
                        material=MaterialConfig('ball', e, 0.0))


def test_head_on_drones_get_equal_and_opposite_impulses():
    """Closing at 3 m/s, e = 0.5: J = (1 + e) v m/2, momentum kept to rounding, v' by the two-body formula."""
    scene = make_scene('d0', 'd1', **GRAVITY_FREE)
    ticks = cross(scene, {'d0': ((-1.0, 0, 0), (2.0, 0, 0)), 'd1': ((0.4, 0, 0), (-1.0, 0, 0))}, 500 * MS)
    begin, end = events_of(ticks)
    assert (begin.phase, end.phase, begin.id, end.id) == (Phase.BEGIN, Phase.END, 1, 1)
    assert begin.kind is Kind.DRONE_DRONE and (begin.body_a, begin.body_b) == ('d0', 'd1')
    j = 1.5 * 3.0 * M / 2
    assert_allclose(begin.impulse, (j, 0, 0), rtol=1e-9, atol=1e-9)
    assert_allclose(begin.normal, (1, 0, 0), atol=1e-12)
    assert_allclose(np.multiply(begin.delta_v_a, M), np.negative(begin.impulse), rtol=1e-14, atol=1e-15)
    assert_allclose(np.multiply(begin.delta_v_b, M), begin.impulse, rtol=1e-14, atol=1e-15)
    assert_allclose(begin.relative_velocity_before, (-3, 0, 0), atol=1e-9)
    assert_allclose(begin.relative_velocity_after, (1.5, 0, 0), atol=1e-9)
    assert (begin.restitution, begin.depth) == (0.5, 0.0)
    # gap 1.4 - 0.2 closes at 3 m/s
    assert begin.stamp_ns == pytest.approx(400 * MS, abs=2)
    assert_allclose(begin.position, (-0.1, 0, 0), atol=1e-9)
    assert begin.peak_force == pytest.approx(j / 1e-3, rel=1e-9) and begin.duration == 1e-3
    assert end.impulse == begin.impulse and end.delta_v_a == begin.delta_v_a
    # (1 - e^2) m_eff v^2 / 2
    assert begin.energy_lost == pytest.approx(0.75 * (M / 2) * 9.0 / 2, rel=1e-9)
    assert end.energy_lost == begin.energy_lost


def test_event_impulses_are_the_velocity_changes_the_user_sees():
    """Off-centre hit: the published states before and after the tick differ by the event's deltas (free of pull in
    that tick)."""
    scene = make_scene('d0', 'd1', **GRAVITY_FREE)
    plans = {'d0': ((-1.0, 0.0, 0), (2.0, 0, 0)), 'd1': ((0.4, 0.12, 0.01), (-1.0, 0, 0))}
    ticks = cross(scene, plans, 420 * MS)
    hit = next(t for t in ticks if t.events)
    event = hit.events[0]
    v, w = hit.states.linear_velocities, hit.states.angular_velocities
    assert_allclose(v[0] - (2.0, 0, 0), event.delta_v_a, atol=1e-9)
    assert_allclose(v[1] - (-1.0, 0, 0), event.delta_v_b, atol=1e-9)
    assert_allclose(v.sum(axis=0) * M, (M, 0, 0), atol=1e-12)
    # yaw is the same in body and world for an upright drone but for the tilt gained in the tick
    assert_allclose(w[0], event.delta_omega_a, atol=0.3)
    assert np.linalg.norm(event.delta_omega_a) > 3.0


def test_names_are_in_lexical_order_with_everything_turned_round():
    """The wall 'a_wall' is a later engine body than the drone 'd0' but comes first in the event."""
    from dataclasses import replace
    wall = replace(wall_x(0.5), name='a_wall')
    scene = make_scene('d0', walls=[wall], **GRAVITY_FREE)
    begin = events_of(fly(scene, 'd0', lambda t: (np.array([2.0 * t, 0, 0]), np.array([2.0, 0, 0])), 0, 210 * MS))[0]
    assert (begin.body_a, begin.body_b, begin.part_a, begin.part_b) == ('a_wall', 'd0', '', 'body')
    assert_allclose(begin.normal, (-1, 0, 0), atol=1e-12)
    assert_allclose(begin.impulse, (-3.0 * M, 0, 0), rtol=1e-9, atol=1e-9)
    assert_allclose(begin.delta_v_b, (-3.0, 0, 0), rtol=1e-9, atol=1e-9)
    assert begin.delta_v_a == ZERO
    assert_allclose(begin.relative_velocity_before, (2.0, 0, 0), atol=1e-9)


def test_kinds():
    """One contact of every kind that needs no hand."""
    cases = {
        Kind.DRONE_WALL: dict(walls=[wall_x(0.5)]),
        Kind.DRONE_OBJECT: dict(objects=[ball('ball', (0.5, 0, 0))]),
        Kind.OBJECT_OBJECT: dict(objects=[ball('ball', (0, 3, 0), (2.0, 0, 0)), ball('ball2', (0.5, 3, 0))]),
        Kind.OBJECT_WALL: dict(objects=[ball('ball', (0, 3, 0), (2.0, 0, 0))], walls=[wall_x(0.5)]),
    }
    for kind, fields in cases.items():
        scene = make_scene('d0', **fields, **GRAVITY_FREE)
        speed = 2.0 if kind.name.startswith('DRONE') else 0.0
        plan = {'d0': (ZERO, (speed, 0, 0))}
        assert {e.kind for e in events_of(cross(scene, plan, 300 * MS))} == {kind}


def test_drone_pushes_an_object_and_momentum_is_kept():
    """Drone 0.71 kg at 2 m/s on a ball of 0.5 kg at rest, e = max(0.5, 0) = 0.5: the ball leaves at (1+e) m v/(m+M)."""
    scene = make_scene('d0', objects=[ball('ball', (0.6, 0, 0))], **GRAVITY_FREE)
    events = events_of(cross(scene, {'d0': (ZERO, (2.0, 0, 0))}, 210 * MS))
    body = scene.world.index('ball')
    assert (events[0].body_a, events[0].body_b) == ('ball', 'd0')
    want = 1.5 * M * 2.0 / (M + 0.5)
    assert_allclose(scene.world.linvel[body], (want, 0, 0), rtol=1e-9, atol=1e-9)
    assert_allclose(events[0].delta_v_a, (want, 0, 0), rtol=1e-9, atol=1e-9)


def test_resting_object_begins_once_persists_each_period_and_never_flickers():
    """A ball put on the floor: one BEGIN, then PERSIST every 0.1 s with m g 0.1 s of impulse, no END."""
    scene = make_scene('d0', walls=[floor()], objects=[ball('ball', (0, 0, 0.1))])
    ticks = [scene.advance(k * TICK) for k in range(1, 401)]
    events = events_of(ticks)
    assert [e.phase for e in events[:2]] == [Phase.BEGIN, Phase.PERSIST]
    assert {e.phase for e in events[1:]} == {Phase.PERSIST} and len({e.id for e in events}) == 1
    assert len(events) == 20
    for e in events[1:]:
        assert_allclose(e.impulse, (0, 0, -0.5 * 9.80665 * 0.1), rtol=1e-6, atol=1e-9)
        assert_allclose(e.normal, (0, 0, -1), atol=1e-12)
    assert events[-1].peak_force == pytest.approx(0.5 * 9.80665, rel=1e-6)
    assert events[-1].duration == pytest.approx(1.905, abs=0.011)


def test_end_repeats_the_totals():
    """A drone rests on the floor for a second and leaves: END's impulse is the sum of what went before plus the
    rest."""
    scene = make_scene('d0', walls=[floor()])

    def plan(t):
        return (np.array([0, 0, 0.0]), np.zeros(3)) if t < 1.0 else (np.array([0, 0, 1.0]), np.zeros(3))
    scene.feed_drone('d0', 0, (0, 0, 0.026), UPRIGHT, ZERO, ZERO)
    scene.advance(TICK)
    events = events_of(fly(scene, 'd0', plan, 2 * TICK, 1500 * MS))
    end = events[-1]
    assert end.phase is Phase.END
    reported = np.sum([e.impulse for e in events[:-1] if e.id == end.id], axis=0)
    later = end.impulse[2] - reported[2]
    assert later <= 0.0 and abs(later) <= 0.1 * M * 9.80665
    assert end.duration == pytest.approx(1.0, abs=0.1)
    assert end.stamp_ns <= 1400 * MS


def test_bounces_closer_than_the_hysteresis_are_one_contact():
    scene = make_scene('d0', walls=[floor()], objects=[ball('ball', (0, 0, 0.3), e=0.5)])
    events = events_of([scene.advance(k * TICK) for k in range(1, 600)])
    begins = [e for e in events if e.phase is Phase.BEGIN]
    ends = [e for e in events if e.phase is Phase.END]
    # flights last 2 e^n sqrt(2 h g)/g: 0.202, 0.101, 0.05, 0.025, 0.013 s: the fifth is below 20 ms plus a tick
    assert len(ends) in (4, 5) and len(begins) == len(ends) + 1
    assert [e.id for e in begins] == list(range(1, len(begins) + 1))
    fall = np.sqrt(2 * 0.2 / 9.80665)
    flights = fall + np.concatenate([[0], np.cumsum(2 * fall * 0.5 ** np.arange(1, len(begins)))])
    assert_allclose([e.stamp_ns * 1e-9 for e in begins], flights, atol=1e-5)


def test_filters_switch_kinds_and_pairs_off():
    head_on = {'d0': ((-1.0, 0, 0), (2.0, 0, 0)), 'd1': ((0.4, 0, 0), (-1.0, 0, 0))}
    for filters in (FilterConfig(off=('drone_drone',)), FilterConfig(pairs=(('d1', 'd0'),))):
        scene = make_scene('d0', 'd1', filters=filters, **GRAVITY_FREE)
        assert events_of(cross(scene, head_on, 600 * MS)) == []


def test_coincident_drones_do_not_fling_each_other():
    """Show files start with coincident drones: they may be parted, but no velocity is made of the overlap."""
    drones = [DroneConfig(f'd{k}', MODEL, Pose()) for k in range(3)]
    scene = make_scene(*drones, **GRAVITY_FREE)
    ticks = cross(scene, {f'd{k}': (ZERO, ZERO) for k in range(3)}, 300 * MS)
    speeds = np.array([t.states.linear_velocities for t in ticks])
    assert np.isfinite(speeds).all() and np.abs(speeds).max() < 0.1


def test_merge_sums_weights_and_picks():
    """Two rows of one pair in different steps, one of another: sums, weighted means and leaders by hand."""
    dtype = [('body_a', 'i4'), ('body_b', 'i4'), ('part_a', 'i4'), ('part_b', 'i4'), ('feature', 'i8'), ('step', 'i4'),
             ('impact', '?'), ('time', 'f8'), ('position', 'f8', 3), ('normal', 'f8', 3), ('depth', 'f8'),
             ('impulse', 'f8', 3), ('velocity_before', 'f8', 3), ('velocity_after', 'f8', 3), ('restitution', 'f8'),
             ('friction', 'f8'), ('peak_force', 'f8'), ('duration', 'f8'), ('delta_omega_a', 'f8', 3),
             ('delta_omega_b', 'f8', 3), ('energy_lost', 'f8')]
    rows = np.zeros(3, dtype=dtype)
    rows['body_a'], rows['body_b'] = (4, 1, 4), (5, 2, 5)
    rows['step'], rows['impact'], rows['time'] = (0, 1, 3), (False, True, True), (1e-3, 2e-4, 5e-4)
    rows['impulse'][:, 2] = 1.0, 7.0, 3.0
    rows['peak_force'], rows['duration'] = (1000.0, 350.0, 3000.0), (1e-3, 0.02, 1e-3)
    rows['position'][:, 0] = 10.0, 0.0, 20.0
    rows['normal'][:, 2] = 1.0
    rows['velocity_before'][:, 2] = -1.0, 0.5, -2.0
    rows['depth'], rows['restitution'] = (0.3, 0.0, 0.1), (0.1, 0.2, 0.3)
    rows['delta_omega_b'][:, 1] = 1.0, 0.0, 2.0
    rows['energy_lost'] = 0.25, 4.0, 0.5
    m = merge(rows, 1e-3)
    assert (m.body_a.tolist(), m.body_b.tolist()) == ([4, 1], [5, 2])
    assert_allclose(m.amounts.impulse, [(0, 0, 4.0), (0, 0, 7.0)])
    assert_allclose(m.position[:, 0], [17.5, 0.0])
    assert_allclose(m.time, [3.5e-3, 1.2e-3])
    assert_allclose(m.peak, [3000.0, 350.0])
    assert_allclose(m.duration, [1e-3, 0.02])
    assert_allclose(m.depth, [0.3, 0.0])
    assert_allclose(m.approach, [2.0, -0.5])
    assert_allclose(m.restitution, [0.3, 0.2])
    assert_allclose(m.amounts.delta_omega_b[:, 1], [3.0, 0.0])
    assert_allclose(m.amounts.energy_lost, [0.75, 4.0])
    assert (m.steps.tolist(), m.last_step.tolist()) == ([2, 1], [3, 1])
