# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every parameter has a typed value that can be read and given back, and what is set may be a whole number."""

from __future__ import annotations

import pytest
import rclpy
import yaml
from harness import START, interrupt
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters, ListParameters, SetParameters, SetParametersAtomically
from rclpy.parameter import Parameter, parameter_value_to_python
from rig import NODE

from hakoniwa_rigid.ros.hands.hand_params import HAND_BRIDGE
from hakoniwa_rigid.ros.params import TYPES, Parameters
from hakoniwa_rigid.ros.viewer.viewer_params import VIEWER
from hakoniwa_rigid.scene.parameters.params import DRONE, HAND
from hakoniwa_rigid.scene.parameters.params import NODE as NODE_TABLE

pytestmark = pytest.mark.ros


def dump(bench) -> dict:
    """What `ros2 param dump` asks: the names, then all values at once."""
    names = bench.call(ListParameters, '/collision_node/list_parameters').result.names
    request = GetParameters.Request(names=names)
    values = bench.call(GetParameters, '/collision_node/get_parameters', request).values
    assert len(values) == len(names)  # none at all where one has no value
    assert [n for n, v in zip(names, values, strict=True) if v.type == ParameterType.PARAMETER_NOT_SET] == []
    return {name: parameter_value_to_python(value) for name, value in zip(names, values, strict=True)}


def nested(values: dict) -> dict:
    """Tables of tables, as `ros2 param dump` writes them: no name may be both a value and a table."""
    tree: dict = {}
    for name in sorted(values):
        *tables, last = name.split('.')
        here = tree
        for table in tables:
            here = here.setdefault(table, {})
        assert isinstance(here, dict) and last not in here, name
        here[last] = values[name]
    return tree


def put(bench, name: str, value) -> object:
    request = SetParameters.Request(parameters=[Parameter(name, value=value).to_parameter_msg()])
    return bench.call(SetParameters, '/collision_node/set_parameters', request).results[0]


def started(bench, *words: str):
    process = bench.start(NODE, *words)
    bench.until(lambda: 'ready: ' in process.output, 'the node', START)
    return process


def test_all_values_can_be_dumped_and_the_dump_starts_the_same_node(bench, world, tmp_path):
    process = started(bench, f'world:={world}')
    reported = dump(bench)
    for name in ('drone_names', 'hand_names', 'frame_names', 'drones.a.accepted_frames', 'reference',
                 'drones.a.origin'):
        assert list(reported[name]) == []
    assert list(reported['accepted_frames']) == ['world', 'map', 'odom']
    assert interrupt(process) == 0, process.output
    bench.until(lambda: not bench.node.count_publishers('fleet/states_corrected'), 'the first node to leave')
    given = nested({name: list(value) if hasattr(value, '__len__') and not isinstance(value, str) else value
                    for name, value in reported.items() if not name.startswith('start_type')})
    file = tmp_path / 'dump.yaml'
    file.write_text(yaml.safe_dump({'/collision_node': {'ros__parameters': given}}))
    again = bench.start(NODE, f'world:={world}', arguments=('--ros-args', '--params-file', str(file)))
    bench.until(lambda: 'ready: ' in again.output, 'the node with the dump', START)
    assert 'is unknown' not in again.output
    assert dump(bench) == reported


@pytest.mark.parametrize('name', ['drones', 'drone_names'])
def test_what_is_served_may_be_given_by_either_name(bench, world, name):
    words = f"{name}:=['b', 'c']", "hands:=['right']", 'drones.b.authority:=observe'
    process = started(bench, f'world:={world}', *words)
    reported = dump(bench)
    assert list(reported['drone_names']) == ['b', 'c'] and list(reported['hand_names']) == ['right']
    assert nested(reported)['drones']['b']['authority'] == 'observe'
    assert 'ready: 2 drones' in process.output and 'unknown' not in process.output


def test_a_list_of_something_else_is_refused(bench, world):
    process = bench.start(NODE, f'world:={world}', 'drones:=5')
    assert process.wait(START) == 1
    assert 'parameter drones: must be a list of strings, got 5' in process.output


def test_a_whole_number_is_set_for_a_real_one(bench, world):
    started(bench, f'world:={world}')
    assert put(bench, 'proximity', 2).successful
    reported = dump(bench)
    assert (reported['proximity'], type(reported['proximity'])) == (2.0, float)
    batch = [Parameter('proximity', value=3), Parameter('markers_rate', value=5)]
    request = SetParametersAtomically.Request(parameters=[p.to_parameter_msg() for p in batch])
    assert bench.call(SetParametersAtomically, '/collision_node/set_parameters_atomically', request).result.successful
    assert [dump(bench)[name] for name in ('proximity', 'markers_rate')] == [3.0, 5.0]
    for name, wrong, said in (('proximity', 200, 'proximity out of range'),
                              ('proximity', 'far', 'Wrong parameter type'),
                              ('proximity', True, 'Wrong parameter type'), ('frame_names', ['a'], 'frame_names'),
                              ('rate', 100, 'rate')):
        answer = put(bench, name, wrong)
        assert not answer.successful
        assert said in answer.reason  # in the words of rclpy
    assert dump(bench)['proximity'] == 3.0


@pytest.mark.parametrize('table', [NODE_TABLE, DRONE, HAND, VIEWER, HAND_BRIDGE],
                         ids=['node', 'drone', 'hand', 'viewer', 'hand_bridge'])
def test_every_table_declares_values_of_its_types(table):
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('tested', context=context, start_parameter_services=False)
    try:
        tables = Parameters(node)
        first = tables.declare(table, 'x.', 'd0')
        for spec in table:
            full = f'x.{spec.listed or spec.name}'
            assert node.get_parameter(full).type_.value == TYPES[type(spec.default)], full
            reported = node.describe_parameter(full)
            assert (reported.read_only, reported.type) == (spec.read_only, TYPES[type(spec.default)]), full
        assert tables.declare(table, 'x.', 'd0') == first  # a second configure
    finally:
        node.destroy_node()
        rclpy.try_shutdown(context=context)
