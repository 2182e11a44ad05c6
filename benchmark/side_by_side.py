# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""All engines over the same scenes in one run: `python -m benchmark.side_by_side`.

Every engine makes the same loop: set all forces, one step of 1 ms, read all poses as numpy.  What counts is the time of
this process, on one core; rounds of the engines alternate, so that a noisy neighbour hits them all.
"""
import argparse
import statistics
import time
from pathlib import Path

from tqdm import tqdm

from . import cold_start, report, scenes, targets
from .engines import installed
from .timing import clock, stay

ROUNDS = 7
# all engines make the same steps: as many a round as keep the slower of ours and MuJoCo's busy for ROUND_S s of
# processor time, and at least ROUND_STEPS, so that a round has rebuilt lists in it; fewer where that is over LONGEST_S
ROUND_S, ROUND_STEPS, LONGEST_S = 0.03, 40, 0.6
HOPELESS_S = 60.0           # s: an engine whose run-in would take as long is left out
CHUNK = 20                  # steps of the run-in between two looks at the clock
NUMBERS = (1, 10, 100, 1000, 10_000)
DOCS = Path(__file__).resolve().parents[1] / 'docs'


def cases(largest):
    """Name and maker of every scene, and the curve it belongs to (title, n) or None."""
    for kind in scenes.PARTS:
        for n in NUMBERS:
            if n <= (largest if kind == 'spheres' else min(largest, 1000)):
                yield f'{n} {kind}', lambda n=n, kind=kind: scenes.room(n, kind), (kind, n)
    if largest >= 100_000:
        yield '100000 spheres', lambda: scenes.room(100_000), ('spheres', 100_000)
    for kind in ('spheres', 'boxes'):
        yield f'1000 {kind}, dense', lambda kind=kind: scenes.room(1000, kind, scenes.DENSE), None
    yield '1000 spheres in free flight', lambda: scenes.free_flight(1000), None
    yield '100 boxes in a building', scenes.building, None
    yield '50 boxes at rest', lambda: scenes.resting(50), None
    yield 'pile of 200 boxes', scenes.pile, None


def ready(engine, scene):
    """The engine with the scene after its run-in, µs per step in its end, and whether it ran in to the end.

    None for one that is far too slow.
    """
    if scene.n > engine.most:
        return None
    subject, start = engine(scene), time.process_time()
    guess, left = clock(subject.exchange, 3), scene.run_in
    if guess * 1e-6 * scene.run_in > HOPELESS_S:
        return None
    while left > 0 and time.process_time() - start < scene.patience:
        count = min(left, CHUNK, max(int(1e6 / guess), 1))
        guess, left = clock(subject.exchange, count), left - count
    return subject, max(guess, 0.5), left <= 0


def steps_of(subjects):
    """Steps of a round, by engine."""
    usual = max(guess for name, (_, guess, _) in subjects.items() if name in ('hakoniwa_rigid', 'MuJoCo'))
    wanted = max(int(1e6 * ROUND_S / usual), ROUND_STEPS)
    return {name: max(min(wanted, int(1e6 * LONGEST_S / guess)), 1) for name, (_, guess, _) in subjects.items()}


def compare(case, make, engines, step_only):
    """Figures of one case, of all engines that are fast enough for it."""
    scene, subjects = make(), {}
    for engine in engines:
        got = ready(engine, scene)
        if got:
            subjects[engine.name] = got
    ways, steps = {'exchange': case, **({'steps': f'{case}, step only'} if step_only else {})}, steps_of(subjects)
    times = {(way, name): [] for way in ways for name in subjects}
    for _ in range(ROUNDS):
        for way, name in times:
            times[way, name].append(clock(getattr(subjects[name][0], way), steps[name]))
    return [report.Figure(ways[way], name, min(t), statistics.median(t), max(t),
                          '' if subjects[name][2] else 'not run in') for (way, name), t in times.items()]


def per_body(figures, points):
    """Sentence: ns per body and step of ours over the numbers of spheres."""
    found = [(points[f.case][1], 1e3 * f.median / points[f.case][1]) for f in figures
             if f.engine == 'hakoniwa_rigid' and points.get(f.case, ('', 0))[0] == 'spheres']
    return 'ns per body of hakoniwa_rigid, spheres: ' + ', '.join(f'{report.number(t)} at {n}' for n, t in found) + '.'


INTRODUCTION = """# Side by side

This page compares the time of a step with MuJoCo, PyBullet, Rapier and DART, over the same scenes in one run.

```sh
make bench
```

The command measures all of it and writes this page; `make bench BENCH_ARGS="--only boxes"` chooses cases and only
prints them.

**Scenes.** Bodies of 0.71 kg, with thrust against gravity, fly in a room of six walls at 3 m/s, e 0.5, μ 0.3. Each has
8 m³ (dense: 0.5 m³). They are spheres (r 0.25 m), boxes (0.5 × 0.5 × 0.15 m) or compounds (a body and four rotor
discs). The pile has fallen for 1.6 s before.

**Times.** In every step of 1 ms all forces are set and all poses read as numpy; "step only" leaves that out. Times are
µs of processor time per step on one core, the median of seven rounds.

**Marks.** "-": slower than the run has patience for, or not asked. "not run in": measured earlier than the others.
"""
TARGETS = """## Targets

The targets were stated as times on a machine on which MuJoCo takes what stands beside them. Here the ratio to MuJoCo in
the same run counts, medians of the rounds. Compounds and "step only" are held against 1000 spheres of MuJoCo.
"""
ENGINES = """\
None of the others finds the time of an impact inside the step. PyBullet, Rapier and DART take forces and give poses
body by body, which in Python costs about 1 µs each. MuJoCo and DART take the building as boxes, since their meshes are
convex; the others as one triangle mesh.
"""


def page(figures, points, engines, cold):
    """docs/benchmark.md; cold: what cold_start() found."""
    start = cold_start.sentence(cold) + ' Kernels come from the cache, the files from memory.'
    return '\n'.join([
        INTRODUCTION, f'Machine: {report.machine()}.', '',
        *report.markdown(figures), '', '![cost against the number of bodies](images/benchmark.png)', '',
        *report.paragraph(per_body(figures, points)), '', TARGETS, *targets.lines(figures, cold['']), '',
        *report.paragraph(start), '',
        '## Least, median and most', '', *report.markdown(figures, whole=True), '', '## The engines', '',
        *report.grid(('', 'version', 'threads', ''), [(e.name, report.version(e.package), str(e.threads), e.about)
                                                      for e in engines]), '', ENGINES])


def curves(figures, points):
    """title -> engine -> [(n, median)]."""
    out = {}
    for f in figures:
        if f.case in points:
            title, n = points[f.case]
            out.setdefault(title, {}).setdefault(f.engine, []).append((n, f.median))
    return out


def run(chosen, engines):
    """Figures of the cases, and the point of the curves that each is, by case."""
    figures, points = [], {}
    bar = tqdm(chosen, unit='case', dynamic_ncols=True)
    for case, make, point in bar:
        bar.set_postfix_str(case)
        new = compare(case, make, engines, step_only=case == '1000 spheres')
        figures += new
        bar.write('\n'.join(report.table(new)))
        if point:
            points[case] = point
    return figures, points


def main():
    """Measure, print, and write docs/benchmark.md unless only some cases are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default='', help='cases whose name has this in it; writes nothing')
    parser.add_argument('--largest', type=int, default=100_000, help='greatest number of bodies')
    asked = parser.parse_args()
    print(report.machine())
    cold = cold_start.cold_start()
    print(cold_start.sentence(cold))
    stay()
    engines = installed()
    figures, points = run([c for c in cases(asked.largest) if asked.only in c[0]], engines)
    print('\n'.join(report.table(figures, whole=False)))
    print('\n'.join(targets.lines(figures, cold[''])))
    if not asked.only:
        (DOCS / 'benchmark.md').write_text(page(figures, points, engines, cold))
        report.picture(curves(figures, points), DOCS / 'images' / 'benchmark.png')


if __name__ == '__main__':
    main()
