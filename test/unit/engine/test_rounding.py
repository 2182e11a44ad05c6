# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A library that has numbers near 0 flushed to 0, or results rounded otherwise, changes no bit here.

Each test has a thread of its own, whose state ends with it.
"""
import ctypes
import platform
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hakoniwa_rigid.engine import (
    HalfSpace,
    MovingBody,
    PlaneFloor,
    Sphere,
    SurfaceMotion,
    WorldBuilder,
    two_body_impulse,
)
from hakoniwa_rigid.engine.maths import rounding
from hakoniwa_rigid.engine.maths.rounding import HALF, LEAST, LOST

C = ctypes.CDLL(None)
# where <fenv.h> keeps the word that has the bits for flushing: MXCSR with FTZ and DAZ, FPCR with FZ
PLACE, BITS = {'x86_64': (7, 0x8040), 'aarch64': (0, 1 << 24)}.get(platform.machine(), (None, 0))
UPWARD = {'x86_64': 0x800, 'aarch64': 0x400000}.get(platform.machine())

pytestmark = pytest.mark.skipif(PLACE is None, reason='a processor whose switches this test does not know')


def flush_to_zero():
    """As a library does whose start-up code is that of -ffast-math."""
    state = (ctypes.c_uint32 * 16)()
    C.fegetenv(state)
    state[PLACE] |= BITS
    C.fesetenv(state)
    assert LEAST * HALF == 0.0


def round_upward():
    C.fesetround(UPWARD)
    assert 1.0 + LOST > 1.0


def in_a_thread(function, *arguments):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


@pytest.mark.parametrize('change', [flush_to_zero, round_upward])
def test_it_is_seen_said_and_put_right(change):
    def run():
        assert rounding.is_kept()
        change()
        assert not rounding.is_kept()
        with pytest.warns(RuntimeWarning, match='another library has changed how this thread computes'):
            rounding.keep()
        assert rounding.is_kept() and LEAST * HALF > 0.0 and 1.0 + LOST == 1.0
    in_a_thread(run)


def test_nothing_is_said_where_all_is_well(recwarn):
    in_a_thread(rounding.keep)
    assert not recwarn.list


def fall(change=None, threads=1):
    """A ball that rolls down a slope, ever so slowly at first: numbers near 0 are in it."""
    b = WorldBuilder(gravity=(1e-310, 0.0, -9.81), threads=threads)
    b.add_body(HalfSpace(), kind='static', restitution=0.5)
    b.add_body(Sphere(0.1), mass=1.0, pos=(0.0, 0.0, 0.2))
    world = b.build()
    if change:
        change()
    world.step(200)
    return np.concatenate([world.pos, world.linvel, world.angvel]).tobytes()


@pytest.mark.parametrize('change', [flush_to_zero, round_upward])
@pytest.mark.parametrize('threads', [1, 2])
def test_a_world_steps_as_ever(change, threads):
    plain = in_a_thread(fall, None, threads)
    with pytest.warns(RuntimeWarning):
        assert in_a_thread(fall, change, threads) == plain


@pytest.mark.parametrize('change', [flush_to_zero, round_upward])
def test_so_does_what_stands_beside_it(change):
    def slide():
        motion = SurfaceMotion.resting(PlaneFloor(), Sphere(0.1), mass=1.0, linvel=(1e-310, 0.0, 0.0))
        motion.step(5)
        return motion.linvel.tobytes()

    def meet():
        hit = two_body_impulse(MovingBody(), MovingBody(mass=3.0, linvel=(0.1, 0.0, -0.7)), (0.0, 0.0, 0.0),
                               (0.0, 0.0, 1.0), 0.3, 0.1)
        return np.concatenate([hit.impulse, hit.linvel_b, hit.angvel_b]).tobytes()

    def changed(function):
        change()
        return function()
    for function in (slide, meet):
        plain = in_a_thread(function)
        with pytest.warns(RuntimeWarning):
            assert in_a_thread(changed, function) == plain
