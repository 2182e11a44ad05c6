# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Products, inverses and principal axes of small matrices in a fixed order, for what is computed once in numpy.

numpy hands these to a BLAS library that takes other instructions, and so rounds otherwise, on another processor.  Sums
of numpy itself are the same everywhere.
"""
import math

import numpy as np

__all__ = ['dots', 'from_matrix', 'inverse', 'inverse_or_zero', 'length', 'lengths', 'principal', 'product', 'solution',
           'times']

# rounds of Jacobi's rotations: quadratic convergence takes some 10 until what is left is 0
ROUNDS = 50


def product(a, b):
    """a @ b of (m, k) or (k,) and (k, n) or (k,): one sum of products for each entry."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    rows, columns = np.atleast_2d(a), np.atleast_2d(b.T)
    out = np.ascontiguousarray(rows[:, None] * columns[None]).sum(axis=-1)
    return out.reshape(a.shape[:-1] + b.shape[1:])


def dots(a, b):
    """Scalar products (...,) of rows (..., 3)."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def lengths(v):
    """Lengths (...,) of rows (..., 3)."""
    return np.sqrt(dots(v, v))


def times(m, v):
    """Matrices (..., 3, 3) times vectors (..., 3), each with its own."""
    return dots(m, v[..., None, :])


def length(v):
    """Length of one vector of few numbers."""
    total = 0.0
    for x in v:
        total += float(x) * float(x)
    return math.sqrt(total)


def inverse(m):
    """(3, 3) inverse of a symmetric, positive (3, 3) by L D L^T; of a diagonal one to the last digit."""
    (a, _, _), (b, d, _), (c, e, f) = np.asarray(m, dtype=np.float64).tolist()
    l10, l20 = b / a, c / a
    d1 = d - l10 * b
    l21 = (e - l20 * b) / d1
    d2 = f - l20 * c - l21 * (e - l20 * b)
    back = (1.0, 0.0, 0.0), (-l10, 1.0, 0.0), (l10 * l21 - l20, -l21, 1.0)      # of L
    out = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = back[0][i] * back[0][j] / a + back[1][i] * back[1][j] / d1 + back[2][i] * back[2][j] / d2
    return out


def inverse_or_zero(m):
    """As `inverse`; zeros where m is not finite: what nothing moves."""
    return inverse(m) if np.isfinite(m).all() else np.zeros((3, 3))


def solution(m, b):
    """x (n,) or (n, k) of m x = b, by elimination with the largest pivot of each column, the first of equal ones; n and
    k small.  ZeroDivisionError where m (n, n) has no inverse."""
    b = np.asarray(b, dtype=np.float64)
    rows = np.hstack([np.asarray(m, dtype=np.float64), b.reshape(len(b), -1)])
    n = len(rows)
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(rows[k:, k])))
        if rows[pivot, k] == 0.0:
            raise ZeroDivisionError('no inverse')
        rows[[k, pivot]] = rows[[pivot, k]]
        for i in range(k + 1, n):
            rows[i, k:] -= rows[i, k] / rows[k, k] * rows[k, k:]
    for k in range(n - 1, -1, -1):
        rows[k, n:] /= rows[k, k]
        for i in range(k):
            rows[i, n:] -= rows[i, k] * rows[k, n:]
    return rows[:, n:].reshape(b.shape)


def from_matrix(m):
    """Unit quaternion (4,) w, x, y, z of a rotation (3, 3), from its largest component (Shepperd 1978)."""
    (a, b, c), (d, e, f), (g, h, i) = np.asarray(m, dtype=np.float64).tolist()
    trace = a + e + i
    largest = max(a, e, i, trace)
    if a == largest:
        q = h - f, 1.0 - trace + 2.0 * a, b + d, c + g
    elif e == largest:
        q = c - g, b + d, 1.0 - trace + 2.0 * e, f + h
    elif i == largest:
        q = d - b, c + g, f + h, 1.0 - trace + 2.0 * i
    else:
        q = 1.0 + trace, h - f, c - g, d - b
    return np.array(q) / length(q)


def principal(m):
    """Eigenvalues (3,), ascending, and orthonormal eigenvectors (3, 3), columns, of a symmetric (3, 3): Jacobi's
    rotations (Golub and Van Loan 2013, section 8.5)."""
    a, v = np.asarray(m, dtype=np.float64).tolist(), np.eye(3).tolist()
    for _ in range(ROUNDS):
        if a[0][1] == a[0][2] == a[1][2] == 0.0:
            break
        for p, q, r in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            if a[p][q] == 0.0:
                continue
            theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
            # beyond 1e150 its square has no room, and the tangent is 1 / (2 theta)
            root = math.sqrt(theta * theta + 1.0) if abs(theta) < 1e150 else abs(theta)
            t = math.copysign(1.0, theta) / (abs(theta) + root)
            c = 1.0 / math.sqrt(t * t + 1.0)
            s = t * c
            a[p][p], a[q][q] = a[p][p] - t * a[p][q], a[q][q] + t * a[p][q]
            a[p][q] = a[q][p] = 0.0
            x, y = a[r][p], a[r][q]
            a[r][p] = a[p][r] = c * x - s * y
            a[r][q] = a[q][r] = s * x + c * y
            for row in v:
                row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    values = np.array([a[k][k] for k in range(3)])
    order = np.argsort(values, kind='stable')
    return values[order], np.array(v)[:, order]
