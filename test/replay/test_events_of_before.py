# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags of 0.1.0, whose contact events have no energy_lost: they are read as they are, and replayed."""
from __future__ import annotations

import json
from pathlib import Path

import foreign_bags
import pytest
from foreign_bags import NS, T, header, odom, said, vector, write
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from hakoniwa_rigid.cli import main
from hakoniwa_rigid.replay.diff.load import load_run

MSG = Path(__file__).resolve().parents[2] / 'msg'
EVENT = 'hakoniwa_rigid/msg/ContactEvent'
START = 20 * NS
WORLD = """
gravity: [0, 0, 0]
models: {cube: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: box, size: [0.2, 0.2, 0.2]}}}
drones: [{name: d0, model: cube}, {name: d1, model: cube}]
"""


def store_of_before():
    """The types of this package with the events of 0.1.0."""
    store, types = get_typestore(Stores.ROS2_KILTED), {}
    for path in sorted(MSG.glob('*.msg')):
        text = '\n'.join(line for line in path.read_text().splitlines() if not line.startswith('float64 energy_lost'))
        types |= get_types_from_msg(text, f'hakoniwa_rigid/msg/{path.stem}')
    store.register(types)
    assert 'energy_lost' not in dict(store.fielddefs[EVENT][1])
    return store


def event(stamp, phase, x):
    zero = vector((0, 0, 0))
    nothing = dict.fromkeys(('relative_velocity_before', 'relative_velocity_after', 'delta_v_a', 'delta_v_b',
                             'delta_omega_a', 'delta_omega_b'), zero)
    return T[EVENT](header=header(stamp), id=1, phase=phase, kind=0, body_a='d0', body_b='d1', part_a='', part_b='',
                    position=vector((x, 0, 1), 'Point'), normal=vector((1, 0, 0)), impulse=vector((0.5, 0, 0)),
                    depth=0.0, peak_force=1.0, duration=0.1, restitution=0.5, friction=0.5, energy_lost=0.75, **nothing)


def messages():
    """d0 flies into d1 for two seconds; the events of a run, two in one message."""
    found = []
    for k in range(40):
        t = START + k * NS // 20
        found += [odom('/d0/odom', t, (0.05 * k, 0, 1), (1, 0, 0)), odom('/d1/odom', t, (1, 0, 1)),
                  odom('/d0/odom_corrected', t, (0.05 * k, 0, 1), (1, 0, 0))]
    late = START + 2 * NS
    found.append(said('/contact_events', late, 'hakoniwa_rigid/msg/ContactEventArray',
                      events=[event(late - NS, 0, 0.9), event(late, 2, 0.9)]))
    return found


@pytest.fixture(scope='module')
def bags(tmp_path_factory):
    """The same run, with events of before and of today."""
    folder = tmp_path_factory.mktemp('before')
    (folder / 'lane.yaml').write_text(WORLD)
    write(folder / 'today', messages())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(foreign_bags, 'STORE', store_of_before())
        write(folder / 'before', messages())
    return folder


def test_events_of_before_are_read_as_those_of_today(bags):
    before, today = (load_run(bags / name) for name in ('before', 'today'))
    assert len(before.contacts) == 1 and before.contacts == today.contacts
    reported = {run: next(t for t in run.bytes if t.topic == '/contact_events') for run in (before, today)}
    assert (reported[before].digests != reported[today].digests).any()     # they are others


def test_a_bag_of_before_is_inspected_and_replayed(bags, tmp_path, capsys):
    """Its events are listed; a replay makes its own, those of today."""
    assert main(['inspect', str(bags / 'before'), '--out', str(tmp_path / 'p.png'),
                 '--json', str(tmp_path / 'r.json')]) == 0
    assert 'ContactEventArray' in json.dumps(json.loads((tmp_path / 'r.json').read_text()))
    found = {}
    for name in ('before', 'today'):
        out = tmp_path / name
        assert main(['replay', str(bags / name), '--world', str(bags / 'lane.yaml'), '--out', str(out)]) == 0
        found[name] = load_run(out)
    assert found['before'].contacts and found['before'].contacts == found['today'].contacts
    capsys.readouterr()
