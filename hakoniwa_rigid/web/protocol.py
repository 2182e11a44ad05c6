# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The Foxglove WebSocket protocol, server side: text frames are JSON with an `op`, binary frames begin with an opcode.

Written from the public specification (foxglove/ws-protocol, docs/spec.md).  Only what a live source needs: channels,
client publish, services.  All numbers little endian; ids are unsigned 32-bit, times uint64 ns.
"""
from __future__ import annotations

import json
import struct
from typing import Any, NamedTuple

from .errors import RefusedError
from .json_text import read_json

# the second is the same protocol by its older name, as @foxglove/ws-protocol asks for it
SUBPROTOCOLS = ('foxglove.sdk.v1', 'foxglove.websocket.v1')
CAPABILITIES = ['clientPublish', 'services']
INFO, WARNING, ERROR = 0, 1, 2
# topics that clients publish on, the first followed by a hand's name, and where probes are answered
HANDS, CLOCK_PROBE, CLOCK_REPLY = '/hands/', '/clock_probe', '/clock_reply'
# the topic that says which client moves which hand
HAND_OWNERS = '/hand_owners'
_MESSAGE = struct.Struct('<BIQ')        # opcode, subscription, log time
_RESPONSE = struct.Struct('<BIII')      # opcode, service, call, length of the encoding
_DATA = struct.Struct('<BI')            # opcode, client's channel
_MESSAGE_DATA, _CALL_RESPONSE = 1, 3    # from the server
_CLIENT_DATA, _CLIENT_CALL = 1, 2       # from a client
_HIGHEST_ID = 2**32 - 1


class Channel(NamedTuple):
    """A topic the server offers.  every: all messages matter, in order; else only the newest does.  latched: the last
    one is sent on subscription."""

    id: int
    topic: str
    encoding: str
    schema_name: str = ''
    schema_encoding: str = ''
    schema: str = ''
    every: bool = False
    latched: bool = False

    def described(self) -> dict[str, Any]:
        """As it is sent to a client."""
        known = {'id': self.id, 'topic': self.topic, 'encoding': self.encoding, 'schemaName': self.schema_name,
                'schema': self.schema}
        return {**known, 'schemaEncoding': self.schema_encoding} if self.schema_encoding else known


class Service(NamedTuple):
    """A service the server offers; request and answer are JSON objects.  request: its properties as JSON schema."""

    id: int
    name: str
    type: str
    request: dict[str, Any]

    def described(self) -> dict[str, Any]:
        """As it is sent to a client."""
        answer = {'success': {'type': 'boolean'}, 'message': {'type': 'string'}}
        return {'id': self.id, 'name': self.name, 'type': self.type,
                'request': _schema(f'{self.type}_Request', self.request),
                'response': _schema(f'{self.type}_Response', answer)}


class Request(NamedTuple):
    """What a client asks: op is that of its text frame, `data` or `call`; fields by the names of the protocol."""

    op: str
    fields: dict[str, Any]
    payload: bytes = b''


def _schema(name: str, properties: dict[str, Any]) -> dict[str, str]:
    return {'encoding': 'json', 'schemaName': name, 'schemaEncoding': 'jsonschema',
            'schema': json.dumps({'type': 'object', 'properties': properties})}


def as_text(op: str, **fields: Any) -> str:
    """A text frame."""
    return json.dumps({'op': op, **fields}, separators=(',', ':'))


def server_info(name: str, session: str) -> str:
    """The first frame of a connection.  session: another one tells a client to forget what it knew."""
    return as_text('serverInfo', name=name, capabilities=CAPABILITIES, supportedEncodings=['json'], metadata={},
                   sessionId=session)


def status(level: int, message: str) -> str:
    """A word for the person at the client."""
    return as_text('status', level=level, message=message)


def message_data(subscription: int, time_ns: int, payload: bytes) -> bytes:
    """A message of a channel."""
    return _MESSAGE.pack(_MESSAGE_DATA, subscription, time_ns) + payload


def call_response(service: int, call: int, answer: dict[str, Any]) -> bytes:
    """The answer of a service."""
    return _RESPONSE.pack(_CALL_RESPONSE, service, call, 4) + b'json' + json.dumps(answer).encode()


def call_failure(service: int, call: int, text: str) -> str:
    """A service that gave no answer."""
    return as_text('serviceCallFailure', serviceId=service, callId=call, message=text)


def read_text(text: str) -> Request:
    """A text frame of a client.  RefusedError where it is none."""
    try:
        content = read_json(text)
    except ValueError as error:
        raise RefusedError('malformed', f'a text frame must be JSON: {error}') from error
    op = content.get('op') if isinstance(content, dict) else None
    if not isinstance(op, str):
        raise RefusedError('malformed', 'a text frame must be an object with an op')
    if op in _READERS:
        return Request(op, _READERS[op](content))
    return Request(op, {})


def read_binary(data: bytes) -> Request:
    """A binary frame of a client.  RefusedError where it is none."""
    try:
        if data[:1] == bytes([_CLIENT_DATA]):
            _, channel = _DATA.unpack_from(data)
            return Request('data', {'channel': channel}, data[_DATA.size:])
        if data[:1] == bytes([_CLIENT_CALL]):
            _, service, call, length = _RESPONSE.unpack_from(data)
            at = _RESPONSE.size + length
            if at > len(data):
                raise RefusedError('malformed', 'a service call is shorter than its encoding')
            fields = {'service': service, 'call': call, 'encoding': data[_RESPONSE.size:at].decode('utf8', 'replace')}
            return Request('call', fields, data[at:])
    except struct.error as error:
        raise RefusedError('malformed', f'a binary frame of {len(data)} bytes: {error}') from error
    raise RefusedError('malformed', f'a binary frame with opcode {data[:1].hex() or "none"}')


def _is_id(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _HIGHEST_ID


def _ids(content: dict, key: str) -> list[int]:
    found = content.get(key)
    if not isinstance(found, list) or not all(map(_is_id, found)):
        raise RefusedError('malformed', f'{content["op"]}: {key} must be a list of ids')
    return found


def _entries(content: dict, key: str, ids: tuple[str, ...], words: tuple[str, ...] = ()) -> list[dict]:
    found = content.get(key)
    if not isinstance(found, list) or not all(
            isinstance(entry, dict) and all(_is_id(entry.get(k)) for k in ids)
            and all(isinstance(entry.get(k), str) for k in words) for entry in found):
        keys = ', '.join(ids + words)
        raise RefusedError('malformed', f'{content["op"]}: {key} must be a list of objects with {keys}')
    return found


_READERS = {
    'subscribe': lambda c: {'subscriptions': [(e['id'], e['channelId'])
                                              for e in _entries(c, 'subscriptions', ('id', 'channelId'))]},
    'unsubscribe': lambda c: {'ids': _ids(c, 'subscriptionIds')},
    'advertise': lambda c: {'channels': [(e['id'], e['topic'], e['encoding'])
                                         for e in _entries(c, 'channels', ('id',), ('topic', 'encoding'))]},
    'unadvertise': lambda c: {'ids': _ids(c, 'channelIds')},
}
