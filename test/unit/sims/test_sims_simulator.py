# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What joins a simulator in Python with a scene: closed forms of forces, and a state that comes back late."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.sims.simulator import Reckoning, kick, wrench

MASS, INERTIA, G = 0.03, np.array([1.4e-5, 1.6e-5, 2.2e-5]), 9.80665
H = 0.01


class Body:
    """One rigid body that another moves."""

    dt, mass, inertia = H, MASS, INERTIA

    def __init__(self, v=(0.0, 0.0, 0.0)):
        self.now = np.zeros(3), np.array((0.0, 0.0, 0.0, 1.0)), np.array(v), np.zeros(3)

    def state(self, _k):
        return self.now

    def put(self, _k, *state):
        self.now = state


def turned(angle, axis=(0.0, 1.0, 0.0)):
    return Rotation.from_rotvec(angle * np.array(axis)).as_quat()


def test_a_kick_adds_velocities():
    body = Body((1.0, 0.0, 0.0))
    kick(body, 0, np.array((-1.5, 0.0, 0.0)), np.array((0.0, 3.0, 0.0)))
    assert_allclose(body.now[2], (-0.5, 0, 0))
    assert_allclose(body.now[3], (0, 3, 0))


def test_the_wrench_of_hover_and_of_a_turn():
    """F = m (a + g), T = I dw/dt + w x I w, both in the body."""
    q = turned(0.3, (1.0, 0.0, 0.0))
    still = (np.zeros(3), q, np.zeros(3), np.zeros(3))
    force, torque = wrench(Body(), still, still)
    assert_allclose(force, MASS * G * np.array((0.0, np.sin(0.3), np.cos(0.3))), atol=1e-12)
    assert_allclose(torque, 0.0)
    w = np.array((1.0, -2.0, 3.0))
    turn = Rotation.from_quat(q)
    spinning = (np.zeros(3), q, np.zeros(3), turn.apply(w))
    assert_allclose(wrench(Body(), spinning, spinning)[1], np.cross(w, INERTIA * w), atol=1e-12)
    faster = (np.zeros(3), q, np.zeros(3), turn.apply((0.0, 0.4, 0.0)))
    assert_allclose(wrench(Body(), still, faster)[1], INERTIA * (0.0, 0.4 / H, 0.0), atol=1e-9)


def late(k, h, w=2.0):
    """A state in uniform motion at k h s."""
    t = k * h
    return np.array((0.7 * t, 0.0, 0.0)), turned(w * t), np.array((0.7, 0.0, 0.0)), np.array((0.0, w, 0.0))


def test_a_scene_that_does_what_the_simulator_did_changes_nothing():
    reckoning = Reckoning(0.012)
    for k in range(50):
        now = late(k, H)
        reckoning.note(k * H, now)
        if k > 5:
            # what comes back is 0.03 s old, and was 0.012 s late then
            out = reckoning.correct(k * H - 0.03, late(k * H - 0.042, 1.0), now)
            for mine, theirs in zip(out, now, strict=True):
                assert_allclose(mine, theirs, atol=1e-12)


def test_a_bounce_is_added_once_as_it_has_grown():
    """The scene turned the speed round at 0.2 s; the simulator flew on until the report came, 0.04 s later."""
    reckoning, reported = Reckoning(0.0), 0
    body = Body()
    for k in range(40):
        t = k * H
        own = late(k, H, 0.0) if not reported else (body.now[0] + H * body.now[2], *body.now[1:])
        body.put(0, *own)
        reckoning.note(t, own)
        seen = t - 0.04
        if seen > 0.0:
            x = 0.7 * seen if seen < 0.2 else 0.14 - 0.35 * (seen - 0.2)
            v = 0.7 if seen < 0.2 else -0.35
            body.put(0, *reckoning.correct(seen, (np.array((x, 0, 0)), turned(0.0), np.array((v, 0, 0)), np.zeros(3)),
                                           body.now))
            reported = reported or seen >= 0.2
        if t > 0.26:
            assert_allclose(body.now[0], (0.14 - 0.35 * (t - 0.2), 0, 0), atol=1e-9)
            assert_allclose(body.now[2], (-0.35, 0, 0), atol=1e-12)


@pytest.mark.parametrize('delay', [0, 1, 2, 3, 4])
def test_a_quick_controller_stands_a_late_scene(delay):
    """x'' = -k x - c x', k = 400 1/s^2 and c = 25 1/s, integrated by a scene that is `delay` steps of 10 ms late, both
    ways.  Shown that state as it is, it swings up from two steps on; with what the simulator knows it goes to 0."""
    ends = []
    for reckoned in (True, False):
        forces, states = [0.0] * delay, []
        scene = np.array((0.1, 0.0))
        own, reckoning = scene.copy(), Reckoning(delay * H)
        for k in range(200):
            force = -400.0 * own[0] - 25.0 * own[1]
            own += (H * own[1] + 0.5 * H * H * force, H * force)
            reckoning.note((k + 1) * H, whole(own))
            forces.append(force)
            force = forces.pop(0)
            scene += (H * scene[1] + 0.5 * H * H * force, H * force)
            states.append((scene.copy(), (k + 1) * H))
            if len(states) > delay:
                shown, t = states.pop(0)
                if reckoned:
                    out = reckoning.correct(t, whole(shown), whole(own))
                    own = np.array((out[0][0], out[2][0]))
                else:
                    own = shown.copy()
        ends.append(np.abs(scene[0]))
    assert ends[0] < 1e-6
    assert delay < 2 or ends[1] > 0.1


def whole(state):
    return np.array((state[0], 0, 0)), turned(0.0), np.array((state[1], 0, 0)), np.zeros(3)


def test_the_command_line_of_a_simulator():
    node = pytest.importorskip('hakoniwa_rigid.ros.simulators.simulator_node', reason='needs ROS')
    from hakoniwa_rigid.ros.errors import StartError
    authority, starts, goals = node.read(['observe', '0,0,1:1.2,0,1', '1,0,1:-1,0,1'])
    assert authority == 'observe' and starts.tolist() == [[0, 0, 1], [1, 0, 1]]
    assert goals.tolist() == [[1.2, 0, 1], [-1, 0, 1]]
    for words in ([], ['observe'], ['fly', '0,0,1:1,0,1'], ['observe', '0,0:1,0,1'], ['observe', 'a,0,1:1,0,1'],
                  ['observe', '0,0,1'], ['observe', '0,0,nan:1,0,1']):
        with pytest.raises(StartError, match='must be|needs'):
            node.read(words)
