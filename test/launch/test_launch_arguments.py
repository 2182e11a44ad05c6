# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the arguments of the launch files may be: functions of texts, which need no launch."""
import math

import pytest

from hakoniwa_rigid.ros.launch.launch_arguments import (
    COMMON,
    Argument,
    ArgumentError,
    bag_path,
    check,
    check_known,
    choice,
    flag,
    hand,
    number,
    numbers,
    places,
    without,
)
from hakoniwa_rigid.scene.parameters.params import NODE


def said_of(name, text):
    """The message about one text of a common argument; '' where it is right."""
    try:
        check({name: COMMON[name]}, {name: text})
    except ArgumentError as error:
        return str(error)
    return ''


@pytest.mark.parametrize(('name', 'text', 'said'), [
    ('viewer', 'maybe', "viewer: must be true or false, got 'maybe'"),
    ('viewer', '', "viewer: must be true or false, got ''"),
    ('use_sim_time', 'tRUE', "use_sim_time: must be true or false, got 'tRUE'"),
    ('autostart', 'yes', "autostart: must be true or false, got 'yes'"),
    ('rate', 'fast', "rate: must be a number from 1 to 1000 Hz, got 'fast'"),
    ('rate', 'nan', "rate: must be a number from 1 to 1000 Hz, got 'nan'"),
    ('rate', '0.5', "rate: must be a number from 1 to 1000 Hz, got '0.5'"),
    ('params_file', '/nowhere.yaml', "params_file: no such file, got '/nowhere.yaml'"),
    ('viewer_params_file', '', "viewer_params_file: no such file, got ''"),
    ('world', 'nowhere', 'nowhere.yaml: no such file'),
    ('world', './gone.yaml', 'gone.yaml: no such file'),
    ('sim', 'px5', 'px5.yaml: no such file'),
    ('drones', 'a,', "drones: must be names with commas between, every one once, got 'a,'"),
    ('drones', 'a, a', 'every one once'),
    ('parameters', '[1]', "parameters: must be a YAML mapping of names to values, got '[1]'"),
    ('parameters', '{1: 2}', 'parameters: must be a YAML mapping'),
    ('parameters', '{rate: }', 'parameters: must be a YAML mapping'),
    ('parameters', '{a: [', 'parameters: not YAML'),
    ('parameters', '[' * 5000, 'parameters: not YAML'),
    ('namespace', '7up', 'namespace: must be names of letters, digits and _ with slashes between'),
    ('namespace', 'a b', 'namespace: must be names'),
    ('log_level', 'loud', "log_level: must be one of debug, info, warn, error, fatal, got 'loud'"),
])
def test_a_wrong_text_is_named_with_its_argument(name, text, said):
    assert said in said_of(name, text)
    assert said_of(name, text).startswith(f'{name}: ')


@pytest.mark.parametrize(('name', 'text'), [
    ('viewer', 'True'), ('viewer', '0'), ('use_sim_time', 'false'), ('autostart', ''), ('rate', '200'), ('rate', '1e2'),
    ('rate', ''), ('params_file', ''), ('world', 'gym'), ('world', 'gym.yaml'), ('sim', 'px4'), ('sim', ''),
    ('drones', 'px4_1, Drone-1'), ('parameters', '{drones.d0.frame: odom, rate: 50}'), ('namespace', '/lab/one'),
    ('namespace', 'lab'), ('namespace', '/'), ('log_level', 'DEBUG'), ('log_level', 'collision_node:=debug'),
    ('record', 'anything at all'),
])
def test_a_right_text_passes(name, text):
    assert said_of(name, text) == ''


def test_defaults_are_right():
    check(COMMON, {name: argument.default for name, argument in COMMON.items()})


def test_everything_that_is_wrong_is_reported_at_once():
    with pytest.raises(ArgumentError) as caught:
        check(COMMON, {**{name: a.default for name, a in COMMON.items()}, 'rate': 'x', 'viewer': 'y'})
    said = "rate: must be a number from 1 to 1000 Hz, got 'x'; viewer: must be true or false, got 'y'"
    assert str(caught.value) == said


@pytest.mark.parametrize(('text', 'said'), [
    ('/**:\n  ros__parameters: {rate: 50}\n', ''),
    ('/lab:\n  collision_node:\n    ros__parameters: {rate: 50}\n', ''),
    ('/**:\n  ros__parameters:\n    drones: [a]\n    drones:\n      a: {frame: odom}\n', ''),
    ('rate: 50\n', 'no ros__parameters in it'),
    ('', 'no ros__parameters in it'),
    ('a: [1\n', 'not YAML'),
])
def test_a_parameter_file_is_looked_into(tmp_path, text, said):
    path = tmp_path / 'params.yaml'
    path.write_text(text)
    assert said in said_of('params_file', str(path))
    assert bool(said) == bool(said_of('params_file', str(path)))


def test_what_is_no_text_is_no_parameter_file(tmp_path):
    (tmp_path / 'p.yaml').write_bytes(b'\xff\xfe\x00')
    assert 'not YAML' in said_of('params_file', str(tmp_path / 'p.yaml'))
    assert 'no such file' in said_of('params_file', str(tmp_path))


def test_an_unknown_argument_has_its_neighbour_named():
    check_known(['world:=gym', 'launch-prefix:=gdb', 'no argument'], COMMON)
    with pytest.raises(ArgumentError, match=r'^wrold: no such argument; did you mean world\?$'):
        check_known(['wrold:=gym', 'rate:=50'], COMMON)
    with pytest.raises(ArgumentError, match=r'^zzz: no such argument; there are autostart, drones, hands, log_level'):
        check_known(['zzz:=1'], COMMON)


@pytest.mark.parametrize(('right', 'wrong', 'one'), [
    (('0', '3.5', '1e3'), ('-1', 'abc', 'inf', 'nan', ''), number(0.0, math.inf, 's')),
    (('16', '640'), ('15', '640.0', 'x'), number(16, 16384, 'px', int)),
    (('a',), ('b', ''), choice('a', 'c')),
    (('true', 'False', '1'), ('on', 'y', ' true'), flag),
    (('[0, 0, 1.2]', '0,0,1', '0 0 1'), ('0,0', '0,0,x', '0,0,nan', ''), numbers(3)),
    (('0,0,0; 0,2,0', '1,2,3', '1,2,3;', ''), ('0,0', '0,0,0;x', '0,0,inf'), places),
    (('strike_right.npz', 'push_right.jsonl.gz'), ('nowhere.npz', '/no/where.npz'), hand),
    (('/',), ('', '/no/where'), bag_path),
])
def test_checks(right, wrong, one):
    assert [text for text in right if one(text)] == []
    assert [text for text in wrong if not one(text)] == []


def test_an_argument_is_empty_only_where_its_default_is():
    assert Argument('', '', flag).fault('') == ''
    assert Argument('true', '', flag).fault('')
    assert Argument('', '', bag_path, needed=True).fault('')


def test_without_leaves_out_and_sets_defaults():
    made = without('sim', drones='Drone')
    assert set(made) == set(COMMON) - {'sim'}
    assert (made['drones'].default, COMMON['drones'].default) == ('Drone', '')


def test_bounds_are_those_of_the_nodes():
    rate = next(spec for spec in NODE if spec.name == 'rate')
    assert COMMON['rate'].fault(str(rate.low)) == COMMON['rate'].fault(str(rate.high)) == ''
    assert COMMON['rate'].fault(str(rate.low - 0.01))
    assert COMMON['rate'].fault(str(rate.high + 0.01))
    assert next(spec.default for spec in NODE if spec.name == 'world') == 'demo_room'  # what collision.launch.py says
