"""What is kept of the ticks of a replay for its result: events, and thinned tracks."""
from __future__ import annotations

import numpy as np

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.hearing import Hearing
from hakoniwa_rigid.replay.outcome import Result, Tracks
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.records import ContactEventRecord, Tick

# poses of each drone in the picture; then every other one goes
MOST_POSES = 4000
TAKEN = ('accepted', 'teleport', 'restarted', 'missing_joints')


class Gathered:
    """Filled tick by tick."""

    def __init__(self, scene: CollisionScene, warnings: list[str]) -> None:
        self._scene, self._warnings = scene, warnings
        self.events: list[ContactEventRecord] = []
        self._stamps: list[int] = []
        self._positions: list[np.ndarray] = []
        self._every, self._count, self._overrun = 1, 0, 0

    def add(self, tick: Tick) -> None:
        """One tick."""
        self.events += tick.events
        self._overrun += tick.overrun_steps
        if self._count % self._every == 0:
            self._stamps.append(tick.stamp_ns)
            self._positions.append(tick.states.positions)
            if len(self._stamps) > MOST_POSES:
                self._stamps, self._positions, self._every = self._stamps[::2], self._positions[::2], 2 * self._every
        self._count += 1

    def result(self, bag: str, hearing: Hearing, start_ns: int, ticks: int, period: int, elapsed: float) -> Result:
        """The Result of the ticks so far; BagError where hardly anything was taken by the scene."""
        scene, ledger = self._scene, hearing.intake.ledger
        counters = {**scene.counters, **ledger.counters}
        refused = {key: count for key, count in counters.items() if key[0] not in TAKEN}
        received = hearing.intake.received
        told = sum(refused.values())
        # the first sample of a topic cannot be too old: there is no scene time yet
        if told > received - told and received - told <= len(hearing.read):
            why = '; '.join(f'{cause} {name}: {count}' for (cause, name), count in list(refused.items())[:5])
            raise BagError('\n  '.join([f'{bag}: all or nearly all of {received} messages were refused: {why}',
                                       *hearing.notes]))
        config = scene.config
        bodies = (*scene.drone_names, *(w.name for w in config.walls), *(o.name for o in config.objects),
                  *scene.hand_names)
        return Result(bag, scene.drone_names, bodies, start_ns, ticks, (ticks - 1) * period / 1e9, elapsed, received,
                      refused, {**scene.last_rejected, **ledger.last}, self._overrun, tuple(self.events),
                      Tracks(np.array(self._stamps), np.array(self._positions)), scene.state_hash(),
                      (*self._warnings, *hearing.notes))
