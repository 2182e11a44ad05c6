# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Whether the scene goes on: always, while paused only as often as steps were asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from hakoniwa_rigid.scene import CollisionScene

from .recorder import Recorder

__all__ = ['MOST_REQUESTS', 'MOST_STEPS', 'Pace', 'Steps', 'StepsError', 'set_paused']

# single ticks that may wait, and requests that may: a tick takes one
MOST_STEPS, MOST_REQUESTS = 10_000, 64


class StepsError(ValueError):
    """Steps that cannot be run: why not."""


class Steps:
    """Ticks that were asked for together.  `told` is called with it after every tick that was one of them, and where
    they end before their time, for which `fault` then has the reason."""

    def __init__(self, wanted: int, told: Callable[[Steps], object] | None) -> None:
        self.wanted, self.completed, self.fault, self.told = wanted, 0, '', told

    @property
    def left(self) -> int:
        """How many are still to be run."""
        return self.wanted - self.completed

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return bool(self.fault) or not self.left


class Pace:
    """Whether the next tick advances the scene.  stopped: paused at its start, by SetSimulationState."""

    def __init__(self) -> None:
        self.paused = self.stopped = False
        self._waiting: deque[Steps] = deque()
        self._run: Steps | None = None      # that the tick is one of

    @property
    def wants(self) -> bool:
        """Whether the next tick would advance the scene."""
        return not self.paused or bool(self._waiting)

    @property
    def steps(self) -> int:
        """Single ticks that wait."""
        return sum(steps.left for steps in self._waiting)

    def clear(self, why: str = 'the scene goes on') -> None:
        """Not paused; steps that wait end for this reason."""
        self.paused = self.stopped = False
        self.tell()
        while self._waiting:
            self.drop(self._waiting[0], why)

    def ask(self, count: int, told: Callable[[Steps], object] | None = None) -> Steps:
        """So many ticks.  StepsError where the scene is not paused, or too many would wait."""
        if not self.paused:
            raise StepsError('the scene is not paused: call ~/set_paused first')
        if not 1 <= count <= MOST_STEPS:
            raise StepsError(f'steps: must be from 1 to {MOST_STEPS}, got {count}')
        if self.steps + count > MOST_STEPS:
            raise StepsError(f'{self.steps} steps wait already; at most {MOST_STEPS} may')
        if told is None and self._waiting and self._waiting[-1].told is None:
            self._waiting[-1].wanted += count
            return self._waiting[-1]
        if told is not None and len(self._waiting) >= MOST_REQUESTS:
            raise StepsError(f'{len(self._waiting)} requests for steps wait already; at most {MOST_REQUESTS} may')
        self._waiting.append(Steps(count, told))
        return self._waiting[-1]

    def drop(self, steps: Steps, why: str) -> None:
        """End steps that wait."""
        if steps in self._waiting:
            self._waiting.remove(steps)
            steps.fault = why
            if steps.told is not None:
                steps.told(steps)

    def advances(self) -> bool:
        """Once a tick: whether it does; takes a step where it is paused."""
        if not self.paused:
            return True
        if not self._waiting:
            return False
        self._run = self._waiting[0]
        self._run.completed += 1
        if not self._run.left:
            self._waiting.popleft()
        self.stopped = False
        return True

    def tell(self) -> None:
        """The tick is over: who asked for it is told."""
        run, self._run = self._run, None
        if run is not None and run.told is not None:
            run.told(run)


def set_paused(pace: Pace, scene: CollisionScene, recorder: Recorder, paused: bool) -> None:
    """Pause the scene, or let it go on; steps that wait end."""
    if pace.paused and not paused:
        scene.release_hands()
        recorder.add('release_hands')
    pace.clear('the scene was paused anew' if paused else 'the scene goes on')
    pace.paused = paused
