# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Leaving the floor and coming back: hills, crests, shaken tables; and staying on where the contact is two-sided."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import floors
from oracles.smooth_bodies import ball
from scipy.optimize import brentq
from surface_motions import G, events, motion, step_until

DT = 1e-3


def ahead(mode, v, r):
    """A ball's start along x at v: sliding without spin, or rolling."""
    return dict(slip=(v, 0, 0)) if mode == 'slide' else dict(angvel=(0, v / r, 0))


@pytest.mark.parametrize(('mode', 'share', 'rest'), [
    ('slide', 0.4, 2 / 3), ('roll', 2 / 5, 10 / 17), ('roll', 2 / 3, 6 / 11)])
def test_leaves_the_top_of_a_sphere(mode, share, rest):
    """g cos = v²/L, v² = v0² + 2 g L (1 - cos)/f, f = 1 + I/(m r²): cos = (2 + v0² f/(g L))/(2 + f), 2/3 or 10/17."""
    big, r, v0 = 1.0, 0.1, 0.4
    f, length = (1.0 if mode == 'slide' else 1 + share), big + r
    floor = floors.Round(big, (0, 0, -big))
    run = motion(floor, ball(r), (0, 0, 0), mode=mode, inertia=(share * r * r,) * 3,
                 **ahead(mode, v0, r))
    assert_allclose(run.linvel, [v0, 0, 0], atol=1e-14)
    step_until(run, 'free', 2000)
    (when,) = events(run, 'release')
    # the parabola back to the event
    late = run.time - when
    assert -1e-12 <= late <= DT
    v = run.linvel + late * np.array([0, 0, G])
    x = run.pos - late * v - 0.5 * late**2 * np.array([0, 0, -G])
    cos = (x[2] + big) / length
    left = (2 + v0**2 * f / (G * length)) / (2 + f)
    assert_allclose(left - v0**2 * f / (G * length * (2 + f)), rest)
    one_step = np.sqrt(1 - left**2) * np.sqrt(v @ v) / length * DT
    assert -1.01 * one_step <= cos - left <= 1e-9
    assert_allclose(v @ v, v0**2 + 2 * G * length * (1 - cos) / f, rtol=1e-6)
    # then it flies and keeps its spin
    at, w, t = run.time, run.angvel, 0.2
    x, v = run.pos, run.linvel
    run.step(200)
    assert_allclose(run.pos, x + v * t + 0.5 * t * t * np.array([0, 0, -G]), atol=1e-11)
    assert_allclose(run.angvel, w, atol=1e-13)
    assert_allclose(run.contact_force, 0.0)
    assert_allclose(run.time, at + t, atol=1e-12)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_two_sided_contact_keeps_on(mode):
    """The same ride with unilateral=False goes round below the sphere; the floor pulls, energy stays."""
    big, r = 1.0, 0.1
    run = motion(floors.Round(big, (0, 0, -big)), ball(r), (0, 0, 0), mode=mode, unilateral=False,
                 **ahead(mode, 0.4, r))
    path = run.trace(1500, every=5)
    away = np.linalg.norm(path['pos'] + [0, 0, big], axis=1)
    assert_allclose(away, big + r, atol=1e-12)
    pull = np.sum(path['contact_force'] * (path['pos'] + [0, 0, big]), axis=1)
    assert pull.min() < -1.0
    assert path['pos'][:, 2].min() < -big
    assert run.state == mode
    assert not events(run, 'release')
    # N = m (g cos - v²/L)
    cos = (path['pos'][:, 2] + big) / (big + r)
    expected = G * cos - np.sum(path['linvel'] ** 2, axis=1) / (big + r)
    assert_allclose(pull / (big + r), expected, atol=1e-7 * G)


@pytest.mark.parametrize(('share', 'mode'), [(0.99, 'slide'), (1.01, 'slide'), (0.99, 'roll'), (1.01, 'roll')])
def test_crest_of_a_sine_floor(share, mode):
    """At the crest the centre's path has curvature A k²/(1 + r A k²): it leaves if v² times that exceeds g."""
    amplitude, k, r = 0.1, 2.0, 0.2
    bend = amplitude * k**2 / (1 + r * amplitude * k**2)
    v = np.sqrt(share * G / bend)
    crest = floors.Sine(amplitude, (k, 0), np.pi / 2)
    run = motion(crest, ball(r), (0, 0, amplitude), mode=mode, mass=2.0, **ahead(mode, v, r))
    if share < 1:
        assert_allclose(run.contact_force, [0, 0, 2.0 * (G - v * v * bend)], atol=1e-10)
    run.step(2)
    assert run.state == (mode if share < 1 else 'free')


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('e', [0.0, 0.5])
def test_shaken_table(mode, e):
    """z = A sin wt lets go at A w² sin wt = g; the parabola meets it again at a root; there e turns the approach."""
    size, rate, r = 0.05, 20.0, 0.1
    floor = floors.Moved(floors.Plane(), sway=(0, 0, size), sway_rate=rate)
    run = motion(floor, ball(r), (0, 0, 0), mode=mode, restitution=e, **ahead(mode, 0.3, r))
    spin = run.angvel
    off = np.arcsin(G / (size * rate**2)) / rate
    step_until(run, 'free', 200)
    (when,) = events(run, 'release')
    assert off - 1e-9 <= when <= off + 1.001 * DT
    up, z = size * rate * np.cos(rate * when), size * np.sin(rate * when)

    def gap(t):
        return z + up * (t - when) - 0.5 * G * (t - when) ** 2 - size * np.sin(rate * t)

    back = brentq(gap, when + 0.1, when + 0.3, xtol=1e-14)
    while run.time < back:
        assert run.state == 'free'
        run.step()
    (landed,) = events(run, 'land')
    assert_allclose(landed, back, atol=1e-7)
    approach = up - G * (landed - when) - size * rate * np.cos(rate * landed)
    assert approach < -0.5
    late = run.time - landed
    assert_allclose(run.linvel[0], 0.3, atol=1e-9)
    assert_allclose(run.angvel, spin, atol=1e-9)
    if e == 0.0:
        assert run.state == mode
        assert_allclose(run.linvel[2], size * rate * np.cos(rate * run.time), atol=1e-11)
    else:
        assert run.state == 'free'
        up = size * rate * np.cos(rate * landed) - e * approach - G * late
        assert_allclose(run.linvel[2], up, atol=1e-6)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
def test_over_the_waves(mode):
    """Fast over a sine floor: flies from crests, lands without bounce; never into the floor, energy never up."""
    floor, r = floors.Sine(0.1, (2.0, 0.0)), 0.2
    run = motion(floor, ball(r), (0.5, 0, 0.1), mode=mode, **ahead(mode, 8.0, r))
    energy = run.energy()
    for _ in range(200):
        run.step(10)
        assert np.linalg.norm(run.pos - floors.onto(floor, 0, run.pos)) > r - 1e-9
        assert run.energy() <= energy * (1 + 1e-9)
        energy = run.energy()
    assert len(events(run, 'release')) >= 2
    assert len(events(run, 'land')) >= 2
    times = [t for t, _, _ in run.events]
    assert times == sorted(times)
