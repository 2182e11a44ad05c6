# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`bench node` runs and says sane things; how fast the node is stands in docs/node_performance.md, not in a test."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest

from hakoniwa_rigid import cli
from hakoniwa_rigid.ros.bench.bench_load import BIN, Latencies, home
from hakoniwa_rigid.ros.bench.bench_node import Case, Result, table, verdicts


@pytest.mark.parametrize('fleet', [False, True])
def test_three_drones_for_three_seconds(fleet, tmp_path, capsys):
    """At 10 Hz: the queues hold all that comes, so that nothing of it is lost however late it is read."""
    file = tmp_path / 'bench.json'
    options = ['--drones', '3', '--rate', '10', '--seconds', '3', '--warmup', '0.5', '--json', str(file)]
    assert cli.main(['bench', 'node', *options, *(['--fleet'] if fleet else [])]) == 0
    header, _, row = re.findall(r'^\|.*\|$', capsys.readouterr().out, re.MULTILINE)
    assert len(header.split('|')) == len(row.split('|'))
    (result,) = json.loads(file.read_text())
    topics = 1 if fleet else 3
    assert (result['drones'], result['rate'], result['fleet']) == (3, 10.0, fleet)
    assert (result['topics_in'], result['topics_out']) == (topics, topics)
    assert result['in_lost'] >= 0
    assert result['out_lost'] == 0  # reliable
    assert 0 < result['ticks'] <= 10 * result['seconds'] + 1
    assert 0 < result['latency_p50'] <= result['latency_p99']
    assert 0 < result['tick_time_p50'] <= result['tick_time_p99']
    assert 0 <= result['period_error_p50'] <= result['period_error_p99']
    assert result['cpu_percent'] >= 0   # /proc counts in hundredths of a second
    assert result['rss_end'] > 10


def result(**changes) -> Result:
    counts = dict.fromkeys(Result.__dataclass_fields__, 0)
    return Result(**{**counts, 'drones': 50, 'rate': 200.0, 'fleet': False, 'ticks': 1000, **changes})


@pytest.mark.parametrize(
    ('changes', 'broken'),
    [
        ({}, []),
        ({'cpu_percent': 101.0}, ['processor']),
        ({'off_time': 0.011}, ['period']),
        ({'latency_p99': 0.00601}, ['pose']),
        ({'drones': 512, 'off_time': 1.0, 'latency_p99': 1.0}, []),  # promised up to 50 drones
        ({'latency_p99': math.nan}, ['pose']),
    ],
)
def test_verdicts_name_what_was_broken(changes, broken):
    texts = [text for text, good in verdicts(result(**changes)) if not good]
    assert [text.startswith(word) for text, word in zip(texts, broken, strict=True)] == [True] * len(broken)


def test_the_table_has_a_row_per_case():
    lines = table([result(), result(fleet=True)]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert 'fleet/*' in lines[3]
    assert Case(10, 50.0).title == '10 drones, 50 Hz, topics per drone'


def test_percentiles_of_latencies_are_right_to_a_bin():
    latencies = Latencies()
    assert math.isnan(latencies.percentile(50.0))
    ns = np.random.default_rng(3).integers(0, 20_000_000, 5000)
    for part in np.split(ns, 5):
        latencies.add(part)
    for percent in (1.0, 50.0, 99.0):
        assert abs(latencies.percentile(percent) - np.percentile(ns, percent) * 1e-9) <= 1.5 * BIN * 1e-9


def test_drones_hover_apart():
    at = home(10)
    assert at.shape == (10, 3)
    distances = np.linalg.norm(at[:, None] - at[None], axis=2) + 10.0 * np.eye(10)
    assert distances.min() == 4.0
