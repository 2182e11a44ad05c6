# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Crowds beside MuJoCo and Rapier: heaps, dominoes, an arch, five seconds of fall and rest; `make bench-crowds`.

Of every step the least of several identical runs counts, in processor time of one core.  Falling is all until no body
moves faster than 1 cm/s any more, in the engine's own run.
"""
import argparse
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from tqdm import tqdm

from hakoniwa_rigid.engine import Box

from . import crowd_ticks, report, scenes
from .engines import installed
from .timing import stay

SECONDS, RUNS, SLOW = 5.0, 5, 0.01      # s, -, m/s
ENGINES = ('hakoniwa_rigid', 'MuJoCo', 'Rapier')
PEN, PITCH = 3.0, 0.74                  # m: between the walls; between plates when they are dropped
DOCS = Path(__file__).resolve().parents[1] / 'docs'


def heap(n, e, kind='boxes', side=PEN, per=4, seed=1):
    """n bodies at random attitudes, `per` by `per` in layers PITCH apart, the lowest 0.5 m above the floor of a pen."""
    rng, k = np.random.default_rng(seed), np.arange(n)
    pos = np.column_stack([PITCH * (k % per - (per - 1) / 2), PITCH * (k // per % per - (per - 1) / 2),
                           0.5 + PITCH * (k // per**2)])
    still = np.zeros((n, 3))
    walls = ((0.0, 0.0, 1.0), 0.0), *((tuple(s * a), -side / 2) for a in np.eye(3)[:2] for s in (1.0, -1.0))
    return scenes.Scene(scenes.PARTS[kind], pos, scenes.quaternions(rng, n), still, still, walls, force=(0, 0, 0),
                        restitution=e)


def dominoes(e, n=20):
    """A row, 8 cm from one to the next, of which the first turns at 3 rad/s."""
    size, mass = np.array((0.02, 0.1, 0.2)), 0.2
    v, w = np.zeros((n, 3)), np.zeros((n, 3))
    v[0, 0], w[0, 1] = 0.3, 3.0
    return scenes.Scene(((Box(tuple(size)), (0.0, 0.0, 0.0)),), np.column_stack([0.08 * np.arange(n), np.zeros(n),
                        np.full(n, 0.1)]), np.tile((1.0, 0, 0, 0), (n, 1)), v, w, (((0.0, 0.0, 1.0), 0.0),), mass=mass,
                        inertia=tuple(mass / 12 * ((size**2).sum() - size**2)), force=(0, 0, 0), restitution=e)


def arch(e, n=11, radius=1.0):
    """Boxes set up in a half circle, too low to reach each other's faces: it falls in."""
    size, mass = np.array((0.25, 0.3, 0.2)), 5.0
    angle = np.pi * (np.arange(n) + 0.5) / n
    pos = np.column_stack([-radius * np.cos(angle), np.zeros(n), radius * np.sin(angle)])
    turn = 0.5 * (angle - 0.5 * np.pi)
    quat = np.column_stack([np.cos(turn), np.zeros(n), np.sin(turn), np.zeros(n)])
    still = np.zeros((n, 3))
    return scenes.Scene(((Box(tuple(size)), (0.0, 0.0, 0.0)),), pos, quat, still, still, (((0.0, 0.0, 1.0), 0.0),),
                        mass=mass, inertia=tuple(mass / 12 * ((size**2).sum() - size**2)), force=(0, 0, 0),
                        restitution=e)


def cases(largest):
    """Name and maker of every scene of up to `largest` bodies."""
    for e in (0.0, 0.5):
        for n in [n for n in (20, 50, 100, 200) if n <= largest]:
            yield f'{n} plates, e {e:g}', lambda n=n, e=e: heap(n, e)
        yield f'20 compounds, e {e:g}', lambda e=e: heap(20, e, 'compounds', 2.0, 2)
        yield f'20 dominoes, e {e:g}', lambda e=e: dominoes(e)
        yield f'arch of 11, e {e:g}', lambda e=e: arch(e)


def run(engine, scene, steps):
    """ms of every step, and the largest speed of any body (m/s) after it, by how it has moved."""
    subject, times, speeds = engine(scene), np.empty(steps), np.empty(steps)
    before = subject.positions().copy()
    for k in range(steps):
        start = time.process_time_ns()
        subject.steps(1)
        times[k] = 1e-6 * (time.process_time_ns() - start)
        here = subject.positions().copy()
        speeds[k] = np.abs(here - before).max() / scenes.DT
        before = here
    return times, speeds


def measure(engine, scene, runs, steps):
    """The least of several runs of every step (ms), and how many steps passed until all were at rest."""
    engine(replace(scene)).steps(3)         # what the first contact loads
    times, speeds = run(engine, scene, steps)
    for _ in range(runs - 1):
        times = np.minimum(times, run(engine, scene, steps)[0])
    fast = np.flatnonzero(speeds > SLOW)
    return times, int(fast[-1]) + 1 if len(fast) else 0


def row(name, engine, times, rest):
    """Line of the table: mean, p99 and worst of all, mean and worst of the fall, mean of what is left."""
    fall, lie = times[:max(rest, 1)], times[rest:]
    return (name, engine, f'{times.mean():.3f}', f'{np.percentile(times, 99):.3f}', f'{times.max():.2f}',
            f'{rest * scenes.DT:.2f}', f'{fall.mean():.3f}', f'{fall.max():.2f}',
            f'{lie.mean():.4f}' if len(lie) > 100 else '-')


def ticks(mujoco, runs, steps, only=''):
    """Lines of the second table: ticks of scenes with crowds and with hands, and MuJoCo's mean step of a heap."""
    drones, some = heap(100, 0.5), ('50 plates, e 0.5', heap(50, 0.5))
    samples, acts = crowd_ticks.acts()
    for name, make, count, other, beside in (
            ('20 drones land on one spot', crowd_ticks.landing, crowd_ticks.TICKS, *some),
            ('100 drones fall into a heap', lambda: crowd_ticks.dropped(drones), crowd_ticks.TICKS,
             '100 plates, e 0.5', drones),
            ('six drones, two hands in all acts', lambda: crowd_ticks.handled(samples), acts, *some)):
        if only not in name:
            continue
        times = np.min([crowd_ticks.run(make, count) for _ in range(runs)], axis=0)
        step, p99 = measure(mujoco, beside, runs, steps)[0].mean(), np.percentile(times, 99)
        yield (name, f'{times.mean():.2f}', f'{p99:.2f}', f'{times.max():.2f}', other, f'{step:.3f}',
               f'{times.mean() / step:.1f}', f'{p99 / step:.1f}', f'{times.max() / step:.1f}')


INTRODUCTION = f"""# Crowds side by side

This page compares the time of a step with MuJoCo and Rapier for heaps, dominoes and an arch. Islands of that size may
go over their work budget; the engine then solves them by time stepping ([pipeline.md](pipeline.md#crowds)).

```sh
make bench-crowds
```

**Scenes**, μ 0.3:

- Plates of 0.5 × 0.5 × 0.15 m and 0.71 kg are dropped at random attitudes (seed 1) into a pen of {PEN:g} m, 4 × 4 in
  layers {PITCH:g} m apart.
- Compounds (a body and four rotor discs) are dropped like them into a pen of 2 m, 2 × 2 in a layer.
- Dominoes of 2 × 10 × 20 cm stand 8 cm apart; the first turns at 3 rad/s.
- The stones of the arch (25 × 30 × 20 cm) do not hold each other.

**Engines.** MuJoCo: its defaults (Newton, pyramidal cone, Euler), contacts of 20 ms whose damping returns e, no sleep.
Rapier, where it was installed: float32, 4 iterations, no sleep. hakoniwa_rigid: as it is, with sleep.
"""


def page(rows, scene_rows, runs):
    """docs/crowds.md."""
    head = ('', 'engine', 'mean', 'p99', 'worst', 'at rest after, s', 'fall: mean', 'fall: worst', 'rest: mean')
    return '\n'.join([
        INTRODUCTION,
        *report.paragraph(f'**Times** are ms of processor time a step on one core, over {SECONDS:g} s in steps of 1 '
                          f'ms. Of every step the least of {runs} identical runs counts.'), '',
        'The fall lasts until no body moves faster than 1 cm/s any more; 5.00: not within these five seconds.', '',
        f'Machine: {report.machine()}.', '',
        *report.grid(head, rows), '',
        "Ticks of a `CollisionScene` at 200 Hz, five engine steps each, in ms, and how many of MuJoCo's mean steps",
        'they take as long as:', '',
        *report.grid(('', 'mean', 'p99', 'worst', 'MuJoCo', 'its mean step', 'mean / step', 'p99 / step',
                      'worst / step'), scene_rows),
        ''])


def main():
    """Measure, print, and write docs/crowds.md unless only some cases are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default='', help='cases whose name has this in it; writes nothing')
    parser.add_argument('--largest', type=int, default=200, help='greatest number of bodies; 200 take minutes a run')
    parser.add_argument('--runs', type=int, default=RUNS, help='identical runs')
    asked = parser.parse_args()
    stay()
    engines, rows = [e for e in installed() if e.name in ENGINES], []
    chosen = [c for c in cases(asked.largest) if asked.only in c[0]]
    bar = tqdm([(c, e) for c in chosen for e in engines], unit='run', dynamic_ncols=True)
    for (name, make), engine in bar:
        bar.set_postfix_str(f'{name}, {engine.name}')
        rows.append(row(name, engine.name, *measure(engine, make(), asked.runs, round(SECONDS / scenes.DT))))
        bar.write('  '.join(rows[-1]))
    mujoco = [e for e in engines if e.name == 'MuJoCo']
    scene_rows = []
    for line in ticks(mujoco[0], asked.runs, round(SECONDS / scenes.DT), asked.only) if mujoco else ():
        scene_rows.append(line)
        print('  '.join(line))
    if not asked.only:
        (DOCS / 'crowds.md').write_text(page(rows, scene_rows, asked.runs))


if __name__ == '__main__':
    main()
