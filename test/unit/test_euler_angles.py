# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Roll, pitch and yaw against transforms3d."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from transforms3d.euler import euler2quat, quat2euler

from hakoniwa_rigid import rotations

ANGLES = np.random.default_rng(5).uniform(-1.5, 1.5, (200, 3))


@pytest.mark.parametrize('rpy', ANGLES[:50].tolist())
def test_of_transforms3d(rpy):
    w, x, y, z = rotations.from_rpy(rpy)
    assert_allclose((w, x, y, z), euler2quat(*rpy, 'sxyz'), atol=4e-16)
    assert_allclose(rotations.to_rpy((x, y, z, w)), quat2euler((w, x, y, z), 'sxyz'), atol=1e-13)
    assert_allclose(rotations.to_rpy((x, y, z, w)), rpy, atol=1e-13)


@pytest.mark.parametrize('pitch', [0.5 * np.pi, -0.5 * np.pi])
def test_straight_up_and_down_roll_is_zero(pitch):
    w, x, y, z = rotations.from_rpy((0.3, pitch, 0.7))
    roll, found, yaw = rotations.to_rpy((x, y, z, w))
    assert roll == 0.0 and found == pytest.approx(pitch, abs=1e-7)
    again = rotations.from_rpy((roll, found, yaw))
    assert abs(np.dot(again, (w, x, y, z))) == pytest.approx(1.0, abs=1e-12)
