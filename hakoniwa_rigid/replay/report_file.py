# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Reports beside the result of a command: whole under their names or not there, and a word where one could not be
written."""
from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path


def write(path: str | Path, text: str) -> None:
    """The file appears whole or not at all.  OSError where it cannot be written."""
    path = Path(path)
    part = path.with_name(path.name + '.part')
    try:
        # a name of strangers may hold half a letter
        part.write_text(text, encoding='utf-8', errors='replace')
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def write_reports(asked: Iterable[tuple[Path | None, Callable[[], str]]]) -> bool:
    """Write those that have a path; False where one could not be written."""
    fine = True
    for path, content in asked:
        try:
            if path:
                write(path, content())
        except OSError as error:
            print(f'error: {path}: report not written: {error}', file=sys.stderr)
            fine = False
    return fine
