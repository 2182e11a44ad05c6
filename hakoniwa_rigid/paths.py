# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the package's runtime files (``config/``, ``launch/``) lie: source tree, virtual environment or ROS prefix."""
from __future__ import annotations

import os
import sys
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
    """A file below ``config/``, such as ``config_file('worlds', 'gym.yaml')``; FileNotFoundError names the path."""
    path = share_dir().joinpath('config', *parts)
    if not is_file(path):
        raise FileNotFoundError(f'{brief_path(path)}: no such file; {path.parent} has {_names(path.parent)}')
    return path


def world_file(name: str) -> Path:
    """A world YAML by path (``./my/room.yaml``) or by the name of a shipped one (``gym``, ``gym.yaml``)."""
    path = Path(name)
    if is_file(path):
        return path
    return config_file('worlds', name if path.suffix else f'{name}.yaml')


def _names(folder: Path) -> str:
    if not folder.is_dir():
        return 'nothing: it does not exist'
    return ', '.join(sorted(p.name for p in folder.iterdir())) or 'no files'
