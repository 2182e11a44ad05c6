# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The messages: generated, complete as the interface says, and documented field by field with unit and frame."""
import importlib
import re
from pathlib import Path

import pytest

MSG = Path(__file__).resolve().parents[2] / 'msg'
SRV = MSG.parent / 'srv'

FIELDS = {
    'ContactEvent': (
        'header id phase kind body_a body_b part_a part_b position normal depth impulse peak_force duration '
        'relative_velocity_before relative_velocity_after restitution friction '
        'delta_v_a delta_v_b delta_omega_a delta_omega_b energy_lost'
    ),
    'ContactEventArray': 'header events',
    'ConstraintEvent': (
        'header id phase kind name body_a body_b part_a part_b position_a position_b impulse force length duration'
    ),
    'ConstraintEventArray': 'header events',
    'HandJoints': 'header hand names poses radii is_valid',
    'FleetState': 'header names positions orientations linear_velocities angular_velocities flags',
    'FleetWrench': 'header names forces torques',
}
CONSTANTS = {
    'ContactEvent': {
        'BEGIN': 0, 'PERSIST': 1, 'END': 2, 'DRONE_DRONE': 0, 'DRONE_WALL': 1, 'DRONE_HAND': 2, 'DRONE_OBJECT': 3,
        'OBJECT_OBJECT': 4, 'OBJECT_WALL': 5, 'OBJECT_HAND': 6,
    },
    'ConstraintEvent': {
        'ATTACHED': 0, 'DETACHED': 1, 'TAUT': 2, 'SLACK': 3, 'BROKEN': 4, 'GRASPED': 5, 'RELEASED': 6, 'FIXED': 0,
        'BALL': 1, 'HINGE': 2, 'DISTANCE': 3, 'CABLE': 4, 'SPRING': 5,
    },
    'FleetState': {'IN_CONTACT': 1, 'DEFLECTED': 2, 'STALE': 4, 'REJECTED': 8, 'LIMITED': 16, 'FROZEN': 32},
}
SERVICES = {
    'Attach': ('name kind body_a body_b anchor_a anchor_b axis length restitution stiffness damping max_force '
               'max_torque break_force break_impulse gap collide', 'success message'),
    'Detach': ('name', 'success message'),
    'Spawn': ('kind entry', 'success message'),
    'Change': ('name entry', 'success message'),
    'Remove': ('name', 'success message'),
}
LINE = re.compile(r'^(?P<type>[\w/]+(\[\])?) +(?P<name>\w+)(?P<value>=\d+)? +# (?P<text>.+)$')
UNIT = re.compile(r'\b(m|m/s|rad/s|s|N|J|N\.s|N\.m|N/m|N\.s/m|unitless|no unit|units in \w+)\b')
FRAME = re.compile(r'\b(world|body FLU|frame)\b')


def lines(name):
    """The lines of a message file that declare something, parsed; a line without a comment fails here."""
    found = []
    for number, text in enumerate((MSG / f'{name}.msg').read_text().splitlines(), 1):
        if text and not text.startswith('#'):
            match = LINE.match(text)
            assert match, f'msg/{name}.msg:{number}: want "type name  # meaning", got {text!r}'
            found.append(match)
    return found


def test_every_file_is_known():
    assert sorted(p.stem for p in MSG.glob('*.msg')) == sorted(FIELDS)
    assert sorted(p.stem for p in SRV.glob('*.srv')) == sorted(SERVICES)


@pytest.mark.parametrize('name', SERVICES)
def test_services(name):
    """Generated as the file has them; every field with its unit and frame."""
    cls = getattr(importlib.import_module('hakoniwa_rigid.srv'), name)
    text = (SRV / f'{name}.srv').read_text()
    for part, half, wanted in zip((cls.Request, cls.Response), text.split('\n---\n'), SERVICES[name], strict=True):
        assert list(part.get_fields_and_field_types()) == wanted.split()
        declared = [LINE.match(line) for line in half.splitlines() if line and not line.startswith('#')]
        assert [m['name'] for m in declared if not m['value']] == wanted.split()
        for m in declared:
            assert m['value'] or (UNIT.search(m['text']) and FRAME.search(m['text'])), f'{name}: {m["name"]}'


@pytest.mark.parametrize('name', FIELDS)
def test_fields_are_those_of_the_interface(name):
    cls = getattr(importlib.import_module('hakoniwa_rigid.msg'), name)
    assert list(cls.get_fields_and_field_types()) == FIELDS[name].split()


@pytest.mark.parametrize('name', FIELDS)
def test_generated_code_is_that_of_the_file(name):
    """Fails when a message was edited and the package not installed again."""
    cls = getattr(importlib.import_module('hakoniwa_rigid.msg'), name)
    assert list(cls.get_fields_and_field_types()) == [m['name'] for m in lines(name) if not m['value']]
    for m in lines(name):
        if m['value']:
            assert getattr(cls, m['name']) == int(m['value'][1:])


@pytest.mark.parametrize('name', CONSTANTS)
def test_constants(name):
    assert {m['name']: int(m['value'][1:]) for m in lines(name) if m['value']} == CONSTANTS[name]


@pytest.mark.parametrize('name', FIELDS)
def test_every_field_tells_unit_and_frame(name):
    for m in lines(name):
        if not m['value']:
            assert UNIT.search(m['text']), f'msg/{name}.msg: {m["name"]}: no unit in {m["text"]!r}'
            assert FRAME.search(m['text']), f'msg/{name}.msg: {m["name"]}: no frame in {m["text"]!r}'


def test_cmake_builds_every_message():
    cmake = (MSG.parent / 'CMakeLists.txt').read_text()
    assert set(re.findall(r'msg/(\w+)\.msg', cmake)) == set(FIELDS)
    assert set(re.findall(r'srv/(\w+)\.srv', cmake)) == set(SERVICES)
