# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A bag through a scene: ``replay(Options('flight', 'out'))``.

The scene and its input adapter are those of the node; time is the log time of the bag.  Messages are taken in the order
(log stamp, topic, place in the bag), within a tick transforms before all else; equal bags give equal bytes.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from time import perf_counter

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.replay.bag.feed import TickFeed
from hakoniwa_rigid.replay.bag.reader import SIMULATED, WALL, Bag
from hakoniwa_rigid.replay.bag.storage import STAMP, Messages
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.bag_input import BagInput
from hakoniwa_rigid.replay.rerun.found_in_bag import with_found
from hakoniwa_rigid.replay.rerun.gather import Gathered, Watch
from hakoniwa_rigid.replay.rerun.outcome import Options, Result
from hakoniwa_rigid.replay.rerun.outputs import STATES, Outputs
from hakoniwa_rigid.replay.rerun.provenance import PREFIX, metadata
from hakoniwa_rigid.replay.rerun.rerun import is_recording, replay_recording
from hakoniwa_rigid.replay.rerun.staging import check_apart, scene_of, settings_of, warm_up, with_poses
from hakoniwa_rigid.replay.topics import TF_STATIC, Names
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.parameters.param_file import GivenParameters
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.read_settings import period_ns

# s; a bag with such a hole is two recordings, and its ticks would take hours
LONGEST_GAP = 86_400
TICKS_PER_REPORT = 256


def replay(options: Options, progress: Callable[[float], object] = lambda _: None,
           watch: Watch | None = None) -> Result:
    """Replay; ``progress`` gets the log time (s since the first tick) now and then, ``watch`` every tick.

    BagError for a bag that cannot be read, or holds nothing that the scene could use; SettingsError and
    WorldFileError (all ValueErrors) for what is to be served.  After an error nothing is left under the output's name.
    """
    if options.states not in STATES:
        raise BagError(f'states: must be one of {", ".join(STATES)}, got {options.states!r}')
    with Bag(options.bag) as bag:
        if is_recording(bag) and not options.by_stamps:
            return replay_recording(bag, options, progress, watch)
        names, notes = Names(options.namespace, options.maps), []
        given, settings = settings_of(
            options, find=lambda values, given: with_found(values, given, bag.topics, names, notes))
        period = period_ns(settings.node['rate'], settings.world.dt)
        settings, more = with_poses(given, settings, bag.topics, names)
        notes += more
        low, high = _range(bag, options)
        warm_up()
        scene = scene_of(settings)
        bag_input = BagInput(bag, scene, settings, names)
        bag_input.notes[:0] = notes
        gathered = Gathered(scene, bag.warnings, watch=watch)
        if options.out is None:
            return _run(options, bag, scene, bag_input, None, gathered, low, high, period, progress)
        check_apart(Path(options.bag), Path(options.out))
        with BagWriter(options.out, _metadata(settings, given, options)) as out:
            copied = [t for t in bag.topics if t.name in bag_input.read] if options.inputs else []
            outputs = Outputs(out, scene, settings, names, copied, options.states)
            names.check_used()
            result = _run(options, bag, scene, bag_input, outputs, gathered, low, high, period, progress)
            out.metadata |= {PREFIX + 'state_hash': result.state_hash, PREFIX + 'ticks': str(result.ticks),
                             PREFIX + 'start_ns': str(result.start_ns)}
    return result


def _run(options: Options, bag: Bag, scene: CollisionScene, bag_input: BagInput, outputs: Outputs | None,
         gathered: Gathered, low: int | None, high: int | None, period: int,
         progress: Callable[[float], object]) -> Result:
    if low is not None and TF_STATIC in bag_input.read:   # what stands still was sent once, at the beginning
        bag_input.transforms(list(bag.messages([TF_STATIC], None, low - 1)))
    pieces = _without_holes(bag.pieces(sorted(bag_input.read), low, high), options)
    feed = TickFeed(pieces, [topic.name for topic in bag.topics], bag_input.read, low, period)
    begun, ticks = perf_counter(), 0
    for now, slices in feed:
        if outputs is not None and options.inputs:
            for piece in slices:
                outputs.copy(piece.each())
        bag_input.receive(now, slices)
        tick = scene.advance(now)
        if outputs is not None:
            outputs.write(now, tick)
        gathered.add(tick)
        ticks += 1
        if ticks % TICKS_PER_REPORT == 0:
            progress((now - feed.start_ns) / NANOSECONDS)
    if not ticks:
        raise BagError(f'{options.bag}: no message of {", ".join(sorted(bag_input.read))} in the stretch to replay; '
                       f'the bag goes from 0 to {(bag.end_ns - bag.start_ns) / NANOSECONDS:.3f} s')
    progress((now - feed.start_ns) / NANOSECONDS)
    return gathered.result(str(options.bag), bag_input, feed.start_ns, ticks, period, perf_counter() - begun)


def _without_holes(pieces: Iterable[Messages], options: Options) -> Iterator[Messages]:
    """The pieces up to a hole between two messages, which is an error."""
    last = None
    for piece in pieces:
        stamps = piece.table[:, STAMP]
        if last is not None:
            stamps = np.concatenate([[last], stamps])
        for k in np.flatnonzero(np.diff(stamps) > LONGEST_GAP * NANOSECONDS)[:1].tolist():
            raise BagError(f'{options.bag}: nothing between {int(stamps[k]) / NANOSECONDS:.3f} s and '
                           f'{int(stamps[k + 1]) / NANOSECONDS:.3f} s of log time: two recordings, or two clocks? '
                           'Choose a stretch with --from and --to')
        last = stamps[-1]
        yield piece


def _range(bag: Bag, options: Options) -> tuple[int | None, int | None]:
    """First and last log time, ns, of what is replayed."""
    if not bag.message_count:
        raise BagError(f'{options.bag}: holds no messages')
    first, last = options.first, options.last
    for key, value in (('--from', first), ('--to', last)):
        if value is not None and not 0.0 <= value < 1e12:
            raise BagError(f'{key}: must be 0 or more, s since the beginning of the bag, got {value:g}')
    if first is not None and last is not None and last < first:
        raise BagError(f'--to {last:g} lies before --from {first:g}')
    if bag.start_ns < SIMULATED and bag.end_ns > WALL and last is None and first is None:
        raise BagError(f'{options.bag}: log times of two clocks: from {bag.start_ns / NANOSECONDS:.3f} s (simulated?) '
                       f'to {bag.end_ns / NANOSECONDS:.3f} s (wall time?); choose a stretch with --from and --to')
    return tuple(None if s is None else bag.start_ns + round(s * NANOSECONDS) for s in (first, last))


def _metadata(settings: Settings, given: GivenParameters, options: Options) -> dict[str, str]:
    """What made the output: enough to make it again."""
    how = {'from': options.first, 'to': options.last, 'namespace': options.namespace, 'maps': list(options.maps)}
    return metadata(given.values, world_file(settings.node['world']).read_text(encoding='utf8'), replay=how)
