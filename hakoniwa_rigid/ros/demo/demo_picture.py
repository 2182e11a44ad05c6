# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The picture of a demo run: trajectories from above and from the side, contacts marked by kind, impulses over time."""
from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from hakoniwa_rigid.ros.demo.demo_report import (
    DRONE_DRONE,
    DRONE_HAND,
    DRONE_WALL,
    END,
    UPRIGHT,
    Event,
    Run,
    Summary,
    other_of,
)
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig

matplotlib.use('Agg')   # no display needed

# Okabe and Ito: distinguished with any kind of colour vision
DRONE_COLOURS = ('#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00')
INK, PAPER, FAINT = '#22272e', '#ffffff', '#d9dde3'
# kind of mark -> label, marker, colour
MARKS = {'drone': ('drone hits drone', '*', '#d1242f'),
         'wall': ('drone hits wall', 's', '#6e40c9'),
         'surface': ('drone on table or floor', '^', '#1a7f37'),
         'hand': ('hand hits drone', 'D', '#bf8700')}
SMALLEST = 0.02   # N s; weaker contacts are not marked
TIME_BIN = 0.1    # s; impulses between the same two bodies are summed over this


class Mark(NamedTuple):
    """One mark: time s, position (3,) m in the world, sum of |impulse| N s."""

    t: float
    position: np.ndarray
    impulse: float


def mark_of(event: Event, drones: set[str]) -> str | None:
    """The kind of mark of an event; None where it gets none."""
    if event.phase == END or np.linalg.norm(event.impulse) < SMALLEST:
        return None
    if event.kind == DRONE_WALL:
        other = other_of(event, drones)
        return 'surface' if other and abs(event.normal[2]) > UPRIGHT else 'wall'
    return {DRONE_DRONE: 'drone', DRONE_HAND: 'hand'}.get(event.kind)


def draw(run: Run, summary: Summary, world: WorldConfig, path: Path) -> Path:
    """Write the picture (PNG) and return its path."""
    figure = Figure(figsize=(9.6, 12.2), dpi=150, facecolor=PAPER, layout='constrained')
    figure.get_layout_engine().set(h_pad=0.06, w_pad=0.08)
    low, high = room(world)
    heights = (high[1] - low[1], high[2] - low[2], 2.6)
    top, side, time = figure.subplots(3, 1, height_ratios=heights)
    for axes, (i, j) in ((top, (0, 1)), (side, (0, 2))):
        view(axes, run, world, i, j)
        frame(axes, low, high, i, j)
    top.set_title('from above', loc='left', fontsize=10, color=INK)
    side.set_title('from the south', loc='left', fontsize=10, color=INK)
    impulses(time, run)
    seen = sum(summary.occurred.values())
    figure.suptitle(f'{len(run.positions)} drones, a hand and a room: {len(summary.hits)} drone–drone impulses in '
                    f'{summary.duration:.0f} s, {seen} of {len(summary.occurred)} kinds of contact\n'
                    f'worst relative momentum residual {summary.worst_residual:.1g}',
                    fontsize=12, color=INK, x=0.01, ha='left')
    figure.legend(handles=legend(run), loc='outside lower center', ncols=5, frameon=False, fontsize=9, labelcolor=INK)
    figure.savefig(path)
    return path


def room(world: WorldConfig) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3,) m of the box that axis-aligned plane walls enclose; 5 m from the origin where a wall lacks."""
    low, high = np.full(3, -5.0), np.full(3, 5.0)
    for wall in world.walls:
        if wall.kind == 'plane' and np.count_nonzero(wall.shape.normal) == 1:
            normal = np.asarray(wall.shape.normal)
            axis = int(np.flatnonzero(normal)[0])
            side = low if normal[axis] > 0.0 else high
            side[axis] = wall.shape.offset / normal[axis]
    return low, high


def view(axes: Axes, run: Run, world: WorldConfig, i: int, j: int) -> None:
    """Furniture, trajectories and contacts projected on world axes i and j."""
    for wall in (w for w in world.walls if w.kind == 'box'):
        size, centre = np.asarray(wall.shape.size), np.asarray(wall.pose.position)
        corner = centre - 0.5 * size
        axes.add_patch(Rectangle((corner[i], corner[j]), size[i], size[j], facecolor='#e8dcc8', edgecolor='#8a7352',
                                 zorder=1))
        place, shift = (corner[j], -10) if j == 2 else (corner[j] + size[j], 5)
        axes.annotate(wall.name, (centre[i], place), xytext=(0, shift), textcoords='offset points',
                      ha='center', color='#8a7352', fontsize=9)
    for colour, (name, positions) in zip(colours(run), run.positions.items(), strict=True):
        path = positions[::4]
        axes.plot(path[:, i], path[:, j], color=colour, lw=1.0, alpha=0.6, zorder=2)
        first = positions[np.isfinite(positions[:, 0]).argmax(), [i, j]]
        axes.plot(*first, 'o', color=colour, ms=6, mec=PAPER, mew=1.2, zorder=4)
        axes.annotate(name, first, xytext=(5, 5), textcoords='offset points', color=colour,
                      weight='bold', fontsize=10, zorder=5)
    for kind, marks in marked(run).items():
        _, marker, colour = MARKS[kind]
        points = np.array([m.position for m in marks])
        sizes = [30.0 + 60.0 * min(1.5, m.impulse) for m in marks]
        axes.scatter(points[:, i], points[:, j], s=sizes, marker=marker, color=colour, edgecolors=PAPER, linewidths=0.6,
                     alpha=0.9, zorder=3)


def frame(axes: Axes, low: np.ndarray, high: np.ndarray, i: int, j: int) -> None:
    """The room's walls, equal scales, labels."""
    axes.add_patch(Rectangle((low[i], low[j]), high[i] - low[i], high[j] - low[j], fill=False, edgecolor=INK, lw=2.0,
                             zorder=6))
    axes.set_xlim(low[i] - 0.15, high[i] + 0.15)
    axes.set_ylim(low[j] - 0.15, high[j] + 0.15)
    axes.set_aspect('equal')
    axes.set_xlabel(f'{"xyz"[i]} [m]')
    axes.set_ylabel(f'{"xyz"[j]} [m]')
    plain(axes)


def impulses(axes: Axes, run: Run) -> None:
    """Stems of |impulse| over time, one colour per kind of contact."""
    for kind, marks in marked(run).items():
        _, marker, colour = MARKS[kind]
        t, size = [m.t for m in marks], [m.impulse for m in marks]
        axes.vlines(t, 0.0, size, color=colour, lw=1.0, alpha=0.5)
        axes.scatter(t, size, marker=marker, s=26, color=colour, edgecolors=PAPER, linewidths=0.5, zorder=3)
    axes.set_xlim(run.times[0], run.times[-1])
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel('time [s]')
    axes.set_ylabel(f'impulse per {TIME_BIN:g} s [N s]')
    axes.set_title('contacts over time', loc='left', fontsize=10, color=INK)
    plain(axes)


def plain(axes: Axes) -> None:
    """Quiet axes: faint grid, no box."""
    axes.grid(color=FAINT, lw=0.6, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(colors=INK, labelsize=8)
    for spine in axes.spines.values():
        spine.set_visible(False)


def marked(run: Run) -> dict[str, list[Mark]]:
    """The marks by kind, in the order of MARKS: the impulses of two bodies within TIME_BIN are one mark."""
    drones = set(run.positions)
    groups: dict[tuple, list[Event]] = {}
    for event in run.events:
        kind = mark_of(event, drones)
        if kind:
            groups.setdefault((kind, int(event.t / TIME_BIN), event.body_a, event.body_b), []).append(event)
    found: dict[str, list[Mark]] = {}
    for (kind, time_bin, *_), events in groups.items():
        weights = np.array([np.linalg.norm(e.impulse) for e in events])
        place = weights @ np.array([e.position for e in events]) / weights.sum()
        found.setdefault(kind, []).append(Mark((time_bin + 0.5) * TIME_BIN, place, float(weights.sum())))
    return {kind: found[kind] for kind in MARKS if kind in found}


def colours(run: Run) -> list[str]:
    """One colour per drone, repeated beyond six."""
    return [DRONE_COLOURS[k % len(DRONE_COLOURS)] for k in range(len(run.positions))]


def legend(run: Run) -> list[Line2D]:
    """Handles of the drones and of the kinds of contact that occurred."""
    lines = [Line2D([], [], color=colour, lw=2, label=name)
             for colour, name in zip(colours(run), run.positions, strict=True)]
    marks = [Line2D([], [], ls='', marker=marker, color=colour, ms=8, label=label)
             for kind, (label, marker, colour) in MARKS.items() if kind in marked(run)]
    return lines + marks
