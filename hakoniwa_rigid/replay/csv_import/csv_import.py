# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tables of trajectories to a bag: a topic per file, Odometry, or PoseStamped where no velocities are known."""
from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hakoniwa_rigid.codec.motion_packer import Packer
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.csv_import import csv_table
from hakoniwa_rigid.replay.csv_import.axes import from_ned
from hakoniwa_rigid.replay.errors import BagError

HAKONIWA_FILE = 'drone_dynamics'    # every drone's file has this name; the folder tells them apart


class Options(NamedTuple):
    """How the tables are to be read."""

    names: tuple[str, ...] = ()    # of the drones, in the order of the files; the rest take the names of their files
    axes: str = 'enu'              # of tables in seconds: 'enu' (as it is) or 'ned'; Hakoniwa's are NED
    target: str | None = None      # of tables in NED: 'enu' or 'nwu'; None: 'nwu' for Hakoniwa's, else 'enu'
    frame: str = 'world'           # header.frame_id


class Imported(NamedTuple):
    """What became of a file."""

    path: Path
    topic: str
    type: str
    axes: str
    count: int
    start_ns: int
    end_ns: int


def run(files: list[Path], out: Path, options: Options) -> tuple[list[Imported], list[str]]:
    """Writes the bag ``out``; what was read, and warnings.  BagError says what is wrong, and leaves no bag."""
    tables = [csv_table.open_table(path) for path in files]
    drones = drone_names(files, options.names)
    _check_axes(tables, options)
    warnings = [text for table in tables for text in table.warnings]
    with BagWriter(out) as bag:
        topics, sources = [], []
        for number, (drone, table) in enumerate(zip(drones, tables, strict=True)):
            packer = Packer(options.frame, f'{drone}/base_link' if table.has_velocities else None)
            name = f'/{drone}/{"odom" if table.has_velocities else "pose"}'
            topics.append((name, packer.type, bag.topic(name, packer.type)))
            sources.append(_messages(number, table, packer, options, warnings))
        first: dict[int, int] = {}
        last, counts = {}, dict.fromkeys(range(len(tables)), 0)
        for stamp, number, data in heapq.merge(*sources):
            bag.write(topics[number][2], stamp, data)
            first.setdefault(number, stamp)
            last[number] = stamp
            counts[number] += 1
    return [Imported(path, topics[n][0], topics[n][1], _axes_text(tables[n], options), counts[n], first[n], last[n])
            for n, path in enumerate(files)], warnings


def _messages(number: int, table: csv_table.Table, packer: Packer, options: Options,
              warnings: list[str]) -> Iterator[tuple[int, int, bytes]]:
    """(stamp, number of the file, bytes) of the rows of a file."""
    target = _target(table, options)
    for motion in csv_table.motions(table, warnings.append):
        yield motion.stamp_ns, number, packer.pack(from_ned(motion, target) if target else motion)


def _target(table: csv_table.Table, options: Options) -> str | None:
    """The axes that a table is turned into; None where it stays as it is."""
    if table.is_hakoniwa:
        return options.target or 'nwu'
    return (options.target or 'enu') if options.axes == 'ned' else None


def _axes_text(table: csv_table.Table, options: Options) -> str:
    target = _target(table, options)
    return f'NED to {target.upper()}' if target else 'as they are'


def _check_axes(tables: list[csv_table.Table], options: Options) -> None:
    plain = [table.path for table in tables if not table.is_hakoniwa]
    if options.target and options.axes != 'ned' and plain:
        raise BagError(f'{plain[0]}: --to {options.target}: needs --axes ned; other tables are taken as they are')


def drone_names(files: list[Path], names: tuple[str, ...] = ()) -> list[str]:
    """A name for each file: as given, else of the file (of its folder for drone_dynamics.csv), legal in ROS."""
    if len(names) > len(files):
        raise BagError(f'--name: {len(names)} names for {len(files)} files')
    found = list(names)
    for path in files[len(names):]:
        path = path.resolve()
        text = path.parent.name if path.stem == HAKONIWA_FILE and path.parent.name else path.stem
        found.append(re.sub(r'^(?=[0-9])|^$', 'd', re.sub(r'\W+', '_', text, flags=re.ASCII)))
    for name, path in zip(found, files, strict=True):
        if not re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]*', name):
            raise BagError(f'--name: {name!r} is no legal ROS name: letters, digits and _, no digit first')
        if found.count(name) > 1:
            raise BagError(f'{path}: two drones would be called {name}; name them: --name A --name B ...')
    return found


def as_text(imported: list[Imported]) -> str:
    """A line for each file."""
    return '\n'.join(f'{item.path}: {item.count} rows, {item.start_ns / 1e9:.3f} s to {item.end_ns / 1e9:.3f} s, axes '
                     f'{item.axes} -> {item.topic} ({item.type})' for item in imported)
