# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The demo's simulator and adapter as processes: what each sends and receives, apart from the collision node."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from geometry_msgs.msg import WrenchStamped
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray
from harness import LATCHED, NS, interrupt, odometry, stamp_of, stamped
from nav_msgs.msg import Odometry
from numpy.testing import assert_allclose
from rclpy.qos import QoSProfile, ReliabilityPolicy

pytest.importorskip('rotorpy', reason='RotorPy is not installed (extra demo)')
pytestmark = pytest.mark.ros
BEST_EFFORT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.BEST_EFFORT)
SIM, ADAPTER = (f'hakoniwa_rigid.ros.simulators.{name}' for name in ('drone_sim', 'correction_adapter'))
COURSES = 'courses: {a: [[0, 0, 0, 1], [1, 1, 0, 1], [2, 0, 0, 1]], b: [[0, 5, 0, 1], [2, 5, 0, 1]]}'


@pytest.fixture
def courses(tmp_path):
    file = tmp_path / 'courses.yaml'
    file.write_text(COURSES)
    return file


def place(msg):
    p = msg.pose.pose.position
    return np.array([p.x, p.y, p.z])


def announce_start(bench, stamp=(0, 1)):
    """Publish the latched start; by default long ago, so the motion begins at once."""
    publisher = bench.node.create_publisher(Time, 'start', LATCHED)
    bench.until(publisher.get_subscription_count, 'a reader of start')
    publisher.publish(Time(sec=stamp[0], nanosec=stamp[1]))
    return publisher


def test_simulator_publishes_odometry_and_wrench_in_fixed_steps(bench, courses):
    sim = bench.start(SIM, f'courses:={courses}')
    odometries = bench.inbox(Odometry, 'a/odom', BEST_EFFORT)
    wrenches = bench.inbox(WrenchStamped, 'b/wrench', BEST_EFFORT)
    bench.until(lambda: len(odometries) > 50 and len(wrenches) > 50, 'odometry and wrenches')
    # a pause of a busy machine may skip steps or lose messages, but steps are 10 ms long
    bench.until(lambda: NS // 100 in np.diff([stamp_of(msg) for msg in odometries]), 'two steps in a row')
    steps = np.diff([stamp_of(msg) for msg in odometries])
    assert (steps > 0).all()
    assert (steps % (NS // 100) == 0).all()
    first = odometries[0]
    assert (first.header.frame_id, first.child_frame_id) == ('world', 'a/base_link')
    # b hovers: rotor thrust carries 0.71 kg, and nothing turns it
    force, torque = wrenches[-1].wrench.force, wrenches[-1].wrench.torque
    assert_allclose([force.x, force.y, force.z], [0.0, 0.0, 0.71 * 9.81], atol=1e-6)
    assert_allclose([torque.x, torque.y, torque.z], 0.0, atol=1e-9)
    assert interrupt(sim) == 0, sim.output


def test_simulator_waits_for_the_start(bench, courses):
    bench.start(SIM, f'courses:={courses}', 'wait_for_start:=true')
    odometries = bench.inbox(Odometry, 'a/odom', BEST_EFFORT)
    bench.until(lambda: len(odometries) > 50, 'odometry')
    assert_allclose([place(msg) for msg in odometries], np.tile([0.0, 0.0, 1.0], (len(odometries), 1)), atol=1e-6)
    now = odometries[-1].header.stamp
    announce_start(bench, (now.sec, now.nanosec))
    bench.until(lambda: place(odometries[-1])[0] > 0.3, 'motion')


def test_simulator_takes_a_state_and_flies_on_from_there(bench, courses):
    bench.start(SIM, f'courses:={courses}')
    odometries = bench.inbox(Odometry, 'b/odom', BEST_EFFORT)
    # the state before the jump has to be seen first
    bench.until(lambda: odometries, 'the first odometry')
    # yawed by 90 degrees, 1 m/s along its own x: along y of the world
    turned = (0.0, 0.0, np.sqrt(0.5), np.sqrt(0.5))
    bench.send('b/set_state', odometry(0, (5.0, 0.0, 3.0), turned, linear=(1.0, 0.0, 0.0)))
    bench.until(lambda: odometries and place(odometries[-1])[2] > 2.9, 'the new height')
    jumped = next(msg for msg in odometries if place(msg)[2] > 2.9)
    before = odometries[0]
    assert_allclose(place(before), [5.0, 0.0, 1.0], atol=1e-6)
    assert 0.005 < place(jumped)[1] < 0.1
    bench.until(lambda: np.linalg.norm(place(odometries[-1]) - [5.0, 0.0, 1.0]) < 0.1, 'the return to the course')


def test_simulator_refuses_an_impossible_state_and_flies_on(bench, courses):
    sim = bench.start(SIM, f'courses:={courses}')
    odometries = bench.inbox(Odometry, 'b/odom', BEST_EFFORT)
    bench.send('b/set_state', odometry(0, (np.nan, 0.0, 3.0)))
    bench.until(lambda: 'b/set_state ignored' in sim.output, 'a warning')
    count = len(odometries)
    bench.until(lambda: len(odometries) > count + 20, 'more odometry')
    assert_allclose(place(odometries[-1]), [5.0, 0.0, 1.0], atol=1e-6)


def test_simulator_knows_neither_engine_nor_scene():
    code = ('import sys; import hakoniwa_rigid.ros.simulators.drone_sim; '
            'wrong = ("hakoniwa_rigid.engine", "hakoniwa_rigid.scene", "numba"); '
            'sys.exit(any(name.startswith(wrong) for name in sys.modules))')
    run = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_wrong_courses_are_named(bench):
    process = bench.start(SIM, 'courses:=/nowhere.yaml')
    assert process.wait() == 1
    for word in ('error', 'courses', '/nowhere.yaml'):
        assert word in process.output


def contact(ns, a, b, impulse, phase=ContactEvent.BEGIN):
    event = stamped(ContactEvent(phase=phase, body_a=a, body_b=b), ns)
    event.impulse.x = impulse
    return stamped(ContactEventArray(events=[event]), ns)


def test_adapter_hands_on_one_state_per_impulse(bench):
    adapter = bench.start(ADAPTER, 'drones:=[a, b]')
    inboxes = {name: bench.inbox(Odometry, f'{name}/set_state') for name in 'ab'}
    for name in 'ab':
        bench.publisher(Odometry, f'{name}/odom_corrected')

    def say(ns, *events):
        for event in events:
            bench.send('contact_events', event)
        for name in 'ab':
            bench.send(f'{name}/odom_corrected', odometry(ns, (ns * 1e-9, 0.0, 0.0)))

    # free flight; a hits a wall at 1.005 s, after the state of 1.000 s; a contact without impulse; an end
    say(1_000_000_000)
    bench.send('contact_events', contact(1_005_000_000, 'a', 'wall', 0.5))
    # topics are not ordered among each other: repeat the newest state until the event has arrived too
    state = odometry(1_010_000_000, (1.01, 0.0, 0.0))
    bench.until(lambda: bench.send('a/odom_corrected', state) or inboxes['a'], 'the corrected state of a')
    assert stamp_of(inboxes['a'][0]) == 1_010_000_000
    say(1_020_000_000, contact(1_015_000_000, 'a', 'b', 0.0), contact(1_016_000_000, 'a', 'b', 0.5, ContactEvent.END))
    # an impulse on b is the marker that everything before it has been read
    bench.send('contact_events', contact(1_025_000_000, 'b', 'wall', 0.5))

    def b_has_its_report():
        bench.send('b/odom_corrected', odometry(1_030_000_000, (1.03, 0.0, 0.0)))
        bench.serve()
        return inboxes['b']
    bench.until(b_has_its_report, 'the corrected state of b')
    assert len(inboxes['a']) == 1
    assert len(inboxes['b']) == 1
    assert interrupt(adapter) == 0, adapter.output
