# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Motions of many bodies: one block of numbers with its parts as views."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...codec.motion_columns import OMEGA, POS, QUAT, VEL
from .rows import DV, DW, DX, PHI


@dataclass(frozen=True)
class Motion:
    """Views of a block (N,13): pos (N,3) m, quat (N,4) wxyz, vel (N,3) m/s, omega (N,3) rad/s; world frame."""

    block: np.ndarray

    @property
    def pos(self) -> np.ndarray:
        """(N,3) m."""
        return self.block[:, POS:QUAT]

    @property
    def quat(self) -> np.ndarray:
        """(N,4) wxyz."""
        return self.block[:, QUAT:VEL]

    @property
    def vel(self) -> np.ndarray:
        """(N,3) m/s."""
        return self.block[:, VEL:OMEGA]

    @property
    def omega(self) -> np.ndarray:
        """(N,3) rad/s."""
        return self.block[:, OMEGA:]


class Offset:
    """Views of a block (N,12): dx (N,3) m, phi (N,3) rad, dv (N,3) m/s, dw (N,3) rad/s, world, at the centre of
    mass."""

    def __init__(self, block: np.ndarray):
        self.block = block
        self.dx, self.phi, self.dv, self.dw = (block[:, k:k + 3] for k in (DX, PHI, DV, DW))
