# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A recording in the making: the messages a node reads, and the journal of what it asks of its scene.  ROS-free.

    recording, calls = Recording('flight', header), Calls()
    calls.take(data, offsets, lengths, topics, receptions - now)
    calls.add('flush')
    calls.add('advance', stamp)
    recording.write(now, calls.drain())          # once a tick
    recording.close()

Collecting is cheap; writing is not, and a disk may make it wait: the two need not be in one thread.
"""
from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.rerun.journal import (
    FORMAT,
    STATE,
    STATE_TYPE,
    TOPIC,
    TYPE,
    Call,
    Entry,
    Header,
    RecordedTopic,
    connected,
    pack_state,
)
from hakoniwa_rigid.replay.rerun.provenance import PREFIX, metadata
from hakoniwa_rigid.replay.topics import TF, TF_STATIC, TF_TYPE

# ns of log time; a node that is killed loses no more than this
FLUSH = 1_000_000_000
# messages of /tf_static that are kept for files that begin later
MOST_STATICS = 256
# topics of drones that came which have channels of their own; every file of a recording lists them all, and MCAP counts
# them to 65,535.  The others share SHARED/<type>
MOST_CHANNELS = 1024
SHARED = '/hakoniwa_rigid/others'
# calls of which the arguments come from outside, and have a size that counts
BY_OTHERS = ('add', 'change', 'attach', 'connect')


class Made(NamedTuple):
    """A call, and the messages it names: in ``data`` from ``starts`` on with ``sizes``.  text: letters of what others
    have said in the call itself."""

    call: Call
    data: bytes = b''
    starts: tuple[int, ...] | list[int] = ()
    sizes: tuple[int, ...] | list[int] = ()
    text: int = 0

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.data) + self.text


class Calls:
    """The calls since the last `drain`, in order; each is one entry of one list, so that nothing can be half there."""

    def __init__(self) -> None:
        self._made: list[Made] = []
        self.size = 0    # bytes of all messages, and of what others have said, so far
        self.text = 0    # the latter

    def __len__(self) -> int:
        return len(self._made)

    def take(self, data: np.ndarray, offsets: np.ndarray, lengths: np.ndarray, topics: np.ndarray,
             ages: np.ndarray) -> None:
        """Messages (K,) as InputAdapter.take has them; ages: their receptions less now, ns."""
        starts, sizes = offsets.tolist(), lengths.tolist()
        call = ['take', topics.tolist(), ages.tolist() if ages.any() else []]
        self._made.append(Made(call, data[:starts[-1] + sizes[-1]].tobytes(), starts, sizes))
        self.size += starts[-1] + sizes[-1]

    def transforms(self, data: bytes, static: bool) -> None:
        """A message of /tf, or of /tf_static."""
        self._made.append(Made(['transforms', static], data, (0,), (len(data),)))
        self.size += len(data)

    def restored(self, state: bytes) -> None:
        """The scene was put into the saved state of this file."""
        self._made.append(Made(['restored', sha256(state).hexdigest()], state, (0,), (len(state),)))
        self.size += len(state)

    def add(self, name: str, *arguments) -> None:
        """Another call; a flush only where something was taken."""
        if name != 'flush' or (self._made and self._made[-1].call[0] == 'take'):
            text = len(json.dumps(arguments)) if name in BY_OTHERS else 0
            self._made.append(Made([name, *arguments], text=text))
            self.size += text
            self.text += text

    def drain(self) -> list[Made]:
        """All of them."""
        made, self._made = self._made, []
        return made


class Statics:
    """Messages of /tf_static so far: what begins later than they came needs them, too."""

    def __init__(self, messages: Iterable[bytes] = ()) -> None:
        self.messages = deque(messages, maxlen=MOST_STATICS)

    def add(self, calls: list[Made]) -> None:
        """Those among the calls of a tick."""
        self.messages.extend(made.data for made in calls if made.call[0] == 'transforms' and made.call[1])


class Topics:
    """Topics by their numbers: those of a header, and of drones that came."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self.known = dict(enumerate(header.topics))

    def add(self, calls: list[Made]) -> None:
        """Those among the calls of a tick."""
        for made in calls:
            if made.call[0] == 'connect':
                self.known |= connected(made.call[1:])

    @property
    def header(self) -> Header:
        """The header of a file that begins now."""
        count = max(self.known, default=-1) + 1
        if count == len(self._header.topics):
            return self._header
        none = RecordedTopic('', '', '', '')
        return self._header._replace(topics=tuple(self.known.get(number, none) for number in range(count)))


class ChannelNames:
    """The topics under which messages for drones that come are recorded: their own, until there have been too many."""

    def __init__(self, header: Header, most: int = MOST_CHANNELS) -> None:
        self._types = {topic.full: topic.type for topic in header.topics}
        self._free = most

    def of(self, topics: list[list]) -> list[list]:
        """topics: number, name, type, full name of each; with the name in the recording in place of the last."""
        return [[number, name, kind, self._name_of(full, kind)] for number, name, kind, full in topics]

    def _name_of(self, full: str, kind: str) -> str:
        if self._free and full not in self._types:
            self._free -= 1
            self._types[full] = kind
        # a bag has one type for a name
        return full if self._types.get(full) == kind else f'{SHARED}/{kind.replace("/", "_")}'


class Limits(NamedTuple):
    """When a recording goes on in another file: beyond so many bytes, ns of log time (0: never); how many complete
    files stay (0: all)."""

    split_bytes: int = 0
    split_ns: int = 0
    keep: int = 0


class Recording:
    """See the module.  Every method may raise BagError where the disk is full; then `give_up`.

    Every file begins with the header, and with what was heard of /tf_static before it, so that a replay can begin
    there when those before it are gone.
    """

    def __init__(self, path: str | Path, header: Header, definitions: dict[str, str] | None = None,
                 limits: Limits | None = None, statics: Iterable[bytes] = ()) -> None:
        """``definitions``: texts of the types that are neither of ROS 2 Kilted nor of this package, by name.
        ``statics``: messages of /tf_static from before the first tick."""
        content = metadata(header.parameters, header.world, recording={'format': FORMAT, 'journal': TOPIC})
        self._bag = BagWriter(path, content, is_record=True)
        self.path, self.part = self._bag.path, self._bag.part
        self._topics, self._limits = Topics(header), limits or Limits()
        self._journal = self._bag.topic(TOPIC, TYPE)
        self._channels: dict[tuple[str, str], int] = {}
        self._definitions = definitions or {}
        self._of_topic = {}
        self._open(self._topics.known)
        self._statics = Statics(statics)
        self._last, self._shift = -1, 0
        self._begun = self._flushed = None
        self.ticks = 0

    def _open(self, topics: Mapping[int, RecordedTopic]) -> None:
        for number, topic in topics.items():
            if topic.full:
                self._of_topic[number] = self._channel(topic.full, topic.type, self._definitions.get(topic.type))

    def _channel(self, name: str, kind: str, definition: str | None = None) -> int:
        """The channel of a topic; two drones may read one topic, each its own copies."""
        if (name, kind) not in self._channels:
            self._channels[name, kind] = self._bag.topic(name, kind, definition)
        return self._channels[name, kind]

    def write(self, now: int, calls: list[Made]) -> None:
        """The calls of a tick at ``now``, ns, if there are any."""
        if not calls:
            return
        stamp = self._stamp(now)
        if self._begun is None or self._is_full(stamp):
            self._begin(stamp)
            stamp = self._stamp(now)
        for call, data, starts, sizes, _ in calls:
            if call[0] == 'connect':
                self._open(connected(call[1:]))
            channels = self._channels_of(call)
            for channel, at, size in zip(channels, starts, sizes, strict=True):
                piece = data[at:at + size]
                self._bag.write(channel, stamp, pack_state(piece) if call[0] == 'restored' else piece)
            self.ticks += call[0] in ('advance', 'hold')
        self._bag.write(self._journal, stamp, Entry(now, [made.call for made in calls]).pack())
        self._statics.add(calls)
        self._topics.add(calls)
        if stamp - self._flushed >= FLUSH:
            self._bag.flush()
            self._flushed = stamp

    def _is_full(self, stamp: int) -> bool:
        size, duration, _ = self._limits
        return 0 < size <= self._bag.size or 0 < duration <= stamp - self._begun

    def _begin(self, stamp: int) -> None:
        """A file."""
        if self._begun is not None:
            self._bag.split(self._limits.keep)
        self._begun = self._flushed = stamp
        for message in self._statics.messages:
            self._bag.write(self._channel(TF_STATIC, TF_TYPE), stamp, message)
        self._bag.write(self._journal, stamp, self._topics.header.pack())

    def _stamp(self, now: int) -> int:
        """A log stamp of its own: it goes on where the clock stands still or was set back."""
        self._shift = max(self._shift, self._last + 1 - now)
        self._last = now + self._shift
        return self._last

    def _channels_of(self, call: Call) -> list[int]:
        if call[0] == 'take':
            return [self._of_topic[n] for n in call[1]]
        if call[0] == 'restored':
            return [self._channel(STATE, STATE_TYPE)]
        return [self._channel(TF_STATIC if call[1] else TF, TF_TYPE)] if call[0] == 'transforms' else []

    def sync(self) -> None:
        """Wait until what was handed to the system is on the disk: see FLUSH."""
        self._bag.sync()

    def close(self) -> None:
        """Complete the recording and give it its name, `path`; without a tick there is nothing to keep."""
        if not self.ticks:
            self._bag.abandon()
            return
        self._bag.metadata[PREFIX + 'ticks'] = str(self.ticks)
        self._bag.close()
        self.path = self._bag.path

    def discard(self) -> None:
        """End, and leave nothing."""
        self._bag.abandon()

    def give_up(self) -> None:
        """End without a name: what has reached the disk stays in `part`."""
        self._bag.give_up()
