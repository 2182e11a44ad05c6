"""One sqlite3 file of a bag (.db3), every version of rosbag2's tables."""
from __future__ import annotations

import sqlite3
from itertools import accumulate
from pathlib import Path

import numpy as np

from hakoniwa_rigid.replay.bag.storage import COLUMNS, NEVER, Channel, Messages, Wanted
from hakoniwa_rigid.replay.errors import BagError

BLOCK_ROWS = 4096
BLOCK_BYTES = 4 << 20
MAX_STAMP = (1 << 63) - 1    # what a column of sqlite can hold
LATENESS = ('SELECT MAX(youngest - timestamp) FROM '
            '(SELECT timestamp, MAX(timestamp) OVER (ORDER BY id) AS youngest FROM messages)')
RECOVER = 'try: sqlite3 FILE .recover | sqlite3 NEW'


class SqliteFile:
    """See storage.StorageFile."""

    def __init__(self, path: Path, name: Path | None = None) -> None:
        """``name``: what messages call it, where it was unpacked from another file."""
        self.path, self.name = path, name or path
        self.warnings: list[str] = []
        self.metadata: dict[str, str] = {}
        self.connection = None
        try:
            self._check_beginning()
            self.connection = self._connect()
            self.channels = self._channels()
            self.counts = dict(self.query('SELECT topic_id, COUNT(*) FROM messages GROUP BY topic_id'))
            ((start_ns, end_ns),) = self.query('SELECT MIN(timestamp), MAX(timestamp) FROM messages')
            self.start_ns, self.end_ns = (NEVER, -1) if start_ns is None else (start_ns, end_ns)
        except BaseException:
            self.close()
            raise
        if unknown := sorted(set(self.counts) - set(self.channels)):
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
        return sqlite3.connect(f'{self.path.resolve().as_uri()}?{mode}', uri=True, check_same_thread=False)

    def query(self, text: str, values: tuple = ()):
        """The rows of a query, one by one; BagError where the file is damaged."""
        try:
            yield from self.connection.execute(text, values)
        except sqlite3.Error as error:
            raise self._error(f'cannot be read: {error}; {RECOVER}') from error

    def _columns(self, table: str) -> set[str]:
        return {row[1] for row in self.query(f'PRAGMA table_info({table})')}

    def _channels(self) -> dict[int, Channel]:
        columns = self._columns('topics')
        if not {'id', 'name', 'type', 'serialization_format'} <= columns or not self._columns('messages'):
            raise self._error('is a sqlite3 file but no bag: it has no tables topics and messages')
        definitions = {}
        if self._columns('message_definitions'):
            definitions = dict(self.query('SELECT topic_type, encoded_message_definition FROM message_definitions'))
        qos = 'offered_qos_profiles' if 'offered_qos_profiles' in columns else "''"
        channels = {}
        for key, name, kind, encoding, profiles in self.query(
                f'SELECT id, name, type, serialization_format, {qos} FROM topics ORDER BY id'):
            if encoding != 'cdr':
                raise self._error(f'topic {name} is encoded as {encoding!r}; bags of ROS 2 hold cdr')
            channels[key] = Channel(key, name, kind, definitions.get(kind) or '', profiles or '')
        return channels

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
        if not isinstance(data, bytes) or not isinstance(stamp, int) or number < 0:
            raise BagError(f'{self.file.name}: message {number}: number, stamp {stamp!r} or data are of the wrong kind')
        self.is_jumbled |= number < self.last_id
        self.last_id = number
