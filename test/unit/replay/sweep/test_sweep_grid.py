# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Axes and changed worlds: types, names that are near, what is refused before anything runs."""
import re

import pytest

from hakoniwa_rigid.replay.sweep.grid import GridError, axes_of, parse
from hakoniwa_rigid.replay.sweep.world_values import changed, kinds
from hakoniwa_rigid.scene.world_files import world_writer
from hakoniwa_rigid.scene.world_files.world_file import load
from hakoniwa_rigid.scene.world_files.world_types import MaterialConfig, PairMaterial, WallConfig, WorldConfig

KINDS = {'restitution': float, 'steps': int, 'tf': bool, 'drones.d0.authority': str, 'frames': list}


def axes(*texts, bags=1):
    return axes_of([parse(text) for text in texts], KINDS, bags)


@pytest.mark.parametrize(('text', 'values'), [
    ('restitution=0.2:0.8:4', (0.2, 0.4, 0.6, 0.8)), ('restitution = 1, 0.5', (1.0, 0.5)),
    ('restitution=1:0:2', (1.0, 0.0)), ('steps=10:30:3', (10, 20, 30)), ('tf=true,False', (True, False)),
    ('drones.d0.authority=observe,correct', ('observe', 'correct')), ('restitution=0.3', (0.3,))])
def test_values_have_the_type_of_the_name(text, values):
    ((name, found),) = axes(text)
    assert (name, found) == (text.partition('=')[0].strip(), values)
    assert list(map(type, found)) == list(map(type, values))


@pytest.mark.parametrize(('texts', 'words'), [
    (['restitution'], 'must be NAME=LOW:HIGH:COUNT or NAME=A,B,C'), (['=1'], 'must be NAME='),
    (['restituton=1'], 'unknown name; did you mean restitution?'),
    (['drones.x.authority=observe'], 'did you mean drones.d0.authority'), (['qqqq=1'], 'known: restitution'),
    (['steps=1', 'steps=2'], 'this name is there already'), (['steps=1,1'], 'every value once'),
    (['restitution=1:1:3'], 'every value once'), (['restitution=a'], "must be a finite number, got 'a'"),
    (['restitution=nan'], 'must be finite'), (['steps=1.5'], "must be a whole number, got '1.5'"),
    (['steps=0:1:4'], 'must be whole numbers'), (['restitution=0:1:1'], 'COUNT must be 2 to'),
    (['restitution=0:1:99999999999'], 'COUNT must be 2 to'), (['tf=yes'], 'must be true or false'),
    (['frames=a'], 'lists cannot be varied'), (['restitution=0:1:400', 'steps=1:300:300'], '120000 runs; at most')])
def test_what_makes_no_sense_is_refused_by_name_and_value(texts, words):
    with pytest.raises(GridError, match=re.escape(words)):
        axes(*texts)


def test_many_bags_count():
    with pytest.raises(GridError, match='300 bags x 400 restitution are 120000 runs'):
        axes('restitution=0:1:400', bags=300)


def two_walls():
    a, b = MaterialConfig('a', 0.1, 0.2), MaterialConfig('b', 0.3, 0.4)
    return WorldConfig(walls=(WallConfig('left', material=a), WallConfig('right', material=b)), materials=(a, b),
                       pair_materials=(PairMaterial(('a', 'b'), restitution=0.9),))


def test_all_materials_then_a_named_one_then_what_pairs_have():
    world = changed(two_walls(), {'material.b.restitution': 0.6, 'restitution': 0.5, 'friction': 0.7})
    left, right = (wall.material for wall in world.walls)
    assert (left.restitution, left.friction, right.restitution, right.friction) == (0.5, 0.7, 0.6, 0.7)
    assert world.materials == (left, right)
    (pair,) = world.pair_materials
    assert (pair.restitution, pair.friction) == (0.5, None)


def test_a_named_material_leaves_the_others_and_the_pairs():
    world = changed(two_walls(), {'material.a.friction': 2.0})
    assert [wall.material.friction for wall in world.walls] == [2.0, 0.4]
    assert world.pair_materials == two_walls().pair_materials
    with pytest.raises(ValueError, match="no body is of material 'c'; there are: a, b"):
        changed(two_walls(), {'material.c.friction': 2.0})


def test_every_name_of_a_shipped_world_can_be_varied_and_written(tmp_path):
    world, path = load('gym'), tmp_path / 'world.yaml'
    for key, kind in kinds(world).items():
        value = 0.02 if key == 'dt' else kind(2) if key == 'scene.remove_timeout' else kind(1) if kind is int else 0.37
        value = 37.0 if key.endswith('velocity_limit') else value   # at least 1
        path.write_text(world_writer.write(changed(world, {key: value})))
        assert load(path) == changed(world, {key: value}) != world, key
