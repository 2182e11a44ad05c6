# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Impacts with rolling and torsional friction between any two bodies: the laws, the momenta, the energy."""

import numpy as np
import pytest
from contact_scenes import builder
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scenes import brawl, impacts, momenta, touching_pair

from hakoniwa_rigid.engine import Box, Sphere

NAMES = ('box', 'ball')
CASES = [(seed, wall) for seed in range(24) for wall in (None, 'ball')]


def hit(seed, wall=None, dt=1e-6, ratio=10.0):
    """A touching box and ball with all three frictions. Returns the pair, the coefficients, the world."""
    rng = np.random.default_rng(seed)
    pair = touching_pair(rng, wall=wall, ratio=ratio, friction=rng.uniform(0.05, 1.0))
    c_r, c_t = rng.choice([0.0, 0.01, 0.3], size=2) * pair['radius']
    b = builder(dt=dt)
    for name, shape in (('box', Box(tuple(pair['sides']))), ('ball', Sphere(pair['radius']))):
        x = pair[name]
        body = {'kind': 'kinematic'} if np.isinf(x.mass) else {'mass': x.mass, 'inertia': x.inertia}
        b.add_body(shape, pos=x.pos, quat=x.quat, linvel=x.linvel, angvel=x.angvel, restitution=pair['e'],
                   friction=pair['mu'], rolling_friction=c_r, torsional_friction=c_t, **body)  # fmt: skip
    return pair, (pair['mu'], c_r, c_t), b.build()


def spins_after(pair, row):
    return [pair[name].angvel + row[f'delta_omega_{side}'] for name, side in zip(NAMES, 'ab', strict=True)]


def opposes(given_, motion, limit, scale, reach):
    """Coulomb's law of one vector: inside the limit the motion has stopped, on it the vector is against the motion."""
    size = np.linalg.norm(given_)
    assert size <= limit * (1 + 1e-9) + 1e-12 * scale
    if np.linalg.norm(motion) > 1e-8 * reach:
        assert_allclose(size, limit, rtol=1e-8, atol=1e-11 * scale)
        assert_allclose(given_, -limit * motion / np.linalg.norm(motion), rtol=0, atol=1e-7 * limit + 1e-11 * scale)


@pytest.mark.parametrize(('seed', 'wall'), CASES)
def test_row_adds_up(seed, wall):
    """I Δw = r x J + M on each body, the opposite on the other; velocities of the contact point follow from them."""
    pair, _, w = hit(seed, wall)
    w.step(1)
    row = impacts(w)[0]
    u = np.zeros(3)
    for name, side, sign in (('box', 'a', -1), ('ball', 'b', 1)):
        x, arm = pair[name], pair['point'] - pair[name].pos
        if np.isinf(x.mass):
            assert not row[f'delta_omega_{side}'].any()
        else:
            turned = x.inertia_world @ row[f'delta_omega_{side}']
            want = sign * (np.cross(arm, row['impulse']) + row['moment'])
            assert_allclose(turned, want, rtol=0, atol=1e-11 * (1 + np.linalg.norm(row['impulse'])))
        spin = x.angvel + row[f'delta_omega_{side}']
        u += sign * (x.linvel + sign * row['impulse'] * x.inverse_mass + np.cross(spin, arm))
    assert_allclose(row['velocity_after'], u, rtol=0, atol=1e-9 * (1 + np.linalg.norm(u)))


@pytest.mark.parametrize(('seed', 'wall'), CASES)
def test_laws_of_the_contact(seed, wall):
    """u_n' = -e' u_n; force within mu J_n against the final slip; moments within c_r J_n and c_t J_n against the final
    relative spin across and about the normal.
    """
    pair, (mu, c_r, c_t), w = hit(seed, wall)
    w.step(1)
    row, n = impacts(w)[0], pair['normal']
    jn, un = row['impulse'] @ n, row['velocity_before'] @ n
    slip = row['velocity_after'] - (row['velocity_after'] @ n) * n
    spins = spins_after(pair, row)
    spin, moment = spins[1] - spins[0], row['moment']
    assert jn > 0
    assert row['restitution'] <= pair['e'] * (1 + 1e-12)
    assert_allclose(row['velocity_after'] @ n, -row['restitution'] * un, rtol=0, atol=1e-9 * abs(un))
    reach = 1 + np.linalg.norm(spins[0]) + np.linalg.norm(spins[1])
    opposes(row['impulse'] - jn * n, slip, mu * jn, jn, 1 + np.linalg.norm(row['velocity_before']))
    opposes(moment - (moment @ n) * n, spin - (spin @ n) * n, c_r * jn, jn, reach)
    opposes((moment @ n) * n, (spin @ n) * n, c_t * jn, jn, reach)


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), ratio=st.sampled_from([10.0, 1e4]))
def test_momenta_are_kept_and_no_energy_made(seed, ratio):
    """Two free bodies: linear and angular momentum to 1e-12 of their scales, energy never up."""
    pair, _, w = hit(seed, ratio=ratio)
    p0, l0, p_scale, l_scale = momenta(w)
    energy = w.kinetic_energy()
    w.step(1)
    assume(len(impacts(w)) > 0)
    p, ell, _, _ = momenta(w)
    assert_allclose(p, p0, rtol=0, atol=1e-12 * p_scale)
    assert_allclose(ell, l0, rtol=0, atol=1e-12 * l_scale)
    assert w.kinetic_energy() <= energy * (1 + 1e-12)


def test_order_of_bodies_does_not_matter():
    """The opposite moment, the same motion, when the two are added the other way round."""
    for seed in range(8):
        pair, (mu, c_r, c_t), w = hit(seed)
        b = builder(dt=1e-6)
        for name, shape in (('ball', Sphere(pair['radius'])), ('box', Box(tuple(pair['sides'])))):
            x = pair[name]
            b.add_body(shape, mass=x.mass, inertia=x.inertia, pos=x.pos, quat=x.quat, linvel=x.linvel, angvel=x.angvel,
                       restitution=pair['e'], friction=mu, rolling_friction=c_r, torsional_friction=c_t)  # fmt: skip
        s = b.build()
        w.step(1)
        s.step(1)
        assert_allclose(s.linvel[::-1], w.linvel, rtol=0, atol=1e-9, err_msg=f'seed {seed}')
        assert_allclose(s.angvel[::-1], w.angvel, rtol=0, atol=1e-8, err_msg=f'seed {seed}')
        assert_allclose(impacts(s)[0]['moment'], -impacts(w)[0]['moment'], rtol=0, atol=1e-10)


def test_brawl_loses_energy_and_keeps_momentum():
    """Thirty bodies that fall into each other, all frictions on: energy falls at every step, momentum stays."""
    w = brawl()
    for i in range(w.n):
        w.set_material(i, rolling_friction=0.01, torsional_friction=0.005)
    p0, _, p_scale, _ = momenta(w)
    energy = w.kinetic_energy()
    hits = 0
    for _ in range(250):
        w.step(1)
        now = w.kinetic_energy()
        assert now <= energy * (1 + 1e-12)
        energy, hits = now, hits + len(impacts(w))
    assert hits > 10
    assert_allclose(momenta(w)[0], p0, rtol=0, atol=1e-12 * p_scale)
