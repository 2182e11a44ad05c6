# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The cases of `make bench-check`; in a child process: run the stretch of one whenever asked.

What only this tree has is imported inside the case that needs it: the parent could not import this file otherwise.
"""
from benchmark import scenes, ticks
from benchmark.engines.hakoniwa import Hakoniwa
from benchmark.gates.laps import Case, serve_cases
from hakoniwa_rigid.scene import warmup

RUN_IN, SETTLE = 100, 2     # steps; the second after every restore, to have all at hand again
TICKS_BEFORE = 40


class Steps:
    """A scene of the engine alone: forces in, step, poses out."""

    def __init__(self, scene, run_in=RUN_IN):
        self._engine = Hakoniwa(scene)
        self._engine.exchange(run_in)
        self._saved, self.run = self._engine.save(), self._engine.exchange

    def start(self):
        """Back to the beginning of the stretch."""
        self._engine.restore(self._saved)
        self._engine.exchange(SETTLE)


class Ticks:
    """Drones fed and advanced."""

    def __init__(self, n, resting):
        self._n, self._resting = n, resting

    def start(self):
        """A scene of the same age every time: none can be put back as a whole."""
        self._scene, self._ticks = ticks.build(self._n), TICKS_BEFORE
        ticks.fly(self._scene, 0, self._ticks, self._resting)

    def run(self, count):
        """Ticks."""
        ticks.fly(self._scene, self._ticks, count, self._resting)
        self._ticks += count


CASES = {
    '1 spheres': Case(lambda: Steps(scenes.room(1)), 2000),
    '100 spheres': Case(lambda: Steps(scenes.room(100)), 300),
    '1000 spheres': Case(lambda: Steps(scenes.room(1000)), 40),
    '100 boxes': Case(lambda: Steps(scenes.room(100, 'boxes')), 100),
    '1000 boxes': Case(lambda: Steps(scenes.room(1000, 'boxes')), 30),
    '100 compounds': Case(lambda: Steps(scenes.room(100, 'compounds')), 50),
    '50 boxes at rest': Case(lambda: Steps(scenes.resting(50)), 50),
    'stack of 10 boxes': Case(lambda: Steps(scenes.stack(10)), 50),
    # from above the floor until most of them lie: the last rounds are slow
    'pile of 30 boxes': Case(lambda: Steps(scenes.pile(30), run_in=SETTLE), 100, laps=3),
    'tick, 50 drones flying': Case(lambda: Ticks(50, False), 200),
    'tick, 50 drones on the floor': Case(lambda: Ticks(50, True), 40),
}


def serve(arguments):
    """See serve_cases."""
    serve_cases(CASES, *arguments, warmup)
