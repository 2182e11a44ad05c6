# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa-rigid inspect on bags written by rosbags: what its text and exit code say."""
from __future__ import annotations

import json

import numpy as np
import pytest
from foreign_bags import NS, T, header, odom, said, vector, write

from hakoniwa_rigid.cli import main

START = 50 * NS
WORLD = """
drones:
  - {name: d0, model: crazyflie}
  - {name: d1, model: crazyflie}
"""


def pair(seconds=2.0):
    """Two drones 0.3 m apart, at 50 Hz."""
    return [odom(f'/d{d}/odom', START + k * NS // 50, (0, 0.3 * d, 1))
            for k in range(int(50 * seconds)) for d in (0, 1)]


def begin(stamp):
    """One event."""
    kind = 'hakoniwa_rigid/msg/ContactEvent'
    zero = vector((0, 0, 0))
    nothing = dict.fromkeys(('relative_velocity_before', 'relative_velocity_after', 'delta_v_a', 'delta_v_b',
                             'delta_omega_a', 'delta_omega_b'), zero)
    event = T[kind](header=header(stamp), id=1, phase=0, kind=0, body_a='d0', body_b='d1', part_a='', part_b='',
                    position=vector((0, 0.1, 1), 'Point'), normal=vector((0, 1, 0)), impulse=vector((0, 1, 0)),
                    depth=0.0, peak_force=1.0, duration=0.0, restitution=0.5, friction=0.5, energy_lost=0.0,
                    **nothing)
    return said('/contact_events', stamp, 'hakoniwa_rigid/msg/ContactEventArray', events=[event])


def inspected(tmp_path, capsys, bag, *words):
    code = main(['inspect', str(bag), '--out', str(tmp_path / 'p.png'), '--json', str(tmp_path / 'r.json'), *words])
    return code, capsys.readouterr().out, json.loads((tmp_path / 'r.json').read_text())


def test_the_shapes_that_are_named_are_those_of_the_world(tmp_path, capsys):
    bag, world = write(tmp_path / 'bag', pair()), tmp_path / 'w.yaml'
    world.write_text(WORLD)
    code, text, found = inspected(tmp_path, capsys, bag, '--world', str(world))
    assert code == 0
    assert 'shapes: crazyflie\n' in text
    assert found['model'] == 'crazyflie'
    near, = found['encounters']
    assert abs(near['distance'] - (0.3 - 0.092)) < 1e-3     # between boxes of 92 mm
    world.write_text(WORLD.replace('d1, model: crazyflie', 'd7, model: unity'))
    assert 'shapes: api-1, crazyflie\n' in inspected(tmp_path, capsys, bag, '--world', str(world))[1]


def test_events_have_no_rate_and_their_pauses_are_no_gaps(tmp_path, capsys):
    """A contact that lasts is reported each 0.1 s, then there is none for a while: nothing to complain about."""
    events = [begin(START + int(t * NS)) for t in (*np.arange(0.1, 2.0, 0.1), *np.arange(3.5, 5.0, 0.1))]
    bag = write(tmp_path / 'bag', sorted([*pair(5.0), *events], key=lambda m: m.stamp), 'sqlite3', 8)
    code, text, found = inspected(tmp_path, capsys, bag)
    assert code == 0, text
    topic, = (t for t in found['topics'] if t['name'] == '/contact_events')
    assert (topic['is_regular'], topic['gaps']) == (False, [])


def test_a_drone_that_pauses_is_a_gap(tmp_path, capsys):
    bag = write(tmp_path / 'bag', [m for m in pair(5.0) if not 1.0 < (m.stamp - START) / NS < 1.4])
    code, text, _ = inspected(tmp_path, capsys, bag)
    assert code == 1
    assert '/d0/odom: 1 gaps, the longest 0.400 s at 1.000 s' in text


@pytest.mark.parametrize('near', ['nan', '-1', 'inf'])
def test_a_distance_that_is_none_is_refused(tmp_path, capsys, near):
    assert main(['inspect', str(write(tmp_path / 'bag', pair(0.1))), '--near', near]) == 2
    assert f'--near: must be 0 or more, m, got {near}' in capsys.readouterr().err
