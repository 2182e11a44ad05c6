# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that roll or slide on a rim: steady precession of a disc (Euler's disk); an ellipsoid that rolls.

The disc is in contact at one corner of its rim, inclined by alpha, its centre of mass at rest.  With e the axis of
symmetry, d the downward diameter and P = r d - t/2 e the arm to the contact, its angular momentum is carried round the
vertical at the rate W: W z x L = m g P x z.
"""
import numpy as np
import pytest

from hakoniwa_rigid.engine import Cylinder, Ellipsoid, HalfSpace, WorldBuilder

G = 9.80665
R, THICK, MASS, ALPHA = 0.1, 0.002, 1.0, np.radians(20.0)
SIN, COS = np.sin(ALPHA), np.cos(ALPHA)
ACROSS, ALONG = MASS * (3 * R**2 + THICK**2) / 12, MASS * R**2 / 2
PULL = MASS * G * (R * COS - 0.5 * THICK * SIN)     # N m


def precession(rolls):
    """Rate (rad/s) about the vertical, and the disc's own rate along e (rad/s).

    Without friction its rate is along d.  What rolls has w parallel to P: the point of contact stands still, as does
    the centre of mass.
    """
    if not rolls:
        return np.sqrt(PULL / (ACROSS * SIN * COS)), 0.0
    own = 0.5 * SIN * THICK / R     # along e, by W
    rate = np.sqrt(PULL / (ACROSS * SIN * COS - ALONG * SIN * own))
    return rate, rate * own


def disc(dt, friction=0.0):
    """(world, its disc, rate of precession in rad/s) of an inclined disc in steady precession."""
    rate, own = precession(friction > 0.0)
    b = WorldBuilder(gravity=(0, 0, -G), dt=dt)
    b.add_body(HalfSpace(), kind='static', friction=friction)
    d, e = np.array((COS, 0.0, -SIN)), np.array((SIN, 0.0, COS))
    i = b.add_body(Cylinder(R, THICK), mass=MASS, friction=friction, pos=(0.0, 0.0, R * SIN + 0.5 * THICK * COS),
                   quat=(np.cos(ALPHA / 2), 0.0, np.sin(ALPHA / 2), 0.0), angvel=own * e - rate * SIN * d)
    return b.build(), i, rate


def axis(w, i):
    a, b, c, d = w.quat[i]
    return np.array((2 * (b * d + a * c), 2 * (c * d - a * b), 1 - 2 * (b * b + c * c)))


def energy(w, i):
    return w.kinetic_energy() + w.mass[i] * G * w.pos[i, 2]


@pytest.mark.parametrize('friction', [0.0, 0.3])
def test_eulers_disk(friction):
    """A second at 1 ms: energy, inclination and place stay, and it is carried round at the rate of the closed form."""
    w, i, rate = disc(1e-3, friction)
    before = energy(w, i)
    for k in range(1, 1001):
        w.step()
        if k % 10:
            continue
        assert energy(w, i) == pytest.approx(before, rel=1e-6)      # the bar is 5e-3
        e = axis(w, i)
        assert np.arccos(e[2]) == pytest.approx(ALPHA, abs=1e-4)
        np.testing.assert_allclose(w.pos[i], (0.0, 0.0, R * SIN + 0.5 * THICK * COS), rtol=0, atol=2e-4)
        turn = (np.arctan2(e[1], e[0]) - rate * 1e-3 * k + np.pi) % (2 * np.pi) - np.pi
        assert abs(turn) < 2e-4 * rate * 1e-3 * k + 1e-3
    assert w.stats().unsolved == 0 and abs(w.stats().recovery_work) < 1e-5 * before


def test_eulers_disk_to_second_order():
    """Half the step, a quarter of the error of its way round or less."""
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        w, i, rate = disc(dt)
        w.step(round(0.3 / dt))
        e = axis(w, i)
        expected = np.array((SIN * np.cos(0.3 * rate), SIN * np.sin(0.3 * rate), COS))
        errors.append(np.linalg.norm(e - expected))
    assert errors[1] < 0.35 * errors[0] and errors[2] < 0.35 * errors[1] and errors[1] < 1e-3


def test_an_ellipsoid_that_rolls():
    """Over hill and dale for five seconds without slip: it keeps its energy (gained 9 % with contacts of the start)."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static')
    i = b.add_body(Ellipsoid((0.1, 0.08, 0.05)), mass=1.0, friction=1.0, pos=(0.0, 0.0, 0.05), linvel=(0.2, 0.0, 0.0),
                   angvel=(0.0, 4.0, 0.0))
    b.set_pair_material(0, i, friction=1.0)
    w = b.build()
    before = energy(w, i)
    w.step(5000)
    assert energy(w, i) == pytest.approx(before, rel=1e-3)
    assert w.stats().unsolved == 0
