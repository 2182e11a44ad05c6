# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Recorded hands that are cut, damaged or larger than they look: HandFileError with the file's name."""
import gzip
import io
import json
import os
import zipfile

import numpy as np
import pytest

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.sims.hands import landmarks, motion
from hakoniwa_rigid.sims.hands.landmarks import read_landmarks
from hakoniwa_rigid.sims.hands.motion import HandFileError, read_motion

NPZ, GZ = 'strike_right.npz', 'push_right.jsonl.gz'


def read(path):
    return (read_landmarks if landmarks.is_landmark_file(path) else read_motion)(path)


def expect(path, data, words='cut short|damaged|cannot be read|must|is no|is too large'):
    path.write_bytes(data)
    with pytest.raises(HandFileError, match=words) as caught:
        read(path)
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize('name', [NPZ, GZ])
@pytest.mark.parametrize('share', [0.0, 0.1, 0.5, 0.9, 0.999])
def test_cut(tmp_path, name, share):
    data = config_file('hands', name).read_bytes()
    expect(tmp_path / name, data[:int(share * len(data))], 'npz|gz|csv')


@pytest.mark.parametrize('name', [NPZ, GZ])
def test_one_byte_that_is_wrong(tmp_path, name):
    """zlib, zip and numpy have an error of their own for each."""
    data = config_file('hands', name).read_bytes()
    for place in range(0, len(data), len(data) // 150):
        spoilt = bytearray(data)
        spoilt[place] ^= 0x41
        (tmp_path / name).write_bytes(spoilt)
        try:
            read(tmp_path / name)
        except HandFileError as error:
            assert str(error).startswith(str(tmp_path / name))


def test_a_bomb(tmp_path):
    """1 MB that unpacks to 1 GB."""
    expect(tmp_path / 'a.jsonl.gz', gzip.compress(b' ' * (landmarks.MOST_BYTES + 10), 9), 'is too large')


@pytest.mark.parametrize('method', [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_packed_by_what_has_no_limit(tmp_path, method):
    with zipfile.ZipFile(tmp_path / 'a.npz', 'w', method) as new:
        new.writestr('format.npy', bytes(1 << 20))
    expect(tmp_path / 'a.npz', (tmp_path / 'a.npz').read_bytes(), 'is packed by method')


@pytest.mark.parametrize('end', [b'', b'PK\6\7' + bytes(16)], ids=['long', '64 bits'])
def test_an_archive_with_a_long_list(tmp_path, end):
    with zipfile.ZipFile(tmp_path / 'a.npz', 'w') as new:
        for k in range(3 if end else 2000):
            new.writestr(f'{k:05}.npy', b'')
    data = (tmp_path / 'a.npz').read_bytes()
    at = data.rindex(b'PK\5\6')
    expect(tmp_path / 'a.npz', data[:at] + end + data[at:], 'its list of members is too long')


def lie(path, key, shape):
    """A recording whose array is said to be of another shape."""
    with zipfile.ZipFile(config_file('hands', NPZ)) as old, zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            if name == f'{key}.npy':
                out = io.BytesIO()
                np.lib.format.write_array_header_1_0(out, {'descr': '<f4', 'fortran_order': False, 'shape': shape})
                content = out.getvalue() + content[128:]
            new.writestr(name, content)


def test_an_array_that_promises_too_much(tmp_path):
    lie(tmp_path / 'a.npz', 'positions', (10**6, 25, 3))
    expect(tmp_path / 'a.npz', (tmp_path / 'a.npz').read_bytes(), 'positions: promises an array of shape')


def test_an_archive_that_promises_too_much(tmp_path):
    with zipfile.ZipFile(tmp_path / 'a.npz', 'w', zipfile.ZIP_DEFLATED) as archive:
        archive.writestr('format.npy', bytes(1000))
    data = (tmp_path / 'a.npz').read_bytes()
    size = (1000).to_bytes(4, 'little')
    expect(tmp_path / 'a.npz', data.replace(size, (4_000_000_000).to_bytes(4, 'little')), 'is too large: it promises')


def test_objects_are_not_loaded(tmp_path):
    with np.load(config_file('hands', NPZ)) as data:
        arrays = dict(data)
    np.savez(tmp_path / 'a.npz', **{**arrays, 'names': np.array([{'a': 1}], dtype=object)})
    expect(tmp_path / 'a.npz', (tmp_path / 'a.npz').read_bytes(), 'pickle')


def lines():
    return gzip.decompress(config_file('hands', GZ).read_bytes()).splitlines()[:3]


@pytest.mark.parametrize(('line', 'words'), [
    (b'[' * 100_000, 'a line must have|recursion'),
    (b'[' * 60_000, ':2: '),
    (b'{"time": ' + b'9' * 5000 + b'}', ':2: '),
    (b'{"time": 1e999}', ':2: '),
    (b'{"' + b'k' * 5000 + b'": 1}', ':2: k+.*unknown key'),
    (b'"' + b'x' * 70_000 + b'"', ':2: a line must have at most 65536 letters'),
    (b'{"time": ' + b'9' * 400 + b', "handedness": "Left", "score": 1, "landmarks": []}', ':2: time: must be a finite'),
])
def test_lines(tmp_path, line, words):
    first, second, third = lines()
    expect(tmp_path / 'a.jsonl', b'\n'.join([first, line, third]), words)


def test_a_landmark_that_is_a_long_list(tmp_path):
    record = json.loads(lines()[0])
    record['landmarks'][3] = list(range(5000))
    expect(tmp_path / 'a.jsonl', json.dumps(record).encode(), r'landmarks\[3\]: must be three numbers')


def test_tables(tmp_path):
    (tmp_path / 'b.jsonl').write_bytes(b'\n'.join(lines()))
    landmarks.write_landmarks(tmp_path / 'a.csv', read_landmarks(tmp_path / 'b.jsonl'))
    data = (tmp_path / 'a.csv').read_bytes()
    head, rest = data.split(b'\n', 1)
    for spoilt in (head + b'\n1\r2,3\n' + rest, head + b'\n"a' * 3 + b'"b,', head + b'\n' + b'x' * 140_000,
                   b'\r' + data, data.replace(b',', b',"', 3), b'', b'\xff' + data):
        expect(tmp_path / 'a.csv', spoilt, 'npz|gz|csv')


def test_no_files(tmp_path):
    os.mkfifo(tmp_path / 'a.npz')
    os.mkfifo(tmp_path / 'a.jsonl')
    for name in ('a.npz', 'a.jsonl'):
        with pytest.raises(HandFileError, match='a pipe or a device'):
            read(tmp_path / name)
    for name in ('n' * 300 + '.npz', 'n' * 300 + '.csv'):
        with pytest.raises(HandFileError, match='too long'):
            read(tmp_path / name)
    for name in ('b.npz', 'b.csv'):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / name)


def test_too_large_a_file(tmp_path):
    with open(tmp_path / 'a.npz', 'wb') as file:
        file.truncate(motion.MOST_BYTES + 1)
    with pytest.raises(HandFileError, match='is too large'):
        read(tmp_path / 'a.npz')
