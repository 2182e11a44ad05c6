# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Quality of service per kind of topic, as in the README's topic table, and the two ways to open a topic with it.

Inputs are best effort: a lost sample is replaced by the next, and a best-effort reader accepts reliable and best-effort
writers alike. Outputs are reliable. ``depth`` is the number of unread messages a reader or writer keeps. A user changes
history, depth and reliability of any topic by the parameters ``qos_overrides.<topic>.<subscription|publisher>.*``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy

from rcl_interfaces.msg import SetParametersResult
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.event_handler import PublisherEventCallbacks, SubscriptionEventCallbacks
from rclpy.exceptions import InvalidParameterTypeException
from rclpy.qos import DurabilityPolicy, HistoryPolicy, QoSProfile, ReliabilityPolicy
from rclpy.qos_overriding_options import InvalidQosOverridesError, QoSOverridingOptions

from .errors import StartError

__all__ = [
    'EVENTS',
    'FLEETS',
    'INPUT',
    'LATCHED',
    'STATES',
    'TRANSFORMS',
    'TRANSFORMS_STATIC',
    'advertise',
    'advertise_for_a_while',
    'never_called',
    'poll_for_a_while',
    'subscribe',
    'subscribe_for_a_while',
]


def _keep_last(depth: int, reliability: ReliabilityPolicy, durability: DurabilityPolicy) -> QoSProfile:
    return QoSProfile(depth=depth, history=HistoryPolicy.KEEP_LAST, reliability=reliability, durability=durability)


# samples of drones and hands: the newest stamp wins, so a short queue is enough
INPUT = _keep_last(5, ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE)
# fleets on one topic: a large one comes in parts (docs/node_performance.md), and all parts wait for one tick
FLEETS = _keep_last(64, ReliabilityPolicy.BEST_EFFORT, DurabilityPolicy.VOLATILE)
# corrected states and diagnostics: at 200 Hz ten samples cover a reader that sleeps 50 ms
STATES = _keep_last(10, ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)
# contact events: an impulse that is lost is momentum that is lost; 1000 ticks are 5 s of contact at 200 Hz
EVENTS = _keep_last(1000, ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)
# markers: a viewer that starts late still gets the walls, and the last moving picture
LATCHED = _keep_last(1, ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)
# /tf and /tf_static, as their writers offer them: many writers share these topics, so their queues are long
TRANSFORMS = _keep_last(100, ReliabilityPolicy.RELIABLE, DurabilityPolicy.VOLATILE)
TRANSFORMS_STATIC = _keep_last(100, ReliabilityPolicy.RELIABLE, DurabilityPolicy.TRANSIENT_LOCAL)


def _sane(profile: QoSProfile) -> SetParametersResult:
    fine = profile.history == HistoryPolicy.KEEP_ALL or 1 <= profile.depth <= DEEPEST
    reason = '' if fine else f'depth must be 1 to {DEEPEST}, got {profile.depth}'
    return SetParametersResult(successful=fine, reason=reason)


# messages; more is a typing error that would eat the memory
DEEPEST = 100_000
CHANGEABLE = QoSOverridingOptions.with_default_policies(callback=_sane)


@contextmanager
def _explained(topic: str) -> Iterator[None]:
    """rclpy's errors about wrong overrides as one sentence that names the parameter."""
    try:
        yield
    except (InvalidQosOverridesError, InvalidParameterTypeException, RuntimeError, AssertionError) as error:
        raise StartError(f'parameter qos_overrides.<topic> of {topic}: {error}') from error


def subscribe(node, kind: type, topic: str, callback: Callable, profile: QoSProfile, **options):
    """A subscription whose QoS the user may override. StartError where the override or the topic's name is wrong."""
    with _explained(topic):
        return node.create_subscription(
            kind, topic, callback, copy(profile), qos_overriding_options=CHANGEABLE, **options
        )


def subscribe_for_a_while(node, kind: type, topic: str, callback: Callable, profile: QoSProfile, **options):
    """A subscription that will be destroyed while its node goes on, in a callback group of its own; see subscribe.

    A callback group keeps a dead weak reference to each entity that it ever had.
    """
    return subscribe(node, kind, topic, callback, profile, callback_group=MutuallyExclusiveCallbackGroup(), **options)


def never_called(message: bytes) -> None:
    """The callback of a subscription that no executor serves."""


def poll_for_a_while(node, kind: type, topic: str, callback: Callable, profile: QoSProfile):
    """A subscription of raw messages that no executor serves, and that will be destroyed while its node goes on.  It
    has no events: an executor would still wait for those of one that is gone."""
    with _explained(topic):
        return node.create_subscription(
            kind, topic, callback, copy(profile), raw=True, callback_group=MutuallyExclusiveCallbackGroup(),
            event_callbacks=SubscriptionEventCallbacks(use_default_callbacks=False),
            qos_overriding_options=_changeable(node, topic, 'subscription'))


def advertise_for_a_while(node, kind: type, topic: str, profile: QoSProfile):
    """A publisher that will be destroyed while its node goes on; see poll_for_a_while."""
    with _explained(topic):
        return node.create_publisher(
            kind, topic, copy(profile), callback_group=MutuallyExclusiveCallbackGroup(),
            event_callbacks=PublisherEventCallbacks(use_default_callbacks=False),
            qos_overriding_options=_changeable(node, topic, 'publisher'))


def _changeable(node, topic: str, end: str) -> QoSOverridingOptions | None:
    """Overrides, where they are given: their parameters stay for as long as the node does."""
    prefix = f'qos_overrides.{node.resolve_topic_name(topic)}.{end}.'
    given = getattr(node, '_parameter_overrides', {})   # rclpy has no public word for it
    return CHANGEABLE if any(name.startswith(prefix) for name in given) else None


def advertise(node, kind: type, topic: str, profile: QoSProfile):
    """A publisher; see subscribe."""
    with _explained(topic):
        return node.create_publisher(kind, topic, copy(profile), qos_overriding_options=CHANGEABLE)
