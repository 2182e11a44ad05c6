# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What one part of a tick raises costs that part this once: it is counted, logged and reported, and the tick goes
on."""

from __future__ import annotations

import gc
import struct
import weakref
from types import SimpleNamespace

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from harness import Bench
from rclpy.parameter import Parameter
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from hakoniwa_rigid.codec.cdr import CdrError
from hakoniwa_rigid.ros.collision.collision_node import CollisionNode
from hakoniwa_rigid.ros.collision.diagnostics import MOST_LETTERS, MOST_PAIRS, Health, Reporter
from hakoniwa_rigid.ros.collision.guard import MOST_LOGGED, Guard
from hakoniwa_rigid.ros.collision.polled_subscriptions import MessageReader
from hakoniwa_rigid.ros.throttle import MOST_CAUSES, Throttle
from hakoniwa_rigid.scene.records import MOST_KEY, MOST_VALUE

NS = 1_000_000_000


class Log:
    def __init__(self):
        self.errors, self.warnings = [], []
        self.error, self.warning = self.errors.append, self.warnings.append


def stub(now=NS):
    log, clock = Log(), SimpleNamespace(nanoseconds=now)
    return SimpleNamespace(log=log, clock=clock, context=SimpleNamespace(ok=lambda: True),
                           get_logger=lambda: log, get_clock=lambda: SimpleNamespace(now=lambda: clock))


def test_a_failure_is_counted_and_reported_at_first_with_its_traceback():
    node = stub()
    guard = Guard(node)
    assert guard.run('markers', lambda a, b: a + b, 1, 2) == 3
    for _ in range(5):
        assert guard.run('markers', lambda: 1 // 0) is None
    assert guard.ledger.counters == {('failed', 'markers'): 5}
    assert guard.ledger.last['failed', 'markers'].startswith('ZeroDivisionError')
    assert len(node.log.errors) == 2    # with the traceback, then in short, then it is quiet
    assert 'Traceback' in node.log.errors[0] and 'Traceback' not in node.log.errors[1]
    node.clock.nanoseconds += 10 * NS
    guard.run('markers', lambda: 1 // 0)
    assert len(node.log.errors) == 3
    for k in range(3 * MOST_LOGGED):
        guard.run(f'part {k}', lambda: 1 // 0)
    assert len(guard._logged) == MOST_LOGGED


def test_an_end_that_was_asked_for_is_passed_on():
    node = stub()
    node.context.ok = lambda: False
    guard = Guard(node)
    with pytest.raises(ZeroDivisionError):
        guard.run('markers', lambda: 1 // 0)
    with pytest.raises(KeyboardInterrupt):
        guard.run('markers', lambda: (_ for _ in ()).throw(KeyboardInterrupt))
    assert not guard.ledger.counters


def test_the_log_remembers_a_number_of_causes():
    throttle = Throttle()
    for k in range(10 * MOST_CAUSES):
        assert throttle.passes(f'{k}', NS)
    assert len(throttle._last) <= MOST_CAUSES


@pytest.fixture
def node(bench: Bench, world):
    made = CollisionNode(context=bench.context, start_parameter_services=False, parameter_overrides=[
        Parameter('world', value=str(world)), Parameter('autostart', value=True),
        Parameter('diagnostics_rate', value=10.0)])
    yield weakref.proxy(made)
    made.trigger_deactivate()
    made.trigger_cleanup()
    made.destroy_node()
    # part of reference cycles: until the collector comes by, later tests of this process would meet it in their domain
    del made
    gc.collect()


def fail(*_):
    raise struct.error('on purpose')


def test_a_tick_goes_on_whatever_fails(node, monkeypatch):
    """Part after part is made to fail; all the others go on, and every one is counted under its name."""
    done, ticks = {}, 0
    node._transforms = SimpleNamespace(publish=lambda tick: None)   # tf2_msgs may be missing

    def watch(name, holder, key):
        work, done[name] = getattr(holder, key), 0

        def counted(*args):
            done[name] += 1
            return work(*args)
        monkeypatch.setattr(holder, key, counted)

    watch('inputs', node._inputs, 'read')
    watch('markers', node._view, 'publish')
    watch('publish_tf', node._transforms, 'publish')
    watch('diagnostics', node._reporter, 'publish')
    node._outputs.parts = tuple((name, lambda tick, name=name: done.update({name: done.get(name, 0) + 1}))
                                for name, _ in node._outputs.parts)

    def tick():
        nonlocal ticks
        before = node._stats.summary()['ticks']
        node._reporter._last = None     # a report is due
        while node._stats.summary()['ticks'] == before:
            node.tick()
        ticks += 1

    tick()
    names = [name for name, _ in node._outputs.parts]
    assert len(names) == 6
    breaks = [('scene', node._scene, 'advance'), ('inputs', node._inputs, 'read'), ('markers', node._view, 'publish'),
              ('publish_tf', node._transforms, 'publish'), ('diagnostics', node._reporter, 'publish'),
              ('recorder', node._recorder, 'end'), ('recorder', node._recorder, 'begin')]
    for part, holder, key in breaks:
        before, ledger = dict(done), node._inputs.adapter.ledger
        counted = ledger.counters.get(('failed', part), 0)
        with monkeypatch.context() as patch:
            patch.setattr(holder, key, fail)
            tick()
        assert ledger.counters['failed', part] == counted + 1
        assert ledger.last['failed', part] == 'error: on purpose'
        went_on = {name for name in done if done[name] > before[name]}
        lost = set(done) - {'inputs'} if part == 'scene' else {part} & set(done)
        assert went_on == set(done) - lost
    for k, name in enumerate(names):
        parts, before = node._outputs.parts, dict(done)
        node._outputs.parts = (*parts[:k], (name, fail), *parts[k + 1:])
        tick()
        node._outputs.parts = parts
        assert node._inputs.adapter.ledger.counters['failed', name] == 1
        assert all(done[other] > before[other] for other in names if other != name)
    assert node.health().counters['failed', 'scene'] == 1
    tick()


def test_an_authority_that_cannot_be_given_is_refused_by_the_service(node):
    def ask(name, value):
        return node.set_parameters([Parameter(f'drones.{name}.authority', value=value)])[0]

    assert ask('a', 'observe').successful
    refused = ask('a', 'unknown')
    assert not refused.successful and 'unknown' in refused.reason
    # the world was changed meanwhile: the parameter is there, the drone is not
    del node._configured['b']
    refused = ask('b', 'observe')
    assert not refused.successful and "no drone 'b'" in refused.reason
    assert not node._inputs.adapter.ledger.counters


def test_transforms_by_their_bytes(node):
    tf, adapter = node._inputs._tf, node._inputs.adapter
    tf._take_moving(bytes(adapter.limits.transform_bytes + 1))
    tf._take_static(b'\0\1\0\0\xff\xff\xff\xff')
    assert adapter.ledger.counters == {('too_large', '/tf'): 1, ('malformed', '/tf_static'): 1}


@pytest.mark.parametrize('data', [b'', b'\0\1', b'\0\1\0\0\xff\xff\xff\xff', b'\0\1\0\0\x05\0\0\0ab', b'\xff' * 40])
def test_bytes_that_are_no_message_are_malformed(data):
    try:
        found = MessageReader(String).read(data)
    except CdrError as error:
        assert f'{len(data)} bytes are no String' in str(error)
    else:
        assert isinstance(found.data, str)
    assert MessageReader(String).read(serialize_message(String(data='x'))).data == 'x'


def test_a_report_has_a_size_whatever_was_refused(node):
    """As many counters as a large world may have; what is new is reported first."""
    sent = []
    node._reporter._publisher = SimpleNamespace(publish=sent.append)
    counters = {('stale', f'drone_{k}' + 'x' * (MOST_KEY - 12)): k + 1 for k in range(5000)}
    health = node.health()
    fields = {**health.__dict__, 'counters': counters, 'last': dict.fromkeys(counters, 'v' * 3 * MOST_VALUE)}
    tick = node._scene.advance(0)
    Reporter.publish(node._reporter, tick, Health(**fields))
    counters['stale', 'new'] = 1
    Reporter.publish(node._reporter, tick, Health(**fields))
    for k, msg in enumerate(sent):
        inputs = next(s for s in msg.status if s.name.endswith('inputs'))
        assert len(inputs.values) <= MOST_PAIRS + 2
        letters = sum(len(pair.key) + len(pair.value) for pair in inputs.values)
        assert letters <= MOST_LETTERS + 2 * (MOST_VALUE + MOST_KEY)
        assert inputs.values[-1].key == 'not shown'
        assert ('stale/new' in [pair.key for pair in inputs.values]) == (k == 1)
        assert len(serialize_message(DiagnosticArray(status=[inputs]))) < 100_000
