# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The tracks of drones from above and their heights over time, with the places where they met."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.replay.inspection.run import Inspection
from hakoniwa_rigid.replay.picture_file import scale_tracks
from hakoniwa_rigid.scene.offline.mass_picture import INK, PAPER
from hakoniwa_rigid.scene.offline.simulation_picture import COLOURS

MOST_NAMES = 12       # in the legend
CONTACT, MISS = '#D55E00', '#E69F00'


def draw(found: Inspection, path: Path) -> None:
    """Writes the picture.  ImportError without matplotlib; OSError or ValueError if the file cannot be written."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6), dpi=110, facecolor=PAPER, layout='constrained')
    FigureCanvasAgg(figure)     # no display needed
    above, height = figure.subplots(1, 2)
    for k, (name, track) in enumerate(found.drones.items()):
        t, x, y, z = np.array(track.values).T
        label = name if k < MOST_NAMES else None
        colour = COLOURS[k % len(COLOURS)]
        above.plot(x, y, color=colour, linewidth=1.0, label=label)
        height.plot(t, z, color=colour, linewidth=1.0)
    for is_contact, colour, label in ((True, CONTACT, 'contact'), (False, MISS, f'below {found.near:g} m')):
        chosen = [e for e in found.encounters if (e.distance <= 0.0) == is_contact]
        if chosen:
            x, y, z = np.array([e.position for e in chosen]).T
            t = [(e.at_ns - found.start_ns) / NANOSECONDS for e in chosen]
            for axes, across, up in ((above, x, y), (height, t, z)):
                axes.scatter(across, up, s=46, facecolors='none', edgecolors=colour, linewidths=1.6, zorder=3,
                             label=label)
    above.set(xlabel='x [m]', ylabel='y [m]')
    height.set(xlabel='time [s]', ylabel='z [m]')
    scale_tracks(above, height)
    for axes in (above, height):
        axes.tick_params(colors=INK)
        axes.grid(alpha=0.25)
    if found.drones:
        above.legend(fontsize=8, loc='best')
    figure.suptitle(f'{found.path.name}: {len(found.drones)} drones', fontsize=12, color=INK)
    figure.savefig(path)
