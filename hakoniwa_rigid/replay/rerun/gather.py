# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is kept of the ticks of a replay for its result: events, and thinned tracks."""
from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hakoniwa_rigid.codec.constraint_event import CONSTRAINT_EVENT
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.bag_input import BagInput
from hakoniwa_rigid.replay.rerun.event_log import EventLog
from hakoniwa_rigid.replay.rerun.outcome import Result, Tracks
from hakoniwa_rigid.replay.topics import some
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.records import Tick

# poses of each drone in the picture; then every other one goes
MOST_POSES = 4000
# sees the scene after each tick, and the tick
Watch = Callable[[CollisionScene, Tick], object]
TAKEN = ('accepted', 'teleport', 'restarted', 'missing_joints')


class Gathered:
    """Filled tick by tick."""

    def __init__(self, scene: CollisionScene, warnings: list[str], may_refuse_most: bool = False,
                 watch: Watch | None = None) -> None:
        """may_refuse_most: that hardly anything was taken is no error."""
        self._scene, self._warnings, self._may_refuse_most = scene, warnings, may_refuse_most
        self._watch = watch
        self.events, self.constraint_events = EventLog(), EventLog(CONSTRAINT_EVENT)
        self._stamps: list[int] = []
        self._positions: list[np.ndarray] = []
        self._every, self._count, self._overrun = 1, 0, 0
        self._absent, self._absent_hands = np.array(scene.drone_names) != '', list(scene.hand_names)
        self._awaiting = True

    def add(self, tick: Tick) -> None:
        """One tick."""
        if tick.events:
            self.events.add(tick.events)
        self.constraint_events.add(tick.constraint_events)
        if self._awaiting:
            self._look(tick)
        self._overrun += tick.overrun_steps
        if self._count % self._every == 0:
            self._stamps.append(tick.stamp_ns)
            self._positions.append(tick.states.positions)
            if len(self._stamps) > MOST_POSES:
                self._stamps, self._positions, self._every = self._stamps[::2], self._positions[::2], 2 * self._every
        self._count += 1
        if self._watch is not None:
            self._watch(self._scene, tick)

    def _look(self, tick: Tick) -> None:
        """Who is there for the first time."""
        self._absent &= ~self._scene.present()
        here = {hand.name for hand in tick.hands if hand.present} if self._absent_hands else ()
        self._absent_hands = [name for name in self._absent_hands if name not in here]
        self._awaiting = bool(self._absent_hands or self._absent.any())

    def _never_there(self) -> tuple[str, ...]:
        names = self._scene.drone_names
        return (*(names[k] for k in np.flatnonzero(self._absent) if names[k]), *self._absent_hands)

    def result(self, bag: str, bag_input: BagInput, start_ns: int, ticks: int, period: int, elapsed: float) -> Result:
        """The Result of the ticks so far; BagError where hardly anything was taken by the scene."""
        scene, ledger = self._scene, bag_input.adapter.ledger
        counters = {**scene.counters, **ledger.counters}
        refused = {key: count for key, count in counters.items() if key[0] not in TAKEN}
        received = bag_input.adapter.received
        refusals = sum(refused.values())
        # the first sample of a topic cannot be too old: there is no scene time yet
        used = received - refusals
        if not self._may_refuse_most and refusals > used and used <= len(bag_input.read):
            why = '; '.join(f'{cause} {name}: {count}' for (cause, name), count in list(refused.items())[:5])
            raise BagError('\n  '.join([f'{bag}: all or nearly all of {received} messages were refused: {why}',
                                       *bag_input.notes]))
        absent = self._never_there()
        lost = bag_input.adapter.lost_on_tf()
        notes = (*bag_input.notes, *(f'{name}: {why}' for name, why in lost.items() if name in absent))
        if not self._may_refuse_most and not received and len(lost) == len(scene.drone_index):
            raise BagError('\n  '.join([f'{bag}: no drone was received', *notes]))
        if absent:
            notes = (*notes, f'never in the scene, as no usable message of them came: {some(absent)}')
        config, rows = scene.config, [row for row, name in enumerate(scene.drone_names) if name]
        drones = tuple(scene.drone_names[row] for row in rows)
        bodies = (*drones, *(w.name for w in config.walls), *(o.name for o in config.objects),
                  *scene.hand_names)
        positions = np.array(self._positions).reshape(len(self._positions), len(scene.drone_names), 3)[:, rows]
        return Result(bag, drones, bodies, start_ns, ticks, (ticks - 1) * period / 1e9, elapsed, received,
                      refused, {**scene.last_rejected, **ledger.last}, self._overrun, self.events,
                      Tracks(np.array(self._stamps), positions), scene.state_hash(),
                      (*self._warnings, *notes), absent, self.constraint_events)
