# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Grasp assistance: a stated gesture takes hold of a drone, which then goes with the palm until the hand opens.

What is told are GRASPED and RELEASED of the constraint `grasp_<hand>`.
"""
import numpy as np
import pytest
from grasps import (
    APART,
    CLOSE,
    GAP,
    LEVEL,
    OFF,
    SECONDS,
    TOP,
    held_scene,
    holding,
    in_the_palm,
    motors,
    over,
    turned_in_the_palm,
)
from hand_acts import (
    MODELS,
    NS,
    PALM,
    PALM_HALF,
    PINCH,
    about,
    constant,
    facing,
    first_touch,
    follow,
    gripped,
    open_hand,
    perform,
    pinched,
    reach,
    speeding,
    steps,
    stiff,
    tilted,
)
from hand_streams import FIST, NATURAL, OPEN, POINT, even, make_hand
from numpy.testing import assert_allclose

# -- helpers, by themselves

def test_the_hands_of_these_tests():
    """A palm looks where it is said to, the first touch of a box is that of its side, a curl bends all fingers."""
    turn = facing((0, 1, 0), (0, 0, 1))
    assert_allclose(turn @ (0, 0, -1), (0, 1, 0), atol=1e-12)
    assert_allclose(turn @ (1, 0, 0), (0, 0, 1), atol=1e-12)
    assert_allclose(np.linalg.det(turn), 1.0)
    assert first_touch(MODELS['unity'], np.eye(3), turn, open_hand()) == pytest.approx(0.1 + PALM_HALF)
    assert first_touch(MODELS['crazyflie'], np.eye(3), np.eye(3), open_hand()) == pytest.approx(0.0145 + PALM_HALF)
    at = speeding((0, 0, 0), (2, 0, 0), 1.0, 0.5, 2.0)
    assert_allclose((at(1.9) - at(1.6))[0], 0.6)
    assert_allclose(at(3.0), at(4.0))
    half, whole = (gripped([0.0, 1.0], [0.0, 1.0])(t).points for t in (0.5, 1.0))
    tips = [9, 14, 19, 24]
    assert (whole[tips, 2] < -0.03).all() and (half[tips, 2] < -0.02).all()


# -- grip, carry, tilt, hold

@pytest.mark.parametrize(('layout', 'axis', 'stream'), [
    (25, (0, 1, 0), {}), (26, (1, 0, 0), {'rate': 72.0, 'latency': 0.04, 'noise': 1e-3, 'dropouts': 0.05}),
    (21, (1, 0, 0), {'rate': 30.0, 'latency': 0.06, 'noise': 2e-3})])
def test_gripped_carried_tilted_held(layout, axis, stream):
    """Fingers that close round each model take hold; motors off, 1 m to the side, 90 degrees, 3 s: what is below the
    palm slips by less than 2 mm."""
    end, streams = OFF + 6.2, {}
    for k, name in enumerate(MODELS):
        point = steps(over(k, name), ((0, 1.0, 0), OFF + 0.2, 1.8))
        rotation = tilted(np.eye(3), axis, 0.5 * np.pi, OFF + 2.1, 1.0)
        streams[f'right{k}'] = holding(k, name, end, point=point, rotation=rotation, layout=layout, **stream)
    seen, wrong = perform(held_scene(), streams, end, wrenches=motors()), []
    for k, name in enumerate(MODELS):
        told = seen.told('GRASPED', f'grasp_right{k}')
        assert len(told) == 1 and f'd{k}' in (told[0].body_a, told[0].body_b), (name, told)
        at = told[0].stamp_ns / NS
        assert CLOSE < at < CLOSE + SECONDS + stream.get('latency', 0.0) + 0.2, (name, at)
        since = seen.at(at + 0.02)
        own = in_the_palm(seen, k, name, k)[since:]
        slip = np.linalg.norm((own - own[0])[:, :2], axis=1).max()
        away = np.abs(own - own[0])[:, 2].max()
        turned = turned_in_the_palm(seen, k, k, since)
        wrong += [f'{name}: slips {slip * 1e3:.2f} mm, off by {away * 1e3:.2f} mm, {np.degrees(turned):.2f} degrees'] \
            * bool(slip > 2e-3 or away > 5e-3 or turned > 0.03)
        assert abs(seen.x[-1, k, 1] - 1.0) < 0.25
    assert not wrong and not seen.told('RELEASED'), wrong


@pytest.mark.parametrize('layout', [25, 21])
def test_a_pinch_takes_and_lets_go_with_hysteresis(layout):
    """2 cm over the drone, where it came with its tips 3 cm apart: that does not take, below 2.5 cm it does; at 3.5 cm
    it still holds, above 4 cm no more."""
    models = {n: MODELS[n] for n in ('unity', 'crazyflie', 'hummingbird')}
    times, apart = [1.6, 1.8, 2.2, 2.4, 2.7, 2.9], [0.03, 0.018, 0.018, 0.035, 0.035, 0.055]
    streams = {}
    for k, name in enumerate(models):
        # 0.24 m/s at most
        point = steps((APART * k, 0, LEVEL + TOP[name] + 0.17), ((0, 0, -0.15), 0.4, 1.0))
        streams[f'right{k}'] = follow(about(point, PINCH, constant(np.eye(3))), pinched(times, apart, layout), 3.3)
    seen = perform(held_scene(models=models), streams, 3.3, wrenches=motors(models, 2.0))
    for k in range(len(models)):
        (taken,), (gone,) = (seen.told(phase, f'grasp_right{k}') for phase in ('GRASPED', 'RELEASED'))
        # the tips are 2.5 cm apart at 1.68 s, and 4 cm at 2.75
        assert 1.6 < taken.stamp_ns / NS < 1.8 and 2.7 < gone.stamp_ns / NS < 2.9, (taken, gone)
        # its weight on the hand's spring, then at rest
        held = (seen.t > 2.45) & (seen.t < 2.7)
        assert np.ptp(seen.x[held, k], axis=0).max() < 2e-3
        assert seen.x[-1, k, 2] < seen.x[seen.at(2.7), k, 2] - 0.1


def test_without_the_key_no_hand_takes_hold():
    streams = {f'right{k}': holding(k, name, 1.2) for k, name in enumerate(MODELS)}
    seen = perform(held_scene(keys={}), streams, 1.2, wrenches=motors())
    assert not seen.joined


# -- strikes never grasp

@pytest.mark.parametrize(('posture', 'speed', 'stream'), [
    ('open', 0.5, {'noise': 2e-3}), ('open', 3.0, {'rate': 90.0, 'latency': 0.03}),
    ('natural', 1.0, {'rate': 72.0, 'noise': 1e-3, 'dropouts': 0.05}), ('natural', 0.35, {'noise': 2e-3, 'rate': 90.0}),
    ('fist', 2.0, {'latency': 0.06}), ('fist', 0.5, {'noise': 2e-3, 'latency': 0.02}),
    ('point', 1.0, {'rate': 30.0}), ('pinched', 1.0, {'noise': 1e-3})])
def test_strikes_never_grasp(posture, speed, stream):
    """Whatever the posture, which stays, and the noise: they hit, and do not hold."""
    hand = {'open': make_hand(25, OPEN), 'natural': make_hand(26, NATURAL), 'fist': make_hand(25, FIST),
            'point': make_hand(21, POINT), 'pinched': pinched([0.0], [0.015])(0.0)}[posture]
    palm = posture in ('open', 'natural')
    rotation = facing((1, 0, 0), (0, 0, 1)) if palm else np.eye(3)
    centre = PALM if palm else hand.points[hand.points[:, 0].argmax()] * (1, 0, 1)
    streams, hit = {}, 0.4 / speed + 0.1
    for k, model in enumerate(MODELS.values()):
        side = reach(model, np.zeros((1, 3)), np.eye(3)[None], (-1, 0, 0))[0]
        way = even((APART * k - side - 0.02, 0, LEVEL), (speed, 0, 0), hit)
        way = about(lambda t, way=way: way(t)[0], centre, constant(rotation))
        streams[f'right{k}'] = follow(way, stiff(hand), hit + 0.3 / speed, seed=k, **stream)
    seen = perform(held_scene(gravity=0.0), streams, hit + 0.3 / speed + 0.1)
    assert {e.body_a for e in seen.begins} == {f'd{k}' for k in range(len(MODELS))}
    assert not seen.told('GRASPED'), seen.told('GRASPED')


@pytest.mark.parametrize('layout', [25, 21])
def test_noise_is_no_gesture(layout):
    """An open hand rests 1 cm beside hovering drones for 3 s, 2 mm rms at 90 Hz."""
    streams = {f'right{k}': follow(about(constant(over(k, name) - (0, 0, GAP - 0.01)), PALM, constant(np.eye(3))),
                                   stiff(make_hand(layout, NATURAL if k % 2 else OPEN)), 3.0, rate=90.0, noise=2e-3,
                                   seed=k) for k, name in enumerate(MODELS)}
    seen = perform(held_scene(), streams, 3.0, wrenches=motors(off=9.0))
    assert not seen.told('GRASPED'), seen.told('GRASPED')


# -- two hands, and a hand that is lost

def test_two_hands_hold_one_drone_and_one_takes_it_over():
    """The right hand from above, then the left from below; the right lets go, the left carries on."""
    models = {n: MODELS[n] for n in ('unity', 'crazyflie', 'hummingbird')}
    streams, opens = {}, 2.2
    for k, (name, model) in enumerate(models.items()):
        below = np.array([APART * k, 0, LEVEL + TOP[name] - model['shape']['size'][2] - GAP - PALM_HALF])
        up = facing((0, 0, 1), (-1, 0, 0))
        left = gripped([1.4, 1.4 + SECONDS], [0.0, 1.0], side='left')
        away = steps(over(k, name), ((0, 0, 0.3), opens + 0.3, 0.4))
        streams[f'right{k}'] = holding(k, name, 4.0, point=away, opens=opens)
        streams[f'left{k}'] = follow(about(steps(below, ((0, 0.3, 0), opens + 0.8, 0.8)), PALM, constant(up)), left,
                                     4.0, rate=72.0, latency=0.02)
    seen = perform(held_scene(('right', 'left'), models=models), streams, 4.0, wrenches=motors(models))
    for k, name in enumerate(models):
        assert len(seen.told('GRASPED', f'grasp_right{k}')) == len(seen.told('GRASPED', f'grasp_left{k}')) == 1
        (gone,) = seen.told('RELEASED', f'grasp_right{k}')
        assert not seen.told('RELEASED', f'grasp_left{k}')
        hands = [h.name for h in seen.hands[-1]]
        own = in_the_palm(seen, k, name, hands.index(f'left{k}'))[seen.at(gone.stamp_ns / NS + 0.02):]
        assert np.linalg.norm(own - own[0], axis=1).max() < 2e-3, name
        assert seen.x[-1, k, 1] == pytest.approx(0.3, abs=0.03)


def test_a_hand_that_is_lost_lets_go():
    """No more samples: RELEASED within hand_timeout (0.25 s) and some ticks, then it falls."""
    last = 1.8
    streams = {f'right{k}': holding(k, name, last) for k, name in enumerate(MODELS)}
    seen = perform(held_scene(), streams, 2.5, wrenches=motors())
    for k in range(len(MODELS)):
        (gone,) = seen.told('RELEASED', f'grasp_right{k}')
        assert last < gone.stamp_ns / NS < last + 0.25 + 0.05
        assert seen.x[-1, k, 2] < LEVEL - 0.3
