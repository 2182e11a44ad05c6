# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The ears of a replay: the node's InputAdapter over the topics of a bag."""
from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from hakoniwa_rigid.codec.cdr import CdrError
from hakoniwa_rigid.replay.bag.feed import FeedMessage, Slice
from hakoniwa_rigid.replay.bag.reader import Bag, BagMessage
from hakoniwa_rigid.replay.bag.types import Decoder
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.topics import TF, TF_STATIC, TF_TYPE, THIRD_PARTY, Names, matched
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.inputs.fixed_layouts import LAYOUTS
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
from hakoniwa_rigid.scene.parameters.settings import Settings

# s; a header further from the log time is on another clock
APART = 1.0


class TypeReader:
    """Reads whole messages of a type, by the definition in the bag where it has one."""

    def __init__(self, decoder: Decoder, kind: str) -> None:
        self._decoder, self._kind = decoder, kind

    def read(self, data: bytes) -> object:
        """The message.  Raises CdrError."""
        try:
            return self._decoder.decode(self._kind, data)
        except BagError as error:
            raise CdrError(str(error)) from error


def reader_of(decoder: Decoder, kind: str) -> TypeReader | None:
    """What reads a type; None where neither the bag nor this package defines it."""
    if kind in LAYOUTS:     # read as bytes
        return TypeReader(decoder, kind)
    try:
        decoder.decode(kind, b'')
    except BagError as error:
        if 'no definition' in str(error):
            return None
    return TypeReader(decoder, kind)


class BagInput:
    """An adapter, and what it reads of a bag: ``read`` has the topics of the adapter by name in the bag, none for
    transforms."""

    def __init__(self, bag: Bag, scene: CollisionScene, settings: Settings, names: Names) -> None:
        """BagError where the bag has nothing for the scene."""
        self.notes: list[str] = []
        self._decoder = Decoder({t.type: t.definition for t in bag.topics})
        self.adapter = InputAdapter(scene, settings, partial(reader_of, self._decoder), self._ask_tf, self.notes.append)
        matches = matched(str(bag.path), bag.topics, self.adapter.topics, names, bool(self.adapter.by_tf))
        self.read = {**matches.numbers, **dict.fromkeys(matches.transforms, ())}
        self.notes += matches.notes
        self._transforms = TypeReader(self._decoder, TF_TYPE)
        self._tf = [name for name in matches.transforms if name == TF]
        self._has_transforms = bool(matches.transforms)
        # topics of the adapter that have not said anything yet; of several of one name the first
        self._unread = np.zeros(len(self.adapter.topics), dtype=bool)
        self._unread[[numbers[0] for numbers in matches.numbers.values()]] = True
        self._silent = len(matches.numbers)

    def _ask_tf(self) -> str:
        return '/tf has not given it' if self._tf else 'the bag has no /tf'

    def receive(self, now: int, slices: list[Slice]) -> None:
        """Give the scene the messages of a tick at ``now``, ns."""
        adapter = self.adapter
        if self._has_transforms or self._silent:
            for piece in slices:
                self._look_into(piece)
        if adapter.by_tf:
            adapter.ask_tf(now)
            adapter.flush()
        for batch, begin, end, *_ in slices:
            if begin < end:
                adapter.read(batch, begin, end)
        adapter.flush()

    def _look_into(self, piece: Slice) -> None:
        """What has to be known of messages before they are read."""
        if self._has_transforms:
            self.transforms(piece.each())
        if self._silent and self._unread[piece.batch.topics[piece.begin:piece.end]].any():
            self._first_words(piece.each())

    def transforms(self, messages: Iterable[FeedMessage | BagMessage]) -> None:
        """Those among the messages."""
        for message in messages:
            if message.topic in (TF, TF_STATIC) and not self.read[message.topic]:
                most = self.adapter.limits.transform_bytes
                if len(message.data) > most:
                    self.adapter.ledger.note('too_large', message.topic,
                                            f'{len(message.data)} bytes, at most {most} are taken')
                    continue
                try:
                    found = self._transforms.read(message.data)
                except CdrError as error:
                    self.adapter.ledger.note('malformed', message.topic, error)
                    continue
                self.adapter.put_transforms(found, static=message.topic == TF_STATIC)

    def _first_words(self, messages: Iterable[FeedMessage]) -> None:
        """Say so where the headers of a topic are on another clock than the bag."""
        for message in messages:
            number = (*self.read[message.topic], -1)[0]
            if number >= 0 and self._unread[number] and len(message.data) >= 12:
                self._unread[number] = False
                self._silent -= 1
                topic = self.adapter.topics[number]
                source = topic.source
                order = 'little' if message.data[1] & 1 else 'big'
                stamp = int.from_bytes(message.data[4:8], order, signed=True) * 10**9
                stamp += int.from_bytes(message.data[8:12], order)
                apart = (message.stamp_ns - stamp) / 1e9
                stamp = 0 if topic.type.partition('/')[0] in THIRD_PARTY else stamp     # these have no header
                if stamp and source.stamp == 'header' and abs(apart) > APART:
                    self.notes.append(f'{message.topic}: headers are {apart:.3f} s behind the log times: another '
                                      'clock? Set the parameter stamp to synced')
