# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints of world files and of attach(): what is wrong is an error with key and value, and changes nothing."""
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scene_worlds import MODEL, TICK, UPRIGHT, ZERO, make_config, wall_x

from hakoniwa_rigid.cli import main
from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.scene import CollisionScene, ConstraintError, WorldFileError
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.world_types import (
    CONSTRAINT_KINDS,
    MOST_CONSTRAINTS,
    ConstraintConfig,
    DroneConfig,
    ObjectConfig,
    Pose,
)

WORLD = """
walls:
  - {name: floor, type: plane}
  - {name: mast, type: box, size: [0.1, 0.1, 2.0], position: [0, 3, 1]}
objects:
  - {name: load, shape: {type: sphere, radius: 0.05}, mass: 0.2, position: [0, 0, 1]}
drones:
  - {name: d0, model: hummingbird, position: [0, 0, 2]}
  - {name: d1, model: hummingbird, position: [1, 0, 2]}
hands:
  - {name: right}
constraints:
"""
GOOD = """
  - {name: sling, kind: cable, body_a: d0, body_b: load, anchor_a: [0, 0, -0.02], length: 1.2, restitution: 0.2,
     break_impulse: 5, max_force: 30}
  - {name: rod, kind: distance, body_a: d0, body_b: d1}
  - {name: door, kind: hinge, body_a: mast, body_b: load, anchor_b: [0, 0, 0], axis: [0, 0, 1], max_torque: 2}
  - {name: band, kind: spring, body_a: floor, body_b: d1, stiffness: 20, damping: 1, length: 1, collide: false}
"""


def written(tmp_path, text, name='world.yaml'):
    path = tmp_path / name
    path.write_text(WORLD + text)
    return path


def test_a_world_with_constraints_is_read_run_and_written(tmp_path, capsys):
    path = written(tmp_path, GOOD)
    config = world_file.load(path)
    assert [c.name for c in config.constraints] == ['sling', 'rod', 'door', 'band']
    assert config.constraints[0] == ConstraintConfig('sling', 'cable', 'd0', 'load', anchor_a=(0.0, 0.0, -0.02),
                                                     length=1.2, restitution=0.2, break_impulse=5.0, max_force=30.0)
    scene = CollisionScene.from_yaml(path)
    again = tmp_path / 'again.yaml'
    again.write_text(scene.save_world())
    reread = world_file.load(again)
    for one, two in zip(config.constraints, reread.constraints, strict=True):
        assert (one.name, one.kind, one.body_a, one.break_impulse) == (two.name, two.kind, two.body_a,
                                                                       two.break_impulse)
    CollisionScene.from_config(reread)
    assert main(['check-world', str(path)]) == 0
    assert 'constraints: 4: sling (cable, d0 - load)' in capsys.readouterr().out


@pytest.mark.parametrize('entry, says', [
    ('{name: s, kind: rope, body_a: d0, body_b: load}', 'constraints[0].kind: must be one of fixed, ball, hinge, '),
    ('{name: s, kind: cable, body_a: d0, body_b: d0}', 'constraints[0].body_b: must be another body than body_a, '),
    ('{name: s, kind: cable, body_a: d0, body_b: cat}', 'constraints[0].body_b: no such wall, object or drone, got '),
    ('{name: s, kind: cable, body_a: d0, body_b: right}', 'constraints[0].body_b: a hand has no place before its'),
    ('{name: s, kind: cable, body_a: d0}', 'constraints[0].body_b: is missing'),
    ('{name: s, kind: cable, body_a: floor, body_b: mast}', 'constraints[0]: s: body_b: one of the bodies must be dyn'),
    ('{name: s, kind: cable, body_a: d0, body_b: load, length: .nan}', 'constraints[0].length: must be finite, got n'),
    ('{name: s, kind: cable, body_a: d0, body_b: load, length: 0}', 'constraints[0].length: must be > 0, got 0'),
    ('{name: s, kind: cable, body_a: d0, body_b: load, length: 0.5}', 's: length: must be within gap 0.001 m of the d'),
    ('{name: s, kind: cable, body_a: d0, body_b: load, length: 1.0e+200}', 'constraints[0].length: must be <= '),
    ('{name: s, kind: cable, body_a: d0, body_b: load, restitution: 2}', 'constraints[0].restitution: must be <= 1'),
    ('{name: s, kind: cable, body_a: d0, body_b: load, stiffness: 2}', 'constraints[0].stiffness: unknown key'),
    ('{name: s, kind: cable, body_a: d0, body_b: load, slack: 2}', 'constraints[0].slack: unknown key'),
    ('{name: s, kind: ball, body_a: d0, body_b: load}', 'constraints[0]: s: anchor_a: must be given, or anchor_b'),
    ('{name: s, kind: ball, body_a: d0, body_b: load, anchor_a: [0, 0, 0], anchor_b: [0, 0, 0]}',
     's: anchor_b: must be within gap 0.001 m of anchor_a, is 1 m away'),
    ('{name: s, kind: ball, body_a: d0, body_b: load, anchor_a: [0, 0]}', 'constraints[0].anchor_a: must be a list of'),
    ('{name: s, kind: ball, body_a: d0, body_b: load, anchor_a: [0, 0, 1.0e+9]}', 'constraints[0].anchor_a[2]: must '),
    ('{name: s, kind: hinge, body_a: d0, body_b: load, anchor_a: [0, 0, 0]}', 'constraints[0].axis: is missing'),
    ('{name: s, kind: hinge, body_a: d0, body_b: load, anchor_a: [0, 0, 0], axis: [0, 0, 0]}', 's: axis: must not be'),
    ('{name: s, kind: spring, body_a: d0, body_b: load}', 'constraints[0].stiffness: is missing'),
    ('{name: s, kind: fixed, body_a: d0, body_b: load, gap: -1}', 'constraints[0].gap: must be >= 0'),
    ('{name: s, kind: fixed, body_a: d0, body_b: load, collide: maybe}', 'constraints[0].collide: must be true or'),
    ('{name: s, kind: fixed, body_a: d0, body_b: load, break_force: -1}', 'constraints[0].break_force: must be >= 0'),
    ('{name: "", kind: fixed, body_a: d0, body_b: load}', 'constraints[0].name: must be text'),
    (f'{{name: {"s" * 256}, kind: fixed, body_a: d0, body_b: load}}', 'constraints[0].name: must have at most 255'),
    ('{name: s, kind: fixed, body_a: d0, body_b: load}\n  - {name: s, kind: fixed, body_a: d0, body_b: load}',
     'constraints[1].name: is already used by another constraint')])
def test_wrong_world_files(tmp_path, capsys, entry, says):
    path = written(tmp_path, f'  - {entry}\n')
    with pytest.raises(WorldFileError) as error:
        CollisionScene.from_yaml(path)
    assert says in str(error.value) and 'world.yaml: ' in str(error.value)
    assert main(['check-world', str(path)]) == 1
    assert says in capsys.readouterr().err


def test_too_many(tmp_path):
    rows = ''.join(f'  - {{name: s{k}, kind: spring, body_a: d0, body_b: load, stiffness: 1}}\n'
                   for k in range(MOST_CONSTRAINTS + 1))
    with pytest.raises(WorldFileError, match=f'constraints: must be at most {MOST_CONSTRAINTS}, got'):
        world_file.load(written(tmp_path, rows))
    scene = running()
    for _ in range(MOST_CONSTRAINTS):
        scene.attach('spring', 'd0', 'load', stiffness=1.0)
    with pytest.raises(ConstraintError, match=f'there are {MOST_CONSTRAINTS} constraints already'):
        scene.attach('spring', 'd0', 'load', stiffness=1.0)


def running():
    ball = ObjectConfig('load', Sphere(0.05), 0.2, pose=Pose((0.0, 0.0, -1.0)))
    scene = CollisionScene.from_config(make_config(DroneConfig('d0', MODEL), objects=[ball], hands=['right'],
                                                   walls=[wall_x(5.0)]))
    scene.advance(0)
    return scene


@pytest.mark.parametrize('arguments, values, says', [
    (('cable', 'd0', 'd0'), {}, 'attach: body_b: must be another body'),
    (('cable', 'd0', 'wall2'), {}, "attach: body_b: no such drone, object, wall or hand, got 'wall2'"),
    (('cable', 'd0', 'right'), {}, "attach: body_b: the hand is not in the scene, got 'right'"),
    (('cable', 'd0', 'right/palm'), {}, 'the hand is not in the scene'),
    (('cable', 'd0', 'load'), {'length': math.nan}, 'attach: length: must be finite, got nan'),
    (('cable', 'd0', 'load'), {'length': '1'}, "attach: length: must be a number, got '1'"),
    (('cable', 'd0', 'load'), {'size': 1.0}, 'attach: size: unknown key'),
    (('cable', 'd0', 'load'), {'length': 0.5}, 'must be within gap 0.001 m of the distance of the anchors, 1 m'),
    (('cable', 'd0', 'load'), {'anchor_a': np.full(3, np.inf)}, r'attach: anchor_a\[0\]: must be finite'),
    (('cable', 'd0', 'load'), {'anchor_a': np.zeros((2, 3))}, 'attach: anchor_a: must be a list of 3 numbers'),
    (('cable', 3, 'load'), {}, 'attach: body_a: must be text, got 3'),
    ((None, 'd0', 'load'), {}, 'attach: kind: is missing'),
    (('cable', 'd0', 'load'), {'name': ''}, "attach: name: must be text, got ''"),
    (('cable', 'd0', 'load'), {'name': 'sling'}, 'sling: name: already taken by a constraint'),
])
def test_what_attach_refuses(arguments, values, says):
    scene = running()
    scene.attach('cable', 'd0', 'load', name='sling')
    before = scene.state_hash()
    with pytest.raises(ConstraintError, match=says):
        scene.attach(*arguments, **values)
    assert scene.constraint_names == ('sling',) and scene.state_hash() == before
    with pytest.raises(ConstraintError, match="no constraint called 'rope'; there is sling"):
        scene.detach('rope')
    with pytest.raises(ConstraintError, match='no constraint called'):
        scene.constraint('rope')


NUMBERS = st.one_of(st.floats(), st.integers(-2**80, 2**80), st.none(), st.text(max_size=3), st.booleans())
VECTORS = st.one_of(st.lists(st.floats(-2, 2), min_size=3, max_size=3), st.lists(NUMBERS, max_size=4), NUMBERS)
NAMES = st.sampled_from(['d0', 'd1', 'load', 'wall', 'right', 'right/palm', 'cat', '', 'd0/body'])
KEYS = {'anchor_a': VECTORS, 'anchor_b': VECTORS, 'axis': VECTORS, 'length': NUMBERS, 'restitution': NUMBERS,
        'stiffness': NUMBERS, 'damping': NUMBERS, 'max_force': NUMBERS, 'max_torque': NUMBERS, 'break_force': NUMBERS,
        'break_impulse': NUMBERS, 'gap': NUMBERS, 'collide': NUMBERS, 'name': st.one_of(st.none(), st.text(max_size=5))}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(CONSTRAINT_KINDS), NAMES, NAMES, st.fixed_dictionaries({}, optional=KEYS)),
                max_size=4))
def test_no_request_harms_another_drone(requests):
    """Whatever is asked for is attached or refused with a ConstraintError; ticks stay finite, and a drone far away that
    nothing holds keeps every bit."""
    def flown(requests):
        ball = ObjectConfig('load', Sphere(0.05), 0.2, pose=Pose((0.0, 0.0, -1.0)))
        away = DroneConfig('away', MODEL, Pose((0.0, 50.0, 0.0)), 'simulate')
        scene = CollisionScene.from_config(make_config(DroneConfig('d0', MODEL), away, objects=[ball],
                                                       hands=['right'], walls=[wall_x(5.0)]))
        scene.advance(0)
        for kind, a, b, values in requests:
            try:
                scene.attach(kind, a, b, **values)
            except ConstraintError:
                continue
        out = []
        for k in range(1, 15):
            scene.feed_drone('d0', k * TICK, (0.01 * k, 0.0, 0.0), UPRIGHT, (2.0, 0.0, 0.0), ZERO)
            scene.feed_wrench('away', k * TICK, (0.0, 0.0, 5.0), (1e-3, 0.0, 0.0))
            tick = scene.advance(k * TICK)
            assert all(np.isfinite(a).all() for a in tick.states[1:])
            out.append(tick.states.positions[1].tobytes())
        return out
    assert flown(requests) == flown([])
