# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A picture around the first difference: the poses of both runs, how far they are apart, and the contacts of both."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene.offline.mass_picture import INK, PAPER
from hakoniwa_rigid.scene.offline.simulation_picture import COLOURS

from .alignment import sample, union
from .records import SIDES, Run, Trajectory
from .report import Difference, Report

AROUND = 1.0            # s shown before and after the first difference
ROOM = 0.15             # s between contacts whose impulses are written
MOST_DRONES = 2
ROLES = dict(zip(SIDES, COLOURS, strict=False))    # the same colours as in the HTML report


def draw(report: Report, a: Run, b: Run, path: str | Path) -> bool:
    """Write the picture (PNG); False, and no file, where nothing differs.

    Errors: ImportError without matplotlib, OSError or ValueError if the file cannot be written.
    """
    first = report.first
    if first is None:
        return False
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 8), dpi=110, facecolor=PAPER)
    FigureCanvasAgg(figure)     # no display needed
    upper, middle, lower = figure.subplots(3, 1, sharex=True, height_ratios=(5, 3, 2))
    couples = _couples(first, a, b)
    _paths(upper, couples, first.at_ns, report.origin_ns)
    _errors(middle, couples, first.at_ns, report)
    _contacts(lower, first, a, b, report.origin_ns)
    for axes in (upper, middle, lower):
        axes.axvline((first.at_ns - report.origin_ns) / NANOSECONDS, color=INK, linewidth=0.8, linestyle=':')
        axes.grid(alpha=0.25)
    centre = (first.at_ns - report.origin_ns) / NANOSECONDS
    lower.set(xlim=(centre - AROUND, centre + AROUND), xlabel='t, s since the beginning')
    figure.suptitle(f'{first.where}: {first.text}'[:120].replace('$', r'\$'), fontsize=10, color=INK)
    figure.tight_layout()
    figure.savefig(path)
    return True


def _couples(first: Difference, a: Run, b: Run) -> list[tuple[Trajectory | None, Trajectory | None]]:
    """The drones that the difference is about, else the first ones there are."""
    drones = sorted({*a.drones, *b.drones})
    words = first.where.replace('(', ' ').split()
    named = [d for d in drones if d in words] or [t.drone for r in (a, b) for t in r.trajectories
                                                  if t.topic == first.where] or drones
    named = list(dict.fromkeys(named))[:MOST_DRONES]
    return [tuple(next((t for t in run.trajectories if t.drone == d), None) for run in (a, b)) for d in named]


def _near(t: Trajectory, at_ns: int) -> slice:
    """The rows around a time, and one more on either side."""
    low, high = np.searchsorted(t.stamps, [at_ns - round(AROUND * NANOSECONDS), at_ns + round(AROUND * NANOSECONDS)])
    return slice(max(int(low) - 1, 0), int(high) + 1)


def _paths(axes, couples, at_ns: int, origin: int) -> None:
    """Colours are roles, dashes are axes; of a second drone the lines are paler."""
    for couple, pale in zip(couples, (1.0, 0.45), strict=False):
        for t, side, width, alpha in zip(couple, SIDES, (3.0, 1.3), (0.45, 1.0), strict=True):
            if t is None:
                continue
            rows = _near(t, at_ns)
            for k, (axis, style) in enumerate(zip('xyz', ('-', '--', ':'), strict=True)):
                axes.plot((t.stamps[rows] - origin) / NANOSECONDS, t.positions[rows, k], style, color=ROLES[side],
                          linewidth=width, alpha=alpha * pale, label=f'{t.drone} {axis} {side}')
    axes.set_ylabel('position, m')
    if couples:
        axes.legend(fontsize=7, frameon=False, ncols=2 * len(couples), loc='upper left')


def _errors(axes, couples, at_ns: int, report: Report) -> None:
    limits = {t.drone: (t.ape_translation.limit, t.ape_rotation.limit) for t in report.trajectories}
    for couple, style in zip(couples, ('-', ':'), strict=False):
        if None in couple:
            continue
        stamps = union(*couple)
        stamps = stamps[np.abs(stamps - at_ns) <= AROUND * NANOSECONDS]
        one, two = (sample(t, stamps, 2 * round(AROUND * NANOSECONDS)).positions for t in couple)
        drone = couple[0].drone
        axes.plot((stamps - report.origin_ns) / NANOSECONDS, np.linalg.norm(one - two, axis=1), style, color=INK,
                  label=f'{drone}: distance of expected and actual')
        axes.axhline(limits[drone][0], color=INK, linewidth=0.8, linestyle='--', label='tolerance')
    axes.set_ylabel('APE, m')
    if axes.lines:
        axes.legend(fontsize=7, frameon=False, loc='upper left')


def _contacts(axes, first: Difference, a: Run, b: Run, origin: int) -> None:
    """One bar per contact from begin to end; those of the bodies in question darker."""
    for row, run, side in ((1, a, SIDES[0]), (0, b, SIDES[1])):
        labelled = -np.inf
        for c in run.contacts or ():
            if abs(c.begin_ns - first.at_ns) > AROUND * NANOSECONDS:
                continue
            begin = (c.begin_ns - origin) / NANOSECONDS
            end = begin if c.end_ns is None else (c.end_ns - origin) / NANOSECONDS
            ours = first.where.startswith(f'{c.body_a} - {c.body_b}')
            axes.plot([begin, end], [row, row], '|-', color=ROLES[side], alpha=1.0 if ours else 0.35, markersize=10)
            if begin - labelled < ROOM:
                continue
            labelled = begin
            axes.annotate(f'{np.linalg.norm(c.total):.3g} N s', (begin, row), xytext=(2, 7),
                          textcoords='offset points', fontsize=7, color=INK)
    axes.set(yticks=(0, 1), yticklabels=SIDES[::-1], ylim=(-0.5, 1.7), ylabel='contacts')
