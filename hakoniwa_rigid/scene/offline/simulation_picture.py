# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A picture of a run: where the bodies went, as under a stroboscope, and the energy over time."""
from __future__ import annotations

from pathlib import Path

import numpy as np

from ... import rotations as rot
from ...engine import HalfSpace
from .mass_picture import INK, LIGHT, PAPER
from .outlines import triangles
from .simulation import Recording

# Okabe and Ito: distinguished with any kind of colour vision
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9')
WALL = np.array([0.62, 0.66, 0.70])
MOST_POSES, POSES_OF_ALL = 10, 40       # poses of one body; of all of them together
MOST_TRIANGLES = 30_000                 # of a wall; a finer one is not drawn


def draw(runs: Recording | list[Recording], path: str | Path, title: str = '') -> None:
    """Write the picture (PNG) of one run, or of several side by side.

    Errors: ImportError without matplotlib, OSError or ValueError if the file cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    runs = runs if isinstance(runs, list) else [runs]
    figure = Figure(figsize=(7 * len(runs) + 5, 6.2), dpi=120, facecolor=PAPER)
    FigureCanvasAgg(figure)     # no display needed
    share = 7 * len(runs) / (7 * len(runs) + 5)
    for k, run in enumerate(runs):
        axes = figure.add_axes((share * k / len(runs), 0.02, share / len(runs), 0.88), projection='3d',
                               computed_zorder=False)
        _view(axes, run)
        axes.set_title(run.config.solver, fontsize=10, color=INK)
    _energies(figure.add_axes((share + 0.06, 0.12, 0.92 - share, 0.74)), runs)
    figure.suptitle(title, fontsize=12, color=INK)
    figure.savefig(path)


def _view(axes, run: Recording) -> None:
    low, high = _room(run)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]), xlabel='x [m]', ylabel='y [m]',
             zlabel='z [m]')
    axes.set_box_aspect(high - low, zoom=1.05)
    axes.view_init(elev=28.0, azim=-62.0)
    axes.tick_params(labelsize=7, colors=INK)
    axes.locator_params(nbins=5)
    for wall in run.config.walls:
        corners = _in_world(triangles(wall.shape, 0.5 * float(np.hypot(*(high - low)[:2]))), np.array(wall.pose.quat),
                            np.array(wall.pose.position))
        if isinstance(wall.shape, HalfSpace):
            corners = corners[((corners >= low - 1e-9) & (corners <= high + 1e-9)).all(axis=(1, 2))]
        if 0 < len(corners) <= MOST_TRIANGLES:
            _paint(axes, corners, WALL, 0.22, 1)
    _poses(axes, run)
    for k in range(len(run.names)):
        axes.plot(*run.com[:, k].T, color=COLOURS[k % len(COLOURS)], linewidth=1.0, zorder=3)


def _room(run: Recording) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3,) m of a box around the bodies' paths and the walls near them."""
    reach = np.array([shape.bounding_radius() for shape in run.shapes])[:, None]
    low, high = (run.pos - reach).min(axis=(0, 1)), (run.pos + reach).max(axis=(0, 1))
    grow = 0.25 * (high - low).max()
    for wall in run.config.walls:
        if wall.shape.bounded:
            corners = _in_world(triangles(wall.shape), np.array(wall.pose.quat), np.array(wall.pose.position))
            first, last = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
            low, high = np.minimum(low, np.maximum(first, low - grow)), np.maximum(high, np.minimum(last, high + grow))
    # a floor just below them
    return low - 0.02 * (high - low).max(), high


def _in_world(corners: np.ndarray, quat: np.ndarray, pos: np.ndarray) -> np.ndarray:
    return rot.rotate(quat, corners) + pos


def _poses(axes, run: Recording) -> None:
    """The bodies at equal distances along their ways, earlier poses paler; all in one, so that they hide each other."""
    count = int(np.clip(POSES_OF_ALL // max(1, len(run.names)), 2, MOST_POSES))
    corners, colours = [], []
    for k, shape in enumerate(run.shapes):
        own, colour = triangles(shape), _rgb(COLOURS[k % len(COLOURS)])
        for rank, frame in enumerate(_moments(run.com[:, k], count)):
            corners.append(_in_world(own, run.quat[frame, k], run.pos[frame, k]))
            alpha = 1.0 if rank == count - 1 else 0.25 + 0.35 * rank / count
            colours.append(np.column_stack([_lit(corners[-1], colour), np.full(len(own), alpha)]))
    if corners:
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection
        axes.add_collection3d(Poly3DCollection(np.concatenate(corners), facecolors=np.concatenate(colours),
                                               edgecolors='none', zorder=2))


def _moments(path: np.ndarray, count: int) -> list[int]:
    """`count` frames at equal lengths of a path (F, 3), the first and the last among them."""
    way = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1)))
    return [int(np.searchsorted(way, x)) for x in np.linspace(0.0, way[-1], count)[:-1]] + [len(path) - 1]


def _lit(corners: np.ndarray, colour: np.ndarray) -> np.ndarray:
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    return np.clip((0.65 + 0.4 * normals @ LIGHT)[:, None] * colour, 0.0, 1.0)


def _paint(axes, corners: np.ndarray, colour: np.ndarray, alpha: float, zorder: int) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    axes.add_collection3d(Poly3DCollection(corners, facecolors=np.column_stack([_lit(corners, colour),
                          np.full(len(corners), alpha)]), edgecolors=(*(0.6 * colour), 0.35), linewidths=0.4,
                          zorder=zorder))


def _rgb(colour: str) -> np.ndarray:
    return np.array([int(colour[k:k + 2], 16) / 255.0 for k in (1, 3, 5)])


def _energies(axes, runs: list[Recording]) -> None:
    """Energy over time, J; the potential one above the lowest end."""
    ground = min(run.potential[-1] for run in runs)
    for run, style in zip(runs, ('-', '--', ':'), strict=False):
        for name, values, colour in (('in all', run.energy - ground, INK), ('kinetic', run.kinetic, COLOURS[1]),
                                     ('potential', run.potential - ground, COLOURS[0])):
            label = name if len(runs) == 1 else f'{name}, {run.config.solver}'
            axes.plot(run.times, values, style, color=colour, linewidth=1.2, label=label)
    axes.set(xlabel='time, s', ylabel='energy, J')
    axes.legend(fontsize=8, frameon=False)
    axes.grid(alpha=0.25)
