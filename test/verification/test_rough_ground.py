# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Ground whose triangles all lie in different planes: right, and no more work than the triangles near a body are worth.

The work is pinned by what the engine counts, never by a clock.
"""
import numpy as np
import pytest
from oracles.rotations import random_quat

from hakoniwa_rigid.engine import Box, Capsule, ConvexHull, Cylinder, HeightField, Sphere, TriangleMesh, WorldBuilder

HULL = ConvexHull(np.random.default_rng(1).uniform(-0.2, 0.2, (20, 3)))
SHAPES = [Box((0.3, 0.3, 0.3)), Box((0.3, 0.4, 0.1)), Cylinder(0.15, 0.2), Capsule(0.1, 0.3), HULL]


def rough(seed, bump=0.03, cells=40):
    """Random heights (m) on a grid of 0.1 m."""
    heights = np.random.default_rng(seed).uniform(-bump, bump, (cells + 1, cells + 1))
    return HeightField(heights, (0.1, 0.1))


def thrown(shape, seed, friction=0.5, restitution=0.3, count=1):
    """World of `count` bodies that fall on rough ground, spinning; bodies 1 .. count."""
    rng, side = np.random.default_rng(seed), int(np.ceil(np.sqrt(count)))
    b = WorldBuilder()
    b.add_body(rough(seed), kind='static', friction=friction, restitution=restitution)
    for k in range(count):
        pos = 0.7 * (k % side - 0.5 * (side - 1)), 0.7 * (k // side - 0.5 * (side - 1)), 0.45
        b.add_body(shape, density=200.0, pos=pos, quat=random_quat(rng), linvel=(0.5, 0.2, 0.0),
                   angvel=rng.normal(size=3) * 3.0, friction=friction, restitution=restitution)
    return b.build()


@pytest.mark.parametrize(('friction', 'restitution'), [(0.5, 0.3), (1.0, 0.0)])
@pytest.mark.parametrize('shape', SHAPES, ids=lambda s: type(s).__name__)
def test_one_body_tumbles_to_rest(shape, friction, restitution):
    """Energy never grows by more than overlap recovery lifts, nothing gets in, and the work stays bounded."""
    w = thrown(shape, 3, friction, restitution)
    lowest, near, events, before = w.energy(), [], [], 0
    for _ in range(1200):
        w.step()
        stats, energy = w.stats(), w.energy()
        assert energy <= lowest + 1e-3
        lowest = min(lowest, energy)
        near.append(stats.contact_pairs)
        events.append(stats.impact_events - before)
        before = stats.impact_events
        assert w.contacts()['depth'].max(initial=0.0) < 1e-5
    assert w.distance(0, 1).distance > -1e-5
    assert np.abs(w.linvel[1]).max() < 1.0
    assert max(near) <= 24 and np.mean(near) <= 10
    assert max(events) <= 12 and np.mean(events) <= 2.0
    assert stats.sweeps <= 70 * 1200
    assert stats.unsolved <= 12


def test_a_crowd_works_no_harder_than_its_bodies_alone():
    w = thrown(Box((0.3, 0.3, 0.3)), 5, count=16)
    near, before = [], w.stats()
    for _ in range(600):
        w.step()
        near.append(w.stats().contact_pairs)
    after = w.stats()
    assert max(near) <= 16 * 12
    assert after.impact_events - before.impact_events <= 16 * 600
    assert after.sweeps - before.sweeps <= 16 * 20 * 600


@pytest.mark.parametrize('sides', [3, 6, 12])
def test_a_peak_of_many_triangles_bears_like_one_point(sides):
    """A box balanced on the tip of a pyramid: one row acts, with the whole weight, however many triangles it has."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    corners = [(0, 0, 0), *((np.cos(a), np.sin(a), -0.5 - 0.1 * np.cos(3 * a)) for a in angle)]
    b = WorldBuilder()
    b.add_body(TriangleMesh(corners, [(0, 1 + k, 1 + (k + 1) % sides) for k in range(sides)]), kind='static')
    b.add_body(Box((0.4, 0.4, 0.2)), mass=2.0, pos=(0, 0, 0.1))
    w = b.build()
    w.step(20)
    force = w.contacts()['impulse'] / w.dt
    assert (np.abs(force).max(axis=1) > 0.0).sum() == 1
    np.testing.assert_allclose(force.sum(axis=0), (0, 0, 2.0 * 9.80665), atol=1e-9)
    np.testing.assert_allclose(w.pos[1], (0, 0, 0.1), atol=1e-8)


def test_a_ball_flies_low_over_peaks_and_meets_none():
    """Triangles around it are seen apart without a search: it keeps its parabola to rounding."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(rough(7), kind='static')
    b.add_body(Sphere(0.1), mass=1.0, pos=(-1.5, 0.02, 0.1301), linvel=(20.0, 0.0, 0.0))
    w = b.build()
    w.step(150)
    np.testing.assert_allclose(w.pos[1], (1.5, 0.02, 0.1301), atol=1e-12)
    assert w.stats().impact_events == 0
