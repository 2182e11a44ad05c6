"""The journal of a recording: what a node asked its scene to do, call by call, as messages on a topic of their own.

Each is a std_msgs/String that holds JSON.  The first says what was run (Header), every other one what one tick did
(Entry).  A tick's messages and its entry have the same log stamp, which no other tick has; the entry names the messages
in the order in which they were read.  docs/replay.md lists the calls.
"""
from __future__ import annotations

import json
import struct
from collections import Counter
from typing import Any, NamedTuple

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.topics import TF, TF_STATIC
from hakoniwa_rigid.scene.parameters.settings import Values

FORMAT = 'hakoniwa_rigid journal 1'
TOPIC, TYPE = '/hakoniwa_rigid/journal', 'std_msgs/msg/String'
ENCAPSULATION = b'\0\1\0\0'
# the calls, and the types of their arguments
CALLS = {
    'transforms': (bool,),          # a message of /tf_static (true) or /tf came
    'ask_tf': (),                   # the drones that are only on /tf were looked up
    'take': (list, list),           # messages were read: numbers of their topics, receptions in ns after now; [] for 0
    'flush': (),                    # the scene was given what they said
    'authority': (str, str),        # of a drone
    'enable': (bool,),              # contacts on or off
    'restart': (),                  # the scene was reset, and what had been learnt about time was forgotten
    'advance': (int,),              # the scene was advanced to this stamp, ns, and published
    'hold': (int,),                 # paused: time went on to this stamp, ns, and the scene was published as it stood
    'release_hands': (),            # after a pause
}
Call = list[Any]


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

    def messages(self, topics: tuple[RecordedTopic, ...]) -> Counter[str]:
        """How many messages it names, by full name."""
        found: Counter[str] = Counter()
        for name, *arguments in self.calls:
            if name == 'take':
                found.update(topics[n].full for n in arguments[0])
            elif name == 'transforms':
                found[TF_STATIC if arguments[0] else TF] += 1
        return found


def pack(content: dict) -> bytes:
    """std_msgs/String as CDR, little endian; equal contents give equal bytes."""
    text = json.dumps(content, separators=(',', ':'), sort_keys=True, allow_nan=False).encode() + b'\0'
    return ENCAPSULATION + struct.pack('<I', len(text)) + text


def unpack(data: bytes) -> dict:
    """The JSON object in a message; BagError, without a place, where there is none."""
    try:
        length, = struct.unpack_from('<I' if data[1] & 1 else '>I', data, 4)
        content = json.loads(data[8:8 + length].rstrip(b'\0').decode())
    except (struct.error, IndexError, ValueError) as error:
        raise BagError(f'is no text of JSON: {error}') from error
    if not isinstance(content, dict):
        raise BagError(f'must be a JSON object, got {type(content).__name__}')
    return content


def read_header(data: bytes) -> Header:
    """BagError, without a place, where it is none."""
    content = unpack(data)
    if content.get('format') != FORMAT:
        raise BagError(f'format: must be {FORMAT!r}, got {content.get("format")!r}; recorded by another version, or '
                       'the beginning is missing')
    kinds = {'topics': list, 'outputs': dict, 'parameters': dict, 'world': str, 'versions': dict}
    for key, kind in kinds.items():
        if not isinstance(content.get(key), kind):
            raise BagError(f'{key}: must be there and be a {kind.__name__}, got {content.get(key)!r}')
    for k, topic in enumerate(content['topics']):
        if not _fits(topic, (str,) * len(RecordedTopic._fields)):
            raise BagError(f'topics[{k}]: must be {", ".join(RecordedTopic._fields)}, got {topic!r}')
    topics = tuple(RecordedTopic(*topic) for topic in content['topics'])
    return Header(topics, *(content[key] for key in Header._fields[1:]))


def read_entry(data: bytes, topics: int) -> Entry:
    """The entry of a recording with so many topics; BagError, without a place, where it is none."""
    content = unpack(data)
    now, calls = content.get('now'), content.get('calls')
    if not _is(int, now) or not isinstance(calls, list):
        raise BagError(f'must have now, a whole number, and calls, a list, got {str(content)[:80]}')
    for k, call in enumerate(calls):
        if not isinstance(call, list) or not call or call[0] not in CALLS or not _fits(call[1:], CALLS[call[0]]):
            raise BagError(f'calls[{k}]: must be one of {", ".join(CALLS)} with its arguments, got {str(call)[:80]}')
        if call[0] == 'take':
            _check_take(f'calls[{k}]', call, topics)
    return Entry(now, calls)


def _check_take(where: str, call: Call, topics: int) -> None:
    _, numbers, receptions = call
    if not all(_is(int, n) and 0 <= n < topics for n in numbers):
        raise BagError(f'{where}: numbers of topics must be from 0 to {topics - 1}, got {numbers}')
    if receptions and (len(receptions) != len(numbers) or not all(_is(int, ns) for ns in receptions)):
        raise BagError(f'{where}: must have a whole number for each of {len(numbers)} receptions, or none, '
                       f'got {receptions}')


def _fits(values: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(values, list) and len(values) == len(kinds) and all(map(_is, kinds, values))


def _is(kind: type, value: Any) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
