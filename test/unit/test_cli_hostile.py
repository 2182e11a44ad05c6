# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every command that takes a file, with files that are none: one line that teaches, and no traceback."""
import os

import pytest

from hakoniwa_rigid import cli

COMMANDS = {
    'check-world': ('check-world', 'FILE.yaml'), 'simulate': ('simulate', 'FILE.yaml', '--duration', '0.01'),
    'mass': ('mass', 'FILE.stl'), 'mass ply': ('mass', 'FILE.ply'), 'mass obj': ('mass', 'FILE.obj'),
    'mass glb': ('mass', 'FILE.glb'), 'inspect': ('inspect', 'FILE.mcap'), 'inspect db3': ('inspect', 'FILE.db3'),
    'import': ('import', 'FILE.csv', '-o', 'OUT'), 'hand npz': ('hand', 'FILE.npz'),
    'hand jsonl': ('hand', 'FILE.jsonl'),
    'hand gz': ('hand', 'FILE.jsonl.gz'), 'hand csv': ('hand', 'FILE.csv'), 'hand bag': ('hand', 'FILE.mcap'),
    'replay': ('replay', 'FILE.mcap', '-o', 'OUT'), 'replay db3': ('replay', 'FILE.db3', '-o', 'OUT'),
    'replay world': ('replay', 'FILE.mcap', '-o', 'OUT', '--world', 'FILE.yaml'),
    'replay params': ('replay', 'FILE.mcap', '-o', 'OUT', '--params', 'FILE.yaml'),
    'sweep': ('sweep', '--grid', 'scene.max_rate=1,2', '-o', 'OUT', 'FILE.mcap', '--world', 'FILE.yaml'),
    'diff': ('diff', 'FILE.yaml', 'FILE.yaml'), 'diff bags': ('diff', 'FILE.mcap', 'FILE.mcap'),
    'diff tol': ('diff', 'FILE.mcap', 'FILE.mcap', '--tol', 'FILE.yaml'),
}
CONTENTS = {'nothing': b'', 'zeros': bytes(4096), 'text': b'a: 2024-13-45\nb: [\n', 'deep': b'[' * 100_000,
            'other': b'\xff\xfe\x00' * 500, 'tags': b'a: !!timestamp foo', 'gzip': b'\x1f\x8b\x08' + bytes(50),
            'zip': b'PK\x03\x04' + bytes(90), 'mcap': b'\x89MCAP0\r\n' + b'\xff' * 90,
            'sqlite': b'SQLite format 3\0' + b'\xff' * 4000, 'glb': b'glTF\x02\0\0\0' + b'\xff' * 40,
            'ply': b'ply\nformat ascii 1.0\nelement face 4000000000\nproperty list uchar int i\nend_header\n'}


def run(arguments, capsys):
    try:
        code = cli.main(arguments)
    except SystemExit as caught:
        code = caught.code
    return code, capsys.readouterr().err


def check(code, words):
    assert code in (1, 2)
    lines = [line for line in words.splitlines() if line.strip()]
    assert 1 <= len(lines) <= 3, words
    assert all(len(line) < 1000 for line in lines)
    assert 'Traceback' not in words


@pytest.mark.parametrize('content', CONTENTS)
@pytest.mark.parametrize('command', COMMANDS)
def test_files_that_are_none(command, content, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = []
    for word in COMMANDS[command]:
        if word.startswith('FILE'):
            word = word.replace('FILE', 'bad')
            (tmp_path / word).write_bytes(CONTENTS[content])
        arguments.append(word.replace('OUT', 'out'))
    check(*run(arguments, capsys))


@pytest.mark.parametrize('command', COMMANDS)
def test_what_is_no_file(command, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo(tmp_path / 'pipe')
    for name in ('pipe', 'n' * 300, '.', 'nowhere'):
        arguments = []
        for word in COMMANDS[command]:
            if word.startswith('FILE'):
                suffix = word[4:]
                if name == 'pipe' and not (tmp_path / f'pipe{suffix}').exists():
                    os.mkfifo(tmp_path / f'pipe{suffix}')
                word = name if name == '.' else name + suffix
            arguments.append(word.replace('OUT', 'out'))
        check(*run(arguments, capsys))
