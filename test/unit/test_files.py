# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Files that are none, and archives that are not what they say."""
import gzip
import os

import pytest

from hakoniwa_rigid import files
from hakoniwa_rigid.brief import brief, brief_path
from hakoniwa_rigid.files import FileError, is_file, read_bytes, size_of, unzipped


def test_bytes_of_a_file(tmp_path):
    (tmp_path / 'a').write_bytes(b'123')
    assert read_bytes(tmp_path / 'a', 3) == b'123'
    with pytest.raises(FileError, match='too large: 3 bytes, at most 2'):
        read_bytes(tmp_path / 'a', 2)


def test_what_is_no_file(tmp_path):
    os.mkfifo(tmp_path / 'pipe')
    for path, words in ((tmp_path, 'a folder'), (tmp_path / 'pipe', 'a pipe or a device'), ('/dev/zero', 'a device'),
                        ('a\0b', 'null')):
        with pytest.raises(FileError, match=words):
            size_of(path, 10)
        assert not is_file(path)
    with pytest.raises(OSError, match='too long'):
        read_bytes('a' * 5000, 10)
    assert not is_file('a' * 5000)


def test_unzipped():
    data = gzip.compress(b'a' * 3_000_000)
    assert unzipped(data, 3_000_000) == b'a' * 3_000_000
    assert unzipped(gzip.compress(b'12') + gzip.compress(b'3'), 10) == b'123'
    with pytest.raises(FileError, match='at most 2999999 bytes are unpacked'):
        unzipped(data, 2_999_999)
    with pytest.raises(FileError, match='cut short'):
        unzipped(data[:-9], 3_000_000)
    with pytest.raises(FileError, match='damaged'):
        unzipped(data[:100] + b'xxxx' + data[104:], 3_000_000)
    with pytest.raises(FileError, match='damaged'):
        unzipped(b'no archive', 100)
    assert unzipped(b'', 1) == b''


def test_as_many_members_as_there_may_be(monkeypatch):
    """Each costs time, and holds nothing."""
    data = gzip.compress(b'a') * 500
    assert unzipped(data, 500) == b'a' * 500
    monkeypatch.setattr(files, 'MOST_MEMBERS', 499)
    with pytest.raises(FileError, match='in too many members: at most 499'):
        unzipped(data, 500)


def test_brief():
    for value in (10**5000, 'x' * 10**6, [[0] * 1000] * 1000, {'a': {'b': {'c': {'d': 1}}}}, b'x' * 999):
        assert len(brief(value)) <= 160


def test_brief_of_what_is_short():
    for value in ('abc', 1.5, -3, None, [1, 2.0, 'x'], {'a': 1}):
        assert brief(value) == repr(value)
    assert brief_path('a/b') == 'a/b'
    assert len(brief_path('x' * 5000)) == 160
