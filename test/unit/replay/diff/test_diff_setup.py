# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""World files of two runs: one in the words of its writer, the other in those of the node's recordings."""
import pytest
import yaml

from hakoniwa_rigid.replay.diff.setup import Change, Setup, changes_of
from hakoniwa_rigid.scene.world_files.world_file import parse
from hakoniwa_rigid.scene.world_files.world_writer import write
from hakoniwa_rigid.scene.world_files.yaml_node import Node

ROOM = """
name: my_room
materials:
  concrete: {restitution: 0.4, friction: 0.6}
  foam: {restitution: 0.6, friction: 0.5}
walls: [{name: floor, type: plane, material: concrete}]
drones: [{name: alice, model: crazyflie, material: foam}, {name: bob, model: crazyflie, material: foam}]
"""


def recorded(text):
    """As the node writes it into a recording."""
    return write(parse(Node(yaml.safe_load(text), 'room.yaml', '')))


@pytest.mark.parametrize('swap', [False, True])
def test_a_recording_of_the_same_world_file_is_equal(swap):
    sides = [Setup(recorded(ROOM)), Setup(ROOM)]
    assert changes_of(*(sides[::-1] if swap else sides)) == ()


def test_the_key_that_was_changed_is_named_beside_a_recording():
    """And no other: materials by name and as values are the same."""
    softer = ROOM.replace('foam: {restitution: 0.6', 'foam: {restitution: 0.5')
    (change,) = changes_of(Setup(recorded(ROOM)), Setup(softer))
    assert change == Change('world file', 'models.crazyflie.material.restitution', '0.6', '0.5')


def test_a_world_file_whose_files_are_not_here_is_compared_by_its_single_values():
    away = ROOM.replace('{name: floor, type: plane, ', '{name: floor, type: mesh, file: nowhere.stl, ')
    found = changes_of(Setup(recorded(ROOM)), Setup(away.replace('my_room', 'another')))
    assert Change('world file', 'name', 'my_room', 'another') in found
