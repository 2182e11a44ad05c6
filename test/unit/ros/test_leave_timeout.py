# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""When what came by its topic leaves: after leave_timeout of the scene's time and of real time, on a clock of ours."""
from __future__ import annotations

from types import SimpleNamespace

import pytest

from hakoniwa_rigid.ros.collision import discovery

pytestmark = pytest.mark.ros
TOPIC = '/b1/odom'


class Graph:
    """A node, a scene and a kind of newcomers in one, with one topic that may be published."""

    kind, most, by_tf = 'drone', 1, False

    def __init__(self) -> None:
        self.published, self.received, self.now, self.there = True, 0, 100.0, set()

    def get_topic_names_and_types(self):
        return [(TOPIC, ['a type'])]

    def count_publishers(self, topic):
        return int(self.published)

    def get_logger(self):
        return SimpleNamespace(info=lambda line: None)

    def is_free_name(self, name):
        return True

    def free_places(self, kind):
        return 1 - len(self.there)

    def name_of(self, topic):
        return 'b1'

    def types_of(self, name, topic):
        return ['a type']

    def topics_of(self, name):
        return [TOPIC]

    def config_of(self, name):
        return name

    def source_of(self, name):
        return self


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> Graph:
    made = Graph()
    monkeypatch.setattr(discovery, 'add', lambda scene, recorder, kind, name: made.there.add(name))
    monkeypatch.setattr(discovery, 'remove', lambda scene, recorder, name: made.there.discard(name))
    return made


def looks(graph: Graph, pace: str):
    """A function that looks after some seconds of the scene's and of real time; whether the drone is there then."""
    values = {'leave_timeout': 2.0, 'discovery_period': 0.1, 'pace': pace}
    found = discovery.Discovery(graph, graph, SimpleNamespace(node=values),
                                SimpleNamespace(adapter=SimpleNamespace(ledger=None)), None, [graph],
                                lambda: graph.now)
    stamp = 0

    def look(scene: float, real: float) -> bool:
        nonlocal stamp
        stamp += round(scene * 1e9)
        graph.now += real
        for _ in range(3):      # what a look finds comes or leaves before the next one
            found.look(stamp)
        return bool(graph.there)
    assert look(0.0, 0.0)
    look(0.2, 0.2)
    graph.published = False
    return look


@pytest.mark.parametrize(('scene', 'real'), [(1.9, 60.0), (60.0, 1.9)])
def test_it_stays_until_both_times_have_passed(graph: Graph, scene: float, real: float):
    """A simulation that stands still; one that is far quicker than the discovery of publishers."""
    look = looks(graph, 'ticks')
    assert look(scene, real)
    assert not look(2.0, 2.0)


@pytest.mark.parametrize(('real', 'there'), [(1.9, True), (2.1, False)])
def test_in_lockstep_real_time_counts(graph: Graph, real: float, there: bool):
    assert looks(graph, 'lockstep')(0.0, real) == there


@pytest.mark.parametrize('sign', ['a sample', 'a publisher'])
def test_a_sign_of_life_begins_both_anew(graph: Graph, sign: str):
    look = looks(graph, 'ticks')
    assert look(1.9, 1.9)
    graph.received += sign == 'a sample'
    graph.published = sign == 'a publisher'
    assert look(0.2, 0.2)
    graph.published = False
    assert look(1.9, 1.9)
    assert not look(0.2, 0.2)


def test_a_scene_that_begins_anew_lets_nothing_leave(graph: Graph):
    look = looks(graph, 'ticks')
    assert look(-0.1, 60.0)
    assert look(1.9, 1.9)
