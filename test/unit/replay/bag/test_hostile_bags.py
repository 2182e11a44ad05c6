# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags that mean harm end in a sentence, within a bound of memory: bombs, loops, lies about sizes, wrong types."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hostile_bags import (
    CHANNEL,
    END,
    HEAD,
    MB,
    MESSAGES,
    chunk,
    database,
    endless,
    mcap,
    message,
    named_often,
    zeros,
    zstd,
)

from hakoniwa_rigid.replay.bag import compression, sqlite_file
from hakoniwa_rigid.replay.bag.mcap import blocks, records
from hakoniwa_rigid.replay.bag.mcap.writer import record, string
from hakoniwa_rigid.replay.bag.reader import Bag, BagError
from hakoniwa_rigid.replay.bag.types import MOST_OBJECTS, Decoder

# MB of memory beside what the libraries take, for any file: docs/robustness.md
MOST_MEMORY = 1024
READ = """
import json, resource, sys
import hakoniwa_rigid.replay.bag.mcap.kernel as kernel
from hakoniwa_rigid.replay.bag.reader import Bag, BagError
kernel.warm_up()
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
for path in sys.argv[1:]:
    try:
        with Bag(path) as bag:
            said = str(sum(1 for _ in bag.messages()))
    except BagError as error:
        said = str(error)
    print(json.dumps([path, said, (peak() - before) // 1024]))
"""


def read(path):
    with Bag(path) as bag:
        return list(bag.messages()), bag.warnings


def refused(path, text):
    with pytest.raises(BagError, match=text) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_no_file_takes_more_than_the_stated_memory(tmp_path):
    """Each is small on the disk; what it says of itself is gigabytes."""
    many = b''.join(message(k) for k in range(100_000))
    sparse = mcap(tmp_path / 'sparse.mcap', chunk(b'', size=0, length=10 << 30))
    os.truncate(sparse, (10 << 30) + 4096)
    tail = mcap(tmp_path / 'tail.mcap', chunk(message(1)), END)
    start = tail.stat().st_size
    os.truncate(tail, start + (10 << 30))
    with tail.open('ab') as file:
        file.write(record(records.FOOTER, records.FOOTER_BODY.pack(start, 0, 0)) + records.MAGIC)
    bomb = zeros('zstd', 1100)
    paths = {
        mcap(tmp_path / 'z.mcap', chunk(bomb, 'zstd', 1000)): 'more than 1000, or have too many frames',
        mcap(tmp_path / 'l.mcap', chunk(zeros('lz4', 1100), 'lz4', 1000)): 'unpack to more than 1000',
        mcap(tmp_path / 'most.mcap', chunk(zeros('zstd', 256), 'zstd', 256 * MB)): 'more than 1310720 records',
        mcap(tmp_path / 'tiny.mcap', chunk(zstd.compress(many * 80), 'zstd', 80 * len(many))):
            'more than 1310720 records in one chunk',
        sparse: 'cut off|no message before',
        tail: '1',
        database(tmp_path / 'rows.db3', MESSAGES, [(k, 1, k, bomb) for k in range(50)]): f'to more than {256 * MB}',
    }
    done = subprocess.run([sys.executable, '-c', READ, *map(str, paths)], capture_output=True, text=True, check=True,
                          env={**os.environ, 'NUMBA_DISABLE_JIT': '0'})
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == len(paths)
    for path, said, grown in rows:
        assert any(word in said for word in paths[Path(path)].split('|')), (path, said)
        assert grown < MOST_MEMORY, (path, grown)


def test_a_chunk_that_is_named_often_is_read_once(tmp_path):
    messages, warnings = read(named_often(tmp_path / 'often.mcap', 1000))
    assert len(messages) == 50
    assert 'the summary at the end is damaged (it names a chunk at byte' in warnings[0]
    assert len(read(named_often(tmp_path / 'once.mcap', 1))[0]) == 50


def test_more_chunks_than_are_remembered(tmp_path, monkeypatch):
    path = mcap(tmp_path / 'a.mcap', *(chunk(message(k)) for k in range(30)), END)
    monkeypatch.setattr(blocks, 'MAX_COUNTS', 10)    # counts are left out, messages are not
    with Bag(path) as bag:
        assert [m.sequence for m in bag.messages(start_ns=20)] == list(range(20, 30))
    monkeypatch.setattr(blocks, 'MAX_BLOCKS', 10)
    messages, (warning,) = read(path)
    assert len(messages) == 10
    assert 'more than 10 chunks' in warning


def test_a_thousand_frames_are_one_file_and_a_million_are_none(tmp_path, monkeypatch):
    plain = mcap(tmp_path / 'plain.mcap', chunk(message(3)), END).read_bytes()
    path = tmp_path / 'a.mcap.zst'
    path.write_bytes(b''.join(zstd.compress(plain[k:k + 1]) for k in range(len(plain))))
    assert len(read(path)[0]) == 1
    monkeypatch.setattr(compression, 'MOST_FRAMES', 20)
    refused(path, 'unpacks to more than .* or to too many frames')


def test_a_file_that_unpacks_to_too_much_fills_no_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, 'SMALL_FILE', 20 * MB)
    monkeypatch.setenv('TMPDIR', str(tmp_path))
    monkeypatch.setattr('tempfile.tempdir', None)
    path = tmp_path / 'a.mcap.zstd'
    path.write_bytes(zstd.compress(HEAD + CHANNEL) + zeros('zstd', 100))
    refused(path, f'unpacks to more than {20 * MB} bytes')
    monkeypatch.setattr(compression, 'SMALL_FILE', 200 * MB)
    monkeypatch.setattr(compression, 'LEAST_FREE', 1 << 62)
    refused(path, 'MB have to stay; set TMPDIR')
    assert list(tmp_path.iterdir()) == [path]


def test_a_database_without_end_is_left(tmp_path, monkeypatch):
    assert len(read(endless(tmp_path / 'a.db3', depth=2, width=40))[0]) == 41**2    # a small one has an end
    monkeypatch.setattr(sqlite_file, 'PATIENCE', 0.5)
    refused(endless(tmp_path / 'b.db3'), 'a question to it took more than .* s of processor time')


VIEW = ('CREATE VIEW messages AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) '
        'SELECT x AS id, 1 AS topic_id, x AS timestamp, zeroblob(100000000) AS data FROM c;')


@pytest.mark.parametrize(('script', 'rows', 'said'), [
    (VIEW, [], 'messages: must be a table, got a view'),
    (MESSAGES + 'DROP TABLE topics; CREATE VIEW topics AS SELECT 1 AS id, 2 AS name, 3 AS type, 4 AS '
     'serialization_format;', [], 'topics: must be a table, got a view'),
    ('CREATE VIRTUAL TABLE messages USING fts5(topic_id, timestamp, data);', [], 'got a view or a virtual table'),
    ('CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB, '
     'more BLOB AS (zeroblob(1000000000)));', [], "messages: column 'more' is computed"),
    (MESSAGES, [(1, 1, 'late', b'')], "timestamp: must be a whole number, got 'late'"),
    (MESSAGES, [(1, 1, 1.5, b'')], 'timestamp: must be a whole number, got 1.5'),
    (MESSAGES, [(1, 1, 5, b''), (2, 1, 'x' * 10**6, b'')], 'timestamp: must be a whole number'),
    (MESSAGES, [(1, b'1', 5, b'')], "topic_id: must be a whole number, got b'1'"),
    (MESSAGES, [(1, None, 5, b'')], 'topic_id: must be a whole number, got None'),
    (MESSAGES, [(1, 1, 5, 'text')], 'message 1: number, stamp 5 or data are of the wrong kind'),
    (MESSAGES, [(1, 1, 5, None)], 'data are of the wrong kind'),
    (MESSAGES, [(-1, 1, 5, b'')], 'message -1: number'),
    (MESSAGES + "UPDATE topics SET name = x'ff';", [], r"must be text, got b'\\xff'"),
    (MESSAGES + 'UPDATE topics SET type = 7.5;', [], ''),
    (MESSAGES + "UPDATE topics SET name = CAST(x'ff' AS TEXT);", [], 'UTF-8'),
    (MESSAGES + "UPDATE topics SET name = char(27) || ']0;gone';", [], 'is no name of a topic'),
    (MESSAGES + 'UPDATE topics SET name = hex(zeroblob(20000000));', [], 'too big|bytes of definitions'),
    (MESSAGES + 'DELETE FROM topics; WITH RECURSIVE c(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM c WHERE x < 70000) '
     "INSERT INTO topics SELECT x, '/' || x, 'a/msg/A', 'cdr' FROM c;", [], 'more than 65536 topics'),
    (MESSAGES + 'CREATE TABLE message_definitions(topic_type, encoded_message_definition); '
     "INSERT INTO message_definitions VALUES('std_msgs/msg/String', 17.5);", [], 'must be text, got 17.5'),
])
def test_databases_that_are_more_than_tables(tmp_path, script, rows, said):
    path = database(tmp_path / 'a.db3', script, rows)
    if not said:    # a number in a column of text is a text there
        assert not read(path)[0]
        return
    refused(path, said)


DESCRIPTION = ('rosbag2_bagfile_information: {{version: {version}, relative_file_paths: {files}, '
               'topics_with_message_count: {topics}, message_count: {count}, custom_data: {custom}}}')
TOPIC = '{{topic_metadata: {{name: {}, type: {}}}}}'


@pytest.mark.parametrize(('changes', 'said'), [
    ({'files': '[5]'}, 'no metadata of a bag'), ({'files': '7'}, 'no metadata'), ({'files': '{a: 1}'}, 'not there'),
    ({'files': '["a\\0b"]'}, 'not there'), ({'files': '[..]'}, 'not there'), ({'files': '[/etc/passwd]'}, 'not there'),
    ({'files': '[' + ','.join(f'x{k}' for k in range(5000)) + ']'}, 'names 5000 files, at most 4096'),
    ({'topics': '5'}, 'no metadata'), ({'topics': '[5]'}, 'no metadata'), ({'topics': '[{}]'}, 'no metadata'),
    ({'topics': f'[{TOPIC.format(5, "a/msg/A")}]'}, 'name of a topic: must be text, got 5'),
    ({'topics': f'[{TOPIC.format("[]", "a/msg/A")}]'}, 'must be text'),
    ({'topics': f'[{TOPIC.format("/b", "null")}]'}, 'type of a topic: must be text, got None'),
    ({'topics': f'[{TOPIC.format("/b", "a" * 2000)}]'}, 'is no name'),
    ({'version': 'true'}, 'version: True is not known'), ({'version': '-1'}, 'is not known'),
    ({'version': '1' * 900}, 'is not known'), ({'custom': '[1, 2]'}, 'no metadata'), ({'custom': '7'}, 'no metadata'),
])
def test_descriptions_of_wrong_types(tmp_path, changes, said):
    mcap(tmp_path / 'a.mcap', chunk(message(1)), END)
    good = {'version': 9, 'files': '[a.mcap]', 'topics': '[]', 'count': 1, 'custom': 'null'}
    (tmp_path / 'metadata.yaml').write_text(DESCRIPTION.format(**good))
    assert len(read(tmp_path)[0]) == 1
    (tmp_path / 'metadata.yaml').write_text(DESCRIPTION.format(**{**good, **changes}))
    refused(tmp_path, said)


@pytest.mark.parametrize('deep', ['[' * 100_000, '{a: ' * 5000, '- ' * 50_000])
def test_descriptions_of_absurd_depth(tmp_path, deep):
    (tmp_path / 'metadata.yaml').write_text(deep)
    refused(tmp_path, 'not readable as YAML')


@pytest.mark.parametrize('text', [
    'a/msg/A a', 'a/msg/B b\n' + '=' * 80 + '\nMSG: a/msg/B\na/msg/A a', 'uint8 a=1' + '0' * 9999,
    'float64[99999999999] a', 'int32 a\nint32 a', 'string<=9999999999999999999 a', 'uint8 X=' + '(' * 5000,
    '=' * 80 + '\nIDL: a/msg/A\n' +
    'module a {' * 3000, '=' * 80 + '\nIDL: a/msg/A\nmodule a { module msg { const long X = 1 << 99999999; }; };',
    'int32 __class__', "string a 'x", '\0', 'b/msg/Unknown a', 'int32 def\nint32 None'])
def test_definitions_that_are_none(text):
    """Whatever a bag defines a type by, what is said of a message of it is a BagError."""
    try:
        Decoder({'a/msg/A': text}).decode('a/msg/A', bytes(20))
    except BagError as error:
        assert len(str(error)) < 1000


def test_lists_of_things_are_short_and_arrays_of_numbers_need_not_be():
    decoder = Decoder({'a/msg/A': 'a/msg/B[] b\n' + '=' * 80 + '\nMSG: a/msg/B\nuint8 a', 'a/msg/N': 'uint8[] b'})
    size = MOST_OBJECTS + 1
    data = b'\0\1\0\0' + size.to_bytes(4, 'little') + bytes(size)
    assert len(decoder.decode('a/msg/N', data).b) == size
    with pytest.raises(BagError, match=f'at most {MOST_OBJECTS} bytes of objects'):
        decoder.decode('a/msg/A', data)


def test_a_map_without_end_and_a_name_that_moves_the_cursor(tmp_path):
    channel = records.U16.pack(1) * 2 + string('/a\x1b[2J') + string('cdr') + records.U32.pack(0)
    path = tmp_path / 'a.mcap'
    path.write_bytes(HEAD + CHANNEL + record(records.CHANNEL, channel) + message(1) + END)
    refused(path, r"'/a\\x1b\[2J' is no name")
    entries = b''.join(string(f'{k}') + string('') for k in range(5000))
    channel = records.U16.pack(1) * 2 + string('/a') + string('cdr') + records.U32.pack(len(entries)) + entries
    path.write_bytes(HEAD + CHANNEL + record(records.CHANNEL, channel) + message(1) + END)
    refused(path, 'a map of more than 4096 texts')
