# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The bars that hold always: energy to 1e-9 over 10 s on fixed floors, the constraints to 1e-12 m and m/s at any time.

rk4, 1 ms, |ω| <= 5 rad/s, which the tests check themselves; bodies are kept on, so that hills can be ridden too.
"""

import numpy as np
import pytest
from oracles import floors
from oracles.rotations import from_rotvec, matrix
from oracles.smooth_bodies import Quadric, Superquadric, ball
from surface_motions import motion

EGG = Quadric.of_axes((0.3, 0.26, 0.22))
TILTED = tuple(from_rotvec([0.3, -0.2, 0.5]))
WEAK = (0.0, 0.0, -0.05)  # so that who goes down a hill all the way keeps to 5 rad/s
LEVEL = floors.Plane()
CASES = {
    'egg on a plane': (LEVEL, EGG, {}),
    'loaded ball on a plane': (LEVEL, ball(0.3), {'com': (0.02, 0.01, -0.05), 'inertia': (0.03, 0.035, 0.04)}),
    'superquadric on a globe': (floors.Round(2.0, (0, 0, -2)), Superquadric((0.3, 0.28, 0.26), (0.5, 0.5)),
                                {'gravity': WEAK, 'angvel': (0.2, 0.1, 0.3)}),
    'egg on a slope': (floors.Plane((0.1, -0.05, 1), 0.2), EGG, {'gravity': WEAK}),
    'ball in a bowl': (floors.Round(2.0, (0, 0, 2), inside=True), ball(0.3), {}),
    'egg in a bowl': (floors.Round(3.0, (0, 0, 3), inside=True), EGG, {}),
    'egg on a globe': (floors.Round(2.0, (0, 0, -2)), EGG, {'gravity': WEAK}),
    'ball in a pipe': (floors.Round(1.5, (0, 0, 1.5), inside=True, axis=(1, 0, 0)), ball(0.3), {}),
    'egg in a pipe': (floors.Round(2.5, (0, 0, 2.5), inside=True, axis=(1, 0.3, 0)), EGG, {}),
    'egg on a pipe': (floors.Round(2.0, (0, 0, -2), axis=(0, 1, 0)), EGG, {'gravity': WEAK}),
    'ball in a paraboloid': (floors.Paraboloid(0.4, 0.7), ball(0.3), {}),
    'egg in a paraboloid': (floors.Paraboloid(0.3, 0.5), EGG, {}),
    'ball on a saddle': (floors.Paraboloid(-0.05, 0.3), ball(0.3), {'gravity': WEAK}),
    'egg on a hill': (floors.Paraboloid(-0.1, -0.2), EGG, {'gravity': WEAK}),
    'ball on a sine floor': (floors.Sine(0.03, (2.0, 1.0), 0.4), ball(0.3), {}),
    'egg on a sine floor': (floors.Sine(0.03, (1.5, -1.0), 0.4), EGG, {'angvel': (0.5, 0.4, 0.3)}),
}


def begun(name, mode):
    floor, body, options = CASES[name]
    options = {'angvel': (0.8, -0.5, 1.2)} | options
    return motion(floor, body, (0.3, 0.2, 0.1), mode=mode, quat=TILTED, slip=(0.2, -0.1, 0.1), unilateral=False,
                  mass=1.3, **options)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('name', CASES)
def test_energy_and_constraints_over_ten_seconds(name, mode):
    m = begun(name, mode)
    before, kinetic, fastest, worst = m.energy(), 0.0, 0.0, np.zeros(2)
    for _ in range(500):
        m.step(20)
        worst = np.maximum(worst, np.abs(m.residual()))
        fastest = max(fastest, np.linalg.norm(m.angvel))
        # at least the energy of going along, without the turning: the scale that the error is judged by
        kinetic = max(kinetic, 0.5 * 1.3 * m.linvel @ m.linvel)
        assert abs(m.energy() - before) <= 1e-9 * max(abs(before), kinetic), f't = {m.time}'
    assert fastest <= 5.0  # else the case says nothing
    assert np.all(worst <= 1e-12), worst
    assert m.state == mode
    assert m.time == pytest.approx(10.0, abs=1e-12)


@pytest.mark.parametrize('mode', ['slide', 'roll'])
@pytest.mark.parametrize('name', CASES)
def test_residuals_as_seen_from_outside(name, mode):
    """Gap and slip by the oracles' own geometry: `residual()` may not judge itself."""
    floor, body, options = CASES[name]
    m = begun(name, mode)
    com = np.array(options.get('com', (0, 0, 0)))
    for _ in range(20):
        m.step(50)
        n, rot = floors.normal(floor, m.time, m.contact_point), matrix(m.quat)
        on_body = m.pos + rot @ (body.extreme(-rot.T @ n) - com)
        assert abs(floor.value(m.time, on_body)) / np.linalg.norm(floor.gradient(0, on_body)) <= 1e-12
        assert np.linalg.norm(on_body - m.contact_point) <= 1e-10
        v = m.linvel + np.cross(m.angvel, on_body - m.pos)
        assert np.linalg.norm(v if mode == 'roll' else v @ n) <= 2e-12
        np.testing.assert_allclose(m.normal, n, atol=1e-10)
