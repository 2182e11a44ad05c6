"""Decompression: zstd and lz4 as bags use them.  rosbags brings both; where it is missing, so may they."""
from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from hakoniwa_rigid.replay.errors import BagError

MODULES = {'zstd': 'compression.zstd' if sys.version_info >= (3, 14) else 'backports.zstd', 'lz4': 'lz4.frame'}
ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'    # CDR begins with a zero, so a message is either one or the other
COPY = 1 << 20


def _module(method: str):
    """What decompresses; BagError where it is not installed."""
    try:
        return import_module(MODULES[method])
    except ModuleNotFoundError as error:
        package = MODULES[method].removesuffix('.frame')
        raise BagError(f'{method} data need {package}: pip install {package}') from error


def decompressed(data: bytes, method: str) -> bytes:
    """``data`` of a chunk whose compression is '', 'zstd' or 'lz4'; BagError without a file name."""
    if not method:
        return data
    if method not in MODULES:
        raise BagError(f'compression {method!r} is not known: zstd, lz4 or none')
    module = _module(method)
    try:
        return module.decompress(data)
    # lz4 has no error of its own
    except (getattr(module, 'ZstdError', EOFError), RuntimeError, EOFError) as error:
        raise BagError(f'{method} data do not decompress: {error}') from error


def decompress_file(source: Path, target: Path) -> bool:
    """Writes ``source`` (zstd) to ``target``; False where it ends early: ``target`` then holds what there was.

    BagError where that is nothing.
    """
    whole, zstd = True, _module('zstd')
    try:
        with zstd.open(source, 'rb') as packed, target.open('wb') as out:
            while data := packed.read(COPY):
                out.write(data)
    except EOFError:
        whole = False
    except zstd.ZstdError as error:
        raise BagError(f'{source}: not a zstd file: {error}') from error
    except OSError as error:
        raise BagError(f'{source}: cannot be decompressed into {target.parent}: {error}; '
                       'set TMPDIR to a folder with more room') from error
    if not target.stat().st_size:
        raise BagError(f'{source}: is empty, or cut off before anything can be read: {source.stat().st_size} bytes')
    return whole
