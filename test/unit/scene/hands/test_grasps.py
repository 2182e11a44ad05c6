# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What becomes of a grasp where the hand, the scene or the name goes its own way."""
import math

import numpy as np
import pytest
from hand_acts import PALM, UPRIGHT, G, about, constant, follow, gripped, hover, late, make_world, perform, plate

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.errors import WorldFileError
from hakoniwa_rigid.scene.records import ConstraintPhase

MODEL, CLOSE = plate(), 0.4
HAND = {'grasp_assistance': True}
ABOVE = (0.0, 0.0, 1.0 + 0.0145 + 0.03)


def holding(keys=HAND, end=1.0, until=1.0, **world):
    """A scene in which a hand holds d0 from above: what was seen."""
    scene = make_world({'d0': (MODEL, 'simulate')}, {'right': {**HAND, **keys}}, gravity=G, **world)
    scene.feed_drone('d0', 0, (0, 0, 1.0), UPRIGHT, (0, 0, 0), (0, 0, 0))
    way = about(constant(ABOVE), PALM, constant(np.eye(3)))
    samples = follow(way, gripped([CLOSE, CLOSE + 0.25], [0.0, 1.0]), until)
    return scene, perform(scene, {'right': samples}, end, wrenches={'d0': hover(MODEL, 9.0)})


def phases(events):
    return [e.phase.name for e in events]


@pytest.mark.parametrize('mass', [0.6, math.inf])
def test_it_is_told_with_hand_palm_and_drone(mass):
    scene, seen = holding({'effective_mass': mass})
    (event,) = seen.joined
    assert event.phase is ConstraintPhase.GRASPED and (event.name, event.body_a, event.part_a, event.body_b) == (
        'grasp_right', 'right', 'palm', 'd0')
    assert scene.constraint_names == ('grasp_right',)
    assert seen.hands[-1][0].box is not None and seen.hands[-1][0].enabled.any()


def test_a_hand_that_is_no_longer_seen_lets_go():
    scene, seen = holding(end=2.0, until=1.0)
    assert phases(seen.joined) == ['GRASPED', 'RELEASED'] and not scene.constraint_names
    assert 1.2 < seen.joined[1].stamp_ns * 1e-9 < 1.35      # hand_timeout


@pytest.mark.parametrize('seconds', [0.1, 0.2, 0.35])   # in which the fingers close
@pytest.mark.parametrize('share', [0.6, 1.0])           # of a curl: they stop at once
def test_late_samples_do_not_make_it_let_go(seconds, share):
    """As over a busy radio link: samples come in bursts, and the track has gone on with fingers that had stopped."""
    way, lost = about(constant(ABOVE), PALM, constant(np.eye(3))), []
    for seed in range(4):
        scene = make_world({'d0': (MODEL, 'simulate')}, {'right': HAND}, gravity=G)
        scene.feed_drone('d0', 0, (0, 0, 1.0), UPRIGHT, (0, 0, 0), (0, 0, 0))
        samples = late(follow(way, gripped([CLOSE, CLOSE + seconds], [0.0, share]), 1.2, latency=0.01), seed)
        seen = perform(scene, {'right': samples}, 1.2, wrenches={'d0': hover(MODEL, 9.0)})
        assert phases(seen.joined)[:1] == ['GRASPED']
        lost += phases(seen.joined)[1:]
    assert not lost


def test_a_hand_without_assistance_does_not():
    _, seen = holding({'grasp_assistance': False})
    assert not seen.joined


def test_after_a_reset_nothing_is_held():
    scene, _ = holding()
    scene.reset()
    tick = scene.advance(scene.now_ns + 5_000_000)
    assert not scene.constraint_names and phases(tick.constraint_events)[0] in ('DETACHED', 'RELEASED')


def test_after_a_restore_nothing_is_held():
    scene, _ = holding()
    other = make_world({'d0': (MODEL, 'simulate')}, {'right': HAND}, gravity=G)
    other.restore(scene.saved())
    assert other.constraint_names == ('grasp_right',)
    tick = other.advance(other.now_ns + 5_000_000)
    assert not other.constraint_names and 'RELEASED' in phases(tick.constraint_events)


def test_a_user_who_lets_go_is_no_fault():
    scene, _ = holding()
    scene.detach('grasp_right')
    ticks = [scene.advance(scene.now_ns + 5_000_000) for _ in range(4)]
    assert [name for t in ticks for name in phases(t.constraint_events)] == ['DETACHED']
    assert not any(key[0] == 'failed' for key in scene.counters)


def test_a_name_that_is_taken_is_counted():
    scene = make_world({'d0': (MODEL, 'simulate'), 'd1': (MODEL, 'simulate')}, {'right': HAND}, gravity=G)
    for k in (0, 1):
        scene.feed_drone(f'd{k}', 0, (0, 3.0 * k, 1.0), UPRIGHT, (0, 0, 0), (0, 0, 0))
    scene.advance(5_000_000)
    scene.attach('cable', 'd0', 'd1', 'grasp_right', length=5.0)
    way = about(constant(ABOVE), PALM, constant(np.eye(3)))
    samples = follow(way, gripped([CLOSE, CLOSE + 0.25], [0.0, 1.0]), 1.0)
    up = {f'd{k}': hover(MODEL, 9.0) for k in (0, 1)}
    seen = perform(scene, {'right': samples}, 1.0, wrenches=up)
    assert 'GRASPED' not in phases(seen.joined) and scene.counters['failed', 'right'] >= 1


def test_equal_runs_give_equal_bits():
    (one, a), (two, b) = holding(), holding()
    assert one.state_hash() == two.state_hash() and a.x.tobytes() == b.x.tobytes()


def test_a_world_whose_solver_has_no_constraints_says_so(tmp_path):
    path = tmp_path / 'world.yaml'
    path.write_text('solver: penalty\nhands:\n  - {name: right, grasp_assistance: true}\n')
    with pytest.raises(WorldFileError, match=r'hands\[0\].grasp_assistance: needs solver sequential'):
        CollisionScene.from_yaml(path)


def test_a_hand_that_is_held_back_too_far_passes():
    """It is pushed through a drone that a wall holds: out of contact, said and counted, and back behind it."""
    wall = {'name': 'wall', 'type': 'plane', 'normal': [-1.0, 0.0, 0.0], 'offset': -0.1}
    model = plate((0.2, 0.2, 0.2), 0.5)
    scene = make_world({'d0': (model, 'simulate')}, {'right': {}}, walls=[wall])
    scene.feed_drone('d0', 0, (0, 0, 0), UPRIGHT, (0, 0, 0), (0, 0, 0))
    seen = []
    for k in range(400):
        now = (k + 1) * 5_000_000
        scene.feed_hand('right', now, [[-0.4 + 0.5 * min(now * 1e-9, 1.6), 0.0, 0.0]])
        seen.append(scene.advance(now).hands[0].passes)
    assert any(seen) and scene.counters['passes', 'right'] == 1
    # 0.4 m from the middle of a drone of 0.1 m
    assert not seen[-1] and scene._hands['right'].shown.any()
