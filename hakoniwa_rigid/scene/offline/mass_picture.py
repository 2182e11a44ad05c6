# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A picture of a mesh with its centre of mass, its principal axes and the box that has the same inertia."""
from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from ...engine import MassProperties, TriangleMesh

# triangles that can be distinguished in a picture of this size; more are merged, for the picture only
MOST_TRIANGLES = 20_000
FEW_TRIANGLES = 4_000
FINEST_GRID = 160       # cells along the longest side, of the first attempt at merging
BODY, INK, PAPER = np.array([0.70, 0.80, 0.93]), '#22272e', '#ffffff'
# Okabe and Ito: distinguished with any kind of colour vision
AXES = ('#D55E00', '#009E73', '#0072B2')
LIGHT = np.array([0.35, -0.55, 0.76])


def draw(mesh: TriangleMesh, properties: MassProperties, path: str | Path, title: str = '') -> int:
    """Write the picture (PNG); returns the number of triangles drawn, which is less than there are in a fine mesh.

    Errors: ImportError without matplotlib, OSError if the file cannot be written.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7), dpi=130, facecolor=PAPER)
    FigureCanvasAgg(figure)     # no display needed
    axes = figure.add_axes((0.0, 0.06, 1.0, 0.86), projection='3d', computed_zorder=False)
    drawn = coarsened(mesh.vertices, mesh.faces)
    _body(axes, *drawn)
    reach = 0.62 * np.ptp(mesh.vertices, axis=0).max()
    _principal_axes(axes, properties, reach)
    _equivalent_box(axes, properties)
    _frame(axes, np.vstack([mesh.vertices, box_corners(properties)]), properties.com, reach)
    figure.suptitle(title, fontsize=12, color=INK)
    figure.legend(loc='lower center', ncols=3, frameon=False, fontsize=9, labelcolor=INK)
    figure.savefig(path)
    return len(drawn[1])


def coarsened(vertices: np.ndarray, faces: np.ndarray, most: int = MOST_TRIANGLES) -> tuple[np.ndarray, np.ndarray]:
    """(vertices, faces) with at most `most` faces: vertices in one cell of a grid become one, at their mean."""
    if len(faces) <= most:
        return vertices, faces
    low, size, cells = vertices.min(axis=0), np.ptp(vertices, axis=0).max(), FINEST_GRID
    while True:
        place = np.floor((vertices - low) * (cells / size)).astype(np.int64)
        cell = np.unique(place @ [1, cells + 1, (cells + 1) ** 2], return_inverse=True)[1]
        corners = cell[faces]
        corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]
        first = np.unique(np.sort(corners, axis=1) @ (cell.max() + 1) ** np.arange(3), return_index=True)[1]
        if len(first) <= most:
            count = np.bincount(cell)
            return np.column_stack([np.bincount(cell, x) / count for x in vertices.T]), corners[first]
        cells = cells * 3 // 4


def _refined(corners: np.ndarray) -> np.ndarray:
    """Triangles (F, 3, 3) cut in four until they are small: the painter sorts them by their middles."""
    while len(corners) < FEW_TRIANGLES:
        middles = 0.5 * (corners + np.roll(corners, -1, axis=1))
        tips = [np.stack([corners[:, i], middles[:, i], middles[:, i - 1]], axis=1) for i in range(3)]
        corners = np.concatenate([*tips, middles])
    return corners


def _body(axes, vertices, faces):
    """The triangles, lit from one side."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    corners = _refined(vertices[faces])
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    colours = (0.45 + 0.6 * np.abs(normals @ LIGHT))[:, None] * BODY
    # edges in the colour of the face: no seams between triangles
    axes.add_collection3d(Poly3DCollection(corners, facecolors=colours, edgecolors=colours, linewidths=0.4, zorder=1))


def _principal_axes(axes, properties, reach):
    com = properties.com
    for number, (axis, moment, colour) in enumerate(
            zip(properties.principal_axes.T, properties.principal_moments, AXES, strict=True), 1):
        ends = np.array([com - 0.35 * reach * axis, com + reach * axis])
        axes.plot(*ends.T, color=colour, linewidth=2.0, zorder=3, label=f'{number}: {moment:.5g} kg m²')
        axes.text(*(com + 1.08 * reach * axis), str(number), color=colour, fontsize=12, zorder=5)
    axes.plot(*com[:, None], 'o', color=INK, markersize=6, zorder=4, label='centre of mass')


def box_corners(properties: MassProperties) -> np.ndarray:
    """(8, 3) m: corners of the uniform box with the same mass and inertia, in the order of product((-1, 1), repeat=3).

    The side along axis i is sqrt(6 (I_j + I_k - I_i) / m).
    """
    moments = properties.principal_moments
    squares = 6.0 * np.maximum(moments.sum() - 2.0 * moments, 0.0) / properties.mass
    signs = np.array(list(product((-1, 1), repeat=3)))
    return properties.com + 0.5 * signs * np.sqrt(squares) @ properties.principal_axes.T


def _equivalent_box(axes, properties):
    corners, label = box_corners(properties), 'box of the same inertia'
    for i, j in product(range(8), repeat=2):
        if i < j and (i ^ j) in (1, 2, 4):
            axes.plot(*corners[[i, j]].T, color=INK, linewidth=0.8, linestyle='--', zorder=2, label=label)
            label = None


def _frame(axes, points, com, reach):
    """Equal scales, room for the axes, and names on the coordinates."""
    low = np.minimum(points.min(axis=0), com - 0.5 * reach)
    high = np.maximum(points.max(axis=0), com + 0.5 * reach)
    axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]), xlabel='x [m]', ylabel='y [m]',
             zlabel='z [m]')
    axes.set_box_aspect(high - low, zoom=1.1)
    axes.view_init(elev=24.0, azim=-58.0)
    axes.tick_params(labelsize=7, colors=INK)
    axes.locator_params(nbins=5)
