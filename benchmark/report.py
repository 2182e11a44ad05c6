# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Figures of a run as a table for the terminal, as docs/benchmark.md and as a picture."""
import importlib.metadata
import os
import platform
import textwrap
from pathlib import Path
from typing import NamedTuple


class Figure(NamedTuple):
    """Processor time per step of one engine in one case, µs, over the rounds."""

    case: str
    engine: str
    least: float
    median: float
    most: float
    note: str = ''


def number(x):
    """Three figures."""
    return f'{x:.0f}' if x >= 99.5 else f'{x:.3g}'


def cells(figures, whole):
    """Rows (case, one text per engine): the medians, or least / median / most."""
    engines = list(dict.fromkeys(f.engine for f in figures))
    found = {(f.case, f.engine): f for f in figures}
    rows = []
    for case in dict.fromkeys(f.case for f in figures):
        row = []
        for engine in engines:
            f = found.get((case, engine))
            parts = () if f is None else (f.least, f.median, f.most) if whole else (f.median,)
            row.append(' / '.join(map(number, parts)) + (f' ({f.note})' if f and f.note else '') or '-')
        rows.append((case, *row))
    return engines, rows


def table(figures, whole=True):
    """Lines for a terminal."""
    if not figures:
        return []
    engines, rows = cells(figures, whole)
    rows = [('µs of CPU per step' + (': least / median / most' if whole else ''), *engines), *rows]
    widths = [max(len(r[k]) for r in rows) for k in range(len(rows[0]))]
    return ['  '.join([r[0].ljust(widths[0]), *(t.rjust(w) for t, w in zip(r[1:], widths[1:], strict=True))])
            for r in rows]


def paragraph(text):
    """Lines of a paragraph of a page."""
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def grid(head, rows):
    """Lines of a Markdown table from texts."""
    return ['| ' + ' | '.join(head) + ' |', '|---' * len(head) + '|', *('| ' + ' | '.join(row) + ' |' for row in rows)]


def markdown(figures, whole=False):
    """Lines of a Markdown table of figures."""
    engines, rows = cells(figures, whole)
    return grid(('', *engines), rows)


def put_between(path, begin, end, lines):
    """Replace what stands between two lines of a text file; without them, at its end."""
    text = path.read_text()
    before, found, rest = text.partition(begin + '\n')
    if not found:
        before, rest = text.rstrip('\n') + '\n\n', f'{end}\n'
    after = rest.partition(end)[2]
    path.write_text('\n'.join([before + begin, '', *lines, '', end]) + after)


def processor():
    """The processor's name, as far as the system tells."""
    try:
        info = Path('/proc/cpuinfo').read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = [row.split(':', 1)[1].strip() for row in info.splitlines() if row.startswith('model name')]
    return names[0] if names else platform.machine()


def version(package):
    """Installed version of a package, or a word that there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return 'not installed'


def machine():
    """Processor, cores, Python and the packages that every figure depends on."""
    return (f'{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, numpy {version("numpy")}, '
            f'numba {version("numba")}')


def picture(curves, path):
    """Cost against N, both axes logarithmic; curves: title -> engine -> [(n, µs)]."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, len(curves), figsize=(4.2 * len(curves), 4.2), sharey=True, layout='constrained')
    for axis, (title, engines) in zip(axes, curves.items(), strict=True):
        for k, (engine, points) in enumerate(engines.items()):
            axis.loglog(*zip(*points, strict=True), 'o-', label=engine, linewidth=2.5 if k == 0 else 1.2)
        axis.set(title=title, xlabel='bodies')
        axis.grid(True, which='major', alpha=0.3)
    axes[0].set_ylabel('µs per step')
    axes[0].legend(fontsize='small')
    figure.savefig(path, dpi=90)
