# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""viewer: the browser page and its socket, beside the collision node and in a process of its own.

Relays what the collision node publishes (as bytes, nothing is decoded), publishes the hands that pages send, and calls
the node's services for them. It subscribes to a topic only while a page shows it, and observes: whatever its
clients do, the collision node's tick does not wait for it (hakoniwa_rigid/web, docs/web.md).
"""

from __future__ import annotations

import asyncio
import gc
import json
import struct
import sys
from collections import Counter
from functools import partial
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.serialization import deserialize_message
from std_msgs.msg import String
from visualization_msgs.msg import MarkerArray

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.msg import HandJoints
from hakoniwa_rigid.scene.parameters.presets import declare_node
from hakoniwa_rigid.scene.read_settings import read_settings
from hakoniwa_rigid.web.access import Settings as WebSettings
from hakoniwa_rigid.web.build import page_folder
from hakoniwa_rigid.web.errors import WebError
from hakoniwa_rigid.web.hand_sample import HandSample
from hakoniwa_rigid.web.outbox import SUPERSEDED
from hakoniwa_rigid.web.scene_view import scene_message

from .. import convert
from ..collision.diagnostics import Report
from ..confined import check_confined
from ..errors import StartError
from ..executor import run
from ..params import Parameters
from ..qos import INPUT, LATCHED, STATES, advertise, subscribe, subscribe_for_a_while
from .viewer_hands import HandsOfOthers
from .viewer_params import SHARED, VIEWER
from .viewer_roster import Roster, RosterError
from .viewer_rotors import Rotors
from .viewer_topics import (
    CALLS,
    CONSTRAINTS,
    HANDS_OF_OTHERS,
    OBJECTS,
    ROTORS,
    SCENE,
    STATES_OUT,
    STATS,
    channels,
    list_is_drawn,
    relayed,
    requests,
    services,
)

try:
    from hakoniwa_rigid.web.server import Server
except ModuleNotFoundError as error:
    Server, MISSING = None, error.name

__all__ = ['Viewer', 'main']

ROTORS_RATE = 30.0  # Hz
SWITCH = 5e-4  # s that the server's thread may have to wait for Python's lock, where Python's own choice is 5 ms
OPENING = 0.001  # s after the server has told of a page that wants something, until that is opened
ANSWER = 5.0  # s that a service may take
# bytes of a message that is relayed: markers of a world of a thousand bodies have about a tenth
MOST_RELAYED = 16 << 20
STAMP = struct.Struct('<iI')  # of a message that begins with a header, behind CDR's four bytes


class Viewer(Node):
    """The node; what the server asks of it (web.hub.Owner) is called in the server's thread."""

    def __init__(self) -> None:
        self.polled: set = set()  # subscriptions that no executor serves
        self._leaving: set = set()  # subscriptions, and their events, that the executor is to give up
        self._ends = False
        super().__init__('viewer')
        self._server = None
        tables = Parameters(self)
        values = tables.declare(VIEWER)
        try:
            shared = declare_node(tables, SHARED)
            check_confined({**shared, **values}, 'world', 'certificate', 'key', 'page')
            settings = read_settings(tables, shared)
        except ValueError as error:
            raise StartError(str(error)) from error
        if Server is None:
            raise StartError(f"the viewer needs {MISSING}: pip install 'hakoniwa_rigid[web]'")
        self._world, self._whole = settings.world, Roster(settings.world)
        hands = {name: v['topic'] for name, v in settings.hands.items() if v['type'] == 'hand_joints'}
        self._hands = {name: advertise(self, HandJoints, topic, INPUT) for name, topic in hands.items()}
        self._topics = {topic.channel: topic for topic in relayed(hands, values['collision_node'])}
        node = values['collision_node']
        self._callers = {name: self.create_client(kind, f'{node}/{own}') for name, (own, kind, _) in CALLS.items()}
        self._rotors = Rotors(settings)
        self._others = HandsOfOthers(self, shared['sim'], tables.given(), hands, self._send_hand)
        self._wanted: Counter[str] = Counter()  # subscriptions of clients, by channel
        self._refused: Counter[str] = Counter()  # messages of topics that are not relayed, by cause
        self._begun: set[str] = set()  # channels with a client that came after the subscription
        self._open: dict[str, list] = {}  # what is subscribed to, by channel
        self._before: dict[str, int] = {}
        self._diagnostics = advertise(self, DiagnosticArray, '/diagnostics', STATES)
        # people watch by their own clock, also where ROS time is simulated and stands still
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        # reset by the server's thread: it waits for an executor where there is none yet
        self._opening = self.create_timer(OPENING, self._open_and_close, clock=steady)
        self._authorities = {name: v['authority'] for name, v in settings.drones.items()}
        self._start(values, channels(tuple(self._topics.values())), tuple(hands))
        subscribe(self, String, f'{values["collision_node"]}/roster', self._on_roster, LATCHED)
        self.create_timer(1.0, self._report, clock=steady)
        self._rotor_timer = self.create_timer(1.0 / ROTORS_RATE, self._send_rotors, clock=steady)
        self._rotor_timer.cancel()
        # a full garbage collection looks at everything imported, and holds up the sockets; nothing of that ever goes
        gc.collect()
        gc.freeze()

    def _start(self, values: dict[str, Any], offered: list, hands: tuple[str, ...]) -> None:
        page = page_folder(values['page'])
        names = ('host', 'port', 'token', 'certificate', 'key', 'max_message_size', 'max_rate', 'max_byte_rate',
                 'max_clients')
        made = WebSettings(origins=tuple(values['origins']), page=str(page or ''), **{n: values[n] for n in names})
        try:
            self._server = Server(made, self, offered, services(), hands)
        except WebError as error:
            raise StartError(f'parameter {error}') from error
        self._send_scene()
        log = self.get_logger()
        if page is None:
            log.warning('the page is not built (npm was missing?): `make page` builds it; the socket works without')
        # the token is in no log: who starts the viewer has it
        token = '  (behind both: ?token= and the parameter token)' if made.token else ''
        log.info(f'page: {self._server.address}  socket: {self._server.socket_address}{token}')

    @property
    def subscriptions(self):
        """What the executor waits for."""
        return (s for s in super().subscriptions if s not in self.polled and s not in self._leaving)

    @property
    def waitables(self):
        """Events that the executor waits for."""
        return (w for w in super().waitables if w not in self._leaving)

    def destroy_node(self) -> None:
        """Close the sockets first: they use what the node has."""
        if self._server is not None:
            self._server.close()
        self._ends = True
        super().destroy_node()

    # what the server asks, in its thread

    def now_ns(self) -> int:
        """See Owner."""
        return self.get_clock().now().nanoseconds

    def take_hand(self, name: str, sample: HandSample) -> None:
        """See Owner."""
        msg = HandJoints(hand=name)
        convert.fill_hand(msg, sample)
        self._hands[name].publish(msg)

    async def call(self, service: str, arguments: dict[str, Any]) -> tuple[bool, str]:
        """See Owner. Several requests: one after the other, to the first that fails."""
        client = self._callers[service]
        result = False, 'nothing was asked'
        for request in requests(service, arguments):
            if not client.service_is_ready():
                return False, f'{client.srv_name} is not there: does collision_node run?'
            loop = asyncio.get_running_loop()
            answer: asyncio.Future = loop.create_future()
            future = client.call_async(request)
            future.add_done_callback(lambda done, loop=loop, answer=answer: loop.call_soon_threadsafe(
                lambda: answer.done() or answer.set_result(done.result())))
            try:
                response = await asyncio.wait_for(answer, ANSWER)
            except asyncio.TimeoutError:
                client.remove_pending_request(future)
                return False, f'{client.srv_name} gave no answer within {ANSWER:g} s'
            result = response.success, response.message
            if not response.success:
                break
        return result

    def watched(self, topic: str, count: int, is_new: bool) -> None:
        """See Owner. Subscriptions are the executor's business, so it is left to its thread."""
        self._wanted[topic] = count
        if is_new:
            self._begun.add(topic)
        # in the executor's thread: not by a task, in which an error ends the process (rclpy issue 1641)
        self._opening.reset()

    # what is subscribed to

    def _open_and_close(self) -> None:
        """As the timer of `_opening` asks, once."""
        self._opening.cancel()
        self._look()

    def _look(self) -> None:
        """Open what a page wants, close what no page wants any more."""
        for channel, count in list(self._wanted.items()):
            subscriptions = self._open.get(channel, [])
            # a writer that keeps its last message for late readers gives it to a new reader only
            renew = self._has_begun(channel) and channel in self._topics and self._topics[channel].latched
            if subscriptions and (not count or renew):
                for subscription in subscriptions:
                    self.destroy_subscription(subscription)
                subscriptions = []
            if count and not subscriptions:
                subscriptions = self._subscribe(channel)
            self._open[channel] = subscriptions
            if channel == ROTORS and self._rotor_timer.is_canceled() == bool(count):
                self._rotor_timer.reset() if count else self._rotor_timer.cancel()

    def destroy_subscription(self, subscription) -> bool:
        """Once the executor has given it up: it would go on to the events of one that is gone (rclpy issue 1644)."""
        if self._ends or self.executor is None or subscription in self.polled:
            self.polled.discard(subscription)
            return super().destroy_subscription(subscription)
        self._leaving.update([subscription, *subscription.event_handlers])
        self.executor.wake()
        self.executor.create_task(self._destroy, subscription)
        return True

    def _destroy(self, subscription) -> None:
        self._leaving.difference_update([subscription, *subscription.event_handlers])
        try:
            super().destroy_subscription(subscription)
        except Exception as error:  # rclpy cannot tell of one in a task: the process would end (its issue 1641)
            self.get_logger().error(f'{subscription.topic_name}: {error}')

    def _has_begun(self, channel: str) -> bool:
        """Once; in one step, since the server's thread adds to the set."""
        try:
            self._begun.remove(channel)
        except KeyError:
            return False
        return True

    def _subscribe(self, channel: str) -> list:
        if channel in self._topics:
            _, _, kind, qos, _ = topic = self._topics[channel]
            relay = partial(self._relay, channel, channel == STATES_OUT)
            return [subscribe_for_a_while(self, kind, topic.topic, relay, qos, raw=True)]
        if channel == ROTORS:
            return self._rotors.subscribe(self)
        if channel == HANDS_OF_OTHERS:
            return self._others.subscribe()
        if channel == OBJECTS and (self._world.objects or self._world.spare.objects):
            return [subscribe_for_a_while(self, MarkerArray, 'markers', self._send_objects, LATCHED)]
        if channel == CONSTRAINTS:
            return [subscribe_for_a_while(self, MarkerArray, 'markers', self._send_constraints, LATCHED, raw=True)]
        return []

    # from ROS to the clients

    def _relay(self, channel: str, timed: bool, data: bytes) -> None:
        if len(data) > MOST_RELAYED:
            self._refused['too_large'] += 1
            return
        now = self.now_ns()
        delay = None
        if timed and len(data) >= 12:
            sec, nanosec = STAMP.unpack_from(data, 4)
            delay = now - sec * NANOSECONDS - nanosec
        self._server.publish(channel, now, data, delay)

    def _on_roster(self, msg: String) -> None:
        """Bodies came, changed or left: the pages get the scene anew."""
        try:
            self._world = self._whole.world(msg.data)
        except RosterError as error:
            self._refused['wrong_roster'] += 1
            self.get_logger().warning(f'~/roster: {error}', throttle_duration_sec=5.0)
            return
        self._send_scene()
        if self._others.look(self._world) and self._wanted[HANDS_OF_OTHERS]:
            for subscription in self._open.get(HANDS_OF_OTHERS, []):
                self.destroy_subscription(subscription)
            self._open[HANDS_OF_OTHERS] = self._others.subscribe()

    def _send_scene(self) -> None:
        """The world; parameters give authorities to the drones of the world file, `~/roster` has those of others."""
        first = {id(drone) for drone in self._whole.first.drones}
        given = {drone.name: self._authorities[drone.name] for drone in self._world.drones
                 if id(drone) in first and drone.name in self._authorities}
        self._server.publish(SCENE, self.now_ns(), scene_message(self._world, given, self._hands))

    def _send_hand(self, data: bytes) -> None:
        self._server.publish(HANDS_OF_OTHERS, self.now_ns(), data)

    def _send_objects(self, msg: MarkerArray) -> None:
        """Where the objects are: the node draws them one marker each, with their names."""
        # others may publish markers, too
        names = [body.name for body in self._world.objects]
        known = set(names)
        markers = [marker for marker in msg.markers if marker.ns == 'objects'
                   and (marker.text in known or not marker.text and 0 <= marker.id < len(names))]
        if not markers:
            return
        stamp = markers[0].header.stamp
        poses = [(m.pose.position, m.pose.orientation) for m in markers]
        self._send_json(OBJECTS, {
            'stamp_ns': str(stamp.sec * NANOSECONDS + stamp.nanosec),
            'names': [m.text or names[m.id] for m in markers],
            'positions': [[p.x, p.y, p.z] for p, _ in poses],
            'orientations_xyzw': [[q.x, q.y, q.z, q.w] for _, q in poses],
        })

    def _send_constraints(self, data: bytes) -> None:
        """Where constraints hold: the node draws them as one list of lines, red where they are loaded."""
        if (is_drawn := list_is_drawn(data, 'constraints')) is None:
            return
        if not is_drawn:    # most of the time: all markers of a fleet take long to be read
            self._send_json(CONSTRAINTS, {'stamp_ns': str(self.now_ns()), 'lines': [], 'loaded': []})
            return
        for marker in deserialize_message(data, MarkerArray).markers:
            if marker.ns == 'constraints':
                ends = [[p.x, p.y, p.z] for p in marker.points]
                self._send_json(CONSTRAINTS, {
                    'stamp_ns': str(marker.header.stamp.sec * NANOSECONDS + marker.header.stamp.nanosec),
                    'lines': [list(pair) for pair in zip(ends[::2], ends[1::2], strict=False)],
                    'loaded': [colour.g < 0.5 for colour in marker.colors[:len(ends) // 2 * 2:2]],
                })

    def _send_rotors(self) -> None:
        """How fast the rotors turn."""
        if message := self._rotors.message(self.now_ns()):
            self._send_json(ROTORS, message)

    def _send_json(self, channel: str, content: dict[str, Any]) -> None:
        self._server.publish(channel, self.now_ns(), json.dumps(content, separators=(',', ':')).encode())

    def _report(self) -> None:
        """Once a second: /server_stats, and a status in /diagnostics."""
        stats = self._server.stats()
        ticks = stats.published.get(STATES_OUT, 0) - self._before.get(STATES_OUT, 0)
        fresh = [cause for cause, count in stats.dropped.items()
                 if cause != SUPERSEDED and count > self._before.get(cause, 0)]
        self._before = {**stats.published, **stats.dropped}
        median = stats.median_ms()
        watched = self._wanted[STATES_OUT] > 0
        dropped = {cause: count for cause, count in stats.dropped.items() if cause != SUPERSEDED}
        dropped.update(self._refused)
        self._send_json(STATS, {'clients': stats.clients, 'tick_rate': ticks if watched else None, 'dropped': dropped,
                                'superseded': stats.dropped.get(SUPERSEDED, 0),
                                'latency_ms': median if watched else None})
        report = Report(f'{self.get_fully_qualified_name().lstrip("/")}: sockets', 'hakoniwa_rigid')
        report.add('clients', stats.clients)
        if median is not None:
            report.add('latency [s]', median / 1e3)
        for cause, count in stats.dropped.items():
            report.add(f'{cause}', count)
        if fresh:
            report.warn(f'dropped or refused: {", ".join(fresh[:8])}')
        msg = DiagnosticArray(status=[report.status])
        convert.set_stamp(msg.header.stamp, self.now_ns())
        self._diagnostics.publish(msg)


def main(args: list[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    sys.setswitchinterval(SWITCH)
    return run(Viewer, args)


if __name__ == '__main__':
    raise SystemExit(main())
