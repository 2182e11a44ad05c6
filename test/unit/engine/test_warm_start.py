# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Warm start of a crowd: forces of the last step go to the nearest points, and none of them is lost."""
import numpy as np
import pytest
from crowd_scenes import MASS, PLATE, G, as_crowd

from hakoniwa_rigid.engine import HalfSpace, WorldBuilder
from hakoniwa_rigid.engine.model import layout as L

DT, STEPS = 1e-3, 60


def plate_on_the_floor(crowd=True, **friction):
    """A plate at rest after STEPS steps; the points and forces that the next one begins with are in `last`."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=DT)
    b.add_body(HalfSpace(), kind='static', friction=0.3, **friction)
    b.add_body(PLATE, mass=MASS, pos=(0, 0, 0.075), friction=0.3, **friction)
    w = as_crowd(b.build()) if crowd else b.build()
    w.step(STEPS)
    return w


def remembered(world):
    return world._s.last[:world._s.count[L.N_LAST]]


def warm(world):
    """Impulses (N s, contact frame) that the rows of the last step began with."""
    return world._s.row[:L.POINTS, L.R_WARM:L.R_WARM + 3]


def test_points_that_leap_keep_their_forces():
    still, leapt = plate_on_the_floor(), plate_on_the_floor()
    assert len(remembered(leapt)) == 4
    remembered(leapt)[:, L.L_X:L.L_X + 2] += 0.03, -0.02
    for w in (still, leapt):
        w.step()
    assert still._s.count[L.N_CROWDS] == STEPS + 1
    np.testing.assert_array_equal(leapt.pos, still.pos)
    np.testing.assert_array_equal(leapt.linvel, still.linvel)
    np.testing.assert_array_equal(warm(leapt), warm(still))


def test_points_that_become_one_give_it_all_their_forces():
    w = plate_on_the_floor()
    carried = remembered(w)[:, L.L_F + 2].sum()
    assert abs(carried) == pytest.approx(MASS * G, rel=1e-3)
    remembered(w)[:, L.L_X:L.L_X + 3] = remembered(w)[0, L.L_X:L.L_X + 3]
    w.step()
    got = warm(w)[:, 0]
    assert (got > 0.0).sum() == 1
    assert got.sum() == pytest.approx(abs(carried) * DT, rel=1e-12)


def test_rolling_and_torsional_friction_go_with_them():
    w = plate_on_the_floor(rolling_friction=0.01, torsional_friction=0.02)
    for k, row in enumerate(remembered(w)):
        row[L.L_M:L.L_M + 3] = 1e-3 * (k + 1), 2e-3, 3e-3
    remembered(w)[:, L.L_X] += 0.03
    moments = np.sort(np.linalg.norm(remembered(w)[:, L.L_M:L.L_M + 3], axis=1))
    w.step()
    got = np.sort(np.linalg.norm(w._s.row[:4, L.R_WARM_M:L.R_WARM_M + 3], axis=1))
    np.testing.assert_allclose(got, DT * moments, rtol=1e-12)


def test_what_pulls_is_left_out():
    w = plate_on_the_floor()
    remembered(w)[:, L.L_F:L.L_F + 3] *= -1.0
    w.step()
    assert (warm(w) == 0.0).all()
    assert np.abs(w.linvel[1]).max() < 1e-5


def test_outside_of_crowds_another_point_is_another_one():
    w = plate_on_the_floor(crowd=False)
    assert w._s.count[L.N_CROWDS] == 0
    remembered(w)[:, L.L_X] += 0.03
    w.step()
    assert (warm(w) == 0.0).all()
