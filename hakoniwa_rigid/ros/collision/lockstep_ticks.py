# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The ticks of a node in lockstep: when the queues are looked into, and whether a tick is due (lockstep/barrier.py)."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from time import monotonic

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.lockstep.barrier import Barrier, Look
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.collision_scene import CLOCK_RESET
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
from hakoniwa_rigid.scene.parameters.settings import Settings

from ..errors import StartError

__all__ = ['LockstepTicks', 'check_source']

# s after the last message, and s between two looks into the queues from then on
LOOKS = ((0.05, 5e-5), (1.0, 1e-3), (inf, 5e-3))
# s between two lines that name who is waited for
TELL = 5.0
# drones that one line names
MOST_NAMED = 16
# sources whose samples have no stamp of the simulator
UNSTAMPED = ('tf', 'pose_or_tf', 'twist_pose')


def check_source(name: str, source: str, stamp: str) -> None:
    """StartError where the samples of a drone with these parameters do not have the simulator's own stamps."""
    if source in UNSTAMPED:
        raise StartError(f'parameter drones.{name}.source: {source}: pace: lockstep needs samples with stamps: odom, '
                         'pose, fleet or px4')
    if stamp != 'header':
        raise StartError(f'parameter drones.{name}.stamp: {stamp}: pace: lockstep needs header')


class LockstepTicks:
    """Those of one configured node.  `is_told`: whether the last look named those that are waited for."""

    def __init__(self, node, scene: CollisionScene, settings: Settings, inputs: InputAdapter, period: int,
                 clock: Callable[[], float] = monotonic) -> None:
        """period: ns; clock: s, steady."""
        for name, values in settings.drones.items():
            check_source(name, values['source'], values['stamp'] or settings.node['stamp'])
        self._node, self._scene, self._inputs, self._clock = node, scene, inputs, clock
        self._unserved = {drone.name for drone in settings.world.drones} - settings.drones.keys()
        self._rows = np.arange(len(scene.drone_names))
        self._timeout = settings.node['lockstep_timeout']
        self.barrier = Barrier(len(self._rows), period, self._timeout, round(CLOCK_RESET * NANOSECONDS))
        self._gone = np.ones(len(self._rows), dtype=bool)
        self._find_gone()
        self.clear()

    def _find_gone(self) -> None:
        """Places of drones that are not waited for.  One that came is waited for from its first sample on, or, like all
        others, before the first tick."""
        self._roster, self._names, before = self._scene.roster, self._scene.drone_names, self._gone
        self._gone = np.array([not name or name in self._unserved for name in self._names], dtype=bool)
        came = before & ~self._gone
        if self.barrier.last is None:
            self.barrier.out[came] = False
        else:
            self.barrier.fresh |= came
            self.barrier.fresh &= ~self._gone

    def close(self) -> None:
        """Nothing to give back."""

    def clear(self) -> None:
        """Every drone is awaited; the next tick begins a new row of stamps."""
        self.barrier.clear()
        self._heard = self._next = self._since = self._clock()
        self._said = -inf
        self.is_told = False
        self._received = self._inputs.received

    def rest(self) -> float:
        """s until the queues are looked into; 0 where that is now."""
        return max(self._next - self._clock(), 0.0)

    def look(self) -> Look:
        """After the queues were emptied: what is due."""
        now = self._clock()
        if self._inputs.received != self._received:
            self._received, self._heard = self._inputs.received, now
        newest, offered = self._scene.stamps_of(self._rows)
        if self._roster != self._scene.roster:
            self._find_gone()
        newest = np.where(self._gone, -1, newest)
        self.barrier.out |= self._gone      # what has left is not waited for
        found = self.barrier.look(newest, offered, now)
        for k in found.left_out:
            self._inputs.ledger.note('missing', self._names[k],
                                     f'no sample for the tick at {found.stamp} ns within {self._timeout:g} s')
        if found.stamp is None and not found.is_reset:
            silence = now - self._heard
            self._next = now + next(pause for limit, pause in LOOKS if silence < limit)
            self._tell(now, newest)
        else:
            # not at once: services are served in between
            self._next = now + 1e-6
            self._since, self.is_told = now, False
        return found

    def _tell(self, now: float, newest: np.ndarray) -> None:
        """Where no drone has the next stamp: name them after the time-out, and from then on now and then."""
        silent = now - self._since >= self._timeout and not self.barrier.is_begun
        self.is_told = silent and now - self._said >= TELL
        if not self.is_told:
            return
        self._said = now
        late = [self._names[k] for k in self.barrier.late(newest).tolist()]
        what = 'the first tick' if self.barrier.last is None else f'the tick after {self.barrier.last} ns'
        for name in late[:MOST_NAMED]:
            self._inputs.ledger.note('missing', name, f'{what} waits for it')
        more = f' and {len(late) - MOST_NAMED} more' if len(late) > MOST_NAMED else ''
        names = ', '.join(late[:MOST_NAMED]) or 'drones that come'
        self._node.get_logger().warning(f'lockstep: {what} waits for {names}{more}')
