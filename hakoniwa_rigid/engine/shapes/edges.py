"""The edges of triangles as sorted numbers: one sort tells whether a surface is closed and wound alike."""
import numpy as np


def sorted_edges(faces):
    """(3 F,) int64, ascending: smaller vertex, larger vertex and direction of each face's edges in one number."""
    columns = np.ascontiguousarray(faces.T)
    keys = np.empty((3, len(faces)), np.int64)
    for i in range(3):
        start, end = columns[i], columns[i - 2]
        smaller = np.minimum(start, end)
        # smaller << 32 | larger << 1 | (start > end)
        np.left_shift(smaller, 32, out=keys[i])
        keys[i] += (start + end - smaller) << 1
        keys[i] += start > end
    keys = keys.ravel()
    keys.sort()
    return keys


def ends(keys):
    """(smaller, larger) vertex of each edge."""
    return keys >> 32, (keys >> 1) & 0x7fffffff


def is_closed(keys):
    """Whether each of the sorted edges occurs once, and once the other way."""
    return len(keys) % 2 == 0 and not (keys[::2] & 1).any() and np.array_equal(keys[1::2], keys[::2] + 1)
