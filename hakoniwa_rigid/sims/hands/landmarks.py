# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""MediaPipe's hand landmarks, and the files they are kept in: JSON lines or CSV, one line per frame and hand.

JSON lines (``.jsonl``), a frame in which no hand is seen has no line::

    {"time": 0.0333, "handedness": "Right", "score": 0.98, "landmarks": [[x, y, z], ... 21], "world_landmarks": [...]}

CSV (``.csv``): the columns ``time,handedness,score,x0,y0,z0,...,x20,y20,z20`` and, where there are world landmarks,
``wx0,wy0,wz0,...,wx20,wy20,wz20``.

``time`` is the capture time in s; lines of one frame have the same one, and time never falls. ``landmarks``: x and y as
fractions of the image's width and height (0, 0 at its upper left), z the depth behind the wrist in widths of the image.
``world_landmarks``: m, from the middle of the hand, in the camera's axes (x right, y down, z away from it); may be left
out. A landmark that is null (CSV: empty cells) was not seen. Names ending in ``.gz`` are compressed.
"""
from __future__ import annotations

import csv
import gzip
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hakoniwa_rigid.brief import MOST_VALUE, brief, brief_path, cut
from hakoniwa_rigid.files import read_bytes, unzipped
from hakoniwa_rigid.sims.hands.motion import MOST_WORDS, HandFileError

COUNT = 21
SIDES = ('Left', 'Right')
KEYS = ('time', 'handedness', 'score', 'landmarks', 'world_landmarks')
HEAD = KEYS[:3]
# bytes of a file, and of what it unpacks to: an hour of two hands is 300 MB of text, and takes a minute to read
MOST_BYTES = 512 << 20
# letters of a line, of 42 points; the table's own limit is 131,072 in a cell
MOST_LINE = 1 << 16
DIGITS = 6    # of numbers in files: 1 um of a hand, a thousandth of a pixel


class Landmarks(NamedTuple):
    """One hand in one frame."""

    time: float                 # s, capture
    handedness: str             # 'Left' or 'Right'
    score: float                # of the handedness, 0 to 1
    image: np.ndarray           # (21,3) normalised; NaN where not seen
    world: np.ndarray | None    # (21,3) m; None where the source has none


def is_landmark_file(path: str | Path) -> bool:
    """Whether the name says so."""
    return _kind(Path(path)) in ('.jsonl', '.csv')


def write_landmarks(path: str | Path, hands: Iterable[Landmarks]) -> None:
    """Write a file; equal landmarks give equal bytes."""
    path = Path(path)
    hands = list(hands)
    text = _json_lines(hands) if _kind(path) == '.jsonl' else _csv(hands)
    data = text.encode()
    # without name and time of day in the head
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == '.gz' else data)


def read_landmarks(path: str | Path) -> list[Landmarks]:
    """Read a file; HandFileError names file, line and key, FileNotFoundError a missing file."""
    path = Path(path)
    where = brief_path(path)
    try:
        data = read_bytes(path, MOST_BYTES)
        text = (unzipped(data, MOST_BYTES) if path.suffix == '.gz' else data).decode()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise HandFileError(f'{where}: {error.strerror}') from error
    except UnicodeDecodeError as error:
        raise HandFileError(f'{where}: is not UTF-8 text: {error.reason} at byte {error.start}') from error
    hands: list[Landmarks] = []
    for number, record in _json_records(where, text) if _kind(path) == '.jsonl' else _csv_records(where, text):
        try:
            hands.append(_landmarks(record))
            if len(hands) > 1 and hands[-1].time < hands[-2].time:
                raise HandFileError(f'time: must not fall, got {hands[-1].time:g} behind {hands[-2].time:g}')
        except HandFileError as error:
            raise HandFileError(f'{where}:{number}: {error}') from error
    if not hands:
        raise HandFileError(f'{where}: holds no hand')
    return hands


def _kind(path: Path) -> str:
    return (path.with_suffix('') if path.suffix == '.gz' else path).suffix


def _rounded(value: float) -> float | None:
    # + 0.0 makes a zero of a minus zero
    return round(float(value), DIGITS) + 0.0 if math.isfinite(value) else None


def _points(points: np.ndarray) -> list:
    return [[_rounded(x) for x in p] if np.isfinite(p).all() else None for p in points]


def _json_lines(hands: list[Landmarks]) -> str:
    lines = []
    for hand in hands:
        record = {'time': _rounded(hand.time), 'handedness': hand.handedness, 'score': _rounded(hand.score),
                  'landmarks': _points(hand.image)}
        if hand.world is not None:
            record['world_landmarks'] = _points(hand.world)
        lines.append(json.dumps(record, separators=(',', ':')) + '\n')
    return ''.join(lines)


def _columns(letters: str) -> list[str]:
    return [f'{letters}{axis}{k}' for k in range(COUNT) for axis in 'xyz']


def _csv(hands: list[Landmarks]) -> str:
    with_world = any(hand.world is not None for hand in hands)
    out = io.StringIO()
    table = csv.writer(out, lineterminator='\n')
    table.writerow([*HEAD, *_columns(''), *(_columns('w') if with_world else [])])
    for hand in hands:
        row = [_rounded(hand.time), hand.handedness, _rounded(hand.score)]
        world = np.full((COUNT, 3), np.nan) if hand.world is None else hand.world
        for point in [*_points(hand.image), *(_points(world) if with_world else [])]:
            row += point or ['', '', '']
        table.writerow(row)
    return out.getvalue()


def _json_records(where: str, text: str):
    """(line number, keys and values) of every line that is not empty."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                _check_line(line)
                record = json.loads(line)
            # RecursionError: lists in lists; ValueError: a number of thousands of digits, too
            except (ValueError, RecursionError) as error:
                raise HandFileError(f'{where}:{number}: {cut(str(error), MOST_WORDS)}') from error
            yield number, record


def _check_line(line: str) -> None:
    if len(line) > MOST_LINE:
        raise HandFileError(f'a line must have at most {MOST_LINE} letters, got {len(line)}')


def _rows(where: str, text: str):
    """(number, cells) of the rows of a table; a row is a line."""
    table = csv.reader(io.StringIO(text), strict=True)
    number = 1
    try:
        for number, row in enumerate(table, 1):
            yield number, row
    except csv.Error as error:
        raise HandFileError(f'{where}:{number}: {error}') from error


def _csv_records(where: str, text: str):
    """The same of a table, its points gathered."""
    rows = _rows(where, text)
    head = [cell.strip() for cell in next(rows, (1, []))[1]]
    known = [[*HEAD, *_columns('')], [*HEAD, *_columns(''), *_columns('w')]]
    if head not in known:
        wrong = [f'{brief(a)} instead of {b!r}' for a, b in zip(head, known[1], strict=False) if a != b]
        raise HandFileError(f'{where}:1: columns must be time,handedness,score,x0,y0,z0,... to z20, and wx0 to wz20 '
                            f'where there are world landmarks; got {wrong[0] if wrong else f"{len(head)} columns"}')
    for number, row in rows:
        if not row:
            continue
        if len(row) != len(head):
            raise HandFileError(f'{where}:{number}: must have {len(head)} cells, got {len(row)}')
        cells = [[cell.strip() or None for cell in row[at:at + 3]] for at in range(len(HEAD), len(row), 3)]
        points = [None if point == [None] * 3 else point for point in cells]
        record = dict(zip(HEAD, (cell.strip() for cell in row), strict=False)) | {'landmarks': points[:COUNT]}
        # a hand without world landmarks among others that have them
        if any(points[COUNT:]):
            record['world_landmarks'] = points[COUNT:]
        yield number, record


def _landmarks(record: object) -> Landmarks:
    """A checked record; HandFileError names the key."""
    if not isinstance(record, dict):
        raise HandFileError(f'must be an object with the keys {", ".join(KEYS)}, got {brief(record)}')
    for key in record:
        if key not in KEYS:
            raise HandFileError(f'{cut(key, MOST_VALUE)}: unknown key; known: {", ".join(KEYS)}')
    for key in KEYS[:4]:
        if key not in record:
            hint = ': the place of the hand in the image tells where it is' if key == 'landmarks' else ''
            raise HandFileError(f'{key}: missing{hint}')
    time, score = (_number(key, record[key]) for key in ('time', 'score'))
    if time < 0.0 or not 0.0 <= score <= 1.0:
        raise HandFileError(f'time: must be >= 0, and score from 0 to 1, got {time:g} and {score:g}')
    if record['handedness'] not in SIDES:
        raise HandFileError(f"handedness: must be 'Left' or 'Right', got {brief(record['handedness'])}")
    world = record.get('world_landmarks')
    return Landmarks(time, record['handedness'], score, _array('landmarks', record['landmarks']),
                     None if world is None else _array('world_landmarks', world))


def _number(key: str, value: object) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise HandFileError(f'{key}: must be a finite number, got {brief(value)}')
    return number


def _array(key: str, points: object) -> np.ndarray:
    if not isinstance(points, list) or len(points) != COUNT:
        size = f'{len(points)} of them' if isinstance(points, list) else brief(points)
        raise HandFileError(f'{key}: must be a list of {COUNT} points, got {size}')
    result = np.full((COUNT, 3), np.nan)
    for k, point in enumerate(points):
        if point is None:
            continue
        if not isinstance(point, list) or len(point) != 3:
            raise HandFileError(f'{key}[{k}]: must be three numbers or null, got {brief(point)}')
        result[k] = [_number(f'{key}[{k}]', value) for value in point]
    return result
