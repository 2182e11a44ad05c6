# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A minute of `bench soak`, and seconds of `bench page`: they run, and their books are right. No time is judged."""

from __future__ import annotations

import json

import pytest

from hakoniwa_rigid import cli
from hakoniwa_rigid.ros.bench.bench_load import Faults

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")
pytestmark = [pytest.mark.ros, pytest.mark.slow]


def test_a_minute_of_everything(tmp_path, capsys):
    pytest.importorskip('matplotlib', reason='matplotlib is not installed (extra demo)')
    options = ['--drones', '6', '--rate', '50', '--seconds', '60', '--sample', '5', '--clients', '2',
               '-o', str(tmp_path / 'soak')]
    cli.main(['bench', 'soak', *options])       # its exit code judges handles, which a minute says little of
    text = capsys.readouterr().out
    samples = json.loads((tmp_path / 'soak' / 'soak.json').read_text())
    times = [s['time'] for s in samples]
    assert len(samples) >= 2
    assert times == sorted(times)
    assert times[-1] >= 60.0
    assert all(s['node_rss'] > 10.0 and s['viewer_rss'] > 10.0 for s in samples)
    assert all(s['node_handles'] > 3 and s['node_threads'] > 1 for s in samples)
    ticks, missed = (sum(values) for values in zip(*((s['ticks'], sum(s['missed'].values())) for s in samples),
                                                    strict=True))
    # every grid point had its tick or was missed, with a cause: as many as fit into the time, to a report at each end
    assert ticks > 0
    assert 'unknown' not in {cause for s in samples for cause in s['missed']}
    assert ticks + missed >= 50 * 60 - 2 * 50
    # the recording was split, and only the newest files stay
    assert 1 < max(s['bags'] for s in samples) <= 5
    assert (tmp_path / 'soak' / 'soak.png').stat().st_size > 1000
    assert (tmp_path / 'soak' / 'soak.md').read_text() in text


def test_the_page_is_asked_with_and_without_floods(capsys):
    assert cli.main(['bench', 'page', '--pushes', '0', '--hostile', '4', '--seconds', '5']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.endswith('hostile clients')] == ['0', '4']
    assert sum('answers to pings' in line for line in lines) == 2
    # by the clock, and in processor time, which others cannot make longer
    assert sum('callbacks' in line and ' none ' not in line for line in lines) == 4
    assert lines[-1].startswith('the longest callback, in processor time: ')


def test_clocks_step_ahead_and_back():
    faults = Faults(stepped=2, step=2.0, every=60.0)
    seconds = 1_000_000_000
    assert [faults.offset(t * seconds) for t in (0, 59, 60, 119, 120, 180)] == [
        0, 0, 2 * seconds, 2 * seconds, 0, 2 * seconds]
    assert Faults().offset(7 * seconds) == 0
