# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A drone on the palm of a hand: it rests, is lifted, stays on a tilt below the friction angle and slides above it with
a = g (sin theta - mu cos theta).  All joints of the flat hand have one radius: the palm is a plane."""
from functools import cache

import numpy as np
import pytest
from hand_streams import PALM_UP, UPRIGHT, G, make_hand, make_scene, play, still, stroke, track, turn, turning
from scipy.spatial.transform import Rotation

THICK, MU = 0.01, 0.5                                      # m radius of every joint, friction of hand and drones
HALF = {'api-1': 0.05, 'crazyflie': 0.0145, 'hummingbird': 0.0425, 'mujoco': 0.015, 'unity': 0.025}   # m, underside
MASS = {'api-1': 0.68240503, 'crazyflie': 0.03, 'hummingbird': 0.5, 'mujoco': 0.7304816, 'unity': 0.71}   # kg
CENTRE = np.array([0.06, 0.0, 0.0])                        # m, of the palm, from the wrist
LEVEL = 1.0                                                # m, height of the hand


def set_down(model, hand, rotation=PALM_UP, authority='simulate', gap=2e-4, at=CENTRE, gravity=G):
    """A scene in which the hand has been for 0.3 s, and the drone just above its palm, parallel to it."""
    scene = make_scene({'d0': (model, authority)}, gravity=(0, 0, -gravity), skin=(0.0, MU))
    place = np.array([0.0, 0.0, LEVEL])
    play(scene, {'right': track(still(place, rotation), hand, 0.3)}, 0.3)
    level = rotation @ PALM_UP.T
    x = place + level @ (PALM_UP @ at + (0, 0, hand.radii.max() + HALF[model] + gap))
    q = Rotation.from_matrix(level).as_quat()
    scene.feed_drone('d0', scene.now_ns, x, q, (0, 0, 0), (0, 0, 0))
    return scene, place, x, q


@pytest.mark.parametrize(('model', 'layout', 'radius'), [
    *((model, 25, THICK) for model in HALF), ('crazyflie', 21, THICK), ('unity', 21, THICK), ('crazyflie', 26, THICK),
    ('crazyflie', 25, None), ('unity', 26, None)])
def test_drone_set_down_rests(model, layout, radius):
    """Motors off, on a still palm, also with the radii of a real hand: after 1.2 s below 1 mm/s for 2 s, no drift."""
    hand = make_hand(layout, radius=radius)
    scene, place, x, _ = set_down(model, hand, gap=5e-4)
    seen = play(scene, {'right': track(still(place, PALM_UP), hand, 3.2)}, 3.2)
    late = seen.t > 1.2
    fastest, drift = seen.fastest(1.2), np.ptp(seen.x[late, 0], axis=0).max()
    reported = f'{fastest * 1000:.2f} mm/s, drift {drift * 1000:.2f} mm, at {seen.x[-1, 0] - x}'
    assert fastest < 1e-3 and drift < 1e-3, reported
    if radius:
        assert np.linalg.norm(seen.x[-1, 0] - x) < 5e-3, reported
        assert abs(seen.x[-1, 0, 2] - (x[2] - 5e-4)) < 1e-3, reported


@pytest.mark.parametrize('model', ['unity', 'crazyflie'])
def test_plan_below_the_palm_rests_on_it(model):
    """`correct` with a plan 2 cm below: held up by the palm, calm."""
    hand = make_hand(25, radius=THICK)
    scene, place, x, q = set_down(model, hand, authority='correct')
    seen = play(scene, {'right': track(still(place, PALM_UP), hand, 2.5)}, 2.5, plans={'d0': (x - (0, 0, 0.02), q)})
    off = seen.x[-1, 0] - x
    assert seen.fastest(1.5) < 1e-3 and abs(off[2]) < 2e-3 and np.abs(off).max() < 0.02, (seen.fastest(1.5), off)


@pytest.mark.parametrize(('model', 'layout', 'rate'), [('unity', 25, 60), ('crazyflie', 26, 30),
                                                       ('api-1', 21, 90)])
def test_lifted_palm_lifts(model, layout, rate):
    """0.3 m up at 0.5 m/s at most: the drone goes with the palm and stays.  The events tell what the hand gives it:
    when it lies still, m g."""
    hand, way = make_hand(layout, radius=THICK), 0.3
    scene, place, x, _ = set_down(model, hand)
    path = stroke(place, (0, 0, way), 1.0, np.pi * way, PALM_UP)
    seen = play(scene, {'right': track(path, hand, 3.5, rate=rate)}, 3.5)
    true = np.array([path(t)[0][2] - LEVEL for t in seen.t]) + x[2] - 2e-4
    off = np.abs(seen.x[:, 0, 2] - true)
    assert off[seen.t > 0.8].max() < 0.01, f'{off[seen.t > 0.8].max() * 1000:.1f} mm beside the palm'
    assert off[seen.t > 3.0].max() < 1e-3 and seen.fastest(3.0) < 1e-3, (off[-1], seen.fastest(3.0))
    peak = seen.v[(seen.t > 1.2) & (seen.t < 1.8), 0, 2].max()
    assert abs(peak - 0.5) < 0.05, peak
    assert np.ptp(seen.x[seen.t > 0.8, 0, :2], axis=0).max() < 3e-3
    reported = [e for e in seen.events if e.phase == 1 and e.stamp_ns * 1e-9 > 3.1 + 0.3]
    times = sorted({e.stamp_ns for e in reported})
    given = sum(-e.impulse[2] for e in reported if e.stamp_ns > times[0] + 0.09e9)
    assert given / ((times[-1] - times[0]) * 1e-9) == pytest.approx(MASS[model] * G, rel=0.25), times


@pytest.mark.parametrize(('model', 'degrees'), [('unity', 10.0), ('unity', 24.0), ('crazyflie', 15.0),
                                                ('crazyflie', 24.0)])
def test_below_the_friction_angle_it_stays(model, degrees):
    """atan 0.5 is 26.6 degrees."""
    hand = make_hand(25, radius=THICK)
    rotation = turn(y=np.radians(degrees)) @ PALM_UP
    scene, place, x, _ = set_down(model, hand, rotation, gap=2e-5)
    seen = play(scene, {'right': track(still(place, rotation), hand, 2.0)}, 2.0)
    reported = f'moved {np.linalg.norm(seen.x[-1, 0] - x) * 1000:.2f} mm, {seen.fastest(1.0) * 1000:.2f} mm/s'
    assert np.linalg.norm(seen.x[-1, 0] - x) < 3e-3 and seen.fastest(1.0) < 1e-3, reported


@pytest.mark.parametrize('degrees', [32.0, 40.0])
@pytest.mark.parametrize(('model', 'layout'), [('unity', 25), ('crazyflie', 25), ('crazyflie', 21)])
def test_above_the_friction_angle_it_slides(model, layout, degrees):
    """Towards the fingers with g (sin - mu cos) to 10 %, not aside, not off the plane."""
    theta, hand = np.radians(degrees), make_hand(layout, radius=THICK)
    rotation = turn(y=theta) @ PALM_UP
    scene, place, x, _ = set_down(model, hand, rotation, gap=2e-5, at=CENTRE - (0.02, 0, 0))
    seen = play(scene, {'right': track(still(place, rotation), hand, 0.3)}, 0.25)
    down = np.array([np.cos(theta), 0.0, -np.sin(theta)])
    here = seen.t > 0.03
    slid = (seen.x[here, 0] - x) @ down
    a = 2.0 * np.polyfit(seen.t[here], slid, 2)[0]
    assert a == pytest.approx(G * (np.sin(theta) - MU * np.cos(theta)), rel=0.1)
    across = (seen.x[here, 0] - x) - np.outer(slid, down)
    assert np.linalg.norm(across, axis=1).max() < 2e-3


@cache
def turned_palm():
    """A palm that goes from level to 40 degrees about the wrist's left from 0.6 to 1.6 s: where the wrist is, its way,
    the scene, what was seen; 2 s."""
    hand = make_hand(25, radius=THICK)
    scene, place, _, _ = set_down('crazyflie', hand)
    path = turning(place, PALM_UP, turn(y=np.radians(40.0)) @ PALM_UP, 0.6, 1.0)
    return place, path, scene, play(scene, {'right': track(path, hand, 2.0)}, 2.0)


def test_palm_that_is_turned_lets_go():
    """At rest before, still there at 16 degrees, gone at the end."""
    place, path, _, seen = turned_palm()

    def on_palm(t):
        """Of the drone in the hand's frame at t."""
        return path(t)[1].T @ (seen.x[np.searchsorted(seen.t, t), 0] - place)
    assert np.linalg.norm(on_palm(1.0) - on_palm(0.55)) < 4e-3, on_palm(1.0) - on_palm(0.55)
    assert on_palm(1.95)[0] - on_palm(0.55)[0] > 0.05


def test_palm_that_is_turned_costs_little():
    """One solve a step, of some sweeps, and hardly an impact: 3200 impacts at their own time, 280,000 sweeps and 150
    solves that failed when what a turning body carries counted as apart and touching again in every step."""
    stats = turned_palm()[2].world.stats()
    assert stats.impact_events < 200 and stats.sweeps < 20 * stats.steps and stats.unsolved < 5, stats


def test_bones_turn_with_the_palm():
    """A hand turned about an axis aslant to every bone: all of its bodies turn alike, about their own axes too."""
    hand, to = make_hand(25), Rotation.from_rotvec(0.8 * np.array([0.6, 0.48, 0.64])).as_matrix()
    scene = make_scene({})
    play(scene, {'right': track(turning((0, 0, LEVEL), np.eye(3), to, 0.0, 1.0), hand, 0.6)}, 0.6)
    # what the layout does not use was never moved
    bones = [k for k in range(scene.world.n) if scene.world.angvel[k].any()]
    rates = scene.world.angvel[bones]
    assert len(rates) > 15
    assert np.abs(rates - 0.8 * np.array([0.6, 0.48, 0.64])).max() < 0.02, rates


def test_upright_is_how_it_lies():
    """The drone on the palm stays level."""
    hand = make_hand(25, radius=THICK)
    scene, place, _, _ = set_down('crazyflie', hand)
    seen = play(scene, {'right': track(still(place, PALM_UP), hand, 2.0)}, 2.0)
    assert abs(np.abs(seen.q[-1, 0]) @ UPRIGHT - 1.0) < 1e-6
