# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sorting and searching of small integer arrays inside kernels, in place and without allocation."""
from .jit import kernel


@kernel
def _sift(keys, order, first, n):
    """Restore the heap below `first`.  Writes: keys, order."""
    root = first
    while 2 * root + 1 < n:
        child = 2 * root + 1
        if child + 1 < n and keys[child + 1] > keys[child]:
            child += 1
        if not keys[child] > keys[root]:
            return
        keys[root], keys[child] = keys[child], keys[root]
        order[root], order[child] = order[child], order[root]
        root = child


@kernel
def sort_with(keys, order):
    """Sort `keys` ascending and carry `order` along (heapsort: no worst case, no memory).

    Ties are in no particular but fixed order.  Writes: keys, order."""
    n = len(keys)
    for k in range(n // 2 - 1, -1, -1):
        _sift(keys, order, k, n)
    for k in range(n - 1, 0, -1):
        keys[0], keys[k] = keys[k], keys[0]
        order[0], order[k] = order[k], order[0]
        _sift(keys, order, 0, k)


@kernel
def sort_small(a):
    """Insertion sort of a short array.  Writes: a."""
    for i in range(1, len(a)):
        x, j = a[i], i - 1
        while j >= 0 and a[j] > x:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = x


@kernel
def find(a, x):
    """Index of x in the ascending array `a`, -1 if it is not there."""
    low, high = 0, len(a)
    while low < high:
        middle = (low + high) // 2
        if a[middle] < x:
            low = middle + 1
        else:
            high = middle
    return low if low < len(a) and a[low] == x else -1


@kernel
def contains(a, x):
    """True if the ascending array `a` holds x."""
    return find(a, x) >= 0
