# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bad input is an EngineError that names the key and the value; the world it was offered to is unharmed."""

import re

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hakoniwa_rigid.engine import Box, Capsule, HalfSpace, HeightField, Sphere, WorldBuilder
from hakoniwa_rigid.engine.errors import EngineError

NAN, INF = float('nan'), float('inf')
BAD_BODIES = [
    ('pos', (NAN, 0, 0), 'nan'),
    ('pos', (0, INF, 0), 'inf'),
    ('pos', (0, 0), '(2,)'),
    ('quat', (0, 0, 0, 0), '0'),
    ('quat', (NAN, 0, 0, 1), 'nan'),
    ('quat', (1, 0, 0), '(3,)'),
    ('quat', (2, 0, 0, 0), '2.0'),
    ('linvel', (0, -INF, 0), 'inf'),
    ('linvel', (1, 2), '(2,)'),
    ('angvel', (0, 0, NAN), 'nan'),
    ('mass', -1.0, '-1.0'),
    ('mass', 0.0, '0.0'),
    ('mass', NAN, 'nan'),
    ('mass', INF, 'inf'),
    ('mass', None, 'must be given'),
    ('inertia', (1.0, 1.0, 3.0), '3.0'),
    ('inertia', (-1.0, 1.0, 1.0), '-1.0'),
    ('inertia', (0.0, 1.0, 1.0), '0.0'),
    ('inertia', (1.0, NAN, 1.0), 'nan'),
    ('inertia', (1.0, 1.0), '(2,)'),
    ('inertia', [[1.0, 0.5, 0], [0, 1.0, 0], [0, 0, 1.0]], '0.5'),
    ('inertia', [[1.0, 2.0, 0], [2.0, 1.0, 0], [0, 0, 1.0]], '-1.0'),
    ('restitution', -0.1, '-0.1'),
    ('restitution', 1.5, '1.5'),
    ('restitution', NAN, 'nan'),
    ('friction', -0.5, '-0.5'),
    ('friction', NAN, 'nan'),
    ('friction', INF, 'inf'),
    ('kind', 'floppy', 'floppy'),
]
BAD_SHAPES = [
    (lambda: Sphere(-1.0), 'radius', '-1.0'),
    (lambda: Sphere(0.0), 'radius', '0.0'),
    (lambda: Sphere(NAN), 'radius', 'nan'),
    (lambda: Box((1.0, 0.0, 1.0)), '', '0.0'),
    (lambda: Box((1.0, -2.0, 1.0)), '', '-2.0'),
    (lambda: Box((1.0, 2.0)), '', '(2,)'),
    (lambda: Box((1.0, INF, 1.0)), '', 'inf'),
    (lambda: Capsule(-0.1, 1.0), 'radius', '-0.1'),
    (lambda: Capsule(0.1, -1.0), 'length', '-1.0'),
    (lambda: Capsule(0.1, NAN), 'length', 'nan'),
    (lambda: HalfSpace((0.0, 0.0, 0.0)), 'normal', '0'),
    (lambda: HalfSpace((NAN, 0, 1)), 'normal', 'nan'),
    (lambda: HalfSpace((0, 0, 1), INF), 'offset', 'inf'),
    (lambda: HeightField([[0.0, 1.0], [0.0]]), 'HeightField.heights', 'different lengths'),
    (lambda: HeightField([[0.0, NAN], [0.0, 1.0]]), 'HeightField.heights', 'nan'),
]
BAD_WORLDS = [
    ('dt', 0.0, '0.0'),
    ('dt', -1e-3, '-0.001'),
    ('dt', NAN, 'nan'),
    ('gravity', (0, 0, NAN), 'nan'),
    ('gravity', (0, -9.8), '(2,)'),
    ('solver', 'magic', 'magic'),
    ('integrator', 'leapfrog9', 'leapfrog9'),
    ('restitution_threshold', -1.0, '-1.0'),
    ('restitution_threshold', NAN, 'nan'),
]


def expect(key, value):
    return pytest.raises(EngineError, match=f'(?s)(?=.*{re.escape(key)})(?=.*{re.escape(value)})')


def test_engine_error_is_a_value_error():
    assert issubclass(EngineError, ValueError)


@pytest.mark.parametrize(('key', 'value', 'shown'), BAD_BODIES)
def test_bad_body(key, value, shown):
    b = WorldBuilder()
    with expect(key, shown):
        b.add_body(Sphere(0.1), **({'mass': 1.0, 'name': 'd7'} | {key: value}))
    i = b.add_body(Sphere(0.1), mass=1.0, name='d7')  # the refused one left nothing behind
    assert i == 0
    assert b.build().n == 1


def test_bad_body_is_named():
    b = WorldBuilder()
    with expect('d7', '-1.0'):
        b.add_body(Sphere(0.1), mass=-1.0, name='d7')


def test_duplicate_name():
    b = WorldBuilder()
    b.add_body(Sphere(0.1), mass=1.0, name='twin')
    with expect('name', 'twin'):
        b.add_body(Sphere(0.1), mass=1.0, name='twin')


def test_unknown_shape_and_dynamic_half_space():
    b = WorldBuilder()
    with pytest.raises(EngineError, match='shape'):
        b.add_body('ball', mass=1.0)
    with pytest.raises(EngineError, match='(?i)half'):
        b.add_body(HalfSpace(), mass=1.0, name='floor')


@pytest.mark.parametrize(('make', 'key', 'shown'), BAD_SHAPES)
def test_bad_shape(make, key, shown):
    with expect(key, shown):
        make()


@pytest.mark.parametrize(('key', 'value', 'shown'), BAD_WORLDS)
def test_bad_world(key, value, shown):
    with expect(key, shown):
        WorldBuilder(**{key: value}).build()


def small_world():
    b = WorldBuilder(gravity=(0, 0, 0), dt=1e-3)
    for k in range(3):
        b.add_body(Sphere(0.1), mass=1.0, pos=(k, 0, 0), linvel=(0, 1, 0), name=f'd{k}')
    return b.build()


@pytest.mark.parametrize(
    ('state', 'shown'),
    [
        ({'pos': (NAN, 0, 0)}, 'nan'),
        ({'quat': (0, 0, 0, 0)}, '0'),
        ({'quat': (1, INF, 0, 0)}, 'inf'),
        ({'linvel': (0, INF, 0)}, 'inf'),
        ({'angvel': (0, 0, NAN)}, 'nan'),
        ({'pos': (1, 2)}, '(2,)'),
        ({'pos': (5, 5, 5), 'quat': (NAN, 0, 0, 0)}, 'nan'),
    ],
)
def test_bad_set_state(state, shown):
    """The body is named, and nothing is half set: a good pos beside a bad quat is refused too."""
    w = small_world()
    before = w.state_hash()
    with expect('d1', shown):
        w.set_state(1, **state)
    assert w.state_hash() == before


def test_bad_set_states_names_the_body_and_sets_none():
    w = small_world()
    before = w.state_hash()
    with expect('d2', 'nan'):
        w.set_states([0, 2], pos=np.array([[9.0, 9, 9], [0, NAN, 0]]))
    assert w.state_hash() == before
    with pytest.raises(EngineError):
        w.set_states([0, 2], pos=np.zeros((3, 3)))
    assert w.state_hash() == before


@pytest.mark.parametrize('bad', [-1, 3, 99])
def test_index_out_of_range(bad):
    w = small_world()
    with expect('', str(bad)):
        w.set_state(bad, pos=(0, 0, 0))
    with expect('', str(bad)):
        w.set_enabled(bad, False)
    with expect('', str(bad)):
        w.set_material(bad, friction=0.1)
    b = WorldBuilder()
    b.add_body(Sphere(0.1), mass=1.0)
    with expect('', str(bad)):
        b.exclude(0, bad)


def test_unknown_name():
    with expect('', 'ghost'):
        small_world().index('ghost')


@pytest.mark.parametrize(('key', 'value'), [('restitution', 1.2), ('restitution', NAN), ('friction', -0.3)])
def test_bad_material(key, value):
    w = small_world()
    with expect(key, str(value)):
        w.set_material(0, **{key: value})


@pytest.mark.parametrize('n', [-1, -100])
def test_bad_step_count(n):
    w = small_world()
    with expect('', str(n)):
        w.step(n)
    assert w.time_steps == 0


@pytest.mark.parametrize('load', ['force', 'torque'])
@pytest.mark.parametrize('value', [NAN, INF])
def test_non_finite_load_names_the_body_and_spares_the_others(load, value):
    w, clean = small_world(), small_world()
    getattr(w, load)[1, 2] = value
    with expect('d1', str(value)):
        w.step(1)
    for name in ('pos', 'quat', 'linvel', 'angvel'):
        assert np.isfinite(getattr(w, name)).all(), name
    getattr(w, load)[1] = 0.0
    w.step(10 - w.time_steps)
    clean.step(10)
    for i in (0, 2):
        assert_array_equal(w.pos[i], clean.pos[i])
        assert_array_equal(w.linvel[i], clean.linvel[i])


def test_quaternion_is_normalised():
    """A unit quaternion that lost digits on its way (1e-7 off) is accepted and normalised."""
    b = WorldBuilder(gravity=(0, 0, 0))
    i = b.add_body(Sphere(0.1), mass=1.0, quat=(1 + 1e-7, 0, 0, 0))
    w = b.build()
    assert_array_equal(w.quat[i], [1, 0, 0, 0])
    w.set_state(i, quat=(0, 0, 1 - 1e-7, 0))
    assert_array_equal(w.quat[i], [0, 0, 1, 0])


def test_empty_world_is_refused():
    with pytest.raises(EngineError, match='no bodies'):
        WorldBuilder().build()


@pytest.mark.parametrize(('call', 'key', 'shown'), [
    (lambda w: w.ray_cast((0, 0, 0), (1, 0, 0), mask=1.5), 'mask', '1.5'),
    (lambda w: w.ray_cast((0, 0, 0), (1, 0, 0), mask=2**70), 'mask', str(2**70)),
    (lambda w: w.ray_cast((0, 0, 0), (0, 0, 0)), 'direction', '0.0'),
    (lambda w: w.set_states([0], pos='abc'), 'pos', 'abc'),
    (lambda w: w.set_states([0], pos=[[1, 2]]), 'pos', '(1, 2)'),
    (lambda w: w.restore(5), 'restore', '5'),
    (lambda w: w.step('many'), 'step', 'many'),
    (lambda w: w.set_enabled(1.0, True), 'body', '1.0'),
], ids=['part of a group', 'too many groups', 'no direction', 'words', 'shape', 'not saved', 'word', 'part of a body'])
def test_bad_call(call, key, shown):
    w = small_world()
    before = w.state_hash()
    with expect(key, shown):
        call(w)
    assert w.state_hash() == before


@pytest.mark.parametrize(('pair', 'shown'), [(('a', 1), 'a'), ((None, 1), 'None'), ((0, 7), '7'), ((-1, 0), '-1')])
def test_bad_exclusion(pair, shown):
    b = WorldBuilder()
    b.add_body(Sphere(0.1), mass=1.0)
    with expect('exclude', shown):
        b.exclude(*pair)


@pytest.mark.parametrize('scale', [1e-300, 1e-5, 1e300])
def test_length_of_a_ray_s_direction_is_free(scale):
    hit = small_world().ray_cast((-1, 0, 0), (scale, 0, 0))
    assert (hit.body, hit.distance) == (0, pytest.approx(0.9, abs=1e-15))
