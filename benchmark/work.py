# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The work of a fixed number of steps, counted: what no clock touches, the same on every machine.

`make test` compares it with benchmark/expected.json (test/verification/test_work.py); `python -m benchmark.work` writes
it anew.
"""
from . import expected, scenes
from .engines.hakoniwa import world

# scenes that are run for WORK_STEPS steps; at rest and in a stack there is something to solve in every step
SCENES = {'1 spheres': lambda: scenes.room(1), '100 spheres': lambda: scenes.room(100),
          '1000 spheres': lambda: scenes.room(1000),
          '100 spheres, dense': lambda: scenes.room(100, volume=scenes.DENSE),
          '100 boxes': lambda: scenes.room(100, 'boxes'), '1000 boxes': lambda: scenes.room(1000, 'boxes'),
          '100 compounds': lambda: scenes.room(100, 'compounds'), '50 boxes at rest': lambda: scenes.resting(50),
          'stack of 10 boxes': lambda: scenes.stack(10)}
WORK_STEPS = 200


def work(case):
    """Contact pairs, rebuilds of the candidate list, impact events and sweeps, each per step."""
    scene = SCENES[case]()
    w, near = world(scene), 0
    w.force[:scene.n] = scene.force
    for _ in range(WORK_STEPS):
        w.step()
        near += w.stats().contact_pairs
    s = w.stats()
    return {'contact pairs': near / WORK_STEPS, 'list rebuilds': s.list_rebuilds / WORK_STEPS,
            'impact events': s.impact_events / WORK_STEPS, 'sweeps': s.sweeps / WORK_STEPS}


if __name__ == '__main__':
    counts = {case: work(case) for case in SCENES}
    print('\n'.join(f'{case}: {figures}' for case, figures in counts.items()))
    expected.write(counts)
