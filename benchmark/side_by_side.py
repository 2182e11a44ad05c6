"""All engines over the same scenes in one run: `python -m benchmark.side_by_side`.

Every engine makes the same loop: set all forces, one step of 1 ms, read all poses as numpy.  What counts is the time of
this process, on one core; rounds of the engines alternate, so that a noisy neighbour hits them all.
"""
import argparse
import os
import statistics
import time
from pathlib import Path

from . import report, scenes
from .engines import installed

ROUNDS = 7
ROUND_S = 0.03              # s of processor time a round aims at
PATIENCE_S = 15.0           # s that the run-in of an engine may take; slower ones are left out
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


def clock(call, count):
    """µs of processor time per step of call(count)."""
    start = time.process_time()
    call(count)
    return 1e6 * (time.process_time() - start) / count


def ready(engine, scene):
    """The engine with the scene after its run-in, and µs per step in its end; None if that would take too long."""
    if scene.n > 10_000 and engine.package != 'hakoniwa-rigid':
        return None
    start = time.process_time()
    subject = engine(scene)
    first = clock(subject.exchange, 3)
    if first * 1e-6 * scene.run_in > PATIENCE_S or time.process_time() - start > PATIENCE_S:
        return None
    steps = max(scene.run_in - 3, 10)
    subject.exchange(steps - 5)
    return subject, max(clock(subject.exchange, 5), 0.5)


def compare(case, make, engines, step_only):
    """Figures of one case, of all engines that are fast enough for it."""
    scene, subjects = make(), {}
    for engine in engines:
        got = ready(engine, scene)
        if got:
            subjects[engine.name] = got
    found = []
    for name in ('exchange', 'steps') if step_only else ('exchange',):
        times = {engine: [] for engine in subjects}
        for _ in range(ROUNDS):
            for engine, (subject, guess) in subjects.items():
                count = max(int(1e6 * ROUND_S / guess), 2)
                times[engine].append(clock(getattr(subject, name), count))
        title = case if name == 'exchange' else f'{case}, step only'
        found += [report.Figure(title, e, min(t), statistics.median(t), max(t)) for e, t in times.items()]
    return found


def page(figures, engines):
    """docs/benchmark.md."""
    return '\n'.join([
        '# Side by side', '',
        '`make bench` wrote this page. Bodies of 0.71 kg with thrust against gravity in a room of six walls, 8 m³ for',
        'each (dense: 0.5 m³), 3 m/s, e 0.5, μ 0.3: spheres (r 0.25 m), boxes (0.5 × 0.5 × 0.15 m), compounds (a body',
        'and four rotor discs). Every step of 1 ms all forces are set and all poses read as numpy; "step only" leaves',
        'that out. µs of processor time per step on one core, median of seven rounds; "-": slower than the run has',
        'patience for, or not asked.', '', f'Machine: {report.machine()}.', '',
        *report.markdown(figures), '', '![cost against the number of bodies](images/benchmark.png)', '',
        'Least, median and most:', '', *report.markdown(figures, whole=True), '', '## The engines', '',
        '| | version | threads | |', '|---|---|---|---|',
        *(f'| {e.name} | {report.version(e.package)} | {e.threads} | {e.about} |' for e in engines), '',
        'None of the others finds the time of an impact inside the step. PyBullet, Rapier and DART take forces and',
        'give poses body by body, which in Python costs about 1 µs each. MuJoCo and DART take the building as boxes,',
        'since their meshes are convex; the others as one triangle mesh.', ''])


def curves(figures, points):
    """title -> engine -> [(n, median)]."""
    out = {}
    for f in figures:
        if f.case in points:
            title, n = points[f.case]
            out.setdefault(title, {}).setdefault(f.engine, []).append((n, f.median))
    return out


def main():
    """Measure, print, and write docs/benchmark.md unless only some cases are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default='', help='cases whose name has this in it; writes nothing')
    parser.add_argument('--largest', type=int, default=100_000, help='greatest number of bodies')
    asked = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    engines, figures, points = installed(), [], {}
    print(report.machine())
    for case, make, point in cases(asked.largest):
        if asked.only in case:
            new = compare(case, make, engines, step_only=case == '1000 spheres')
            figures += new
            print('\n'.join(report.table(new)), flush=True)
            if point:
                points[case] = point
    if asked.only:
        return
    print('\n'.join(report.table(figures, whole=False)))
    (DOCS / 'benchmark.md').write_text(page(figures, engines))
    report.picture(curves(figures, points), DOCS / 'images' / 'benchmark.png')


if __name__ == '__main__':
    main()
