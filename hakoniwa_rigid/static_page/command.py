# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid page``: reads or replays, writes the folder, tells."""
from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

from tqdm import tqdm

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.engine import EngineError
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.diff.setup import WORLD_KEY
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.rerun import is_recording
from hakoniwa_rigid.replay.topics import Names
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig
from hakoniwa_rigid.scene.world_files.yaml_node import Node
from hakoniwa_rigid.static_page import folder, recorded, replayed
from hakoniwa_rigid.static_page.flight import Flight
from hakoniwa_rigid.static_page.options import LEAST_RATE, MOST_RATE
from hakoniwa_rigid.static_page.touches import MOST_CONTACTS
from hakoniwa_rigid.static_page.view import view

GOOD, UNUSABLE = 0, 2
MOST_TITLE = 200    # letters
EMPTY = WorldConfig(name='')


def run(options: argparse.Namespace) -> int:
    """The exit code; what happened is printed."""
    try:
        check(options)
        folder.check_new(options.out)
        with tqdm(unit='s', desc=str(options.bag), disable=None, bar_format='{desc}: {n:.1f} s in {elapsed}') as bar:
            flight, world = flown(options, lambda at: bar.update(at - bar.n))
        content, data = flight.packed()
        scene = view(world, flight.drones, options.model)
        size = folder.write(options.out, {**titled(options), 'scene': scene, **content}, data)
    except (ValueError, OSError, EngineError) as error:
        print(f'error: {error}', file=sys.stderr)
        return UNUSABLE
    except KeyboardInterrupt:
        print(f'\nerror: interrupted: {options.out} not written', file=sys.stderr)
        return UNUSABLE
    print(as_text(options, flight, len(content['contacts']), size))
    return GOOD


def check(options: argparse.Namespace) -> None:
    """BagError for a number that is none."""
    if not LEAST_RATE <= options.rate <= MOST_RATE:
        raise BagError(f'--rate: must be {LEAST_RATE:g} to {MOST_RATE:g} Hz, got {options.rate:g}')
    for key, value in (('--from', options.first), ('--to', options.last)):
        if value is not None and not (math.isfinite(value) and 0.0 <= value < 1e9):
            raise BagError(f'{key}: must be 0 or more, s since the beginning of the recording, got {value:g}')
    if options.first is not None and options.last is not None and options.last < options.first:
        raise BagError(f'--to {options.last:g} lies before --from {options.first:g}')


def flown(options: argparse.Namespace, progress) -> tuple[Flight, WorldConfig]:
    """The flight, and the world that it was in.  Errors as of replay."""
    flight = Flight(str(options.bag), options.rate)
    with Bag(options.bag) as bag:
        names = Names(options.namespace, options.map)
        topics = {} if is_recording(bag) else recorded.state_topics(bag, names)
        if topics:
            names.check_used()
            world = world_of(bag, options.world)
            recorded.fill(flight, bag, options, world, topics, progress)
            return flight, world
    return flight, replayed.fill(flight, options, progress) or EMPTY


def world_of(bag: Bag, given: str | None) -> WorldConfig:
    """The world that is given, else the one that the bag carries, else one without walls.  WorldFileError."""
    if given is not None:
        return world_file.load(given)
    text = bag.metadata.get(WORLD_KEY, '')
    if not text:
        return EMPTY
    return world_file.parse(Node(yaml_text.load(text.encode()), f'{bag.path}: {WORLD_KEY}', ''))


def titled(options: argparse.Namespace) -> dict[str, str]:
    """What the page is called."""
    return {'title': (options.title or Path(options.bag).resolve().stem)[:MOST_TITLE]}


def as_text(options: argparse.Namespace, flight: Flight, shown: int, size: int) -> str:
    """What was written."""
    touches = flight.touches
    lines = [f'{options.bag}: {flight.span:.3f} s in {len(flight)} frames, {len(flight.drones)} drones, '
             f'{shown} contacts']
    if touches.count > MOST_CONTACTS:
        lines.append(f'note: {touches.count} contacts, of which those of the largest impulses are kept')
    if touches.lost_changes:
        lines.append(f'note: {touches.lost_changes} more changes of constraints are left out')
    if flight.backward:
        lines.append(f'note: {flight.backward} states with stamps before those of earlier ones are left out')
    return '\n'.join([*lines, f'page: {options.out / "index.html"}   ({size / 1e6:.1f} MB; open it, or put the folder '
                              'on a web host)'])
