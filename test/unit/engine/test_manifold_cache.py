# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Manifolds of crowds kept from step to step: never where they no longer hold, and no bit by how one gets there."""
import numpy as np
from crowd_scenes import G, as_crowd, pen

from hakoniwa_rigid.engine import Box, Compound, Cylinder, HalfSpace, WorldBuilder
from hakoniwa_rigid.engine.model import layout as L

DISC = Cylinder(0.076, 0.03)
DRONE = Compound([(Box((0.14, 0.14, 0.03)), (0, 0, 0), (1, 0, 0, 0)),
                  *((DISC, (x, y, 0.0), (1, 0, 0, 0)) for x in (-0.18, 0.18) for y in (-0.18, 0.18))])


def drones(n=8, *, e=0.0, seed=1):
    """Compound drones dropped into a narrow pen, a crowd from the start; bodies 5 to n + 4."""
    rng, b = np.random.default_rng(seed), pen(1.2, e=e)
    for k in range(n):
        q = rng.normal(size=4)
        b.add_body(DRONE, mass=0.71, inertia=(0.0061, 0.00653, 0.0116), pos=(0.3 * (k % 2) - 0.15, 0.0, 0.4 + 0.5 * k),
                   quat=q / np.linalg.norm(q), restitution=e, friction=0.3)
    return as_crowd(b.build())


def kept(world):
    """Number of manifolds that the next step finds."""
    return int(world._s.count[L.N_CACHED])


def test_at_rest_they_are_kept_and_cost_little():
    w, work = drones(), []
    for _ in range(3000):
        before = w.stats().work
        w.step()
        work.append(w.stats().work - before)
    assert kept(w) > 0
    assert np.mean(work[-100:]) < 0.5 * np.max(work)


def test_depths_are_those_of_an_exact_look():
    """A kept point says what gap there is to what the shapes have moved by; here up to a tenth of a millimetre."""
    w = drones()
    for k in range(2500):
        w.step()
        if k % 100 == 99:
            for a in range(5, 13):
                for b in range(a):
                    assert w.distance(a, b).distance > -1.5e-3, (k, a, b)
    for a in range(5, 13):
        for b in range(a):
            assert w.distance(a, b).distance > -3e-4


def test_the_same_bits_again_and_from_the_middle():
    def run(w, steps):
        for _ in range(steps):
            w.step()
        return w.state_hash()

    first, second = drones(), drones()
    middle = run(first, 1200)
    saved = first.save()
    end = run(first, 300)
    assert run(second, 1200) == middle and run(second, 300) == end
    third = drones()
    third.restore(saved)
    assert run(third, 300) == end


def test_a_body_that_is_set_elsewhere_is_met_there():
    w = drones(4)
    for _ in range(1500):
        w.step()
    place = w.pos[5] + np.array([0.0, 0.0, 1.0])
    w.set_state(5, pos=place, linvel=(0, 0, 0), angvel=(0, 0, 0))
    w.step()
    assert w.contacts()['impulse'][(w.contacts()['body_b'] == 5) | (w.contacts()['body_a'] == 5)].size == 0
    np.testing.assert_allclose(w.linvel[5], (0, 0, -G * 1e-3), atol=1e-12)


def test_a_platform_that_shrinks_lets_them_fall():
    """A new size of what they lie on: what was known of its contacts no longer holds."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=1e-3)
    b.add_body(HalfSpace(), kind='static', friction=0.3)
    b.add_body(Box((1.0, 1.0, 0.2)), kind='static', pos=(0, 0, 0.5), friction=0.3)
    for k in range(3):
        b.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, pos=(0, 0, 0.65 + 0.1 * k), friction=0.3, restitution=0.0)
    w = as_crowd(b.build())
    for _ in range(300):
        w.step()
    assert w.pos[2, 2] > 0.64 and kept(w) > 0
    w.set_box(1, (1.0, 1.0, 0.1))       # its top is 5 cm lower
    for _ in range(20):
        w.step()
    np.testing.assert_allclose(w.pos[2, 2], 0.65 - 0.5 * G * 0.02**2, atol=3e-4)


def test_what_is_switched_off_is_forgotten():
    w = drones(4)
    for _ in range(1500):
        w.step()
    low = 5 + int(np.argmin(w.pos[5:, 2]))
    w.set_enabled(low, False)
    w.step()
    assert not ((w.contacts()['body_a'] == low) | (w.contacts()['body_b'] == low)).any()
    w.set_enabled(low, True)
    for _ in range(50):
        w.step()
    assert np.isfinite(w.pos).all()


def test_more_pairs_than_there_is_room_for():
    """The table of what is kept grows with that of contact pairs, and pairs that are only looked at do not overflow
    it."""
    w, most = drones(24, e=0.5), 0
    for _ in range(1500):
        w.step()
        assert kept(w) <= w._s.cache.shape[1]
        most = max(most, kept(w))
    assert most > 16
