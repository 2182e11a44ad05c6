"""Decompression: zstd and lz4 as bags use them."""
from __future__ import annotations

import sys
from pathlib import Path

from lz4 import frame as lz4

from hakoniwa_rigid.replay.errors import BagError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ZSTD_MAGIC = b'\x28\xb5\x2f\xfd'    # CDR begins with a zero, so a message is either one or the other
COPY = 1 << 20


def decompressed(data: bytes, method: str) -> bytes:
    """``data`` of a chunk whose compression is '', 'zstd' or 'lz4'; BagError without a file name."""
    try:
        if method == 'zstd':
            return zstd.decompress(data)
        if method == 'lz4':
            return lz4.decompress(data)
    except (zstd.ZstdError, RuntimeError, EOFError) as error:
        raise BagError(f'{method} data do not decompress: {error}') from error
    if method:
        raise BagError(f'compression {method!r} is not known: zstd, lz4 or none')
    return data


def decompress_file(source: Path, target: Path) -> bool:
    """Writes ``source`` (zstd) to ``target``; False where it ends early: ``target`` then holds what there was.

    BagError where that is nothing.
    """
    whole = True
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
