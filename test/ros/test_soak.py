# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A minute of `bench soak`, and seconds of `bench page`: they run, and their books are right. No time is judged."""

from __future__ import annotations

import json

import browser
import numpy as np
import pytest

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from hakoniwa_rigid import cli
from hakoniwa_rigid.ros.bench.bench_load import Faults
from hakoniwa_rigid.ros.bench.page_pushes import added, world_of

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
    # drones came and left both ways, and all that were spawned were taken
    turnover = {key: sum(s[key] for s in samples) for key in ('spawned', 'removed', 'appeared', 'vanished', 'refused')}
    assert turnover.pop('refused') == 0
    assert all(1 <= count <= 60 for count in turnover.values()), turnover
    assert 'drones and hands come and leave: by services' in text
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


def test_pushes_are_timed_in_a_browser_beside_a_fleet(capsys, tmp_path):
    """Parts add up; machine, renderer and quality are named.  No time is judged."""
    if browser.CHROMIUM is None:
        pytest.skip(browser.NO_CHROMIUM)
    browser.need_page()
    out = tmp_path / 'pushes.json'
    words = ['--pushes', '3', '--drones', '4', '--clients', '2', '--hostile', '0', '--watch', '10', '--json', str(out)]
    assert cli.main(['bench', 'page', *words, '--chromium', browser.CHROMIUM]) == 0
    text = capsys.readouterr().out
    for word in ('pushes of 3, 4 drones at 62.5 Hz, 2 clients', 'machine', 'renderer', 'quality', 'pictures/s',
                 'added beyond the frame', 'a picture takes', 'memory, MB: node'):
        assert word in text
    found = json.loads(out.read_text())
    times = added(found['pushes'])
    assert 1 <= len(times['total']) <= 3
    np.testing.assert_allclose(times['added'], times['hand'] + times['event'], atol=1e-6)
    np.testing.assert_allclose(times['added'] + times['frame'], times['total'], atol=1e-6)
    assert np.all((times['wait'] >= 0.0) & (times['wait'] < times['frame']))
    assert [sample['at'] >= 10.0 * k for k, sample in enumerate(found['watched'])] == [True, True]
    assert all(sample['page'] > 1.0 and sample['viewer'] > 10.0 for sample in found['watched'])


def test_the_world_of_the_pushes_has_its_drones_apart():
    for drones in (1, 2, 7, 50):
        world = world_of(drones)
        places = np.array([drone['position'] for drone in world['drones']])
        assert len(places) == drones
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2) + 9.0 * np.eye(drones)
        assert gaps.min() >= 1.5


def test_without_a_browser_it_says_so(monkeypatch, capsys):
    monkeypatch.setenv('PATH', '')
    monkeypatch.delenv('CHROMIUM', raising=False)
    assert cli.main(['bench', 'page', '--pushes', '3', '--hostile', '0']) == 1
    assert 'no Chromium or Chrome' in capsys.readouterr().err


def test_clocks_step_ahead_and_back():
    faults = Faults(stepped=2, step=2.0, every=60.0)
    seconds = 1_000_000_000
    assert [faults.offset(t * seconds) for t in (0, 59, 60, 119, 120, 180)] == [
        0, 0, 2 * seconds, 2 * seconds, 0, 2 * seconds]
    assert Faults().offset(7 * seconds) == 0
