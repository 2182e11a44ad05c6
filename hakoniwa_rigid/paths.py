# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the package's runtime files (``config/``, ``launch/``) lie: source tree, virtual environment or ROS prefix."""
from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from .brief import brief_path
from .files import is_file

PACKAGE = 'hakoniwa_rigid'


def candidates() -> list[Path]:
    """The places searched, in order: the source tree, every ament prefix, this Python's prefix."""
    source = Path(__file__).resolve().parents[1]
    # resolve() follows the links of colcon's --symlink-install back into the source tree: both are the same files
    places = [source] if (source / 'package.xml').is_file() else []
    prefixes = [p for p in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep) if p]
    places += [Path(p) / 'share' / PACKAGE for p in [*prefixes, sys.prefix]]
    return places


def share_dir() -> Path:
    """The folder that holds ``config/`` and ``launch/``.

    Raises FileNotFoundError, naming every place searched, when the package is installed without its data files.
    """
    places = candidates()
    for place in places:
        if (place / 'config').is_dir():
            return place
    raise FileNotFoundError(
        f'{PACKAGE}: no config/ folder in {", ".join(map(str, places))}; '
        'install the package with pip or colcon, or source its setup file'
    )


def config_file(*parts: str) -> Path:
    """A file below ``config/``, such as ``config_file('worlds', 'gym.yaml')``; FileNotFoundError names the path, and
    the file whose name comes nearest."""
    path = share_dir().joinpath('config', *parts)
    if not is_file(path):
        there = _names(path.parent)
        raise FileNotFoundError(f'{brief_path(path)}: no such file; {path.parent} has '
                                f'{", ".join(there) or "no files"}{did_you_mean(path.stem, map(_stem, there))}')
    return path


def world_file(name: str) -> Path:
    """A world YAML by path (``./my/room.yaml``), or by name (``gym``, ``gym.yaml``): in the current folder, else one
    that is shipped.  FileNotFoundError says where it was looked for."""
    path = Path(name)
    full = path.with_name(f'{path.name}.yaml') if path.name and not path.suffix else path
    for own in (path, full):
        if is_file(own):
            return own
    folder = share_dir() / 'config' / 'worlds'
    if is_file(folder / full):
        return folder / full
    there = _names(folder)
    raise FileNotFoundError(f'{brief_path(full)}: no such file in {Path.cwd()}, and no world of {folder}, which has '
                            f'{", ".join(there) or "none"}{did_you_mean(full.stem, map(_stem, there))}')


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'; did you mean NAME?' of the known name that comes nearest, '' where none is near."""
    near = get_close_matches(word, sorted(known), n=1)
    return f'; did you mean {near[0]}?' if near else ''


def _names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []


def _stem(name: str) -> str:
    return Path(name).stem
