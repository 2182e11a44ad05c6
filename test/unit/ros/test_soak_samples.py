# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The books of a soak: causes, differences, slopes, verdicts, the table and the picture, of samples made here."""
import math

import pytest

from hakoniwa_rigid.ros.bench.soak_samples import ROWS, Sample, draw, missed_by, since, slope, table, verdicts

GOOD = Sample(0.0, 300.0, 190.0, 25, 25, 22, 19, 0.003, 0.006, 2000, {}, 0, 3, 2, 2, 3, 3)


def samples(count=720, step=10.0, **changes):
    """Of a run; changes: functions of the number of the sample."""
    fields = GOOD.__dict__
    return [Sample(**{**fields, 'time': step * k, **{name: of(k) for name, of in changes.items()}})
            for k in range(count)]


def broken(some):
    return [text.split(':')[0] for text, good in verdicts(some) if not good]


def test_causes_are_read_and_what_has_none_is_unknown():
    values = {'ticks_missed': '9', 'ticks_missed late_wake_up': '4', 'ticks_missed long_tick scene': '3', 'ticks': '7'}
    assert missed_by(values) == {'late_wake_up': 4, 'long_tick scene': 3, 'unknown': 2}
    assert missed_by({'ticks_missed': '0'}) == {}
    assert since({'a': 5, 'b': 2, 'c': 1}, {'a': 3, 'b': 2}) == {'a': 2, 'c': 1}


def test_a_slope_is_that_of_the_line_after_the_beginning():
    times = [10.0 * k for k in range(720)]
    assert slope(times, [5.0 + 2.0 * t / 3600.0 for t in times]) == pytest.approx(2.0)
    # what settles in the first ten minutes does not count
    assert slope(times, [100.0 * math.exp(-t / 30.0) for t in times]) == pytest.approx(0.0, abs=1e-6)
    assert slope(times, [0.0 if t < 600.0 else 7.0 for t in times]) == pytest.approx(0.0, abs=1e-9)
    assert math.isnan(slope([1.0], [2.0]))
    assert math.isnan(slope([], []))


def test_verdicts():
    assert broken(samples()) == []
    assert broken(samples(node_rss=lambda k: 300.0 + 0.01 * k)) == ['memory of the node flat']
    assert broken(samples(viewer_rss=lambda k: 190.0 + 0.01 * k)) == ['memory of the viewer flat']
    assert broken(samples(60, node_rss=lambda k: 300.0 + 0.01 * k)) == []      # ten minutes tell nothing of memory
    assert broken(samples(node_handles=lambda k: 25 + k // 300)) == ['node']
    assert broken(samples(node_handles=lambda k: 25 + k % 3)) == []
    assert broken(samples(viewer_threads=lambda k: 19 + k // 400)) == ['viewer']
    assert broken(samples(missed=lambda k: {'late_wake_up': 1})) == []
    assert broken(samples(missed=lambda k: {'unknown': k % 2})) == ['every missed tick has its cause']
    left = ['drones and hands come and leave']
    assert broken(samples(spawned=lambda k: 0)) == broken(samples(appeared=lambda k: 0)) == left
    assert broken(samples(refused=lambda k: int(k == 9))) == broken(samples(vanished=lambda k: 2)) == left
    assert broken(samples(vanished=lambda k: 3 - (k > 700 and k % 2))) == []


def test_the_table_counts_all_of_it():
    some = samples(719, missed=lambda k: {'stolen': 1, 'late_wake_up': 2 if k % 2 else 0})
    lines = table(some).splitlines()
    rows = [line for line in lines[2:] if ' min |' in line]
    assert 1 < len(rows) <= ROWS
    assert sum(int(row.split('|')[6]) for row in rows) == 719 * 2000
    assert sum(int(row.split('|')[7]) for row in rows) == 719 + 2 * 359
    assert sum(int(row.split('|')[9].split(',')[0]) for row in rows) == 719 * 5
    assert '| stolen | 719 |' in lines
    assert '| late_wake_up | 718 |' in lines


def test_a_picture_is_drawn(tmp_path):
    pytest.importorskip('matplotlib', reason='matplotlib is not installed (extra demo)')
    draw(samples(30, missed=lambda k: {'stolen': k % 2, 'clock': k % 3}), tmp_path / 'soak.png')
    assert (tmp_path / 'soak.png').read_bytes().startswith(b'\x89PNG')
