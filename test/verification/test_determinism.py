# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Same input, same bits: two runs, save and restore at any step, calls cut differently; and JIT on against JIT off."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scenes import mixed_room
from tested import PACKAGES

STATE = ('pos', 'quat', 'linvel', 'angvel')
TEST_DIR = Path(__file__).resolve().parents[1]


def bits(world):
    return b''.join(np.ascontiguousarray(getattr(world, name)).tobytes() for name in STATE)


def test_two_runs_are_equal():
    runs = []
    for _ in range(2):
        w, _ = mixed_room()
        w.step(400)
        runs.append((bits(w), w.state_hash()))
    assert runs[0] == runs[1]
    assert int(runs[0][1], 16) >= 0


def test_hash_sees_the_last_bit():
    w, made = mixed_room(count=5)
    before = w.state_hash()
    assert w.state_hash() == before
    w.set_state(made[0], linvel=np.nextafter(w.linvel[made[0]], np.inf))
    assert w.state_hash() != before


def test_many_small_calls_equal_one_large():
    one, _ = mixed_room()
    many, _ = mixed_room()
    one.step(200)
    for _ in range(200):
        many.step(1)
    assert bits(one) == bits(many)
    assert one.state_hash() == many.state_hash()
    assert one.time_steps == many.time_steps == 200


@pytest.mark.parametrize('at', [0, 1, 57, 300])
def test_restore_is_exact(at):
    """Warm-start impulses and everything else that steers the future travel with save()."""
    w, made = mixed_room()
    w.step(at)
    saved, here = w.save(), w.state_hash()
    w.step(150)
    there, there_bits = w.state_hash(), bits(w)
    w.force[made[0]] = 5.0
    w.step(20)
    w.restore(saved)
    assert w.state_hash() == here
    assert w.time_steps == at
    w.step(150)
    assert bits(w) == there_bits
    assert w.state_hash() == there


def test_restore_into_a_twin():
    w, _ = mixed_room()
    twin, _ = mixed_room()
    w.step(100)
    saved = w.save()
    w.step(100)
    twin.restore(saved)
    twin.step(100)
    assert bits(twin) == bits(w)


def test_saved_state_is_a_copy():
    w, _ = mixed_room(count=5)
    saved, pos = w.save(), w.pos.copy()
    w.step(50)
    w.restore(saved)
    assert_array_equal(w.pos, pos)


SCRIPT = """
import json, sys
from scenes import bouncing_ball, mixed_room, reference_wall, resting
from hakoniwa_rigid.engine import Box
out = []
ball, _ = bouncing_ball(0.002, restitution=0.8)
box, _ = resting(Box((0.5, 0.4, 0.15)), 0.075)
for world, steps in ((mixed_room(count=5, size=0.7)[0], 30), (reference_wall(0.1)[0], 3), (ball, 60), (box, 20)):
    world.step(steps)
    out.append([getattr(world, name).tolist() for name in ('pos', 'quat', 'linvel', 'angvel')])
json.dump(out, sys.stdout)
"""


def run_script(disable_jit):
    env = dict(os.environ, NUMBA_DISABLE_JIT='1' if disable_jit else '0')
    env['PYTHONPATH'] = os.pathsep.join([str(TEST_DIR), PACKAGES, env.get('PYTHONPATH', '')])
    done = subprocess.run([sys.executable, '-c', SCRIPT], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_jit_off_agrees():
    """Plain Python against compiled: same formulas, so only fused multiply-adds may differ. 1e-9 after <= 60 steps."""
    for compiled, plain in zip(run_script(False), run_script(True), strict=True):
        for name, a, b in zip(STATE, compiled, plain, strict=True):
            assert_allclose(a, b, rtol=0, atol=1e-9, err_msg=name)


def test_set_states_equals_set_state():
    w, made = mixed_room(count=6)
    s, _ = mixed_room(count=6)
    rng = np.random.default_rng(0)
    pos, quat = rng.uniform(-1, 1, size=(3, 3)), rng.normal(size=(3, 4))
    quat /= np.linalg.norm(quat, axis=1)[:, None]
    lin, ang = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))
    w.set_states(np.array(made[:3]), pos=pos, quat=quat, linvel=lin, angvel=ang)
    for k in range(3):
        s.set_state(made[k], pos=pos[k], quat=quat[k], linvel=lin[k], angvel=ang[k])
    assert bits(w) == bits(s)
    assert_allclose(w.pos[made[:3]], pos)
    w.step(20)
    s.step(20)
    assert bits(w) == bits(s)
