# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Crowds: a closed room under gravity and a brawl in free space. What must hold whatever the order of the
collisions.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scenes import G, brawl, impacts, mixed_room, momenta


@pytest.mark.parametrize('dt', [1e-3, 1 / 240])
@pytest.mark.parametrize('seed', [3, 8])
def test_thirty_bodies_in_a_room(seed, dt):
    """3 s: finite, inside, quaternions unit, and energy never above its running minimum by more than overlap
    recovery can do.

    Recovery lifts a body by at most the rest penetration, 1e-6 m a contact (docs/resting_contact.md): bound N m g ·
    1e-5 m, plus the rounding of the energy itself.
    """
    w, made = mixed_room(seed, dt=dt)
    lowest, worst = np.inf, 0.0
    lift = w.mass[made].sum() * G * 1e-5
    for _ in range(round(3.0 / dt)):
        w.step(1)
        energy = w.energy()
        lowest = min(lowest, energy)
        worst = max(worst, energy - lowest)
    assert np.isfinite(w.pos).all() and np.isfinite(w.angvel).all() and np.isfinite(w.linvel).all()
    assert np.abs(w.pos[made]).max() < 1.5
    assert_allclose(np.linalg.norm(w.quat, axis=1), 1.0, atol=1e-12)
    assert worst < lift
    assert w.kinetic_energy() < 0.5 * w.mass[made].sum() * 1.0  # friction and e < 1 have calmed them


def test_room_contacts_do_not_grow_deep():
    """Shallow contacts throughout: under 0.1 mm once moving bodies are stopped at their time of impact."""
    w, _ = mixed_room(5)
    deepest = 0.0
    for _ in range(2000):
        w.step(1)
        rows = w.contacts()
        if len(rows):
            deepest = max(deepest, rows['depth'].max())
    assert deepest < 1e-4


@pytest.mark.parametrize('dt', [1e-3, 1e-2])
@pytest.mark.parametrize('seed', [4, 9])
def test_brawl_keeps_momentum(seed, dt):
    """No walls, no gravity: linear 1e-12 of Σm|v|, angular 1e-12 of Σ|x×mv| + |Iw|, energy never up.

    Overlap recovery alone may change the last two: it moves and turns bodies by the distance r it reports, so
    |ΔL| <= r (Σm|v| + Σ|Iw| / a) and |ΔE| <= E r / a, with a = 0.06 m the smallest half side.
    """
    w = brawl(seed, dt=dt)
    inertia = w.inertia.copy()
    p0, ell, p_scale, l_scale = momenta(w, inertia)
    energy, recovered, hits = w.kinetic_energy(), 0.0, 0
    for step in range(round(2.0 / dt)):
        w.step(1)
        hits += len(impacts(w))
        moved, recovered = w.stats().recovered - recovered, w.stats().recovered
        now, ell_now = w.kinetic_energy(), momenta(w, inertia)[1]
        assert now <= energy * (1 + 1e-12 + moved / 0.06), f'step {step}, recovered {moved}'
        bound = 1e-12 * l_scale + moved * (p_scale + l_scale / 0.06)
        assert np.linalg.norm(ell_now - ell) <= bound, f'step {step}, recovered {moved}'
        energy, ell = now, ell_now
    assert hits > 20
    assert_allclose(momenta(w)[0], p0, rtol=0, atol=1e-12 * p_scale)


def test_each_impact_row_balances():
    """Per body, m dv = sum of its rows' impulses (gravity 0): the rows tell the whole story."""
    w = brawl(4)
    for _ in range(500):
        before = w.linvel.copy()
        w.step(1)
        total = np.zeros((w.n, 3))
        for row in w.contact_log():
            total[row['body_a']] -= row['impulse']
            total[row['body_b']] += row['impulse']
        assert_allclose(w.mass[:, None] * (w.linvel - before), total, rtol=0, atol=1e-12 * 10)


def test_rows_obey_the_law():
    """Every impact row: J_n >= 0, |J_t| <= mu J_n, separating or resting after, a < b, unit normal."""
    w = brawl(9)
    seen = 0
    for _ in range(600):
        w.step(1)
        for row in impacts(w):
            seen += 1
            n, J = row['normal'], row['impulse']
            jn = J @ n
            assert row['body_a'] < row['body_b']
            assert_allclose(np.linalg.norm(n), 1.0, atol=1e-12)
            assert jn >= -1e-12
            assert np.linalg.norm(J - jn * n) <= row['friction'] * jn * (1 + 1e-9) + 1e-12
            assert row['velocity_after'] @ n >= -1e-9
            assert 0.0 <= row['time'] <= w.dt
            assert row['depth'] >= 0.0
    assert seen > 10
