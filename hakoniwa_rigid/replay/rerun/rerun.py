# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A recording of the node once more: the calls of its journal, in their order, on an equal scene; so the bits are those
that the node published."""
from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.brief import MOST_VALUE, cut
from hakoniwa_rigid.codec.cdr import CdrError
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.law import LAW_VERSION, made_by_another
from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.replay.bag.feed import FeedMessage
from hakoniwa_rigid.replay.bag.reader import Bag, BagMessage
from hakoniwa_rigid.replay.bag.types import Decoder
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun import journal
from hakoniwa_rigid.replay.rerun.bag_input import TypeReader, reader_of
from hakoniwa_rigid.replay.rerun.gather import Gathered, Watch
from hakoniwa_rigid.replay.rerun.journal import Entry, Header
from hakoniwa_rigid.replay.rerun.outcome import Options, Result
from hakoniwa_rigid.replay.rerun.outputs import Outputs
from hakoniwa_rigid.replay.rerun.provenance import PREFIX, metadata
from hakoniwa_rigid.replay.rerun.staging import check_apart, scene_of, settings_of, warm_up
from hakoniwa_rigid.replay.topics import TF, TF_STATIC, TF_TYPE
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.errors import ConstraintError, EntityError, SettingsError, SpawnError, StateError
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter, Topic
from hakoniwa_rigid.scene.parameters.param_file import GivenParameters
from hakoniwa_rigid.scene.parameters.params import DRONE, HAND
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.read_settings import period_ns
from hakoniwa_rigid.scene.records import Tick
from hakoniwa_rigid.scene.saved_states import state_file

TICKS_PER_REPORT = 256
# options that have no meaning where the journal says what came when, and what they are if not given
NOT_HERE = {'rate': None, 'first': None, 'last': None, 'namespace': '/', 'maps': ()}
WORDS = {'first': 'from', 'last': 'to', 'maps': 'map'}


class Done(NamedTuple):
    """One entry, and what belongs to it: its log stamp, its messages in the order of the bag."""

    stamp: int
    entry: Entry
    messages: list[BagMessage]


def is_recording(bag: Bag) -> bool:
    """Whether the bag has a journal."""
    return any(topic.name == journal.TOPIC and topic.type == journal.TYPE for topic in bag.topics)


def replay_recording(bag: Bag, options: Options, progress: Callable[[float], object],
                     watch: Watch | None = None) -> Result:
    """As run.replay; BagError where the journal is damaged, or does not go with the messages."""
    for name, default in NOT_HERE.items():
        if getattr(options, name) != default:
            raise BagError(f'--{WORDS.get(name, name)}: a recording of the node is replayed as its journal says; with '
                           '--by-stamps it is a bag like any other')
    header = header_of(bag)
    with TemporaryDirectory(prefix='hakoniwa_rigid_replay_') as folder:
        world = Path(folder, 'recorded_world.yaml')
        world.write_text(header.world, encoding='utf8')
        source, settings = settings_of(options, {**header.parameters, 'world': str(world)})
        text = world_file(settings.node['world']).read_text(encoding='utf8')
    values = dict(source.values)
    if settings.node['world'] == str(world):
        values['world'] = header.parameters.get('world', '')
    if values['rate'] != header.parameters.get('rate'):
        raise BagError(f'rate: the ticks of a recording are those of the node, {header.parameters.get("rate")} Hz, '
                       f'got {values["rate"]}; with --by-stamps it is a bag like any other')
    warm_up()
    scene = scene_of(settings)
    rerun = Rerun(bag, header, scene, settings, options, source.values)
    if options.out is None:
        return rerun.run(None, progress, watch)
    check_apart(Path(options.bag), Path(options.out))
    with BagWriter(options.out, metadata(values, text, replay={'journal': journal.TOPIC})) as out:
        copied = [t for t in bag.topics if t.name in rerun.read] if options.inputs else []
        outputs = rerun.outputs = Outputs(out, scene, settings, RecordedNames(header.outputs), copied, options.states)
        result = rerun.run(outputs, progress, watch)
        out.metadata |= {PREFIX + 'state_hash': result.state_hash, PREFIX + 'ticks': str(result.ticks),
                         PREFIX + 'start_ns': str(result.start_ns)}
    return result


class RecordedNames:
    """Names of topics as the node resolved them."""

    def __init__(self, outputs: dict[str, str]) -> None:
        self._outputs = outputs

    def resolve(self, name: str) -> str:
        """The full name; of a drone that the node did not serve, that below the root."""
        return self._outputs.get(name) or '/' + name.lstrip('/~')


def header_of(bag: Bag) -> Header:
    """The first message of the journal.  BagError."""
    first = next(bag.messages([journal.TOPIC]), None)
    if first is None:
        raise BagError(f'{bag.path}: {journal.TOPIC} has no messages: the node was ended before its first tick')
    try:
        return journal.read_header(first.data)
    except BagError as error:
        raise BagError(f'{bag.path}: {journal.TOPIC}[0]: {error}') from error


def entries(bag: Bag, header: Header, notes: list[str]) -> Iterator[Done]:
    """What was done, tick by tick.  BagError where journal and messages do not go together."""
    names = heard(bag, header) | {journal.TOPIC, journal.STATE} & {topic.name for topic in bag.topics}
    topics = dict(enumerate(header.topics))
    loose = 0
    for stamp, group in groupby(bag.messages(names), key=attrgetter('stamp_ns')):
        messages = list(group)
        entries = [m for m in messages if m.topic == journal.TOPIC]
        if loose:
            raise BagError(f'{bag.path}: {loose} messages before {stamp} ns, of which the journal knows nothing')
        if entries and (entries[0].sequence == 0 or journal.is_header(entries[0].data)):
            # of /tf_static before the first file that is there; in others it was topics before
            if entries[0].sequence == 0 and (before := [m for m in messages if m.topic == TF_STATIC]):
                yield Done(stamp, Entry(stamp, [['transforms', True]] * len(before)), before)
            continue
        if not entries:
            loose = len(messages)
            continue
        yield _entry(bag, topics, stamp, entries, [m for m in messages if m.topic != journal.TOPIC])
    if loose:
        notes.append(f'{bag.path}: cut off in the middle of a tick: its {loose} messages are not used')


def heard(bag: Bag, header: Header) -> set[str]:
    """The topics that the node read, by full names: /tf, those of the header, and those of drones that came."""
    there = {topic.name for topic in bag.topics}
    found = {TF, TF_STATIC, *(topic.full for topic in header.topics)}
    if there - found - {journal.TOPIC, journal.STATE}:
        for message in bag.messages([journal.TOPIC]):
            if b'["connect",' in message.data:
                with suppress(BagError):    # the replay says where it is wrong
                    for name, *arguments in journal.read_entry(message.data, journal.MOST_TOPICS).calls:
                        found |= {t.full for t in journal.connected(arguments).values()} if name == 'connect' else set()
    return found & there


def _entry(bag: Bag, topics: dict[int, journal.RecordedTopic], stamp: int, entries: list[BagMessage],
           messages: list[BagMessage]) -> Done:
    where = f'{bag.path}: {journal.TOPIC}[{entries[0].sequence}]'
    if len(entries) > 1:
        raise BagError(f'{where}: {len(entries)} entries at {stamp} ns; every tick has a log stamp of its own')
    try:
        entry = journal.read_entry(entries[0].data, topics)
    except BagError as error:
        raise BagError(f'{where}: {error}') from error
    named, found = entry.messages(topics), defaultdict(int)
    for message in messages:
        found[message.topic] += 1
    if dict(named) != found:
        name = min(n for n in {*named, *found} if named[n] != found.get(n, 0))
        if name == journal.STATE and not found.get(name):
            raise BagError(f'{where}: the node went on from a saved state, which is not in the recording: its bits '
                           'cannot be made again; with --by-stamps it is a bag like any other')
        raise BagError(f'{where}: at {stamp} ns it names {named[name]} messages of {name}, the bag has '
                       f'{found.get(name, 0)}; was the recording filtered or put together?')
    return Done(stamp, entry, messages)


def _numbers(recorded: Sequence[journal.RecordedTopic], topics: Sequence[Topic]) -> list[int]:
    """Of each recorded topic the number in the adapter, -1 for none: that of the same drone, type and name; by another
    name where it is the only one of its drone and type on both sides."""
    exact = {(t.source.key, t.type, t.name): t.number for t in topics}
    alike = {(t.source.key, t.type): t.number for t in topics}
    counts = Counter((t.key, t.type) for t in recorded) + Counter((t.source.key, t.type) for t in topics)
    return [exact.get((t.key, t.type, t.name), alike.get((t.key, t.type), -1) if counts[t.key, t.type] == 2 else -1)
            for t in recorded]


class Rerun:
    """A scene, an adapter, and the calls on both.  read, adapter, notes: as of Hearing."""

    def __init__(self, bag: Bag, header: Header, scene: CollisionScene, settings: Settings, options: Options,
                 parameters: Values) -> None:
        self._bag, self._header, self._scene, self._options = bag, header, scene, options
        self._settings = settings
        self._identity = state_file.Identity(settings.world, parameters)
        law = header.versions.get('law', str(LAW_VERSION))
        self.notes: list[str] = [] if law == str(LAW_VERSION) else [f'{bag.path}: {made_by_another(law)}: other bits']
        decoder = Decoder({t.type: t.definition for t in bag.topics})
        self.adapter = InputAdapter(scene, settings, partial(reader_of, decoder), lambda: '/tf has not given it',
                             self.notes.append)
        self._transforms = TypeReader(decoder, TF_TYPE)
        # by numbers in the recording
        self._full = {n: topic.full for n, topic in enumerate(header.topics)}
        self._numbers = dict(enumerate(_numbers(header.topics, self.adapter.topics)))
        self.read = heard(bag, header)
        self.outputs: Outputs | None = None
        self._period = period_ns(settings.node['rate'], settings.world.dt)
        self._calls = {'transforms': self._put_transforms, 'ask_tf': self._ask_tf, 'take': self._take,
                       'flush': self.adapter.flush, 'authority': self._set_authority, 'enable': scene.set_enabled,
                       'attach': self._attach, 'detach': self._detach, 'add': partial(self._spawn, scene.add),
                       'change': partial(self._spawn, lambda name, keys: scene.change(name, **keys)),
                       'remove': partial(self._spawn, scene.remove), 'set_state': self._set_state,
                       'restart': self._restart, 'advance': self._advance, 'hold': self._hold,
                       'connect': self._connect, 'disconnect': self._disconnect,
                       'release_hands': scene.release_hands, 'restored': self._restored}
        self._now, self._went_on = 0, False
        self._queues: dict[str, deque[bytes]] = defaultdict(deque)
        self._tick: Tick | None = None

    def run(self, outputs: Outputs | None, progress: Callable[[float], object], watch: Watch | None = None) -> Result:
        """Everything, from the first entry to the last."""
        gathered = Gathered(self._scene, self._bag.warnings, may_refuse_most=True, watch=watch)
        begun, ticks, start, first = perf_counter(), 0, 0, None
        for done in entries(self._bag, self._header, self.notes):
            first = done.stamp if first is None else first
            if outputs is not None and self._options.inputs:
                outputs.copy(FeedMessage(m.stamp_ns, m.topic, m.data) for m in done.messages if m.topic in self.read)
            tick = self.do(done.entry, done.messages)
            if tick is None:
                continue
            if outputs is not None:
                outputs.write(done.stamp, tick)
            gathered.add(tick)
            start = start if ticks else tick.stamp_ns
            ticks += 1
            if ticks % TICKS_PER_REPORT == 0:
                progress((done.stamp - first) / NANOSECONDS)
        if not ticks:
            raise BagError(f'{self._bag.path}: no tick in the journal: the node was never active')
        progress((done.stamp - first) / NANOSECONDS)
        return gathered.result(str(self._bag.path), self, start, ticks, self._period, perf_counter() - begun)

    def do(self, entry: Entry, messages: list[BagMessage]) -> Tick | None:
        """The calls of an entry; the tick, where there was one."""
        self._now, self._tick = entry.now, None
        for message in messages:
            self._queues[message.topic].append(message.data)
        for name, *arguments in entry.calls:
            try:
                self._calls[name](*arguments)
            except (ArithmeticError, LookupError, TypeError, ValueError) as error:
                # a forged state may be one that no scene comes into
                if not self._went_on or isinstance(error, BagError):
                    raise
                raise BagError(f'{self._bag.path}: {journal.STATE}: the saved state cannot be gone on from: '
                               f'{cut(repr(error), MOST_VALUE)}') from error
        return self._tick

    def _take(self, numbers: list[int], ages: list[int]) -> None:
        datas = [self._queues[self._full[n]].popleft() for n in numbers]
        topics = np.array([self._numbers[n] for n in numbers], dtype=np.int64)
        receptions = np.full(len(numbers), self._now, dtype=np.int64)
        if ages:
            receptions += np.array(ages, dtype=np.int64)
        lengths = np.fromiter(map(len, datas), np.int64, len(datas))
        offsets = np.cumsum(lengths) - lengths
        # other parameters may leave out what the node received
        on = topics >= 0
        data = np.frombuffer(b''.join(datas), np.uint8)
        self.adapter.take(data, offsets[on], lengths[on], topics[on], receptions[on])

    def _put_transforms(self, static: bool) -> None:
        name = TF_STATIC if static else TF
        try:
            self.adapter.put_transforms(self._transforms.read(self._queues[name].popleft()), static)
        except CdrError as error:
            self.adapter.ledger.note('malformed', name, error)

    def _ask_tf(self) -> None:
        self.adapter.ask_tf(self._now)
        self.adapter.flush()

    def _set_authority(self, name: str, authority: str) -> None:
        if name in self._scene.drone_names:
            self._scene.set_authority(name, authority)
        else:
            self.notes.append(f'{name} is not in this world: its authority {authority} has no effect')

    def _attach(self, values: dict) -> None:
        try:
            self._scene.attach_config(self._scene.constraint_config(values))
        except ConstraintError as error:
            self.notes.append(f'{values.get("name")!r:.60} was not attached: {error}')

    def _detach(self, name: str) -> None:
        try:
            self._scene.detach(name)
        except ConstraintError as error:
            self.notes.append(f'{name!r:.60} was not detached: {error}')

    def _spawn(self, call: Callable[..., None], name: str, *arguments: dict) -> None:
        try:
            call(name, *arguments)
        except SpawnError as error:
            self.notes.append(f'{name!r:.60}: {error}')

    def _connect(self, name: str, values: Values, topics: list, output: str) -> None:
        """A drone or hand that came has topics of its own, as it had in the node."""
        self._full |= {number: full for number, _, _, full in topics}
        self._numbers |= {number: -1 for number, *_ in topics}
        try:
            table, prefix = (HAND, f'hands.{name}.') if name in self._scene.hand_names else (DRONE, f'drones.{name}.')
            given = GivenParameters({prefix + key: value for key, value in values.items()}, str(self._bag.path))
            known = given.declare(table, prefix, name)
            made = {(topic.type, topic.name): topic.number for topic in self.adapter.connect(name, known)}
        except (LookupError, SettingsError) as error:
            self.notes.append(f'{name!r:.60} is not read: {error}')
            return
        self._numbers |= {number: made.get((kind, topic), -1) for number, topic, kind, _ in topics}
        if self.outputs is not None and table is DRONE:
            self.outputs.open(name, output, known['body_frame'])

    def _disconnect(self, name: str) -> None:
        came = {*self.adapter.drones, *self.adapter.hand_sources} - {*self._settings.drones, *self._settings.hands}
        if name in came:
            self.adapter.disconnect(name)
            if self.outputs is not None:
                self.outputs.close(name)

    def _set_state(self, name: str, pose: list, twist: list) -> None:
        try:
            self._scene.set_state(name, *(part or None for part in (pose[:3], pose[3:], twist[:3], twist[3:])))
        except EntityError as error:
            self.notes.append(f'the state of {name!r:.60} was not set: {error}')

    def _restart(self) -> None:
        self.adapter.forget()
        self._scene.reset()

    def _restored(self, digest: str) -> None:
        try:
            data = journal.read_state(self._queues[journal.STATE].popleft(), digest)
            state, _ = state_file.unpack(data, self._identity.header())
            self._scene.restore(state)
        except (BagError, StateError) as error:
            raise BagError(f'{self._bag.path}: {journal.STATE}: the saved state that the node went on from {error}; '
                           'with --by-stamps the recording is a bag like any other') from error
        self._went_on = True

    def _advance(self, stamp: int) -> None:
        self._tick = self._scene.advance(stamp)

    def _hold(self, stamp: int) -> None:
        self._tick = self._scene.hold(stamp)
