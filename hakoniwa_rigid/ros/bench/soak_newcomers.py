# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones and hands that come to a soak and leave again, each under a name of its own: in turn a drone by ~/spawn and
~/remove, a drone by a topic that appears and is gone (`drones: auto`), and a hand likewise (`hands: auto`)."""

from __future__ import annotations

import json
from collections import deque
from typing import Any, NamedTuple

import rclpy
from geometry_msgs.msg import Pose
from nav_msgs.msg import Odometry
from rclpy.executors import SingleThreadedExecutor

from hakoniwa_rigid.msg import HandJoints
from hakoniwa_rigid.srv import Remove, Spawn

from ..qos import INPUT
from .soak_samples import MOST_THERE

__all__ = ['PARAMETERS', 'Newcomers', 'Turnover', 'turnover_of']

# calls of `step` between two that come, and for which each stays: fewer than MOST_THERE are there
EVERY, STAY = 2, 6
WAYS = ('service', 'topic', 'hand')
# of the node; what comes by its topic is called topic_<k> or hand_<k>
PARAMETERS = {'drones': '[auto]', 'drone_pattern': 'topic_[0-9]+', 'leave_timeout': 2.0, 'spare_drones': MOST_THERE,
              'hands': '[auto]', 'hand_pattern': 'hand_[0-9]+', 'spare_hands': MOST_THERE}
MODEL = 'api-1'
# m; they hover in a row beside the others
APART, HEIGHT = 4.0, 2.0
# results of calls that are taken at a step
MOST_ANSWERS = 64


class Turnover(NamedTuple):
    """How many came and left by services and by topics, and how many calls of the services were refused."""

    spawned: int = 0
    removed: int = 0
    appeared: int = 0
    vanished: int = 0
    refused: int = 0


class Newcomers:
    """`step` once a second.  Nothing waits for an answer."""

    def __init__(self, context: rclpy.Context, server: str) -> None:
        """server: name of the collision node."""
        self._node = rclpy.create_node('newcomers', context=context, start_parameter_services=False)
        self._executor = SingleThreadedExecutor(context=context)
        self._executor.add_node(self._node)
        self._spawn = self._node.create_client(Spawn, f'{server}/spawn')
        self._remove = self._node.create_client(Remove, f'{server}/remove')
        self._there: deque[tuple[int, str, Any]] = deque()    # step at which each came, name, publisher
        self._steps = self._came = 0
        self._answered = {'spawned': 0, 'removed': 0, 'refused': 0}

    @property
    def answered(self) -> dict[str, int]:
        """Calls of the services so far that succeeded, and those that were refused."""
        return dict(self._answered)

    def close(self) -> None:
        """Nothing comes any more."""
        self._executor.shutdown()
        self._node.destroy_node()

    def step(self) -> None:
        """One may come, others have a sample, and those that have stayed long enough leave."""
        for _ in range(MOST_ANSWERS):
            self._executor.spin_once(timeout_sec=0.0)
        if self._steps % EVERY == 0:
            self._come()
        while self._there and self._steps - self._there[0][0] >= STAY:
            self._leave(*self._there.popleft()[1:])
        for k, (_, name, publisher) in enumerate(self._there):
            publisher.publish(self._hand(name, k) if name.startswith('hand') else self._sample(name, k))
        self._steps += 1

    def _come(self) -> None:
        way = WAYS[self._came % len(WAYS)]
        name = f'{way}_{self._came}'
        self._came += 1
        if way == 'service':
            entry = json.dumps({'name': name, 'model': MODEL, 'position': self._place(len(self._there))})
            self._ask(self._spawn, Spawn.Request(kind='drone', entry=entry), 'spawned')
        topic = (HandJoints, f'hands/{name}') if way == 'hand' else (Odometry, f'{name}/odom')
        self._there.append((self._steps, name, self._node.create_publisher(*topic, INPUT)))

    def _leave(self, name: str, publisher) -> None:
        self._node.destroy_publisher(publisher)
        if name.startswith('service'):
            self._ask(self._remove, Remove.Request(name=name), 'removed')

    def _ask(self, client, request, what: str) -> None:
        client.call_async(request).add_done_callback(
            lambda answer: self._count(what if answer.result().success else 'refused'))

    def _count(self, what: str) -> None:
        self._answered[what] += 1

    def _place(self, k: int) -> list[float]:
        return [-APART, APART * k, HEIGHT]

    def _sample(self, name: str, k: int) -> Odometry:
        sample = Odometry(child_frame_id=f'{name}/base_link')
        sample.header.frame_id = 'world'
        sample.header.stamp = self._node.get_clock().now().to_msg()
        at = sample.pose.pose
        at.position.x, at.position.y, at.position.z = self._place(k)
        at.orientation.w = 1.0
        return sample


    def _hand(self, name: str, k: int) -> HandJoints:
        """Of one joint."""
        sample = HandJoints(hand=name, poses=[Pose()], radii=[0.1])
        sample.header.frame_id = 'world'
        sample.header.stamp = self._node.get_clock().now().to_msg()
        at = sample.poses[0].position
        at.x, at.y, at.z = self._place(k)
        return sample


def turnover_of(answered: dict[str, int], values: dict[str, str]) -> Turnover:
    """Of what the services answered, and a report on /diagnostics."""
    appeared, vanished = (sum(int(values.get(f'discovered{kind} {what}', 0)) for kind in ('', ' hands'))
                          for what in ('came', 'left'))
    return Turnover(appeared=appeared, vanished=vanished, **answered)
