# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A picture of a sweep: the number of contacts and the largest impulse against each axis."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from hakoniwa_rigid.replay.sweep.grid import Axis
from hakoniwa_rigid.replay.sweep.run import Swept
from hakoniwa_rigid.scene.offline.mass_picture import INK, PAPER
from hakoniwa_rigid.scene.offline.simulation_picture import COLOURS

MOST_NAMED = 10     # bags in the legend
SHOWN = (('contacts', 'contacts'), ('largest_impulse', 'largest impulse, N s'))


def draw(swept: Swept, path: str | Path) -> None:
    """Write the picture: a dot for each run, a line through the means of each bag.  ImportError without matplotlib,
    OSError or ValueError if it cannot be written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    count = len(swept.axes)
    figure = Figure(figsize=(max(5, 4 * count), 6.5), dpi=110, facecolor=PAPER)
    FigureCanvasAgg(figure)     # no display needed
    plots = figure.subplots(2, count, squeeze=False, sharex='col')
    for k, axis in enumerate(swept.axes):
        for plot, (column, label) in zip(plots[:, k], SHOWN, strict=True):
            _plot(plot, swept, axis, column)
            plot.grid(alpha=0.25)
            plot.set(ylabel=label if k == 0 else '')
        plots[1, k].set(xlabel=axis.name)
    if plots[0, 0].get_legend_handles_labels()[1]:
        plots[0, 0].legend(fontsize=7)
    figure.suptitle(f'{len(swept.good)} runs', fontsize=10, color=INK)
    figure.tight_layout()
    figure.savefig(path)


def _plot(plot, swept: Swept, axis: Axis, column: str) -> None:
    words = not isinstance(axis.values[0], (int, float)) or isinstance(axis.values[0], bool)
    place = {value: k if words else value for k, value in enumerate(axis.values)}
    for b, bag in enumerate(dict.fromkeys(row['bag'] for row in swept.good)):
        rows = [row for row in swept.good if row['bag'] == bag]
        x = np.array([place[row[axis.name]] for row in rows], dtype=float)
        y = np.array([row[column] for row in rows], dtype=float)
        colour, label = COLOURS[b % len(COLOURS)], bag.replace('$', r'\$') if b < MOST_NAMED else None
        plot.plot(x, y, '.', color=colour, alpha=0.35, markersize=5)
        at = np.unique(x)
        means = [y[x == value].mean() for value in at]
        plot.plot(at, means, '-o', color=colour, linewidth=1, markersize=3, label=label)
    if words:
        plot.set_xticks(range(len(axis.values)), [str(value) for value in axis.values], fontsize=7)
