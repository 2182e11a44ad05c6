# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The world drone_billiards as a game: balls lie still, roll as balls do, bounce off cushions, fall into pockets and
stay there; a hand and a cue in it strike them; a reset sets them up."""
import numpy as np
import pytest

from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.sims.hands.motion import read_motion

TICK = 5_000_000            # ns
LEVEL, STILL = (0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0)
BED, RADIUS, TRAY = 0.8, 0.05, 0.5     # m
MASS, INERTIA = 0.06, 9e-5  # kg, kg m^2
E_CUSHION, G = 0.8, 9.80665


class Game:
    """The scene with its balls set up, as the hover node does it: their starts are sent again and again."""

    def __init__(self):
        self.scene, self.now = CollisionScene.from_yaml(world_file('drone_billiards')), 0
        self.names = [drone.name for drone in self.scene.config.drones]
        self.starts = np.array([drone.pose.position for drone in self.scene.config.drones])
        self.run(0.1)

    def run(self, seconds, each=lambda: None):
        """Every tick's states, of positions (T,N,3) m and velocities (T,N,3) m/s."""
        states = []
        for _ in range(round(seconds * 1e9 / TICK)):
            self.now += TICK
            for name, start in zip(self.names, self.starts, strict=True):
                self.scene.feed_drone(name, self.now, start, LEVEL, STILL, STILL)
            each()
            states.append(self.scene.advance(self.now).states)
        return (np.array([s.positions for s in states]).copy(), np.array([s.linear_velocities for s in states]).copy())

    def shoot(self, speed, angle=0.0, ball='d0'):
        self.scene.set_state(ball, linear_velocity=(speed * np.cos(angle), speed * np.sin(angle), 0.0))


@pytest.fixture
def game():
    return Game()


def test_what_is_not_struck_stays(game):
    positions, _ = game.run(3.0)
    np.testing.assert_allclose(positions[-1], game.starts, atol=1e-6)


def test_a_struck_ball_slides_and_then_rolls(game):
    """Sliding friction turns it until v = omega r, at v0 / (1 + I / (m r^2)); then rolling friction brakes by
    g c / r / (1 + I / (m r^2)), 0.037 m/s^2, of a coefficient of c = 0.3 mm."""
    game.scene.set_state('d0', position=(0.9, 0.2, BED + RADIUS))
    game.shoot(1.0)
    _, velocities = game.run(0.6)
    share = 1.0 / (1.0 + INERTIA / (MASS * RADIUS**2))
    brake = G * 3e-4 / RADIUS * share
    np.testing.assert_allclose(velocities[-1, 0], (share - 0.6 * brake, 0.0, 0.0), atol=0.02)
    slowing = (velocities[-61, 0, 0] - velocities[-1, 0, 0]) / (60 * TICK / 1e9)
    assert slowing == pytest.approx(brake, rel=0.05)


def test_a_cushion_returns_it_by_its_restitution(game):
    game.scene.set_state('d0', position=(0.9, 0.2, BED + RADIUS))
    game.shoot(1.5, np.pi / 2)
    _, velocities = game.run(0.6)
    across = velocities[:, 0, 1]
    back = int(np.argmax(across < 0.0))
    assert back > 0
    assert across[back] == pytest.approx(-E_CUSHION * across[back - 1], abs=0.03)


def test_a_break_pockets_balls_which_stay_in_the_tray(game):
    game.shoot(2.5)
    positions, velocities = game.run(8.0)
    assert positions[:, :, 2].max() < BED + 2.5 * RADIUS    # none jumps over a cushion of 7 cm
    low = positions[-1, :, 2] < BED - RADIUS
    assert low.sum() >= 2
    np.testing.assert_allclose(positions[-1, low, 2], TRAY + RADIUS, atol=2e-3)
    assert np.abs(velocities[-1]).max() < 0.2
    energy = 0.5 * MASS * (velocities**2).sum((1, 2)) + MASS * G * positions[:, :, 2].sum(1)
    assert energy[-1] < energy[0]


@pytest.mark.parametrize('angle', np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False))
def test_no_shot_leaves_the_table(game, angle):
    game.shoot(4.0, angle)
    positions, _ = game.run(3.0)
    assert np.abs(positions[-1, :, 0] - 1.35).max() < 0.86
    assert np.abs(positions[-1, :, 1]).max() < 0.46
    assert positions[-1, :, 2].min() > TRAY


def test_every_pocket_takes_a_ball(game):
    for x, y in ((0.62, 0.32), (2.08, 0.32), (0.62, -0.32), (2.08, -0.32), (1.35, 0.345), (1.35, -0.345)):
        game.scene.set_state('d0', (x, y, BED + RADIUS + 1e-3), LEVEL, STILL, STILL)
        positions, _ = game.run(1.0)
        assert positions[-1, 0, 2] < BED - RADIUS, (x, y)


def test_a_reset_sets_the_balls_up(game):
    game.shoot(2.5)
    game.run(3.0)
    game.scene.reset()
    positions, velocities = game.run(1.0)
    np.testing.assert_allclose(positions[-1], game.starts, atol=1e-6)
    assert np.abs(velocities[-1]).max() < 1e-6


def test_a_hand_strikes_the_first_ball(game):
    """A recorded punch, lowered to the table, goes through the place of d0."""
    punch = read_motion(world_file('drone_billiards').parents[1] / 'hands' / 'punch_right.npz')
    shift = game.starts[0] - (1.0, 0.0, 1.2)
    stamps, begun = punch.stamps - punch.stamps[0], game.now

    def feed():
        for k in np.flatnonzero((stamps + begun > game.now - TICK) & (stamps + begun <= game.now)):
            game.scene.feed_hand('right', int(stamps[k]) + begun, punch.positions[k] + shift, punch.orientations[k],
                                 punch.radii, punch.is_valid[k])

    _, velocities = game.run(float(stamps[-1]) / 1e9, feed)
    assert velocities[:, 0, 0].max() > 0.5
    assert velocities[:, 1:].max() > 0.1    # and that one the others
