# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The folder of a static page: the built player, and one file with the flight.

Scripts are plain ones and the data are a script, too: so browsers take them from the disk as well as from a host.
"""
from __future__ import annotations

import base64
import json
import shutil
import zlib
from pathlib import Path
from typing import Any

from hakoniwa_rigid.web.build import page_folder

DATA = 'flight.js'
# of the player, as `make page` builds it
PLAYER = 'player'
NO_PLAYER = ('the player is not built: npm was missing when this package was installed. In the source tree, with '
             'Node.js: make page')
LEVEL = 9


class FolderError(ValueError):
    """The folder cannot be written; the message says which and why."""


def check_new(out: Path) -> None:
    """FolderError where something is there already, or the folder above it is not, or there is no player."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FolderError(f'-o {out}: is there already, and not empty; name a new folder')
    if not out.parent.is_dir():
        raise FolderError(f'-o {out}: there is no folder {out.parent} to make it in')
    if player() is None:
        raise FolderError(NO_PLAYER)


def player() -> Path | None:
    """The folder of the built player; None where there is none."""
    built = page_folder()
    folder = built / PLAYER if built else None
    return folder if folder and (folder / 'index.html').is_file() else None


def write(out: Path, content: dict[str, Any], data: bytes) -> int:
    """Write the folder; the bytes that it has.  Half a folder is never left.  OSError."""
    was_there = out.is_dir()
    out.mkdir(exist_ok=True)
    try:
        for path in sorted(player().iterdir()):
            shutil.copyfile(path, out / path.name)
        (out / DATA).write_text(script(content, data), encoding='ascii')
    except BaseException:
        for path in list(out.iterdir()):
            path.unlink()
        if not was_there:
            out.rmdir()
        raise
    return sum(path.stat().st_size for path in out.iterdir())


def script(content: dict[str, Any], data: bytes) -> str:
    """The flight as a script that hands itself over: content as JSON, data deflated in base64."""
    packed = base64.b64encode(zlib.compress(data, LEVEL)).decode()
    text = json.dumps({**content, 'data': packed}, separators=(',', ':'), allow_nan=False)
    return f'// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0\nflight({text});\n'
