# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The same bits: run twice, saved and restored at any step, with one thread or two."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oracles.rotations import random_quat
from scenes import G

from hakoniwa_rigid.engine import Box, Capsule, Cylinder, HalfSpace, Sphere, WorldBuilder

FOLDER = Path(__file__).parent
LENGTH = 240    # steps; at 1 ms the last balls land after 0.2 s


def islands():
    """A stack, a cradle on the floor, a box on a slope of its own, a heap that falls: at rest, sliding, in impact."""
    b = WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static', friction=0.4, restitution=0.2)
    for k in range(4):
        b.add_body(Box((0.3, 0.3, 0.2)), mass=1.0 + k, pos=(-3, 0, 0.1 + 0.2 * k), friction=0.4)
    for k in range(4):
        b.add_body(Sphere(0.1), mass=1.0, pos=(3 + 0.2 * k, 0, 0.1), restitution=1.0, friction=0.2,
                   linvel=(2.0 * (k == 0), 0, 0))
    b.add_body(Box((0.4, 0.3, 0.1)), mass=2.0, pos=(0, 3, 0.05), linvel=(1, 0.5, 0), friction=0.3)
    rng = np.random.default_rng(5)
    for k, shape in enumerate((Box((0.2, 0.3, 0.1)), Capsule(0.08, 0.2), Cylinder(0.1, 0.15), Sphere(0.12)) * 2):
        b.add_body(shape, mass=0.5 + 0.3 * k, pos=(0.1 * (k % 3), -3 + 0.1 * (k % 2), 0.3 + 0.27 * k),
                   quat=random_quat(rng), angvel=rng.normal(size=3), restitution=0.5, friction=0.5)
    return b.build()


def hashes(world, steps, every=20):
    """state_hash after each `every` steps."""
    found = []
    for _ in range(0, steps, every):
        world.step(every)
        found.append(world.state_hash())
    return found


def test_two_runs_of_many_islands():
    assert hashes(islands(), 1000) == hashes(islands(), 1000)


@settings(max_examples=25, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(at=st.integers(0, LENGTH), cut=st.integers(1, 60), twin=st.booleans())
def test_restored_at_any_step(at, cut, twin):
    """Into itself after going on, or into a fresh twin: the future has the bits it would have had."""
    w = islands()
    w.step(at)
    saved, here = w.save(), w.state_hash()
    w.step(cut)
    there = w.state_hash()
    other = islands() if twin else w
    other.restore(saved)
    assert other.state_hash() == here
    for _ in range(cut):
        other.step(1)
    assert other.state_hash() == there
    assert other.pos.tobytes() == w.pos.tobytes() and other.angvel.tobytes() == w.angvel.tobytes()


def boxes_that_fall(others):
    """Six tumbling boxes, and `others` more of them 30 m away.  The six are bodies 1 to 6."""
    rng, b = np.random.default_rng(0), WorldBuilder(gravity=(0, 0, -G))
    b.add_body(HalfSpace(), kind='static')
    for k in range(6 + others):
        away = 30.0 * (k >= 6)
        b.add_body(Box((0.2, 0.3, 0.1)), mass=1.0, pos=(away + 0.05 * (k % 6), 0, 0.3 + 0.3 * (k % 6)),
                   angvel=rng.normal(size=3), restitution=0.4)
    return b.build()


def bits_of_the_six(others):
    """Ten times, 0.1 s apart."""
    world, out = boxes_that_fall(others), []
    for _ in range(10):
        world.step(100)
        out.append([getattr(world, name)[:7].tobytes() for name in ('pos', 'quat', 'linvel', 'angvel')])
    return out


@pytest.fixture(scope='module')
def alone():
    return bits_of_the_six(0)


@pytest.mark.parametrize('others', [1, 5, 10])
def test_islands_do_not_see_each_other(others, alone):
    """What falls far away changes no bit here, wherever it puts the six in memory and in the order of islands."""
    assert bits_of_the_six(others) == alone


SCRIPT = 'from test_bits import hashes, islands; print(*hashes(islands(), 400))'


def run_with(threads):
    """Hashes printed by a fresh process with NUMBA_NUM_THREADS and the BLAS libraries set to `threads`."""
    keys = 'NUMBA_NUM_THREADS', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'
    env = dict(os.environ, **dict.fromkeys(keys, str(threads)))
    env['PYTHONPATH'] = os.pathsep.join([str(FOLDER), *sys.path])
    done = subprocess.run([sys.executable, '-c', SCRIPT], env=env, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split()


def test_one_thread_or_two():
    """And what this process has: three processes, one history."""
    one = run_with(1)
    assert len(one) == 20
    assert one == run_with(2) == hashes(islands(), 400)
