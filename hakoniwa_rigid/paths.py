# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the package's runtime files (``config/``, ``launch/``) lie: source tree, virtual environment or ROS prefix."""
from __future__ import annotations

import os
import sys
from pathlib import Path

from .brief import brief_path, did_you_mean
from .files import is_file, names_in

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
        there = names_in(path.parent)
        raise FileNotFoundError(f'{brief_path(path)}: no such file; {path.parent} has '
                                f'{", ".join(there) or "no files"}{did_you_mean(path.stem, stems(there))}')
    return path


def world_file(name: str) -> Path:
    """A world YAML by path (``./my/room.yaml``), or by name (``gym``, ``gym.yaml``): in the current folder, else one
    that is shipped.  FileNotFoundError says where it was looked for."""
    if own := own_world_file(name):
        return own
    path, folder = _with_ending(Path(name)), share_dir() / 'config' / 'worlds'
    if is_file(folder / path):
        return folder / path
    if path.is_absolute():
        raise FileNotFoundError(f'{brief_path(path)}: no such file')
    there = names_in(folder)
    raise FileNotFoundError(f'{brief_path(path)}: no such file in {Path.cwd()}, and no world of {folder}, which has '
                            f'{", ".join(there) or "none"}{did_you_mean(path.stem, stems(there))}')


def own_world_file(name: str, folder: str | Path = '') -> Path | None:
    """The world YAML of that path or name in a folder, by default the current one; None where there is none."""
    path = Path(folder, name)
    return next(filter(is_file, (path, _with_ending(path))), None)


def preset_file(sim: str) -> Path:
    """A simulator's preset by path (with its ending), or by the name of one in config/sims.  FileNotFoundError as of
    config_file."""
    path = Path(sim)
    return path if path.suffix and is_file(path) else config_file('sims', sim if path.suffix else f'{sim}.yaml')


def stems(names: list[str]) -> list[str]:
    """File names without their endings."""
    return [Path(name).stem for name in names]


def _with_ending(path: Path) -> Path:
    return path.with_name(f'{path.name}.yaml') if path.name and not path.suffix else path
