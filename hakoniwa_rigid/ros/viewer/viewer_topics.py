# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the viewer relays: topics, and the services that it calls for its clients."""

from __future__ import annotations

import struct
from typing import NamedTuple

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import QoSProfile
from std_msgs.msg import Bool
from std_srvs.srv import SetBool, Trigger
from visualization_msgs.msg import Marker, MarkerArray

from hakoniwa_rigid.msg import ConstraintEventArray, ContactEventArray, FleetState, HandJoints
from hakoniwa_rigid.replay.bag.types import known_definition, type_name
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.web.errors import RefusedError
from hakoniwa_rigid.web.heads import HEADS
from hakoniwa_rigid.web.protocol import CLOCK_REPLY, HAND_OWNERS, HANDS, Channel, Service

from ..errors import StartError
from ..qos import EVENTS, INPUT, LATCHED, STATES

__all__ = ['CALLS', 'CONSTRAINTS', 'HANDS_OF_OTHERS', 'OBJECTS', 'ROTORS', 'SCENE', 'STATES_OUT', 'STATS', 'Relayed',
           'channels', 'relayed', 'requests', 'services']

STATES_OUT = '/fleet/states_corrected'
SCENE, ROTORS, OBJECTS, STATS, CONSTRAINTS = '/scene', '/rotors', '/objects', '/server_stats', '/constraints'
HANDS_OF_OTHERS = '/hands_of_others'
ANYTHING = '{"type": "object"}'  # schema of the JSON that docs/web.md describes
# of one call of /step
MOST_TICKS = 1000
BOOLEAN, COUNT = {'type': 'boolean'}, {'type': 'integer', 'minimum': 1, 'maximum': MOST_TICKS}
# service of the socket: service of the node, its type, its one argument
CALLS = {
    '/reset': ('reset', Trigger, {}),
    '/set_paused': ('set_paused', SetBool, {'paused': BOOLEAN}),
    '/step': ('step', Trigger, {'ticks': COUNT}),
    '/set_enabled': ('set_enabled', SetBool, {'enabled': BOOLEAN}),
}


class Relayed(NamedTuple):
    """A topic of ROS that is passed on as it is, under the name `channel`."""

    topic: str
    channel: str
    kind: type
    qos: QoSProfile
    every: bool = False

    @property
    def latched(self) -> bool:
        """Whether its writer keeps the last message for those who come later."""
        return self.qos is LATCHED


def relayed(hands: dict[str, str], node: str = 'collision_node') -> tuple[Relayed, ...]:
    """All of them; hands: topics by name; node: the collision node's name.

    States come by best effort: one that is late is worthless, and its writer never waits for us.
    """
    events, markers, diagnostics, constraints = 'contact_events', 'markers', '/diagnostics', 'constraint_events'
    return (
        Relayed(STATES_OUT[1:], STATES_OUT, FleetState, INPUT),
        Relayed(events, f'/{events}', ContactEventArray, EVENTS, every=True),
        Relayed(constraints, f'/{constraints}', ConstraintEventArray, EVENTS, every=True),
        *(Relayed(topic, HANDS + name, HandJoints, INPUT) for name, topic in hands.items()),
        Relayed(markers, f'/{markers}', MarkerArray, LATCHED, every=True),
        Relayed(diagnostics, diagnostics, DiagnosticArray, STATES, every=True),
        Relayed(f'{node}/paused', '/paused', Bool, LATCHED, every=True),
    )


def channels(topics: tuple[Relayed, ...]) -> list[Channel]:
    """What a client can subscribe to; StartError where the types are not known."""
    made = [_of_ros(k + 1, topic.channel, topic.kind, topic.every) for k, topic in enumerate(topics)]
    plain = (SCENE, ROTORS, OBJECTS, STATS, CLOCK_REPLY, CONSTRAINTS, HEADS, HAND_OWNERS)
    made += [Channel(len(made) + 1 + k, topic, 'json', f'hakoniwa_rigid{topic}', 'jsonschema', ANYTHING,
                     topic in (SCENE, STATS, CLOCK_REPLY), topic == SCENE) for k, topic in enumerate(plain)]
    return [*made, _of_ros(len(made) + 1, HANDS_OF_OTHERS, HandJoints, every=False)]


def _of_ros(number: int, name: str, kind: type, every: bool) -> Channel:
    """The channel of messages of ROS."""
    try:
        definition = known_definition(type_name(kind))
    except BagError as error:
        raise StartError(f'the viewer: {error}') from error
    return Channel(number, name, 'cdr', type_name(kind), 'ros2msg', definition, every)


def list_is_drawn(data: bytes, ns: str) -> bool | None:
    """Whether the first marker of a namespace, of a MarkerArray in CDR, is drawn and not deleted; None without one."""
    name = ns.encode() + b'\0'
    at = data.find(struct.pack('<I', len(name)) + name)
    # id, type and action follow, aligned to four bytes behind CDR's four of its own
    action = 4 + at + len(name) + -len(name) % 4 + 8
    if at < 0 or len(data) < action + 4:
        return None
    return struct.unpack_from('<i', data, action)[0] == Marker.ADD


def services() -> list[Service]:
    """What a client can call."""
    return [Service(k + 1, name, f'hakoniwa_rigid/{own}', arguments)
            for k, (name, (own, _, arguments)) in enumerate(CALLS.items())]


def requests(service: str, arguments: dict) -> list:
    """The requests to the node that a call of the socket stands for; RefusedError where its arguments are wrong."""
    _, kind, schema = CALLS[service]
    for key, wanted in schema.items():
        value = arguments.get(key, 1 if wanted is COUNT else None)
        if wanted is BOOLEAN:
            if not isinstance(value, bool):
                raise RefusedError('refused_call', f'{service}: {key} must be true or false, got {str(value)[:40]}')
            return [kind.Request(data=value)]
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MOST_TICKS:
            raise RefusedError('refused_call', f'{service}: {key} must be 1 to {MOST_TICKS}, got {str(value)[:40]}')
        return [kind.Request() for _ in range(value)]
    return [kind.Request()]
