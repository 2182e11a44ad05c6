# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Fifty drones and many clients: the tick of collision_node does not notice who looks, and how."""
from __future__ import annotations

import sys
from urllib.parse import urlsplit

import harness
import numpy as np
import page_nodes
import pytest
import yaml

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

import browser
from diagnostic_msgs.msg import DiagnosticArray
from hakoniwa_rigid.msg import FleetState
from harness import stamp_of, values
from rig import STATES
from sockets import GREETING, masked_subscription, raw, vanish

pytestmark = [pytest.mark.ros, pytest.mark.slow]
DRONES = 50
PERIOD = 5_000_000  # ns
SPELL = 400         # states per measurement
CHANNELS = range(1, 7)  # the viewer's first ones: states, contacts, three hands, markers


@pytest.fixture(scope='module')
def nodes(tmp_path_factory):
    """Fifty drones of two models hover; a subscriber gets all states and reports.  Bench, address, states, reports."""
    drones = [{'name': f'd{k}', 'model': ('api-1', 'unity')[k % 2], 'position': [k % 10, k // 10, 1.0 + 0.1 * (k % 3)]}
              for k in range(DRONES)]
    path = tmp_path_factory.mktemp('fleet') / 'fleet.yaml'
    path.write_text(yaml.safe_dump({'walls': [{'name': 'floor', 'type': 'plane'}], 'drones': drones,
                                    'hands': [{'name': 'right'}]}))
    with harness.bench() as bench:
        # a state that a busy machine leaves unread for seconds is kept for its readers
        address = page_nodes.start(bench, path, f'qos_overrides./{STATES}.publisher.depth:=2000')
        states = bench.inbox(FleetState, STATES)
        yield bench, address, states, bench.inbox(DiagnosticArray, '/diagnostics')


def spell(nodes):
    """Hear `SPELL` more states; how many ticks between them were missed, and the most readers that the node had."""
    bench, _, states, _ = nodes
    first, readers = len(states), set()
    bench.until(lambda: readers.add(bench.node.count_subscribers(STATES)) or len(states) >= first + SPELL, 'states')
    stamps = np.array([stamp_of(state) for state in states[first:first + SPELL]])
    return int((np.diff(stamps) // PERIOD - 1).sum()), max(readers)


def counted(nodes):
    """Stamp of a new report, ticks and missed ticks up to it as the node counts them; the states until then are
    received.

    A report and the states around it may come in any order.
    """
    bench, _, states, reports = nodes
    known = len(reports)
    bench.until(lambda: values(reports[known:], 'timing'), 'a report')
    report = next(report for report in reports[known:] if values([report], 'timing'))
    timing = values([report], 'timing')
    bench.until(lambda: stamp_of(states[-1]) >= stamp_of(report), 'the states until the report')
    return stamp_of(report), int(timing['ticks']), int(timing['ticks_missed'])


def test_clients_that_hang_and_vanish_are_nothing_to_the_tick(nodes, record_property, capsys):
    """Ten clients subscribe to everything and never read.  The node has one reader more, the viewer, however many look;
    its subscribers get every tick, and every tick that is missing is one that the node has counted."""
    bench, address, states, _ = nodes
    begin = counted(nodes)
    alone, readers = spell(nodes)
    port = urlsplit(address).port
    hung = [raw(port, GREETING, masked_subscription(*CHANNELS)) for _ in range(10)]
    bench.until(lambda: bench.node.count_subscribers(STATES) == readers + 1, 'the viewer among the readers')
    crowded, readers_then = spell(nodes)
    vanish(hung)
    bench.until(lambda: bench.node.count_subscribers(STATES) == readers, 'the viewer to stop listening')
    after, _ = spell(nodes)
    end = counted(nodes)
    assert readers_then == readers + 1

    stamps = np.array([stamp_of(state) for state in states])
    within = (stamps > begin[0]) & (stamps <= end[0])
    assert (np.diff(stamps) % PERIOD == 0).all()
    # a report is made between two ticks, and they may have missed some between them
    missed = np.diff(stamps) // PERIOD - 1
    at_the_ends = sum(missed[max(np.searchsorted(stamps, stamp) - 1, 0):][:2].sum() for stamp in (begin[0], end[0]))
    assert abs(int(within.sum()) - (end[1] - begin[1])) <= 2
    assert abs(int(missed[within[1:]].sum()) - (end[2] - begin[2])) <= 2 + at_the_ends
    reported = {'alone': alone, 'with ten hung clients': crowded, 'after them': after}
    for what, count in reported.items():
        record_property(f'ticks missed {what}', count)
    with capsys.disabled():
        sys.stdout.write(f'\nticks missed of {SPELL}: ' + ', '.join(f'{w} {c}' for w, c in reported.items()) + '\n')


def test_a_page_takes_in_and_draws_fifty_drones(nodes, record_property, capsys):
    """60 states a second are wanted, on a quiet machine: reported.  What is drawn depends on who draws."""
    browser.need_browser()
    seen = page_nodes.try_page(nodes[0], '--fleet', nodes[1])['fleet']
    assert seen['drones'] == DRONES
    assert seen['states'] > 0
    assert seen['pictures'] > 0
    for key, value in seen.items():
        record_property(f'fleet of fifty: {key}', value)
    with capsys.disabled():
        sys.stdout.write('\n50 drones in the page: {states:.0f} states/s taken in, {pictures:.0f} pictures/s, '
                         '{busy:.1f} ms of its thread for each\n'.format(**seen))
