# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tables of trajectories: t,x,y,z,qx,qy,qz,qw[,vx,vy,vz,wx,wy,wz], Hakoniwa's drone_dynamics.csv, the ground truth of
EuRoC, and TUM's trajectories, which have spaces for commas.

A value that is none is a BagError that names file, line, column and value. A last line without its end is what a log
looks like when the simulator was stopped: it is left out, with a warning.
"""
from __future__ import annotations

import csv
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import NamedTuple

from hakoniwa_rigid.brief import brief, cut
from hakoniwa_rigid.codec.motion_packer import MAX_STAMP, Motion
from hakoniwa_rigid.files import size_of
from hakoniwa_rigid.replay.csv_import.axes import body_rates
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.rotations import from_rpy

POSES = ('t', 'x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')
VELOCITIES = ('vx', 'vy', 'vz', 'wx', 'wy', 'wz')
HAKONIWA_POSES = ('timestamp', 'X', 'Y', 'Z', 'Rx', 'Ry', 'Rz')
HAKONIWA_VELOCITIES = ('Vx', 'Vy', 'Vz')
# what a version of Hakoniwa calls the angular velocity: rates of the Euler angles, or body rates
EULER_RATES, BODY_RATES = ('VRx', 'VRy', 'VRz'), ('p', 'q', 'r')
# of EuRoC's velocities the angular ones are missing: poses alone
EUROC = ('timestamp', 'p_RS_R_x', 'p_RS_R_y', 'p_RS_R_z', 'q_RS_x', 'q_RS_y', 'q_RS_z', 'q_RS_w')
TUM = ('timestamp', 'tx', 'ty', 'tz', 'qx', 'qy', 'qz', 'qw')
UNIT_TOLERANCE = 1e-2    # a quaternion this far from unit length is a mistake, not rounding
NANOSECONDS, MICROSECONDS, SECONDS = 1, 1000, 10**9
UNITS = {NANOSECONDS: 'ns', MICROSECONDS: 'us', SECONDS: 's'}
# letters of a line, of a list of columns in a message; a row of numbers has some 300
MOST_LINE, MOST_NAMES = 1 << 16, 200
COMMENT = '#'    # before the names, too


class Table(NamedTuple):
    """A file, read up to its first row."""

    path: Path
    is_hakoniwa: bool            # then in NED and FRD
    columns: tuple[str, ...]     # that are used, in the order of ``places``
    places: tuple[int, ...]
    width: int                   # columns of the file
    has_header: bool             # that is no comment
    warnings: list[str]
    unit: int = SECONDS          # of stamps, ns
    is_spaced: bool = False      # no commas

    @property
    def has_velocities(self) -> bool:
        """Whether the motions have velocities."""
        return 'vx' in self.columns or 'Vx' in self.columns


def open_table(path: Path) -> Table:
    """Of the first lines of a file: which columns it has, by their names or, without a header, by their number."""
    comments: list[str] = []
    try:
        size_of(path, sys.maxsize)
        with path.open(encoding='utf-8-sig', newline='') as file:
            for first in _Lines(file):
                if not first.startswith(COMMENT):
                    break
                comments.append(first)
            else:
                first = ''
        headings = [[name.partition('[')[0].strip() for name in _split(line.lstrip(COMMENT))] for line in comments]
        cells = [name.strip() for name in _split(first)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BagError(f'{path}: cannot be read: {error}') from error
    for names in headings:
        for columns, unit in ((EUROC, NANOSECONDS), (TUM, SECONDS)):
            if set(columns) <= set(names):
                return Table(path, False, columns, tuple(map(names.index, columns)), len(names), False, [], unit,
                             ',' not in first)
    names = cells
    if not names:
        raise BagError(f'{path}: is empty; it must have rows {",".join(POSES)}[,{",".join(VELOCITIES)}]')
    if headings and len(headings[-1]) == len(names):    # a comment that names columns outranks their order
        return _with_header(path, headings[-1])._replace(has_header=False, is_spaced=',' not in first)
    if _is_number(names[0]):
        known = POSES if len(names) == len(POSES) else POSES + VELOCITIES
        if len(names) != len(known):
            raise BagError(f'{path}: line {len(comments) + 1}: {len(names)} columns and no header; without one there '
                           f'must be {len(POSES)} ({",".join(POSES)}) or {len(POSES) + len(VELOCITIES)} (with '
                           f'{",".join(VELOCITIES)})')
        return Table(path, False, known, tuple(range(len(known))), len(names), False, [], is_spaced=',' not in first)
    return _with_header(path, names)


def _split(line: str) -> list[str]:
    """The cells of a line, with commas or without."""
    return next(csv.reader([line]), []) if ',' in line else line.split()


def _with_header(path: Path, names: list[str]) -> Table:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise BagError(f'{path}: line 1: column {cut(twice, MOST_NAMES)} is there twice')
    is_hakoniwa = 'timestamp' in names
    poses, velocities = (HAKONIWA_POSES, HAKONIWA_VELOCITIES) if is_hakoniwa else (POSES, VELOCITIES)
    if missing := [name for name in poses if name not in names]:
        raise BagError(f'{path}: line 1: no column {missing[0]}; has {cut(",".join(names), MOST_NAMES)}, '
                       f'must have {",".join(poses)}')
    columns = poses
    rates = next((rates for rates in (EULER_RATES, BODY_RATES) if set(rates) <= set(names)), ()) if is_hakoniwa else ()
    velocities = (*velocities, *rates)
    found = [name for name in velocities if name in names]
    warnings = []
    if len(found) == len(velocities) and (rates or not is_hakoniwa):
        columns = (*poses, *velocities)
    elif found:
        warnings.append(f'{path}: velocities are left out: {",".join(found)} alone are not enough, needed are '
                        f'{",".join(VELOCITIES if not is_hakoniwa else HAKONIWA_VELOCITIES + EULER_RATES)}')
    return Table(path, is_hakoniwa, columns, tuple(names.index(name) for name in columns), len(names), True, warnings,
                 MICROSECONDS if is_hakoniwa else SECONDS)


def motions(table: Table, warn: Callable[[str], None]) -> Iterator[Motion]:
    """The rows in turn, streamed; in the table's own axes.  Stamps must not go back."""
    last = -1
    count = 0
    for line, row, is_cut_off in _rows(table):
        try:
            motion = _row_motion(table, line, row)
        except BagError:
            if not is_cut_off:
                raise
            warn(f'{table.path}: line {line}: the last line is cut off ({",".join(row)[:60]!r}); left out')
            break
        if motion.stamp_ns < last:
            raise BagError(f'{table.path}: line {line}: {table.columns[0]}: goes back, from {last / 1e9} s to '
                           f'{motion.stamp_ns / 1e9} s; was the simulator reset? Cut the file there')
        last = motion.stamp_ns
        count += 1
        yield motion
    if not count:
        raise BagError(f'{table.path}: has no rows')


def _rows(table: Table) -> Iterator[tuple[int, list[str], bool]]:
    """(line, its columns, whether it is the last and has no end) of every row."""
    try:
        with table.path.open(encoding='utf-8-sig', newline='') as file:
            lines, header = _Lines(file), table.has_header
            for line, row in _cells(lines, table.is_spaced):
                if not row or row[0].startswith(COMMENT):
                    continue
                if not header:
                    yield line, row, lines.is_cut_off
                header = False
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BagError(f'{table.path}: cannot be read: {error}') from error


def _cells(lines: Iterable[str], is_spaced: bool) -> Iterator[tuple[int, list[str]]]:
    """(line, its cells)."""
    if is_spaced:
        yield from ((line, text.split()) for line, text in enumerate(lines, 1))
        return
    reader = csv.reader(lines)
    for row in reader:
        yield reader.line_num, row


def _row_motion(table: Table, line: int, row: list[str]) -> Motion:
    if len(row) != table.width:
        raise BagError(f'{table.path}: line {line}: {len(row)} columns, the first line has {table.width}')
    values = [row[place].strip() for place in table.places]
    stamp = _stamp(table, line, values[0])
    motion_of = _hakoniwa_motion if table.is_hakoniwa else _motion
    return motion_of(table, line, stamp, [_number(table, line, k + 1, text) for k, text in enumerate(values[1:])])


class _Lines:
    """The lines of a file; knows whether the last one has no end."""

    def __init__(self, file) -> None:
        self.file, self.is_cut_off = file, False

    def __iter__(self):
        while text := self.file.readline(MOST_LINE + 1):
            if len(text) > MOST_LINE:
                raise csv.Error(f'a line has more than {MOST_LINE} letters')
            self.is_cut_off = not text.endswith(('\n', '\r'))
            yield text


def _stamp(table: Table, line: int, text: str) -> int:
    """ns; exact, as a float has not enough digits for the nanoseconds of our days."""
    try:
        stamp = round(Decimal(text) * table.unit)
    except (InvalidOperation, OverflowError, ValueError):
        stamp = -1
    if not 0 <= stamp <= MAX_STAMP:
        most = (MAX_STAMP + 1) // table.unit
        raise BagError(f'{table.path}: line {line}: {table.columns[0]}: must be a number from 0 to {most} '
                       f'{UNITS[table.unit]}, got {brief(text)}')
    return stamp


def _number(table: Table, line: int, column: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise BagError(f'{table.path}: line {line}: {table.columns[column]}: must be a finite number, '
                       f'got {brief(text)}')
    return value


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _motion(table: Table, line: int, stamp: int, values: list[float]) -> Motion:
    position, q = tuple(values[:3]), values[3:7]
    length = math.sqrt(sum(value * value for value in q))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise BagError(f'{table.path}: line {line}: qx,qy,qz,qw: must have length 1, got {q} of length {length:.6g}')
    orientation = tuple(value / length for value in q)
    if len(values) == len(POSES) - 1:
        return Motion(stamp, position, orientation, None, None)
    return Motion(stamp, position, orientation, tuple(values[7:10]), tuple(values[10:13]))


def _hakoniwa_motion(table: Table, line: int, stamp: int, values: list[float]) -> Motion:
    position, angles = tuple(values[:3]), values[3:6]
    if len(values) == len(HAKONIWA_POSES) - 1:
        return Motion(stamp, position, _xyzw(angles), None, None)
    linear, angular = tuple(values[6:9]), tuple(values[9:12])
    if 'VRx' in table.columns:
        angular = body_rates(angles[0], angles[1], angular)
    return Motion(stamp, position, _xyzw(angles), linear, angular)


def _xyzw(angles: tuple[float, float, float]) -> tuple[float, float, float, float]:
    """The orientation x, y, z, w of roll, pitch, yaw, rad."""
    w, x, y, z = from_rpy(angles)
    return x, y, z, w
