# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A picture of a replay: the tracks from above and over time, and where the contacts were."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from hakoniwa_rigid.replay.picture_file import scale_tracks
from hakoniwa_rigid.replay.rerun.outcome import Result
from hakoniwa_rigid.scene.offline.mass_picture import INK, PAPER
from hakoniwa_rigid.scene.offline.simulation_picture import COLOURS

MOST_NAMED = 10     # drones in the legend


def draw(result: Result, path: str | Path) -> None:
    """Write the picture (PNG).  ImportError without matplotlib, OSError or ValueError if it cannot be written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6), dpi=110, facecolor=PAPER)
    FigureCanvasAgg(figure)     # no display needed
    above, beside = figure.subplots(1, 2, width_ratios=(1, 1.2))
    t = (result.tracks.stamps - result.start_ns) / 1e9
    for k, name in enumerate(result.drones):
        x = result.tracks.positions[:, k]
        colour, label = COLOURS[k % len(COLOURS)], name if k < MOST_NAMED else None
        above.plot(x[:, 0], x[:, 1], color=colour, linewidth=0.9, label=label)
        beside.plot(t, x[:, 2], color=colour, linewidth=0.9)
    begun = np.array([((e.stamp_ns - result.start_ns) / 1e9, *e.position) for e in result.events.begun()])
    if len(begun):
        when, at = begun[:, 0], begun[:, 1:]
        label = '1 contact' if len(begun) == 1 else f'{len(begun)} contacts'
        above.plot(at[:, 0], at[:, 1], 'x', color=INK, markersize=6, label=label)
        beside.plot(when, at[:, 2], 'x', color=INK, markersize=6)
    above.set(xlabel='x, m', ylabel='y, m', title='from above')
    beside.set(xlabel='t, s since the first tick', ylabel='z, m', title='height')
    scale_tracks(above, beside)
    for axes in (above, beside):
        axes.grid(alpha=0.25)
        axes.locator_params(nbins=7)
    above.legend(fontsize=8)
    figure.suptitle(result.bag.replace('$', r'\$'), fontsize=10, color=INK)
    figure.tight_layout()
    figure.savefig(path)
