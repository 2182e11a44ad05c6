# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Writes the meshes of 14_container.yaml beside this file: an open bowl with thick walls, and a skittle; metres.

Both are a profile turned about the z axis in flat sides; profiles are (radius, height), bottom to top on the outside.
"""
from pathlib import Path

import numpy as np

BOWL = [(0.0, 0.0), (0.28, 0.0), (0.56, 0.36), (0.50, 0.36), (0.25, 0.04), (0.0, 0.04)]
SKITTLE = [(0.0, 0.0), (0.028, 0.0), (0.045, 0.05), (0.06, 0.11), (0.053, 0.16), (0.022, 0.25), (0.022, 0.28),
           (0.034, 0.33), (0.028, 0.365), (0.0, 0.38)]


def turned(profile, sides):
    """Vertices (V, 3) and faces of the solid of a profile that begins and ends on the axis; faces look outward."""
    angle = 2 * np.pi * (np.arange(sides) + 0.5) / sides
    rings = [np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(sides, z)]) for r, z in profile[1:-1]]
    ends = [(0.0, 0.0, profile[0][1]), (0.0, 0.0, profile[-1][1])]
    k = np.arange(sides)
    after, last = (k + 1) % sides, (len(rings) - 1) * sides
    bottom, top = len(rings) * sides, len(rings) * sides + 1
    faces = [np.column_stack([after, k, 0 * k + bottom]), np.column_stack([last + k, last + after, 0 * k + top])]
    for first in range(0, last, sides):
        a, b, c, d = first + k, first + after, first + sides + k, first + sides + after
        faces += [np.column_stack([a, b, d]), np.column_stack([a, d, c])]
    return np.vstack([*rings, ends]), np.vstack(faces)


def write(path, vertices, faces):
    lines = [f'v {x:.6f} {y:.6f} {z:.6f}' for x, y, z in vertices] + [f'f {a} {b} {c}' for a, b, c in faces + 1]
    path.write_text('\n'.join(lines) + '\n')


if __name__ == '__main__':
    here = Path(__file__).resolve().parent
    write(here / 'bowl.obj', *turned(BOWL, 8))
    write(here / 'skittle.obj', *turned(SKITTLE, 8))
