# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The journal of a recording: what a node asked its scene to do, call by call, as messages on a topic of their own.

Each is a std_msgs/String that holds JSON.  The first says what was run (Header), every other one what one tick did
(Entry).  A tick's messages and its entry have the same log stamp, which no other tick has; the entry names the messages
in the order in which they were read.  docs/recording.md lists the calls.
"""
from __future__ import annotations

import json
import struct
from collections import Counter
from collections.abc import Collection
from hashlib import sha256
from typing import Any, NamedTuple

from hakoniwa_rigid.brief import MOST_VALUE, brief, cut
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.topics import TF, TF_STATIC
from hakoniwa_rigid.scene.parameters.settings import Values

FORMAT = 'hakoniwa_rigid journal 1'
TOPIC, TYPE = '/hakoniwa_rigid/journal', 'std_msgs/msg/String'
# the files of saved states, each at the tick that went on from it
STATE, STATE_TYPE = '/hakoniwa_rigid/state', 'std_msgs/msg/UInt8MultiArray'
ENCAPSULATION = b'\0\1\0\0'
# of UInt8MultiArray, as this package writes it: no dimensions, no offset, number of bytes
BYTES = struct.Struct('<4sIII')
# the calls, and the types of their arguments
CALLS = {
    'transforms': (bool,),          # a message of /tf_static (true) or /tf came
    'ask_tf': (),                   # the drones that are only on /tf were looked up
    'take': (list, list),           # messages were read: numbers of their topics, receptions in ns after now; [] for 0
    'flush': (),                    # the scene was given what they said
    'authority': (str, str),        # of a drone
    'enable': (bool,),              # contacts on or off
    'attach': (dict,),              # two bodies were held together: the keys of `constraints:` in a world file
    'detach': (str,),               # a constraint was let go
    'add': (str, dict),             # a drone, wall, object or hand came: the keys of its entry in a world file
    'change': (str, dict),          # it got other values for some keys
    'remove': (str,),               # it left
    # a drone or hand that came is read from topics of its own: values of its parameters; number, name, type of each,
    # and its name in the bag; full name of the drone's corrected odometry, '' for none
    'connect': (str, dict, list, str),
    'disconnect': (str,),           # it is read no longer; the numbers are free for others
    'set_state': (str, list, list),  # an object or drone was put elsewhere: pose (7) and twist (6) in the world, or []
    'restart': (),                  # the scene was reset, and what had been learnt about time was forgotten
    'restored': (str,),             # the scene was put into a saved state, whose file has this SHA-256
    'advance': (int,),              # the scene was advanced to this stamp, ns, and published
    'hold': (int,),                 # paused: time went on to this stamp, ns, and the scene was published as it stood
    'release_hands': (),            # after a pause
}
Call = list[Any]
# bytes of a text: of the header, which holds a world, and of an entry; objects of Python take 30 times as much
MOST_HEADER, MOST_ENTRY = 16 << 20, 4 << 20
# of a saved state; a world of a thousand drones has some 10 MB
MOST_STATE = 128 << 20
# numbers of topics
MOST_TOPICS = 1 << 20
# of a whole number: ns of 146 years
MOST_NUMBER = 1 << 62


class RecordedTopic(NamedTuple):
    """A topic that was read: of which drone, hand or fleet, by which name of the parameters, its type, and its full
    name, which is that in the bag."""

    key: str
    name: str
    type: str
    full: str


class Header(NamedTuple):
    """What was run: topics in the order of their numbers; full names of the outputs by those of the parameters; all
    parameters; the world as a file that needs no other, but for meshes; versions."""

    topics: tuple[RecordedTopic, ...]
    outputs: dict[str, str]
    parameters: Values
    world: str
    versions: dict[str, str]

    def pack(self) -> bytes:
        """As a message."""
        return pack({'format': FORMAT, **self._asdict()})


class Entry(NamedTuple):
    """What one tick did: the node's time in ns, and its calls, each a name and its arguments."""

    now: int
    calls: list[Call]

    def pack(self) -> bytes:
        """As a message."""
        return pack(self._asdict())

    def messages(self, topics: dict[int, RecordedTopic]) -> Counter[str]:
        """How many messages it names, by full name.  topics, by number, are those before it, then those after it."""
        found: Counter[str] = Counter()
        for name, *arguments in self.calls:
            if name == 'connect':
                topics.update(connected(arguments))
            elif name == 'take':
                found.update(topics[n].full for n in arguments[0])
            elif name == 'transforms':
                found[TF_STATIC if arguments[0] else TF] += 1
            elif name == 'restored':
                found[STATE] += 1
        return found


def pack(content: dict) -> bytes:
    """std_msgs/String as CDR, little endian; equal contents give equal bytes."""
    text = json.dumps(content, separators=(',', ':'), sort_keys=True, allow_nan=False).encode() + b'\0'
    return ENCAPSULATION + struct.pack('<I', len(text)) + text


def unpack(data: bytes, most: int = MOST_HEADER) -> dict:
    """The JSON object in a message of at most so many bytes; BagError, without a place, where there is none."""
    if len(data) > most:
        raise BagError(f'is too long: {len(data)} bytes, at most {most} are read')
    try:
        length, = struct.unpack_from('<I' if data[1] & 1 else '>I', data, 4)
        content = json.loads(data[8:8 + length].rstrip(b'\0').decode())
    except (struct.error, IndexError, ValueError, RecursionError) as error:
        raise BagError(f'is no text of JSON: {cut(str(error), MOST_VALUE)}') from error
    if not isinstance(content, dict):
        raise BagError(f'must be a JSON object, got {type(content).__name__}')
    return content


def pack_state(state: bytes) -> bytes:
    """The message of a saved state.  BagError where it is longer than is read again."""
    if len(state) > MOST_STATE:
        raise BagError(f'the state that the node went on from has {len(state)} bytes, a recording takes {MOST_STATE}')
    return BYTES.pack(ENCAPSULATION, 0, 0, len(state)) + state


def read_state(data: bytes, digest: str) -> bytes:
    """The file of the saved state in a message, which must be that with the SHA-256 `digest`.  BagError, without a
    place."""
    if len(data) < BYTES.size or BYTES.unpack_from(data) != (ENCAPSULATION, 0, 0, len(data) - BYTES.size):
        raise BagError('is no message that this package wrote, or is cut short')
    if len(data) > BYTES.size + MOST_STATE:
        raise BagError(f'is too long: {len(data)} bytes, at most {MOST_STATE} are read')
    state = data[BYTES.size:]
    if sha256(state).hexdigest() != digest:
        raise BagError(f'is not the one that the journal names, {brief(digest)}')
    return state


def is_header(data: bytes) -> bool:
    """Whether a message is a header: each file of a recording begins with one."""
    return data.startswith(b'{"format":', len(ENCAPSULATION) + 4)


def read_header(data: bytes) -> Header:
    """BagError, without a place, where it is none."""
    content = unpack(data)
    if content.get('format') != FORMAT:
        raise BagError(f'format: must be {FORMAT!r}, got {brief(content.get("format"))}; recorded by another version, '
                       'or the beginning is missing')
    kinds = {'topics': list, 'outputs': dict, 'parameters': dict, 'world': str, 'versions': dict}
    for key, kind in kinds.items():
        if not isinstance(content.get(key), kind):
            raise BagError(f'{key}: must be there and be a {kind.__name__}, got {brief(content.get(key))}')
    for key in ('outputs', 'versions'):
        if wrong := [v for pair in content[key].items() for v in pair if not _is(str, v)]:
            raise BagError(f'{key}: must be texts, got {brief(wrong[0])}')
    if not _is(str, content['world']) or not all(_is(str, name) for name in content['parameters']):
        raise BagError('world, parameters: must be text of Unicode')
    for k, topic in enumerate(content['topics']):
        if not _fits(topic, (str,) * len(RecordedTopic._fields)):
            raise BagError(f'topics[{k}]: must be {", ".join(RecordedTopic._fields)}, got {brief(topic)}')
    topics = tuple(RecordedTopic(*topic) for topic in content['topics'])
    return Header(topics, *(content[key] for key in Header._fields[1:]))


def connected(arguments: list[Any]) -> dict[int, RecordedTopic]:
    """The topics in a call `connect`, by their numbers."""
    name, _, topics, _ = arguments
    return {number: RecordedTopic(name, *words) for number, *words in topics}


def read_entry(data: bytes, topics: int | Collection[int]) -> Entry:
    """The entry of a recording with so many topics, or with those of these numbers; BagError, without a place, where
    it is none."""
    known, more = range(topics) if isinstance(topics, int) else topics, set()
    content = unpack(data, MOST_ENTRY)
    now, calls = content.get('now'), content.get('calls')
    if not _is(int, now) or not isinstance(calls, list):
        raise BagError(f'must have now, a whole number, and calls, a list, got {brief(content)}')
    for k, call in enumerate(calls):
        kinds = CALLS.get(call[0]) if isinstance(call, list) and call and isinstance(call[0], str) else None
        if kinds is None or not _fits(call[1:], kinds):
            raise BagError(f'calls[{k}]: must be one of {", ".join(CALLS)} with its arguments, got {brief(call)}')
        if call[0] == 'connect':
            more |= _checked_numbers(f'calls[{k}]', call[3])
        if call[0] == 'take':
            _check_take(f'calls[{k}]', call, known, more)
    return Entry(now, calls)


def _checked_numbers(where: str, topics: list) -> set[int]:
    """The numbers of the topics of a drone or hand that came."""
    for topic in topics:
        if not _fits(topic, (int, str, str, str)) or not 0 <= topic[0] < MOST_TOPICS:
            raise BagError(f'{where}: a topic must be a number below {MOST_TOPICS}, a name, a type and a full name, '
                           f'got {brief(topic)}')
    return {topic[0] for topic in topics}


def _check_take(where: str, call: Call, known: Collection[int], more: set[int]) -> None:
    _, numbers, receptions = call
    if not all(_is(int, n) and (n in known or n in more) for n in numbers):
        raise BagError(f'{where}: numbers of topics must be from 0 to {max([*known, *more], default=-1)}, '
                       f'got {brief(numbers)}')
    if receptions and (len(receptions) != len(numbers) or not all(_is(int, ns) for ns in receptions)):
        raise BagError(f'{where}: must have a whole number for each of {len(numbers)} receptions, or none, '
                       f'got {brief(receptions)}')


def _fits(values: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(values, list) and len(values) == len(kinds) and all(map(_is, kinds, values))


def _is(kind: type, value: Any) -> bool:
    """Whether a value is of that kind; a number that fits into 64 bits, a text without halves of letters."""
    if not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)):
        return False
    if kind is dict:
        return all(_is(str, key) for key in value)
    if kind is str:
        return not any('\ud800' <= letter <= '\udfff' for letter in value)
    return kind is not int or -MOST_NUMBER < value < MOST_NUMBER
