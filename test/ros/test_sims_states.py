# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every preset: a state that its simulator tells in its own words, on its own topics, comes out right; and back again.

The words come from the oracle (test/oracles/conventions.py), the topics, frames and clocks from the simulators' sources
(speakers.py). One node per preset, all in one simulated time.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import foreign_packages
import harness
import numpy as np
import pytest
import speakers
from flock import PERIOD, Flock
from hakoniwa_rigid.msg import FleetState
from harness import NS
from nav_msgs.msg import Odometry
from numpy.testing import assert_allclose
from oracles import conventions
from oracles.conventions import State
from rclpy.qos import QoSProfile
from rclpy.serialization import deserialize_message
from scipy.spatial.transform import Rotation
from speakers import SIMULATORS

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

pytestmark = pytest.mark.ros
MODEL = '{mass: 1.0, inertia: [0.016, 0.02, 0.03], shape: {type: sphere, radius: 0.1}}'
SEEDS = (11, 12, 13)


def world(names, folder) -> str:
    """A world without anything in the way; drones far from one another."""
    rows = [f'  - {{name: {name}, model: dot, position: [{6 * i}, 0, 5]}}' for i, name in enumerate(names)]
    path = folder / f'{names[0]}.yaml'
    path.write_text('\n'.join([f'models: {{dot: {MODEL}}}', 'drones:', *rows]) + '\n')
    return path


@pytest.fixture(scope='module')
def flock(tmp_path_factory):
    """A node per preset, in the namespace that is called as the preset; each records what it receives."""
    folder = tmp_path_factory.mktemp('worlds')
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('PYTHONPATH', str(foreign_packages.provide()), prepend=':')
        before = filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))
        prefixes = str(foreign_packages.definitions(folder)), *before, sys.prefix
        patch.setenv('AMENT_PREFIX_PATH', os.pathsep.join(prefixes))
        with harness.bench() as bench:
            made = Flock(bench, {
                name: (world(sim.drones, folder), (
                    f'sim:={name}', 'default_authority:=observe', f'record:={folder / name}'
                ))
                for name, sim in SIMULATORS.items()
            })
            made.folder = folder
            yield made


def truth(sim, state: State) -> State:
    """The state in the node's world."""
    return state if sim.axes is None else conventions.turned(state, sim.axes)


def received(drone: dict) -> State:
    """What the node says."""
    return State(np.array(drone['p']), conventions.matrix(drone['q']), np.array(drone['v']), np.array(drone['w']))


def speak(flock: Flock, sim, states: dict[str, State], ns: int) -> None:
    for name, state in states.items():
        for message in sim.speak(name, state, ns):
            flock.send(*message)


def off(got: State, wanted: State, rounding: float) -> str:
    """What differs by more than rounding, as a text; empty: nothing."""
    said = []
    for name, a, b in zip(State._fields, got, wanted, strict=True):
        tolerance = 1e-9 + 4.0 * rounding * max(1.0, float(np.abs(b).max()))
        if np.abs(a - b).max() > tolerance:
            said.append(f'{name} is\n{a}\nshould be\n{b}')
    return '\n'.join(said)


@pytest.mark.parametrize('preset', SIMULATORS)
def test_a_state_at_rest(flock: Flock, preset):
    """Places and attitudes of all signs. All messages of a sample carry its time, as they do there."""
    check_rest(flock, preset, SIMULATORS[preset])


def check_rest(flock: Flock, preset: str, sim) -> None:
    """Every drone of a preset is given some states at rest and is there."""
    for seed in SEEDS:
        states = {
            name: conventions.still(conventions.random_state(seed + 100 * i, (6 * i, 1.0, 5.0)))
            for i, name in enumerate(sim.drones)
        }
        for _ in range(60):
            # the time of the next tick: what is given is shown as it is
            speak(flock, sim, states, flock.now + PERIOD)
            flock.tick()
            wrong = {
                name: off(received(flock[preset].drone(name)), truth(sim, state), sim.rounding)
                for name, state in states.items()
            }
            if not any(wrong.values()):
                break
        assert not any(wrong.values()), f'{wrong}\n{flock[preset].process.output}'
        assert not any(flock[preset].drone(name)['flags'] & FleetState.STALE for name in states)


@pytest.mark.parametrize('preset', SIMULATORS)
def test_a_state_in_motion_and_back(flock: Flock, preset):
    """Constant velocity and body rate; body and world velocities differ. What the node says, said back in the
    simulator's words, is what was sent.

    Each flies on along the axis about which it turns, so that its velocity is constant in both: where pose and twist
    come one after the other, the twist may be the one before.
    """
    sim, start = SIMULATORS[preset], {}
    for i, name in enumerate(sim.drones):
        state = conventions.random_state(21 + 100 * i, (6 * i, -1.0, 6.0))
        start[name] = state._replace(rate=(-1) ** i * state.turn.T @ state.velocity)
    begin = flock.now
    for state in start.values():
        assert np.abs(state.velocity - state.turn.T @ state.velocity).max() > 0.1

    def at(name: str, ns: float) -> State:
        return conventions.later(start[name], (ns - begin) / NS)

    for _ in range(40):
        # where a sample has no time on our clock, it is one of now
        ns = flock.now + PERIOD if sim.stamps else flock.now
        speak(flock, sim, {name: at(name, ns) for name in sim.drones}, ns)
        flock.tick()
    for name in sim.drones:
        drone = flock[preset].drone(name)
        got, wanted = received(drone), truth(sim, at(name, drone['t']))
        late = (wanted.position - got.position) @ wanted.velocity / (wanted.velocity @ wanted.velocity)
        if sim.stamps:
            assert abs(late) < 1e-8
        # the sample is older than the clock by which it was received: no more than two periods, never from the future
        assert -1e-6 < late < 2.1 * PERIOD / NS
        wanted = truth(sim, at(name, drone['t'] - late * NS))
        wrong = off(got, wanted, 10.0 * sim.rounding)
        assert not wrong, f'{name}: {wrong}'
        back(sim, name, got, at(name, drone['t'] - late * NS))


def back(sim, name: str, got: State, meant: State) -> None:
    """The node's answer in the simulator's words against the simulator's own, number by number."""
    enu = got if sim.axes is None else conventions.turned(got, sim.axes.T)
    one, two = (numbers(list(sim.speak(name, state, 8 * NS))) for state in (enu, meant))
    assert_allclose(one, two, atol=1e-8 + 20.0 * sim.rounding)


def numbers(said) -> list[float]:
    """Every number of a message, or of a list of them."""
    if isinstance(said, (int, float, np.number)):
        return [float(said)]
    if hasattr(said, 'get_fields_and_field_types'):
        said = [getattr(said, field) for field in said.get_fields_and_field_types()]
    return [] if isinstance(said, (str, QoSProfile)) else [x for part in said for x in numbers(part)]


def test_the_odometry_of_a_drone_is_corrected_in_its_body(flock: Flock):
    """The twist of odom_corrected is FLU whatever the simulator's was."""
    inbox = flock.bench.inbox(Odometry, '/px4/px4_1/odom_corrected')
    state, sim = conventions.random_state(31, (0.0, 1.0, 5.0)), SIMULATORS['px4']
    for _ in range(20):
        speak(flock, sim, {'px4_1': state}, flock.now)
        flock.tick()
    flock.bench.until(lambda: inbox and harness.stamp_of(inbox[-1]) >= flock.now, 'the newest odometry')
    linear, angular = inbox[-1].twist.twist.linear, inbox[-1].twist.twist.angular
    turn = conventions.matrix(flock['px4'].drone('px4_1')['q'])
    assert_allclose((linear.x, linear.y, linear.z), turn.T @ state.velocity, atol=1e-6)
    assert_allclose((angular.x, angular.y, angular.z), state.rate, atol=1e-6)
    assert inbox[-1].child_frame_id == 'px4_1/base_link'
    # it turns by its rate between sample and tick, not more
    assert (Rotation.from_matrix(turn).inv() * Rotation.from_matrix(state.turn)).magnitude() < 0.02


@pytest.mark.parametrize(('preset', 'speak'), [
    ('ardupilot', speakers.ardupilot_v1), ('crazyswarm2', speakers.crazyflie_server)
])
def test_other_topics_of_the_same_simulator(flock: Flock, preset, speak):
    """What it may publish instead is read, too, and then counts."""
    check_rest(flock, preset, SIMULATORS[preset]._replace(speak=speak))


def test_what_was_received_replays_to_the_same_bits(flock: Flock, tmp_path):
    """Last here: it ends the nodes. Their recordings hold the simulators' own messages and give what was published."""
    flock.tick(3)
    for member in flock.members.values():
        assert harness.interrupt(member.process) == 0, member.process.output
    for name, member in flock.members.items():
        received = {harness.stamp_of(msg): msg for msg in member.ticks}
        (recording,) = {Path(f.parent) for f in flock.folder.joinpath(name).rglob('metadata.yaml')}
        replay(Options(recording, tmp_path / name, states='both'))
        with Bag(tmp_path / name) as bag:
            topics = [t.name for t in bag.topics if t.name.endswith('fleet/states_corrected')]
            again = [deserialize_message(m.data, FleetState) for m in bag.messages(topics)]
        again = {harness.stamp_of(msg): msg for msg in again}
        assert len(received) > 20
        assert received.keys() <= again.keys()
        different = [stamp for stamp, msg in received.items() if again[stamp] != msg]
        assert not different, (
            f'{name}: {len(different)} of {len(received)} ticks differ, the first is\n{received[different[0]]}\nand '
            f'replayed {again[different[0]]}'
        )
