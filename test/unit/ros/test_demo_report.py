# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The demo's report: contacts, momentum, energy and required kinds from events made by hand; the bag; the picture."""
import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from rosbags.rosbag2 import StoragePlugin, Writer

from hakoniwa_rigid.replay.bag.types import typestore
from hakoniwa_rigid.ros.demo import demo_report
from hakoniwa_rigid.ros.demo.demo_report import (
    BEGIN,
    DRONE_DRONE,
    DRONE_HAND,
    DRONE_WALL,
    END,
    PERSIST,
    Event,
    Run,
)
from hakoniwa_rigid.ros.demo.momentum import NO_PLAN, Plan, contact_change
from hakoniwa_rigid.scene.world_files import world_file

demo_picture = pytest.importorskip('hakoniwa_rigid.ros.demo.demo_picture',
                                   reason='matplotlib is not installed (extra demo)')
MASS = 0.71   # kg, model unity


@pytest.fixture(scope='module')
def world():
    return world_file.load('demo_room')


def event(**changes):
    """d0 hits d1 head-on: J along x, equal masses, 2 m/s of approach, e = 0.5."""
    j = MASS / 2 * 1.5 * 2.0
    values = dict(t=1.0, id=1, phase=BEGIN, kind=DRONE_DRONE, body_a='d0', body_b='d1', position=np.zeros(3),
                  normal=np.array([1.0, 0.0, 0.0]), impulse=np.array([j, 0.0, 0.0]), duration=0.0,
                  velocity_before=np.array([-2.0, 0.0, 0.0]), velocity_after=np.array([1.0, 0.0, 0.0]),
                  delta_v_a=np.array([-j / MASS, 0.0, 0.0]), delta_v_b=np.array([j / MASS, 0.0, 0.0]))
    return Event(**(values | changes))


def landing(duration, **changes):
    """d4 on the table: the normal points from d4 down to the table."""
    return event(**(dict(kind=DRONE_WALL, body_a='d4', body_b='table', normal=np.array([0.0, 0.0, -1.0]), phase=PERSIST,
                         id=7, duration=duration) | changes))


def wall_hit(**changes):
    return event(**(dict(kind=DRONE_WALL, body_a='d5', body_b='wall_east', id=8) | changes))


def hand_hit(**changes):
    return event(**(dict(kind=DRONE_HAND, body_a='d5', body_b='right', id=9) | changes))


def run_of(events, diagnostics=()):
    times = np.arange(0.0, 2.0, 0.005)
    positions = {f'd{k}': np.column_stack([np.cos(times + k), np.sin(times + k), np.full_like(times, 1.0)])
                 for k in range(6)}
    velocities = {name: np.zeros_like(x) for name, x in positions.items()}
    velocities['d0'][times >= 1.0 - 1e-9, 0] = -1.5
    velocities['d1'][times >= 1.0 - 1e-9, 0] = 1.2
    return Run(times, positions, velocities, list(events), list(diagnostics), 1234)


def test_momentum_and_energy_of_a_hit(world):
    (hit,) = demo_report.summarise(run_of([event()]), world).hits
    assert_allclose(hit.approach, 2.0)
    # of the states, which do not balance here; those of the event do
    assert_allclose(hit.residual, 0.3 / 2.7, rtol=1e-12)
    # dE = -(1 - e^2) / 2 * m_eff * v^2
    assert_allclose(hit.energy, -0.75 / 2 * MASS / 2 * 4.0, rtol=1e-12)


@pytest.mark.parametrize('more', [
    dict(phase=PERSIST), dict(id=2, kind=DRONE_WALL, body_a='d1', body_b='wall_east'), dict(t=5.0)])
def test_what_the_states_cannot_tell_apart_has_no_residual(world, more):
    """A contact that goes on, another contact at that time, a hit outside the states."""
    events = [event(**more)] if 'id' not in more else [event(), event(**more)]
    summary = demo_report.summarise(run_of(events), world)
    assert math.isnan(summary.hits[0].residual) and math.isnan(summary.worst_residual)
    assert 'not told apart' in demo_report.text(summary)


def test_a_plan_that_changes_in_the_tick_of_a_hit_is_no_momentum(world):
    """d0 follows a plan that accelerates; a sample comes in the tick of the hit, which is 2 ms into it."""
    run, hit_ns = run_of([event(t=1.002)]), 1_002_000_000
    accel, dv = np.array([3.0, -2.0, 1.0]), np.array([-1.2, 0.1, 0.0])
    stamps = np.arange(0, 2_000_000_000, 10_000_000)
    seconds = stamps[:, None] * 1e-9
    plan = Plan(stamps * 1e-9, 0.5 * accel * seconds ** 2, accel * seconds)
    x, v = run.positions['d0'], run.velocities['d0']
    for k, now in enumerate(np.round(run.times * 1e9).astype(int)):
        j = max(now - 5_000_000, 0) // 10_000_000    # a sample is heard a tick later
        begun = plan.positions[j] + plan.velocities[j] * (now - 5_000_000 - stamps[j]) * 1e-9
        v[k], x[k] = plan.velocities[j], begun + plan.velocities[j] * 5e-3
        if now > hit_ns:
            v[k], x[k] = v[k] + dv, x[k] + dv * (now - hit_ns) * 1e-9
    k = int(np.searchsorted(run.times, 1.002))
    assert np.linalg.norm(v[k] - v[k - 1] - dv) > 0.03
    found = contact_change(run.times, x, v, plan, 1.002)
    assert_allclose(found, dv, atol=1e-9)


def pulled_back(hit_at, after, more=()):
    """Times, places and velocities of a drone in ticks of 5 ms that returns to a plan that stands still, with time
    constant 0.3 s.  It is off by 0.2 m and moves at 1 m/s; ``after`` (3 values m/s) and ``more`` change that.
    """
    times, tau, h = np.arange(0.0, 0.1, 5e-3), 0.3, 5e-3
    x, v = np.zeros((2, len(times), 3))
    x[0], v[0] = (0.2, 0.0, 0.0), (0.0, 1.0, 0.0)
    for k in range(1, len(times)):
        # closed solution of x'' = -x / tau^2 - 2 x' / tau for its velocity at the end of the tick
        b = v[k - 1] + x[k - 1] / tau
        a = ((v[k - 1] - b * h / tau) * np.exp(-h / tau) - v[k - 1]) / h
        v[k], x[k] = v[k - 1] + a * h, x[k - 1] + v[k - 1] * h + a * h * h / 2
        for at, dv in ((hit_at, after), *more):
            if times[k - 1] <= at < times[k]:
                v[k], x[k] = v[k] + dv, x[k] + np.multiply(dv, times[k] - at)
    return times, x, v, Plan(np.arange(-0.1, 0.1, 0.01), np.zeros((20, 3)), np.zeros((20, 3)))


@pytest.mark.parametrize('late', [0.2e-3, 2.5e-3, 4.9e-3])
def test_the_return_to_the_plan_is_no_momentum(late):
    """A second hit, soon after one that has put the drone off its plan: in a tick its return changes the velocity by
    some 50 mm/s."""
    dv, hit_at = np.array([-0.3, 0.1, 0.0]), 0.05 + late
    times, x, v, plan = pulled_back(hit_at, dv)
    k = int(np.searchsorted(times, hit_at))
    assert np.linalg.norm(v[k] - v[k - 1] - dv) > 0.02
    assert_allclose(contact_change(times, x, v, plan, hit_at, 0.3), dv, atol=1e-9)


def test_a_push_without_an_event_leaves_a_hit_unknown():
    """A graze that has no event of its own, in the tick of the hit: 5 % of the momentum would be missing."""
    push = (0.053, (0.0, 0.0, 0.05))
    times, x, v, plan = pulled_back(0.051, (-1.0, 0.0, 0.0), [push])
    assert np.isnan(contact_change(times, x, v, plan, 0.051, 0.3)).all()


def test_a_plan_that_places_do_not_tell_leaves_a_hit_unknown():
    """Samples that differ in velocity alone: what of the change is the plan's, nothing says."""
    times, x, v, plan = pulled_back(0.05, (-1.0, 0.0, 0.0))
    u = np.zeros((20, 3))
    u[::2, 0] = 0.3
    jumps = Plan(plan.times, -u * (0.05 - plan.times)[:, None], u)
    assert np.isnan(contact_change(times, x, v, jumps, 0.05, 0.3)).all()


def test_a_hit_on_the_grid_is_in_the_tick_that_has_it():
    times, x = np.array([0.0, 5e-3, 1e-2, 1.5e-2]), np.zeros((4, 3))
    for first in (1, 2):    # the last thing in a tick, or the first in the next
        v = np.zeros((4, 3))
        v[first:, 0] = -1.5
        assert_allclose(contact_change(times, x, v, NO_PLAN, 5e-3), [-1.5, 0.0, 0.0])


def test_ticks_that_came_late_tell_nothing():
    times, x = np.array([0.0, 5e-3, 3e-2]), np.zeros((3, 3))
    for t in (-0.1, 0.01, 99.0):
        assert np.isnan(contact_change(times, x, x, NO_PLAN, t)).all()


def test_touches_are_summed_up_in_the_text(world):
    small = event(impulse=np.array([0.1, 0.0, 0.0]))
    text = demo_report.text(demo_report.summarise(run_of([event(), small, small]), world))
    assert 'and 2 touches below 0.2 N s' in text
    assert 'over 1 hits' in text


def test_end_events_and_empty_contacts_are_no_hits(world):
    summary = demo_report.summarise(run_of([event(phase=END), event(impulse=np.zeros(3))]), world)
    assert summary.hits == ()
    assert math.isnan(summary.worst_residual)
    assert not summary.complete


def test_contacts_are_counted_by_id_not_by_message(world):
    events = [landing(0.1), landing(0.2), landing(0.2, phase=END), landing(0.1, id=8), hand_hit()]
    contacts = demo_report.summarise(run_of(events), world).contacts
    assert list(contacts) == ['drone - wall', 'drone - hand']
    assert [count for count, *_ in contacts.values()] == [2, 1]


def test_all_required_kinds(world):
    summary = demo_report.summarise(run_of([event(), wall_hit(), landing(1.2), hand_hit()]), world)
    assert summary.complete


@pytest.mark.parametrize(('events', 'lacking'), [
    ([wall_hit(), landing(1.2), hand_hit()], 'drone hits drone'),
    ([event(), landing(1.2), hand_hit()], 'drone flies into a wall'),
    ([event(), wall_hit(velocity_before=np.array([-0.05, 0, 0])), landing(1.2), hand_hit()], 'drone flies into a wall'),
    ([event(), wall_hit(body_b='floor', normal=np.array([0, 0, -1.0])), landing(1.2), hand_hit()],
     'drone flies into a wall'),
    ([event(), wall_hit(), landing(0.4), hand_hit()], 'drone lands on a table'),
    ([event(), wall_hit(), landing(5.0, body_b='floor'), hand_hit()], 'drone lands on a table'),
    ([event(), wall_hit(), landing(5.0, normal=np.array([1.0, 0, 0])), hand_hit()], 'drone lands on a table'),
    ([event(), wall_hit(), landing(1.2), hand_hit(impulse=np.zeros(3))], 'hand hits drone'),
])
def test_each_required_kind_is_missed_when_it_lacks(world, events, lacking):
    summary = demo_report.summarise(run_of(events), world)
    assert [what for what, seen in summary.occurred.items() if not seen] == [lacking]


def test_timing_is_read_from_the_diagnostics(world):
    keys = ('tick_period_p50 [s]', 'tick_period_p99 [s]', 'overrun_steps', 'energy [J]')
    rows = [('nan', 'nan', '0', '50'), ('0.0050', '0.0052', '3', '70'), ('0.0051', '0.0080', '5', '60')]
    summary = demo_report.summarise(run_of([], [dict(zip(keys, row, strict=True)) for row in rows]), world)
    assert_allclose(summary.tick_period, (0.00505, 0.0080))
    assert summary.overruns == 5
    assert summary.energy_range == (50.0, 70.0)


def test_text_names_every_number(world):
    text = demo_report.text(demo_report.summarise(run_of([event(), wall_hit(), landing(1.2)]), world))
    for word in ('drone - drone', 'd0 - d1', '2.00 m/s', '1.06 N s', 'NO   hand hits drone',
                 'yes  drone lands on a table'):
        assert word in text


def write_bag(path, count=5, late=()):
    """A bag as the demo records it, with `count` states 5 ms apart and one contact event; d1 is not in `late`."""
    store = typestore()
    types = store.types
    stamp, header = types['builtin_interfaces/msg/Time'], types['std_msgs/msg/Header']
    vector, point = types['geometry_msgs/msg/Vector3'], types['geometry_msgs/msg/Point']
    zero = vector(0.0, 0.0, 0.0)
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        def write(topic, name, messages):
            connection = writer.add_connection(topic, name, typestore=store)
            for t, message in messages:
                writer.write(connection, t, store.serialize_cdr(message, name))

        def states(k):
            t, drones = 10_000_000_000 + k * 5_000_000, 1 if k in late else 2
            return t, types['hakoniwa_rigid/msg/FleetState'](
                header(stamp(*divmod(t, 10**9)), 'world'), ['d0', 'd1'][:drones], np.arange(3.0 * drones) + k,
                np.zeros(4 * drones), np.arange(3.0 * drones) - k, np.zeros(3 * drones),
                np.zeros(drones, dtype=np.uint8))
        write('/fleet/states_corrected', 'hakoniwa_rigid/msg/FleetState', map(states, range(count)))
        contact = types['hakoniwa_rigid/msg/ContactEvent'](
            header(stamp(10, 12_000_000), 'world'), 5, 0, 0, 'd0', 'd1', 'body', 'body', point(1.0, 2.0, 3.0),
            vector(1.0, 0.0, 0.0), 0.0, vector(0.5, 0.0, 0.0), 0.0, 0.0, vector(-2.0, 0.0, 0.0), vector(1.0, 0.0, 0.0),
            0.5, 0.3, zero, zero, zero, zero, 0.0)
        array = types['hakoniwa_rigid/msg/ContactEventArray'](header(stamp(10, 15_000_000), 'world'), [contact])
        write('/contact_events', 'hakoniwa_rigid/msg/ContactEventArray', [(10_015_000_000, array)])
    return path


def test_a_bag_is_read_back(tmp_path):
    run = demo_report.read_run(write_bag(tmp_path / 'bag'))
    assert_allclose(run.times, np.arange(5) * 0.005)
    assert_array_equal(run.positions['d1'][2], [5.0, 6.0, 7.0])
    assert_array_equal(run.velocities['d1'][2], [1.0, 2.0, 3.0])
    (only,) = run.events
    assert_allclose(only.t, 0.012)
    assert (only.id, only.kind, only.body_b) == (5, DRONE_DRONE, 'd1')
    assert_array_equal(only.position, [1.0, 2.0, 3.0])
    assert_allclose(only.approach, 2.0)
    assert run.messages == 6


@pytest.mark.parametrize('late', [(0, 3), (2,), (3, 4)])
def test_a_drone_may_lack_for_a_while(tmp_path, world, late):
    """Its simulator was late: the states of the others go on, in the report and in the picture, too."""
    run = demo_report.read_run(write_bag(tmp_path / 'bag', late=late))
    there = [k for k in range(5) if k not in late]
    assert_array_equal(run.positions['d0'][:, 0], np.arange(5.0))
    assert_array_equal(run.positions['d1'][there, 0], np.array(there) + 3.0)
    assert np.isnan(run.positions['d1'][list(late)]).all() and np.isnan(run.velocities['d1'][list(late)]).all()
    summary = demo_report.summarise(run, world)
    assert math.isnan(summary.hits[0].residual) == bool({2, 3} & set(late))
    assert demo_picture.draw(run, summary, world, tmp_path / 'picture.png').is_file()


def test_a_plan_is_read_with_its_velocity_in_the_world():
    """Turned by 90 degrees about z: ahead is the world's y."""
    store = typestore()
    t, side = store.types, math.sqrt(0.5)
    vector, cov = t['geometry_msgs/msg/Vector3'], np.zeros(36)

    def odometry(ns, x, speed):
        header = t['std_msgs/msg/Header'](t['builtin_interfaces/msg/Time'](*divmod(ns, 10**9)), 'world')
        pose = t['geometry_msgs/msg/Pose'](t['geometry_msgs/msg/Point'](x, 0.0, 1.0),
                                           t['geometry_msgs/msg/Quaternion'](0.0, 0.0, side, side))
        twist = t['geometry_msgs/msg/Twist'](vector(speed, 0.0, 0.0), vector(0.0, 0.0, 0.0))
        posed = t['geometry_msgs/msg/PoseWithCovariance'](pose, cov)
        message = t['nav_msgs/msg/Odometry'](header, 'd0/base_link', posed,
                                             t['geometry_msgs/msg/TwistWithCovariance'](twist, cov))
        return bytes(store.serialize_cdr(message, 'nav_msgs/msg/Odometry'))
    plan = demo_report.plan_of([odometry(2_010_000_000, 3.0, 0.5), odometry(2_000_000_000, 2.0, 0.4)], 1_000_000_000)
    assert_allclose(plan.times, [1.0, 1.01])
    assert_allclose(plan.positions[:, 0], [2.0, 3.0])
    assert_allclose(plan.velocities, [[0.0, 0.4, 0.0], [0.0, 0.5, 0.0]], atol=1e-12)


def test_a_bag_without_states_says_so(tmp_path):
    with pytest.raises(ValueError, match='/fleet/states_corrected'):
        demo_report.read_run(write_bag(tmp_path / 'bag', count=0))


def test_the_picture_is_drawn(tmp_path, world):
    run = run_of([event(), wall_hit(), landing(1.2), hand_hit()])
    path = demo_picture.draw(run, demo_report.summarise(run, world), world, tmp_path / 'picture.png')
    data = path.read_bytes()
    assert data[:8] == b'\x89PNG\r\n\x1a\n'
    width, height = (int.from_bytes(data[k:k + 4], 'big') for k in (16, 20))
    assert width > 1000
    assert height > 1000


def test_marks_tell_walls_from_surfaces_and_merge_close_contacts():
    run = run_of([wall_hit(), landing(1.2), event(t=1.01), event(t=1.04, position=np.array([2.0, 0, 0])), event(t=1.5),
                  hand_hit(phase=END)])
    marks = demo_picture.marked(run)
    assert {kind: len(found) for kind, found in marks.items()} == {'drone': 2, 'wall': 1, 'surface': 1}
    assert_allclose(marks['drone'][0].position, [1.0, 0, 0])
    assert_allclose(marks['drone'][0].impulse, 2 * np.linalg.norm(event().impulse))


def test_the_room_is_what_the_walls_enclose(world):
    low, high = demo_picture.room(world)
    assert_allclose(low, [-5, -4, 0])
    assert_allclose(high, [5, 4, 4])


def test_an_empty_run_has_a_picture_too(tmp_path, world):
    run = run_of([])
    assert demo_picture.draw(run, demo_report.summarise(run, world), world, tmp_path / 'empty.png').is_file()
