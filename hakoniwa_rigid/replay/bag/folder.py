# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which files a bag consists of: a folder with metadata.yaml, a folder that lost it, or a single file."""
from __future__ import annotations

import os
import re
import stat
import sys
from collections import Counter
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.brief import MOST_VALUE, brief, brief_path, cut
from hakoniwa_rigid.files import read_bytes, size_of
from hakoniwa_rigid.replay.bag.part import CRASHED, SUFFIX
from hakoniwa_rigid.replay.errors import BagError

SUFFIXES = ('.mcap', '.db3')
ZSTD = ('.zstd', '.zst')
NEWEST = 9    # version of metadata.yaml
MOST_FILES = 4096    # each is open while the bag is read
# libyaml's where it is there: 0.1 s less for a bag of a dozen topics, with their profiles


class Layout(NamedTuple):
    """The files of a bag."""

    files: list[Path]             # in the order in which they were recorded
    announced: dict[str, str]     # type by topic name, as metadata.yaml says
    message_count: int | None     # there; None without it
    metadata: dict[str, str]      # custom_data
    warnings: list[str]


def layout(path: Path) -> Layout:
    """The files of the bag at ``path``; BagError where there is none."""
    try:
        is_folder = stat.S_ISDIR(os.stat(path).st_mode)
        is_folder or size_of(path, sys.maxsize)
    except FileNotFoundError:
        raise BagError(f'{path}: no such file or folder') from None
    except (OSError, ValueError) as error:
        raise BagError(f'{brief_path(path)}: cannot be read: {getattr(error, "strerror", None) or error}') from None
    if is_folder:
        file = path / 'metadata.yaml'
        return _described(path, file) if file.is_file() else _undescribed(path)
    if not is_storage(path):
        raise BagError(f'{path}: is no bag; a bag is a folder with metadata.yaml, or a file {" or ".join(SUFFIXES)} '
                       f'(also with {ZSTD[0]} behind)')
    return Layout([path], {}, None, {}, [])


def is_storage(path: Path) -> bool:
    """Whether a file's name says that it holds messages."""
    return storage_suffix(path) in SUFFIXES


def storage_suffix(path: Path) -> str:
    """'.mcap' of a.mcap, of a.mcap.zstd, and of what a writer that died left of it (bag/part.py)."""
    name = path.name
    if name.endswith(SUFFIX):
        name = name.rsplit('.', 2)[0]
    path = Path(name.removesuffix(CRASHED))
    return Path(path.stem).suffix if path.suffix in ZSTD else path.suffix


def _undescribed(path: Path) -> Layout:
    files = sorted((p for p in path.iterdir() if p.is_file() and is_storage(p)), key=_by_number)
    if not files:
        raise BagError(f'{path}: is no bag: it has no metadata.yaml and no file {" or ".join(SUFFIXES)}')
    if len(files) > MOST_FILES:
        raise BagError(f'{path}: holds {len(files)} files, at most {MOST_FILES} are read')
    if len({storage_suffix(file) for file in files}) > 1:
        raise BagError(f'{path}: no metadata.yaml, and files of both kinds: {", ".join(p.name for p in files)}; '
                       'name one of them')
    return Layout(files, {}, None, {}, [f'{path}: no metadata.yaml (was the recording cut off?); read '
                                        f'{", ".join(p.name for p in files)}'])


def _by_number(path: Path) -> list:
    """bag_2.mcap before bag_10.mcap."""
    return [int(part) if k % 2 else part for k, part in enumerate(re.split(r'([0-9]+)', path.name))]


def _described(path: Path, file: Path) -> Layout:
    content = _yaml(file)
    try:
        version = content['version']
        if type(version) is not int or not 0 < version <= NEWEST:
            raise BagError(f'{file}: version: {brief(version)} is not known; up to {NEWEST} is')
        files = [path / PurePosixPath(name).name for name in content['relative_file_paths']]
        topics = [entry['topic_metadata'] for entry in content['topics_with_message_count']]
        announced = {_text(topic, 'name'): _text(topic, 'type') for topic in topics}
        count = content['message_count']
        metadata = {str(key): str(value) for key, value in (content.get('custom_data') or {}).items()}
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BagError(f'{file}: is no metadata of a bag: {cut(repr(error), MOST_VALUE)}') from error
    if len(files) > MOST_FILES:
        raise BagError(f'{file}: names {len(files)} files, at most {MOST_FILES} are read')
    if missing := [p.name for p in files if not p.is_file()]:
        raise BagError(f'{path}: {cut(", ".join(missing), MOST_VALUE)}: named in metadata.yaml, but not there')
    if not files:
        raise BagError(f'{file}: names no files')
    if twice := [name for name, number in Counter(files).items() if number > 1]:
        raise BagError(f'{file}: names {cut(twice[0].name, MOST_VALUE)} more than once')
    if unknown := [p.name for p in files if not is_storage(p)]:
        raise BagError(f'{file}: {unknown[0]}: not known; {", ".join(SUFFIXES)} are')
    return Layout(files, announced, count if type(count) is int else None, metadata, [])


def _text(topic: dict, key: str) -> str:
    if not isinstance(topic[key], str):
        raise TypeError(f'{key} of a topic: must be text, got {brief(topic[key])}')
    return topic[key]


def _yaml(file: Path) -> dict:
    try:
        content = yaml_text.load(read_bytes(file, yaml_text.MOST_BYTES))
    except yaml_text.YamlError as error:
        raise BagError(f'{file}: not readable as YAML: {error}') from error
    if not isinstance(content, dict) or not isinstance(content.get('rosbag2_bagfile_information'), dict):
        raise BagError(f'{file}: rosbag2_bagfile_information: missing; is this the metadata.yaml of a bag?')
    return content['rosbag2_bagfile_information']
