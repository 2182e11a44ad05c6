# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The number of threads that share a step never changes a bit."""
import numpy as np
import pytest

from hakoniwa_rigid.engine import EngineError, HalfSpace, Sphere, WorldBuilder


def spheres(n, threads, seed=3):
    """n spheres in a closed room; every third with a torque, some that turn fast."""
    rng, b = np.random.default_rng(seed), WorldBuilder(threads=threads)
    side = 2.0 * n ** (1 / 3)
    for e in np.eye(3):
        for sign in (1.0, -1.0):
            b.add_body(HalfSpace(tuple(sign * e), -side / 2), kind='static', restitution=0.6)
    for k in range(n):
        place = (np.array([k % 5, k // 5 % 5, k // 25]) - 2.0) * 1.1
        b.add_body(Sphere(0.25), mass=0.71, inertia=(0.0061, 0.00653, 0.0116), pos=place, restitution=0.6,
                   linvel=rng.normal(size=3) * 3.0, angvel=rng.normal(size=3) * (40.0 if k % 11 == 0 else 2.0))
    w = b.build()
    w.torque[6::3] = (0.001, -0.002, 0.0005)
    return w


def hashes(w):
    found = []
    for k in range(12):
        if k == 5:
            w.apply_force(8, (3.0, 0.0, 1.0))
        w.step(1 if k % 3 else 40)
        found.append((w.state_hash(), len(w.contact_log())))
    return found


@pytest.mark.parametrize('threads', [2, 3, 64])
@pytest.mark.parametrize('n', [3, 100])
def test_bits_of_one_thread(n, threads):
    assert hashes(spheres(n, threads)) == hashes(spheres(n, 1))


def test_impacts_over_time_and_growing_buffers():
    """Steps with profiles, and with a list, contact pairs and a log that have to grow."""
    found = []
    for threads in (1, 2):
        b = WorldBuilder(contact_profile='half_sine', contact_time=0.01, threads=threads)
        b.add_body(HalfSpace(), kind='static')
        for k in range(60):
            b.add_body(Sphere(0.1), mass=0.1, pos=(0.21 * (k % 8), 0.21 * (k // 8), 0.12), linvel=(0, 0, -1.0),
                       restitution=0.5)
        found.append(hashes(b.build()))
    assert found[0] == found[1]


def test_save_and_restore_between_thread_counts():
    one, two = spheres(40, 1), spheres(40, 2)
    one.step(30)
    two.step(30)
    saved = two.save()
    two.step(50)
    two.restore(saved)
    one.step(20)
    two.step(20)
    assert one.state_hash() == two.state_hash()


def test_bad_load_is_named_and_nothing_moves():
    w = spheres(20, 2)
    w.force[9] = (np.nan, 0.0, 0.0)
    before = w.state_hash()
    with pytest.raises(EngineError, match='body9'):
        w.step()
    assert w.state_hash() == before
    w.force[9] = 0.0
    w.step()


@pytest.mark.parametrize('threads', [0, 257, 1.5, 'two'])
def test_bad_number(threads):
    with pytest.raises(EngineError, match='threads'):
        WorldBuilder(threads=threads)


