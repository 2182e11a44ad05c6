# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags of strangers who mean harm: small files that unpack to much, name the same bytes often, or have no end."""
from __future__ import annotations

import sqlite3
import struct
from importlib import import_module
from pathlib import Path

from lz4 import frame as lz4

from hakoniwa_rigid.replay.bag.compression import MODULES
from hakoniwa_rigid.replay.bag.mcap import records
from hakoniwa_rigid.replay.bag.mcap.writer import record, string, string_map

zstd = import_module(MODULES['zstd'])
MB = 1 << 20
TABLES = ('CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT);'
          "INSERT INTO topics VALUES(1, '/a', 'std_msgs/msg/String', 'cdr');")
MESSAGES = 'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);'
CHANNEL = (record(records.SCHEMA, records.U16.pack(1) + string('std_msgs/msg/String') + string('ros2msg') + string(
    'string data')) + record(records.CHANNEL, records.U16.pack(1) * 2 + string('/a') + string('cdr') + string_map({})))
HEAD = records.MAGIC + record(records.HEADER, string('ros2') + string('stranger'))
END = record(records.DATA_END, bytes(4))


def zeros(method: str, size: int) -> bytes:
    """So many MB of zeros, packed."""
    packer = zstd.ZstdCompressor() if method == 'zstd' else lz4.LZ4FrameCompressor()
    parts = [packer.begin()] if method == 'lz4' else []
    parts += [packer.compress(bytes(MB)) for _ in range(size)]
    return b''.join([*parts, packer.flush()])


def message(stamp: int, data: bytes = b'') -> bytes:
    """A record of channel 1."""
    return records.MESSAGE_HEAD.pack(records.MESSAGE, records.MESSAGE_FIELDS + len(data), 1, 0, stamp, stamp) + data


def chunk(stored: bytes, method: str = '', size: int | None = None, stamps=(0, 0), length: int | None = None) -> bytes:
    """A chunk record that promises ``size`` bytes, and ``length`` stored ones."""
    head = records.CHUNK_HEAD.pack(*stamps, len(stored) if size is None else size, 0) + string(method)
    head += records.U64.pack(len(stored) if length is None else length)
    return records.PREFIX.pack(records.CHUNK, len(head) + (len(stored) if length is None else length)) + head + stored


def mcap(path: Path, *parts: bytes) -> Path:
    """A file without summary."""
    path.write_bytes(b''.join([HEAD, CHANNEL, *parts]))
    return path


def named_often(path: Path, times: int) -> Path:
    """A file whose summary names one chunk so often."""
    made = chunk(b''.join(message(k, bytes(1000)) for k in range(50)), stamps=(0, 49))
    at = len(HEAD) + len(CHANNEL)
    index = record(records.CHUNK_INDEX, struct.pack('<QQQQIQ', 0, 49, at, len(made), 0, 0) + string('')
                   + struct.pack('<QQ', len(made), len(made)))
    statistics = records.STATISTICS_HEAD.pack(50 * times, 1, 1, 0, 0, times, 0, 49) + records.U32.pack(10)
    statistics += records.U16.pack(1) + records.U64.pack(50 * times)
    summary = CHANNEL + index * times + record(records.STATISTICS, statistics)
    start = at + len(made) + len(END)
    footer = record(records.FOOTER, records.FOOTER_BODY.pack(start, 0, 0))
    path.write_bytes(b''.join([HEAD, CHANNEL, made, END, summary, footer, records.MAGIC]))
    return path


def database(path: Path, script: str, rows=()) -> Path:
    """A database of a topic /a, a script, and rows of messages."""
    file = sqlite3.connect(path)
    file.executescript(TABLES + script)
    if rows:
        file.executemany('INSERT INTO messages VALUES(?, ?, ?, ?)', rows)
    file.commit()
    file.close()
    return path


def endless(path: Path, depth: int = 14, width: int = 50) -> Path:
    """A database whose table of messages names each page of its tree many times: it has (width + 1)^depth rows."""
    file = sqlite3.connect(path)
    file.execute('PRAGMA page_size = 512')
    file.executescript(TABLES + MESSAGES)
    file.execute('INSERT INTO messages VALUES(1, 1, 5, ?)', (b'\0\1\0\0',))
    file.commit()
    root, = file.execute("SELECT rootpage FROM sqlite_master WHERE name = 'messages'").fetchone()
    file.close()
    data = bytearray(path.read_bytes())
    pages = len(data) // 512
    leaf = bytes(data[(root - 1) * 512:root * 512])
    for level in range(depth):    # pages + 1 is the leaf, each further one names the page before it
        data += leaf if not level else _interior(pages + level, width)
    data[(root - 1) * 512:root * 512] = _interior(pages + depth, width)
    data[28:32] = struct.pack('>I', pages + depth)
    path.write_bytes(data)
    return path


def _interior(child: int, width: int) -> bytes:
    """A page of a tree of sqlite that names one child everywhere."""
    cells = struct.pack('>IB', child, 1) * width
    places = struct.pack(f'>{width}H', *(512 - 5 * (k + 1) for k in range(width)))
    page = struct.pack('>BHHHBI', 5, 0, width, 512 - len(cells), 0, child) + places
    return page + bytes(512 - len(page) - len(cells)) + cells
