# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The line of copyright and licence in every source file; `python test/licence_lines.py` puts it where it is missing.

It is the first line, or stands below what has to be first: `#!`, or XML's declarations.
"""
from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINE = 'Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0'
# how a file of a kind, or of a name, begins and ends a comment
COMMENTS = {'.py': ('# ', ''), '.msg': ('# ', ''), '.yaml': ('# ', ''), '.toml': ('# ', ''), '.ts': ('// ', ''),
            '.js': ('// ', ''), '.css': ('/* ', ' */'), '.html': ('<!-- ', ' -->'), '.xml': ('<!-- ', ' -->'),
            'Makefile': ('# ', ''), 'CMakeLists.txt': ('# ', ''), 'run': ('# ', '')}
# messages of others, as they are there
FOREIGN = 'test/foreign_msgs/'
ABOVE = ('#!', '<?', '<!DOCTYPE', '<!doctype')


def files() -> list[Path]:
    """Those that git knows and that can have a comment."""
    listed = subprocess.run(['git', 'ls-files', '-z'], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [ROOT / name for name in listed.split('\0') if name and not name.startswith(FOREIGN)]
    return [path for path in paths if path.is_file() and comment(path)]


def comment(path: Path) -> str | None:
    """The line as a file of this kind has it."""
    around = COMMENTS.get(path.name) or COMMENTS.get(path.suffix)
    return around and LINE.join(around)


def has_line(path: Path) -> bool:
    """Whether it stands where it belongs."""
    lines = path.read_text().split('\n')
    return lines[_place(lines)] == comment(path)


def mend(path: Path) -> None:
    """Put the line in."""
    lines = path.read_text().split('\n')
    lines.insert(_place(lines), comment(path))
    path.write_text('\n'.join(lines))


def _place(lines: list[str]) -> int:
    return next(k for k, line in enumerate([*lines, '']) if not line.startswith(ABOVE))


if __name__ == '__main__':
    for file in files():
        if not has_line(file):
            mend(file)
