# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The edges of triangles as sorted numbers: one sort tells whether a surface is closed and wound alike."""
import numpy as np

from ..constants import FACES_PER_PASS


def sorted_edges(faces):
    """(3 F,) int64, ascending: smaller vertex, larger vertex and direction of each face's edges in one number."""
    keys = np.empty(3 * len(faces), np.int64)
    for begin in range(0, len(faces), FACES_PER_PASS):
        start = np.ascontiguousarray(faces[begin:begin + FACES_PER_PASS].T)
        end = start[[1, 2, 0]]
        keys[3 * begin:3 * begin + start.size] = (
            np.minimum(start, end) << 32 | np.maximum(start, end) << 1 | (start > end)).ravel()
    keys.sort()
    return keys


def ends(keys):
    """(smaller, larger) vertex of each edge."""
    return keys >> 32, (keys >> 1) & 0x7fffffff


def is_closed(keys):
    """Whether each of the sorted edges occurs once, and once the other way."""
    return len(keys) % 2 == 0 and not (keys[::2] & 1).any() and np.array_equal(keys[1::2], keys[::2] + 1)
