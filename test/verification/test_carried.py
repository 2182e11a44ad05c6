# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A box that lies across two plates which turn about one axis as one: it is carried round with them, at little work.

The plates get new motions every 5 steps, on the chords of their centres' ways, as the bones of a hand do: in between
their surfaces part by their sagittas' difference, w^2 r T^2 / 8.
"""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box, WorldBuilder

G, M, SIDES = 9.80665, 0.03, np.array([0.092, 0.092, 0.029])
H, HELD = 1e-3, 5                      # s, steps
CENTRES = np.array([[0.1, 0.0, -0.01], [0.2, 0.0, -0.01]])
SAGITTA = 0.15 * (HELD * H) ** 2 / 8   # m per (rad/s)^2 and tick
START = np.array([0.15, 0.004, 0.5 * SIDES[2]])


def motions(rate, t):
    """Of the plates (2,13) that have turned about y at `rate` (rad/s), upwards, for t s: chords of the next tick."""
    now, then = (Rotation.from_rotvec((0.0, -rate * s, 0.0)) for s in (t, t + HELD * H))
    out = np.zeros((2, 13))
    out[:, :3] = now.apply(CENTRES)
    out[:, 3:7] = now.as_quat()[[3, 0, 1, 2]]
    out[:, 7:10] = (then.apply(CENTRES) - out[:, :3]) / (HELD * H)
    out[:, 11] = -rate
    return out


@pytest.mark.parametrize('rate', [0.3, 0.7, 2.0])
def test_lies_still_on_what_turns(rate):
    """Up to 17 degrees, friction holds to 27: no way along the plates but for the chords'; their force is
    m (w x (w x r) - g); hardly an impact once it is under way, and hardly a solve that fails."""
    b = WorldBuilder(gravity=(0, 0, -G), dt=H)
    plates = [b.add_body(Box((0.1, 0.1, 0.02)), kind='kinematic', pos=c, friction=0.5, name=f'p{k}')
              for k, c in enumerate(CENTRES)]
    i = b.add_body(Box(SIDES), mass=M, pos=START, friction=0.5, name='box')
    w, ticks, force, before = b.build(), int(0.3 / rate / (HELD * H)), [], None
    for k in range(ticks):
        w.set_motions(plates, motions(rate, k * HELD * H))
        if k == 4:  # it has been set going
            before, start = w.stats(), Rotation.from_rotvec((0.0, rate * k * HELD * H, 0.0)).apply(w.pos[i])
        w.step(HELD)
        rows = w.contact_log()
        force.append(rows['impulse'].sum(axis=0) * np.where(rows['body_b'][:1] == i, 1.0, -1.0) / (HELD * H))
    turned, after = Rotation.from_rotvec((0.0, -rate * ticks * HELD * H, 0.0)), w.stats()
    assert_allclose(start, START, rtol=0, atol=1e-4)
    assert_allclose(turned.inv().apply(w.pos[i]), start, rtol=0, atol=ticks * SAGITTA * rate**2)
    r = Rotation.from_rotvec((0.0, -rate * (ticks - 5) * HELD * H, 0.0)).apply(START)
    assert_allclose(np.mean(force[-10:], axis=0), M * (np.array([0.0, 0.0, G]) - rate**2 * (r - (0, r[1], 0))),
                    rtol=0, atol=0.01 * M * G)
    steps = after.steps - before.steps
    assert after.unsolved <= 0.002 * steps, (before, after)
    assert after.impact_events - before.impact_events <= 0.02 * steps, (before, after)
    assert after.impacts - before.impacts <= 0.02 * steps, (before, after)
    assert after.sweeps - before.sweeps <= 20 * steps, (after.sweeps - before.sweeps) / steps
