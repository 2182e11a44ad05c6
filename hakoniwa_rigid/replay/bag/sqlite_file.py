# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One sqlite3 file of a bag (.db3), every version of rosbag2's tables."""
from __future__ import annotations

import sqlite3
import time
from itertools import accumulate
from pathlib import Path

import numpy as np

from hakoniwa_rigid.brief import brief
from hakoniwa_rigid.replay.bag.storage import (
    COLUMNS,
    MAX_BLOCK,
    MAX_CHANNELS,
    MAX_TEXT,
    NEVER,
    Channel,
    Messages,
    Wanted,
)
from hakoniwa_rigid.replay.errors import BagError

BLOCK_ROWS = 4096
BLOCK_BYTES = 4 << 20
MAX_STAMP = (1 << 63) - 1    # what a column of sqlite can hold
LATENESS = ('SELECT MAX(youngest - timestamp) FROM '
            '(SELECT timestamp, MAX(timestamp) OVER (ORDER BY id) AS youngest FROM messages)')
RECOVER = 'try: sqlite3 FILE .recover | sqlite3 NEW'
# what a bag is read by; anything else in the file is not touched
TABLES = ('topics', 'messages', 'message_definitions')
ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_PRAGMA}
# s of processor time until the next row of an answer: a base, and bytes of the file a second; a damaged or hostile tree
# of pages may have no end
PATIENCE, PACE = 30.0, 10e6
STEPS = 100_000    # of sqlite's machine between two looks at the clock


class SqliteFile:
    """See storage.StorageFile."""

    def __init__(self, path: Path, name: Path | None = None) -> None:
        """``name``: what messages call it, where it was unpacked from another file."""
        self.path, self.name = path, name or path
        self.warnings: list[str] = []
        self.metadata: dict[str, str] = {}
        self.weight = 0
        self.connection = None
        self._end = 0.0    # of the patience, s of processor time
        try:
            self._check_beginning()
            self.connection = self._connect()
            self.channels = self._channels()
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_BLOCK)
            self.counts = dict(self.query('SELECT topic_id, COUNT(*) FROM messages GROUP BY topic_id'))
            ((start_ns, end_ns),) = self.query('SELECT MIN(timestamp), MAX(timestamp) FROM messages')
        except BaseException:
            self.close()
            raise
        try:
            self._check(self.counts, start_ns, end_ns)
        except BaseException:
            self.close()
            raise
        self.start_ns, self.end_ns = (NEVER, -1) if start_ns is None else (start_ns, end_ns)

    def _check(self, counts: dict, start_ns: object, end_ns: object) -> None:
        """BagError where messages have other numbers than they should."""
        for what, value in (*(('topic_id', key) for key in counts), ('timestamp', start_ns), ('timestamp', end_ns)):
            if type(value) is not int and not (value is None and not counts):
                raise self._error(f'messages: {what}: must be a whole number, got {brief(value)}')
        if unknown := sorted(set(counts) - set(self.channels)):
            raise self._error(f'messages of topic id {unknown[0]}, which the table topics does not name: cut off or '
                              f'damaged; {RECOVER}')

    def _check_beginning(self) -> None:
        with self.path.open('rb') as file:
            magic = file.read(16)
        if not magic:
            raise self._error('the file is empty (0 bytes); was the recording cut off before it began?')
        if magic != b'SQLite format 3\0':
            raise self._error(f'is no sqlite3 file: it begins with {magic[:8]!r}')

    def _connect(self) -> sqlite3.Connection:
        log = self.path.with_name(self.path.name + '-wal')
        mode = 'immutable=1'
        if log.is_file() and log.stat().st_size:
            # messages that were not yet moved into the file itself
            mode = 'mode=ro'
            self.warnings.append(f'{self.name}: was not closed when it was recorded; read with {log.name}')
        made = sqlite3.connect(f'{self.path.resolve().as_uri()}?{mode}', uri=True, check_same_thread=False)
        # nothing that the file defines is run, and nothing of it is read but columns of tables
        made.execute('PRAGMA trusted_schema = OFF')
        made.execute('PRAGMA cell_size_check = ON')
        made.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in ALLOWED else sqlite3.SQLITE_DENY)
        made.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_TEXT)
        patience = PATIENCE + self.path.stat().st_size / PACE
        made.set_progress_handler(lambda: time.thread_time() > self._end, STEPS)
        self._patience = patience
        return made

    def query(self, text: str, values: tuple = ()):
        """The rows of a query, one by one; BagError where the file is damaged, or the next row takes too long."""
        try:
            self._end = time.thread_time() + self._patience
            for row in self.connection.execute(text, values):
                yield row
                self._end = time.thread_time() + self._patience
        except sqlite3.Error as error:
            late = time.thread_time() > self._end
            why = f'a question to it took more than {self._patience:.0f} s of processor time' if late else error
            raise self._error(f'cannot be read: {why}; {RECOVER}') from error

    def _columns(self, table: str) -> set[str]:
        """Names of the columns of a table, none where there is none; BagError where it is something else."""
        kinds = list(self.query('SELECT type, sql FROM sqlite_master WHERE name = ? COLLATE NOCASE '
                                "AND type IN ('table', 'view')", (table,)))
        for kind, sql in kinds:
            if kind != 'table' or 'virtual' in str(sql).lower().split('(')[0].split():
                raise self._error(f'{table}: must be a table, got a view or a virtual table')
        found = list(self.query(f'PRAGMA table_xinfo({table})')) if kinds else []
        if computed := [row[1] for row in found if row[6]]:
            raise self._error(f'{table}: column {brief(computed[0])} is computed or hidden')
        return {row[1] for row in found}

    def _channels(self) -> dict[int, Channel]:
        columns = self._columns('topics')
        if not {'id', 'name', 'type', 'serialization_format'} <= columns or not self._columns('messages'):
            raise self._error('is a sqlite3 file but no bag: it has no tables topics and messages')
        definitions = {}
        if self._columns('message_definitions'):
            definitions = dict(self._texts('SELECT topic_type, encoded_message_definition FROM message_definitions'))
        qos = 'offered_qos_profiles' if 'offered_qos_profiles' in columns else "''"
        channels = {}
        question = f'SELECT id, name, type, serialization_format, {qos} FROM topics ORDER BY id'
        for key, name, kind, encoding, profiles in self._texts(question, 1):
            if encoding != 'cdr':
                raise self._error(f'topic {name} is encoded as {encoding!r}; bags of ROS 2 hold cdr')
            channels[key] = Channel(key, name, kind, definitions.get(kind) or '', profiles or '')
        return channels

    def _texts(self, text: str, numbers: int = 0):
        """Rows of so many numbers, and texts, or nothing in their place behind the first; bounded."""
        for count, row in enumerate(self.query(text)):
            self.weight += sum(len(value) for value in row if isinstance(value, str | bytes))
            if count >= MAX_CHANNELS or self.weight > MAX_TEXT:
                raise self._error(f'more than {MAX_CHANNELS} topics or types, or {MAX_TEXT} bytes of definitions')
            for k, value in enumerate(row):
                right = type(value) is int if k < numbers else isinstance(value, str) or (value is None and k > numbers)
                if not right:
                    what = 'a whole number' if k < numbers else 'text'
                    raise self._error(f'topics or definitions: must be {what}, got {brief(value)}')
            yield row

    def _error(self, text: str) -> BagError:
        return BagError(f'{self.name}: {text}')

    def stream(self, wanted: Wanted, file_number: int) -> SqliteStream:
        """See storage.StorageFile."""
        return SqliteStream(self, wanted, file_number)

    def close(self) -> None:
        """Close the file."""
        if self.connection:
            self.connection.close()


class SqliteStream:
    """See storage.Stream: sqlite sorts the rows by its index of stamps, so nothing has to be held here."""

    def __init__(self, file: SqliteFile, wanted: Wanted, file_number: int) -> None:
        self.file, self.ranks = file, wanted.ranks
        self.base = file_number << 56
        self.skipped: dict[int, int] = {}
        self.late_ns = 0
        self.last_id, self.is_jumbled = -1, False
        low, high = max(0, min(wanted.low, MAX_STAMP)), max(-1, min(wanted.high, MAX_STAMP))
        self.next_ns = max(file.start_ns, low) if file.start_ns <= high and file.end_ns >= low else NEVER
        if file.start_ns < low:
            older = file.query('SELECT topic_id, COUNT(*) FROM messages WHERE timestamp < ? GROUP BY topic_id', (low,))
            self.skipped = dict(older)
        which = ','.join(map(str, sorted(self.ranks)))
        self.rows = file.query('SELECT timestamp, id, topic_id, data FROM messages WHERE timestamp BETWEEN ? AND ? '
                               f'AND topic_id IN ({which}) ORDER BY timestamp, id', (low, high))
        self.ahead = None    # the row behind the last block

    def take(self) -> Messages:
        """See storage.Stream."""
        rows = self._rows()
        datas = [row[3] for row in rows]
        lengths = [len(data) for data in datas]
        table = np.array([(*row[:3], offset, length) for row, offset, length in
                          zip(rows, accumulate(lengths, initial=0), lengths, strict=False)], dtype=np.uint64)
        return Messages(table.reshape(-1, COLUMNS), b''.join(datas))

    def _rows(self) -> list[tuple[int, int, int, bytes]]:
        """Stamp, rank, place and data of the messages of the next block."""
        found = [self.ahead] if self.ahead else []
        self.ahead = None
        size = 0
        for stamp, number, topic, data in self.rows:
            self._check(stamp, number, data)
            entry = stamp, self.ranks[topic], self.base + number, data
            if len(found) >= BLOCK_ROWS or size >= BLOCK_BYTES:
                self.ahead, self.next_ns = entry, stamp
                return found
            found.append(entry)
            size += len(data)
        self.next_ns = NEVER
        if self.is_jumbled:
            ((self.late_ns,),) = self.file.query(LATENESS)
        return found

    def _check(self, stamp: int, number: int, data: bytes) -> None:
        """Ids count up as messages are stored: an id below the last was stored before a message with an older stamp."""
        if type(number) is not int or type(stamp) is not int or number < 0 or not isinstance(data, bytes):
            raise BagError(f'{self.file.name}: message {brief(number)}: number, stamp {brief(stamp)} or data are of '
                           'the wrong kind')
        self.is_jumbled |= number < self.last_id
        self.last_id = number
