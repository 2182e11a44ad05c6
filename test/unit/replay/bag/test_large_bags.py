# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Memory while reading does not grow with the bag: 300 MB of real messages, read by a process of its own."""
import subprocess
import sys

import pytest
from bags import written_by_rosbags

from hakoniwa_rigid.replay.bag.writer import BagWriter

MB = 1 << 20
MOST = 40 * MB    # growth of the resident set; it was 3 MB when this was written, 11 MB for sqlite3
# ru_maxrss would begin with the size of the process that started this one
READ = """
import re, sys
from pathlib import Path
from hakoniwa_rigid.replay.bag.reader import Bag

def peak():
    return 1024 * int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])

def read(path):
    with Bag(path) as bag:
        return sum(1 for _ in bag.messages())

read(sys.argv[2])   # compiled code is loaded, whatever the size
before = peak()
print(read(sys.argv[1]), peak() - before)
"""


def growth(path):
    """(messages, bytes by which a process grows that reads them after a bag of one message)."""
    small = path.with_name('small.mcap')
    if not small.exists():
        with BagWriter(small) as bag:
            bag.write(bag.topic('/t', 'std_msgs/msg/String'), 1, bytes(100))
    command = [sys.executable, '-c', READ, str(path), str(small)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    return tuple(map(int, run.stdout.split()))


def messages(size, length=20_000):
    """Enough messages for ``size`` bytes, on three topics, stored by up to 30 messages late."""
    number = size // length
    for k in range(number):
        stamp = k + (30 if k % 7 == 0 else 0)
        yield f'/t{k % 3}', 1_000_000 * stamp, k.to_bytes(8, 'big') * (length // 8)


def test_an_mcap_of_300_mb(tmp_path):
    path = tmp_path / 'large.mcap'
    with BagWriter(path) as bag:
        topics = {f'/t{n}': bag.topic(f'/t{n}', 'std_msgs/msg/String') for n in range(3)}
        for topic, stamp, data in messages(300 * MB):
            bag.write(topics[topic], stamp, data)
    assert path.stat().st_size > 299 * MB
    count, grown = growth(path)
    assert count == 300 * MB // 20_000
    assert grown < MOST
    # without its end it is read by a scan, which holds no more
    with path.open('r+b') as file:
        file.truncate(290 * MB)
    cut, grown = growth(path)
    assert 0.9 * count < cut < count
    assert grown < MOST
    path.unlink()


@pytest.mark.parametrize(('storage', 'compression'), [('sqlite3', None), ('mcap', 'file')])
def test_other_kinds_of_60_mb(tmp_path, storage, compression):
    path = written_by_rosbags(tmp_path / 'bag', list(messages(60 * MB)), storage, compression)
    count, grown = growth(path)
    assert count == 60 * MB // 20_000
    assert grown < MOST
