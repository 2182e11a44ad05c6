# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is hit within a step beside a wall does not get into it, whoever hits it: a heavy ball, a row of balls, a ball
against which it comes back, a rod that turns."""
import numpy as np
import pytest
from oracles.rotations import random_quat
from scenes import walls_around

from hakoniwa_rigid.engine import Box, Capsule, ConvexHull, Cylinder, Sphere, WorldBuilder

RADIUS = 0.03
# m: what rounding leaves of positions
ROUNDING = 1e-9
# m: of bodies so different, and so squeezed, that the row of them is solved as a crowd
SQUEEZED = 1e-3
WALL = dict(kind='static', restitution=1.0, friction=0.0)
ROWS = {
    'equal': ((0.1, 0.1), 0.0), 'heavy': ((10.0, 0.1), 0.0), 'three that touch': ((0.1,) * 3, 0.0),
    'three': ((0.1,) * 3, 1e-3), 'five': ((0.1,) * 5, 1e-3), 'ever lighter': ((1.0, 0.3, 0.1, 0.03), 1e-3),
}


def _row(masses, apart, speed, gap, ahead):
    """Balls in a row, the first of which comes with `speed` from where others do not see it yet; behind the last, `gap`
    m away, a thin wall.  World, and where the centre of the last is when it touches the wall."""
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    b.add_body(Sphere(RADIUS), mass=masses[0], pos=(-2 * RADIUS - ahead, 0, 0), linvel=(speed, 0, 0), restitution=1.0)
    for k, mass in enumerate(masses[1:]):
        b.add_body(Sphere(RADIUS), mass=mass, pos=(k * (2 * RADIUS + apart), 0, 0), restitution=1.0)
    last = (len(masses) - 2) * (2 * RADIUS + apart)
    b.add_body(Box((0.02, 4.0, 4.0)), pos=(last + RADIUS + gap + 0.01, 0, 0), **WALL)
    return b.build(), last + gap


@pytest.mark.parametrize('speed', [5.0, 20.0, 100.0])
@pytest.mark.parametrize('row', ROWS)
def test_a_row_of_balls_does_not_get_into_the_wall(row, speed):
    masses, apart = ROWS[row]
    for gap in (1e-3, 1e-2, 3e-2):
        for part in np.linspace(0.3, 2.3, 6):
            w, touch = _row(masses, apart, speed, gap, part * speed * 1e-3)
            for _ in range(40):
                w.step()
                assert w.pos[len(masses) - 1, 0] <= touch + ROUNDING, (gap, part)


@pytest.mark.parametrize('speed', [5.0, 20.0, 100.0])
def test_nothing_is_squeezed_through_a_wall(speed):
    """10 kg against 1, 0.1 and 0.01 kg: the last leaves at up to 7.6 times the speed, to and fro between the wall and
    what follows."""
    for gap in (1e-3, 1e-2, 3e-2):
        for part in np.linspace(0.3, 2.3, 6):
            w, touch = _row((10.0, 1.0, 0.1, 0.01), 1e-3, speed, gap, part * speed * 1e-3)
            for _ in range(40):
                w.step()
                assert w.pos[3, 0] <= touch + SQUEEZED, (gap, part)


@pytest.mark.parametrize('kind', ['kinematic', 'dynamic'])
@pytest.mark.parametrize('rate', [20.0, 50.0, 200.0])
def test_what_a_rod_that_turns_throws_does_not_get_into_the_wall(kind, rate):
    """A rod of 1 m turns about its middle, which stands still, and hits a light ball with its end; the wall stands
    beside its circle."""
    for gap in (5e-3, 2e-2, 5e-2):
        low = np.array([0.505, 0.10 + RADIUS + gap])
        for phase in np.linspace(0.0, -0.05, 6):
            b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
            b.add_body(Box((1.0, 0.04, 0.1)), kind=kind, **({'mass': 50.0} if kind == 'dynamic' else {}),
                       quat=(np.cos(phase / 2), 0, 0, np.sin(phase / 2)), angvel=(0, 0, rate), restitution=1.0)
            b.add_body(Sphere(RADIUS), mass=0.01, pos=(0.49, 0.10, 0), restitution=1.0)
            b.add_body(Box((2.0, 0.02, 4.0)), pos=(1.505, low[1] + 0.01, 0), **WALL)
            w, thrown = b.build(), False
            for _ in range(int(1.2 / rate / 1e-3)):
                w.step()
                x = w.pos[1, :2]
                apart = np.linalg.norm(np.maximum(np.maximum(low - x, x - low - (2.0, 0.02)), 0.0)) - RADIUS
                assert apart >= -ROUNDING, (gap, phase)
                thrown = thrown or np.linalg.norm(w.linvel[1]) > 0.5 * rate * 0.49
            assert thrown, (gap, phase)


def _thin_room(seed):
    """A closed room of thin walls, full of fast bodies of random kinds, masses, sizes, spins, and steps.  World, and
    half the side of the room, m."""
    rng = np.random.default_rng(seed)
    b = WorldBuilder(gravity=(0, 0, -rng.choice([0.0, 9.8])), dt=rng.choice([1e-3, 2e-3, 5e-3]))
    half, thick = rng.choice([0.6, 1.0, 2.0]), rng.choice([0.02, 0.05, 0.1])
    for wall, place in walls_around(half, thick):
        b.add_body(wall, kind='static', pos=place, friction=0.5, restitution=rng.uniform())
    count, speed = rng.choice([2, 5, 10, 25]), rng.choice([10.0, 50.0])
    spin, ratio = rng.choice([1.0, 30.0, 200.0]), rng.choice([1.0, 30.0, 1000.0])
    rows = int(np.ceil(count ** (1 / 3)))
    cell = 2 * half / rows
    for at in rng.permutation(rows ** 3)[:count]:
        place = np.array([at % rows, at // rows % rows, at // rows ** 2]) * cell - half + cell / 2
        r = min(0.12, 0.28 * cell) * rng.uniform(0.4, 1.0)
        shapes = (Sphere(r), Box((2 * r, 1.2 * r, 0.6 * r)), Capsule(0.4 * r, r), Cylinder(0.8 * r, 0.6 * r),
                  ConvexHull(rng.uniform(-0.6 * r, 0.6 * r, (10, 3))), Box((1.9 * r, 0.15 * r, 0.15 * r)))
        v, w = rng.normal(size=3), rng.normal(size=3)
        b.add_body(shapes[rng.integers(len(shapes))], mass=0.1 * ratio ** rng.uniform(), pos=place,
                   quat=random_quat(rng), linvel=speed * rng.uniform() * v / np.linalg.norm(v),
                   angvel=spin * rng.uniform() * w / np.linalg.norm(w), friction=rng.uniform(),
                   restitution=rng.uniform())
    return b.build(), half


@pytest.mark.parametrize('first', range(0, 200, 50))
def test_nothing_leaves_a_room_of_thin_walls(first):
    for seed in range(first, first + 50):
        w, half = _thin_room(seed)
        for _ in range(int(0.5 / w.dt)):
            w.step()
            assert np.abs(w.pos[6:]).max() < half, seed
