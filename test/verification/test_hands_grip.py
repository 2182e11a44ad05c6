# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A pinch of thumb and index finger holds by friction alone: N = k s on either side of what is squeezed by s, so it
bears 2 mu k s and slips beyond with (W - 2 mu k s) / m; about the line of the two tips it turns freely.

The hand's palm looks down and its pinch is along x; a plate hangs from it with its thin side along x.
"""
import numpy as np
import pytest
from hand_acts import (
    MODELS,
    PINCH,
    SHIFT,
    STIFFNESS,
    G,
    about,
    constant,
    follow,
    hover,
    make_world,
    own_frame,
    perform,
    pinch_around,
    pinched,
    plate,
    steps,
    tilted,
)
from hand_streams import ball_model
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

EDGE = 0.022                                       # m, from the pinch to the upper edge: the palm is clear of it
PLACE = np.array([0.0, 0.0, 1.0])                  # where the pinch is
MIDDLE = PINCH + (SHIFT, 0.0, 0.0)                 # in the hand: the middle of what is pinched
HANGING = Rotation.from_euler('y', 90, degrees=True)      # a plate's thin side along x, its own -x up
CLOSE, CLOSED, OFF = 0.4, 0.7, 1.2                 # s: fingers begin to close, are closed, motors off


def thickness(model):
    shape = model['shape']
    return 2.0 * shape['radius'] if shape['type'] == 'sphere' else shape['size'][2]


def drop(model, edge=EDGE):
    """m that the middle of mass is below the pinch."""
    shape = model['shape']
    return 0.0 if shape['type'] == 'sphere' else 0.5 * shape['size'][0] - edge


def grip(model, squeeze, end, *, layout=25, friction=0.5, settings=None, point=None, rotation=None, gravity=G,
         wrench=None, edge=EDGE, attitude=HANGING, opens=np.inf, **stream):
    """A drone that hovers until OFF between fingers that close from CLOSE to CLOSED to `squeeze` m on either side (and
    open again at `opens`), carried by them along a way of the pinch; friction: of the skin.  What was seen."""
    scene = make_world({'d0': (model, 'simulate')}, {'right': {}}, gravity=gravity, skin=(0.0, friction),
                       **(settings or {}))
    swung = attitude * HANGING.inv()
    scene.feed_drone('d0', 0, PLACE - swung.apply((0, 0, drop(model, edge))), attitude.as_quat(), (0, 0, 0), (0, 0, 0))
    wide, tight = pinch_around(thickness(model), -0.015), pinch_around(thickness(model), squeeze)
    times = [CLOSE, CLOSED] + ([opens, opens + 0.15] if opens < end else [])
    posture = pinched(times, [wide, tight, tight, wide][:len(times)], layout)
    way = about(point or constant(PLACE), MIDDLE, rotation or constant(np.eye(3)))
    return perform(scene, {'right': follow(way, posture, end, **stream)}, end,
                   wrenches={'d0': wrench or hover(model, OFF, attitude.as_quat())})


def slips(seen, first, last=np.inf):
    """m, how far the two tips moved along the drone's surface from `first` s on."""
    here = (seen.t >= first) & (seen.t <= last)
    out = []
    for part in ('thumb_tip', 'index_tip'):
        own = own_frame(seen.tip(part), seen.x[:, 0], seen.turns())[here]
        out.append(np.linalg.norm((own - own[0])[:, :2], axis=1).max())
    return np.array(out)


def between_the_tips(seen, model, edge=EDGE):
    """m, how far the point of the drone that was pinched is from the middle of the tips at the end."""
    middle = 0.5 * (seen.tip('thumb_tip')[-1] + seen.tip('index_tip')[-1])
    pinched_at = seen.x[-1, 0] + seen.turns()[-1] @ (-drop(model, edge), 0, 0)
    return np.linalg.norm(middle - pinched_at)


# -- helpers, by themselves

@pytest.mark.parametrize('layout', [25, 26, 21])
def test_the_pinch_of_these_tests(layout):
    """Tips where they are said to be, bones of their lengths, a turn of all that turns."""
    lengths = []
    for aperture in (0.0, 0.03, 0.07, 0.115):
        hand = pinched([0.0], [aperture], layout)(0.0)
        thumb, index = {25: (4, 9), 26: (5, 10), 21: (4, 8)}[layout]
        assert_allclose(hand.points[index] - hand.points[thumb], (aperture, 0, 0), atol=1e-12)
        assert_allclose(0.5 * (hand.points[index] + hand.points[thumb]), PINCH, atol=1e-12)
        lengths.append(np.linalg.norm(np.diff(hand.points[thumb - 3:thumb + 1], axis=0), axis=1))
        assert_allclose(np.linalg.det(hand.axes), 1.0)
        # what points along the bone ends at the tip
        assert_allclose(-hand.axes[index][:, 2], (-1, 0, 0), atol=1e-12)
    assert_allclose(np.ptp(lengths, axis=0), 0.0, atol=1e-12)


# -- how much it holds

@pytest.mark.parametrize(('model', 'force', 'layout', 'friction', 'settings', 'stream'), [
    ('crazyflie', 1.0, 25, 0.5, {}, {}),
    ('crazyflie', 0.4, 21, 0.5, {}, {'rate': 90.0}),
    ('unity', 7.5, 25, 0.605, {'hand_stiffness': 600.0}, {}),
    ('ball', 1.5, 26, 0.5, {}, {'latency': 0.03, 'rate': 72.0}),
    ('crazyflie', 2.0, 25, 0.5, {}, {'noise': 1e-3, 'latency': 0.03, 'dropouts': 0.05}),
    ('crazyflie', 2.0, 21, 0.5, {}, {'noise': 2e-3, 'rate': 90.0}),
    ('crazyflie', 2.0, 26, 0.5, {}, {'noise': 1e-3, 'rate': 30.0, 'latency': 0.06})])
def test_holds_where_friction_suffices(model, force, layout, friction, settings, stream):
    """Motors off: for 3 s it slips by less than 5 mm; without noise it comes to rest."""
    model = ball_model(0.025, 0.1, friction=0.5) if model == 'ball' else MODELS[model]
    mu = np.sqrt(friction * model['material']['friction'])
    assert 2.0 * mu * force > 1.15 * model['mass'] * G
    seen = grip(model, force / settings.get('hand_stiffness', STIFFNESS), OFF + 3.2, layout=layout, friction=friction,
                settings=settings, seed=3, **stream)
    worst = slips(seen, OFF).max()
    assert worst < 5e-3, f'{worst * 1e3:.1f} mm'
    assert between_the_tips(seen, model) < 0.02
    if not stream.get('noise'):
        assert np.linalg.norm(seen.v[seen.t > OFF + 2.0, 0], axis=1).max() < 5e-3


@pytest.mark.parametrize(('model', 'share'), [('crazyflie', 0.7), ('unity', 0.8)])
def test_drops_what_is_too_heavy(model, share):
    """2 mu k s is a share of the weight: it is lost."""
    model = MODELS[model]
    force = 0.5 * share * model['mass'] * G / 0.5
    seen = grip(model, force / 600.0, OFF + 1.0, settings={'hand_stiffness': 600.0})
    assert seen.x[-1, 0, 2] < seen.x[seen.at(OFF), 0, 2] - 0.1


BAR = (0.044, 0.2, 0.029)      # m, pinched in its middle, pulled along its length


@pytest.mark.parametrize(('squeeze', 'friction', 'stiffness', 'layout'), [
    (1 / 300, 0.5, 300.0, 25), (6e-3, 0.2, 300.0, 21), (5e-3, 0.5, 600.0, 26)])
@pytest.mark.parametrize('share', [1.6, 2.5])
def test_slips_with_coulombs_acceleration(squeeze, friction, stiffness, layout, share):
    """Pulled with W > 2 mu k s: a = (W - 2 mu k s) / m to 5 %, along the pull; m such that a is 1.2 m/s^2."""
    most, a = 2.0 * np.sqrt(friction * 0.5) * stiffness * squeeze, 1.2
    pull = share * most
    seen = grip(plate(BAR, (pull - most) / a), squeeze, OFF + 0.4, layout=layout, friction=friction,
                settings={'hand_stiffness': stiffness}, gravity=0.0,
                wrench=lambda t: np.array([0.0, pull * (t > OFF), 0.0]))
    # the fingers have gone along and settled, and are still on the bar: 0.1 m of it
    here = (seen.t > OFF + 0.12) & (seen.t < OFF + 0.34)
    got = np.polyfit(seen.t[here], seen.v[here, 0, 1], 1)[0]
    assert_allclose(got, a, rtol=0.05)
    assert np.abs(seen.v[here][:, 0, [0, 2]]).max() < 0.02 * share


@pytest.mark.parametrize(('squeeze', 'stiffness'), [(1 / 300, 300.0), (8e-3, 300.0), (5e-3, 800.0)])
@pytest.mark.parametrize('share', [0.5, 0.9])
def test_below_the_limit_it_gives_way_by_the_pull(squeeze, stiffness, share):
    """W < 2 mu k s: no slip, and fingers that give way by W / 2 k."""
    pull = share * 2.0 * 0.5 * stiffness * squeeze
    seen = grip(plate(BAR, 0.5), squeeze, OFF + 1.2, settings={'hand_stiffness': stiffness}, gravity=0.0,
                wrench=lambda t: np.array([0.0, pull * (t > OFF), 0.0]))
    assert slips(seen, OFF).max() < 5e-4
    off = seen.x[-1, 0] - seen.x[seen.at(OFF), 0]
    assert_allclose(off, (0, pull / (2.0 * stiffness), 0), rtol=0.06, atol=1e-4)
    assert np.linalg.norm(seen.v[-40:, 0], axis=1).max() < 2e-3


@pytest.mark.parametrize(('length', 'layout'), [(0.12, 25), (0.16, 21)])
def test_it_turns_freely_about_the_pinch(length, layout):
    """Let go at 0.25 rad beside the vertical it swings with 2 pi sqrt((I + m l^2) / (m g l)) (1 + a^2/16), to 3 %, and
    keeps on."""
    model, edge = plate((length, 0.092, 0.029), 0.1), 0.01
    swung = Rotation.from_euler('x', 0.25) * HANGING
    seen = grip(model, 5e-3, OFF + 1.7, layout=layout, edge=edge, attitude=swung)
    arm = drop(model, edge)
    period = 2 * np.pi * np.sqrt((model['inertia'][2] + 0.1 * arm ** 2) / (0.1 * G * arm)) * (1 + 0.25 ** 2 / 16)
    # the angle of the line from the pinch to the middle of mass: body +x
    down = seen.turns()[:, :, 0]
    angle = np.arctan2(down[:, 1], -down[:, 2])[seen.t > OFF + 0.05]
    t = seen.t[seen.t > OFF + 0.05]
    k = np.flatnonzero(np.diff(np.sign(angle)))
    crossings = t[k] - angle[k] * (t[k + 1] - t[k]) / (angle[k + 1] - angle[k])
    assert len(crossings) >= 4, crossings
    assert_allclose(np.diff(crossings).mean() * 2.0, period, rtol=0.03)
    assert np.abs(angle[t > OFF + 1.1]).max() > 0.7 * 0.25
    assert slips(seen, OFF).max() < 1e-3


# -- carried, turned, let go

@pytest.mark.parametrize(('model', 'force', 'layout', 'stream'), [
    ('crazyflie', 2.0, 25, {}),
    ('ball', 2.0, 21, {'rate': 90.0, 'latency': 0.02}),
    ('crazyflie', 3.0, 26, {'rate': 72.0, 'latency': 0.04, 'noise': 1e-3, 'dropouts': 0.03}),
    ('crazyflie', 3.0, 21, {'rate': 90.0, 'noise': 2e-3})])
def test_carried_tilted_and_held(model, force, layout, stream):
    """1 m to the side in 1.8 s, the hand turned by 90 degrees until the pinch is upright, then held for 3 s: slips by
    less than 5 mm at either tip."""
    model = ball_model(0.025, 0.06, friction=0.5, restitution=0.2) if model == 'ball' else MODELS[model]
    point = steps(PLACE, ((0, 1.0, 0), OFF + 0.2, 1.8))
    rotation = tilted(np.eye(3), (0, 1, 0), -0.5 * np.pi, OFF + 2.1, 1.2)
    end = OFF + 6.4
    seen = grip(model, force / STIFFNESS, end, layout=layout, point=point, rotation=rotation, seed=5, **stream)
    worst = slips(seen, OFF)
    assert worst.max() < 5e-3, f'{worst * 1e3} mm'
    assert between_the_tips(seen, model) < 0.02
    assert_allclose(seen.x[-1, 0, 1], 1.0, atol=0.03)


@pytest.mark.parametrize('layout', [25, 26, 21])
def test_an_opening_pinch_lets_fall(layout):
    """From a hand at rest: straight down with g, and less than 1 cm/s sideways."""
    seen = grip(MODELS['crazyflie'], 1.0 / STIFFNESS, OFF + 1.0, layout=layout, opens=OFF + 0.6)
    falls = (seen.t > OFF + 0.8) & (seen.t < OFF + 0.95)
    v = seen.v[falls, 0]
    assert_allclose(np.polyfit(seen.t[falls], v[:, 2], 1)[0], -G, rtol=0.01)
    assert np.linalg.norm(v[:, :2], axis=1).max() < 0.01
