# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Events that are kept packed come back as they were, from memory and from disk."""
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hakoniwa_rigid.replay.rerun import event_log
from hakoniwa_rigid.replay.rerun.event_log import EventLog
from hakoniwa_rigid.scene.records import ContactEventRecord, Kind, Phase

number = st.floats(allow_nan=False)
vector = st.tuples(number, number, number)
name = st.text(max_size=8)
event = st.builds(
    ContactEventRecord, stamp_ns=st.integers(-2**63, 2**63 - 1), id=st.integers(0, 2**64 - 1),
    phase=st.sampled_from(Phase), kind=st.sampled_from(Kind), body_a=name, body_b=name, part_a=name, part_b=name,
    position=vector, normal=vector, depth=number, impulse=vector, peak_force=number, duration=number,
    relative_velocity_before=vector, relative_velocity_after=vector, restitution=number, friction=number,
    delta_v_a=vector, delta_v_b=vector, delta_omega_a=vector, delta_omega_b=vector, energy_lost=number)


@given(st.lists(st.lists(event, max_size=4), max_size=4))
def test_what_was_added_comes_back_in_order(batches):
    log, reported = EventLog(), [e for batch in batches for e in batch]
    for batch in batches:
        log.add(batch)
    assert log == reported and tuple(reported) == log and len(log) == len(reported)
    assert [log[k] for k in range(len(log))] == reported and log[1:-1] == tuple(reported[1:-1])
    assert list(log.begun()) == [e for e in reported if e.phase is Phase.BEGIN]
    assert log != [*reported, None]


def test_many_events_go_to_disk_and_can_still_be_added_to(monkeypatch):
    monkeypatch.setattr(event_log, 'MOST_BYTES', 100 * EventLog().row.size)
    zero = (0.0, 0.0, 0.0)
    first = ContactEventRecord(0, 1, Phase.BEGIN, Kind.DRONE_WALL, 'd0', 'wall', 'body', 'face', zero, zero, 0.0, zero,
                               0.0, 0.0, zero, zero, 0.5, 0.5, zero, zero, zero, zero, 0.0)
    log, reported = EventLog(), []
    for k in range(10_000):
        reported.append(replace(first, stamp_ns=k, depth=k / 7, phase=Phase(k % 3)))
        log.add(reported[-1:])
        if k % 999 == 0:
            # reading does not move what is written next
            assert log[-1] == reported[-1] and log[k // 2] == reported[k // 2]
    assert log == reported
