# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tetrahedra and volume meshes: exact, or with the mass of each element at its centroid (Yoshimoto 2017)."""
import numpy as np

from ..maths.matrices import product
from ..shapes.tetrahedra import signed_volumes
from .body import from_moments


def tetrahedra_body(corners, lumped=False):
    """Body of unit density out of tetrahedra with corners (T, 4, 3) m, each in any order; none may be flat.

    An element adds V/20 (sum p p^T + s s^T) to the second moment, p its corners and s their sum; V/16 s s^T if lumped.
    The sums run about the middle of the bounding box: a body far from the origin keeps its digits.
    """
    middle = 0.5 * (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1)))
    p = corners - middle
    volumes = np.abs(signed_volumes(p))
    s = p.sum(axis=1)
    volume = volumes.sum()
    first = 0.25 * product(volumes, s)
    outer = product((volumes[:, None] * s).T, s)
    if lumped:
        second = outer / 16.0
    else:
        flat = p.reshape(-1, 3)
        second = (outer + product((np.repeat(volumes, 4)[:, None] * flat).T, flat)) / 20.0
    return from_moments(volume, middle, first, second)
