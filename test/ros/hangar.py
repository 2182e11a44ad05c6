# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hangar in which drones and hands come and leave: the world, and the node on the bench that finds them by their
topics."""
from __future__ import annotations

import os
import time
from pathlib import Path

import harness
from geometry_msgs.msg import PoseStamped
from harness import interrupt
from rig import Rig

from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay

__all__ = ['CYCLES', 'WORLD', 'Hangar']

# comings and goings of a simulator that is started when the node runs; more with HAKONIWA_RIGID_CYCLES
CYCLES = int(os.environ.get('HAKONIWA_RIGID_CYCLES', '5'))
SIMULATOR = str(Path(__file__).parent / 'vanishing_source.py')

# one drone, and whatever a test adds to the list
WORLD = """
name: hangar
walls: [{name: floor, type: plane}, {name: gate, type: box, size: [1, 1, 1], position: [50, 0, 0.5]}]
models:
  ball:
    {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2},
     material: {restitution: 0.5, friction: 0.0}}
drones:
  - {name: a, model: ball, position: [0, 0, 2]}
"""
# what finds drones
DRONES = ('drones:=[auto]', 'default_drone_model:=crazyflie', 'drone_models:=["b.*=ball"]')


class Hangar:
    """The node with one drone of its own, which hovers and is never touched, in a rig."""

    def __init__(self, bench, folder: Path, *parameters: str, auto: tuple[str, ...] = DRONES, more: str = '') -> None:
        """auto: parameters that say what is found; more: of the world file."""
        self.folder = folder
        world = folder / 'hangar.yaml'
        world.write_text(WORLD + more)
        self.rig = Rig(bench, world, *auto, 'discovery_period:=0.1', 'leave_timeout:=0.5',
                       f'record:={folder / "flight"}', *parameters)
        self.bench = bench

    def tick(self) -> None:
        """One tick, with a sample of the drone of the world file."""
        self.bench.send('a/odom', harness.odometry(self.rig.time.now, (0, 0, 2)))
        self.rig.time.tick()

    def until(self, fact, what: str, tick=None) -> None:
        """Ticks until something is so.  What is waited for takes time of the machine (a process starts, the node looks
        for topics), however fast the ticks are.  tick: in place of this one's own."""
        end = time.monotonic() + harness.START
        while not fact():
            if time.monotonic() > end:
                raise AssertionError(f'{harness.START:g} s of ticks in vain for: {what}\n{self.bench.said}')
            (tick or self.tick)()

    @property
    def names(self) -> set[str]:
        """Of the drones that there are."""
        return set(self.rig.ticks[-1].names) if self.rig.ticks else set()

    def come_and_leave(self, what: str, there, look) -> None:
        """A simulator is started that has CYCLES of a kind ('drones', 'hands') come and leave, one by one.  there():
        names of those that there are; look(k, name): at each while it is there."""
        self.until(lambda: self.rig.ticks, 'the first tick')
        simulator = self.bench.start(SIMULATOR, 'use_sim_time:=true', arguments=(str(CYCLES), what))
        for k in range(CYCLES):
            name = f'{"bc"[k % 2]}{k}'
            self.until(lambda name=name: name in there(), f'{name} to come')
            look(k, name)
            self.bench.send('/done', harness.stamped(PoseStamped(), 0, name))
            self.until(lambda name=name: name not in there(), f'{name} to leave')
        self.until(lambda: not simulator.alive, 'the end of the simulator')
        assert simulator.wait() == 0, simulator.output

    def scene(self) -> dict[str, str]:
        """What /diagnostics says of the scene, of a report from now on."""
        self.rig.report()
        return harness.values(self.rig.diagnostics, 'scene')

    def replayed(self) -> None:
        """The recording gives the bytes that were published; and without all that came, the same of the drone that
        nothing touched."""
        heard = {harness.stamp_of(s): s for s in self.rig.ticks}
        assert interrupt(self.rig.process) == 0, self.rig.process.output
        result = replay(Options(self.folder / 'flight', self.folder / 'again'))
        assert not result.notes, result.notes
        with Bag(self.folder / 'again') as bag:
            states = {harness.stamp_of(s): s for s in map(bag.decode, bag.messages(['/fleet/states_corrected']))}
        both = heard.keys() & states.keys()
        assert len(both) >= len(heard) - 2
        for stamp in both:
            assert list(states[stamp].names) == list(heard[stamp].names)
            for field in ('positions', 'orientations', 'linear_velocities', 'angular_velocities', 'flags'):
                assert list(getattr(states[stamp], field)) == list(getattr(heard[stamp], field)), (stamp, field)
        for state in list(heard.values())[5:]:
            assert list(state.positions[:3]) == [0, 0, 2] and list(state.linear_velocities[:3]) == [0, 0, 0]
