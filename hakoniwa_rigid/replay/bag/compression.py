# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Decompression: zstd and lz4 as bags use them, piece by piece and never more than was asked for.

rosbags brings both; where it is missing, so may they.
"""
from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import BinaryIO

from hakoniwa_rigid.files import FED, PIECE
from hakoniwa_rigid.replay.errors import BagError

MODULES = {'zstd': 'compression.zstd' if sys.version_info >= (3, 14) else 'backports.zstd', 'lz4': 'lz4.frame'}
UNPACKERS = {'zstd': 'ZstdDecompressor', 'lz4': 'LZ4FrameDecompressor'}
ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'    # CDR begins with a zero, so a message is either one or the other
# frames of one file or chunk; tiny ones cost time and hold nothing
MOST_FRAMES = 1 << 16
# a file may be unpacked to so many times its size; small ones to so many bytes, whatever their size
MOST_RATIO, SMALL_FILE = 200, 1 << 30
# bytes that are left to others where files are unpacked; looked at each so many bytes
LEAST_FREE, LOOK = 512 << 20, 64 << 20


def _module(method: str):
    """What decompresses; BagError where it is not installed."""
    try:
        return import_module(MODULES[method])
    except ModuleNotFoundError as error:
        package = MODULES[method].removesuffix('.frame')
        raise BagError(f'{method} data need {package}: pip install {package}') from error


class _TooMuchError(Exception):
    """More than was asked for."""


def decompressed(data: bytes, method: str, most: int) -> bytes:
    """``data`` of a chunk whose compression is '', 'zstd' or 'lz4': at most ``most`` bytes; BagError without a file
    name."""
    if method not in MODULES:
        if method:
            raise BagError(f'compression {method[:40]!r} is not known: zstd, lz4 or none')
        if len(data) > most:
            raise BagError(f'{len(data)} bytes where at most {most} are taken')
        return data
    module, view = _module(method), memoryview(data)
    pieces = (view[at:at + FED] for at in range(0, len(data), FED))
    try:
        return b''.join(_parts(pieces, getattr(module, UNPACKERS[method]), most))
    except _TooMuchError:
        raise BagError(f'{len(data)} bytes of {method} unpack to more than {most}, or have too many frames') from None
    # lz4 has no error of its own
    except (getattr(module, 'ZstdError', EOFError), RuntimeError, EOFError) as error:
        raise BagError(f'{method} data do not decompress: {error}') from error


def decompress_file(source: Path, target: Path) -> bool:
    """Writes ``source`` (zstd) to ``target``; False where it ends early: ``target`` then holds what there was.

    BagError where that is nothing, or more than a bag can be packed to, or the disk would be full.
    """
    whole, size, zstd = True, source.stat().st_size, _module('zstd')
    most = max(SMALL_FILE, MOST_RATIO * size)
    try:
        with source.open('rb') as packed, target.open('wb') as out:
            written = looked = 0
            for part in _parts(_read(packed), zstd.ZstdDecompressor, most):
                out.write(part)
                written += len(part)
                if written - looked > LOOK:
                    looked = written
                    _check_room(source, target)
    except EOFError:
        whole = False
    except _TooMuchError:
        raise BagError(f'{source}: unpacks to more than {most} bytes, or to too many frames: no bag can be packed into '
                       f'{size} bytes like that') from None
    except zstd.ZstdError as error:
        raise BagError(f'{source}: not a zstd file: {error}') from error
    except OSError as error:
        raise BagError(f'{source}: cannot be decompressed into {target.parent}: {error}; '
                       'set TMPDIR to a folder with more room') from error
    if not target.stat().st_size:
        raise BagError(f'{source}: is empty, or cut off before anything can be read: {size} bytes')
    return whole


def _check_room(source: Path, target: Path) -> None:
    if (free := shutil.disk_usage(target.parent).free) < LEAST_FREE:
        raise BagError(f'{source}: cannot be decompressed into {target.parent}: {free >> 20} MB are left there, '
                       f'{LEAST_FREE >> 20} MB have to stay; set TMPDIR to a folder with more room')


def _read(file: BinaryIO) -> Iterator[bytes]:
    while data := file.read(FED):
        yield data


def _parts(pieces: Iterable[bytes], new: Callable, most: int) -> Iterator[bytes]:
    """What frames behind each other hold, at most PIECE bytes at a time; EOFError where the last one is cut off."""
    unpacker, frames, size = None, 0, 0
    for given in pieces:
        # what an unpacker was given it has: it is asked with nothing until it needs more
        while len(given) or not (unpacker is None or unpacker.eof or unpacker.needs_input):
            if unpacker is None or unpacker.eof:
                unpacker, frames = new(), frames + 1
                if frames > MOST_FRAMES:
                    raise _TooMuchError
            part = unpacker.decompress(given, PIECE)
            given = unpacker.unused_data or b'' if unpacker.eof else b''
            size += len(part)
            if size > most:
                raise _TooMuchError
            if part:
                yield part
    if unpacker is None or not unpacker.eof:
        raise EOFError('the end is missing')

