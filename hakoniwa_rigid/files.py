"""Files of strangers, read within limits: a pipe, a device, a thousand gigabytes or a damaged archive are an error."""
from __future__ import annotations

import os
import stat
import zlib
from pathlib import Path

# bytes asked for at once of what is unpacked, and given at once: what is left of these is copied where a member ends
PIECE, FED = 1 << 20, 1 << 16
# pieces that were packed each by itself; tiny ones cost time and hold nothing
MOST_MEMBERS = 1 << 16


class FileError(OSError):
    """A file that is not read; strerror says why, without its name."""

    def __init__(self, reason: str) -> None:
        super().__init__(0, reason)

    def __str__(self) -> str:
        return str(self.strerror)


def is_file(path: str | Path) -> bool:
    """Whether there is a regular file; never an error."""
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except (OSError, ValueError):   # a name that is too long, or has a zero byte
        return False


def size_of(path: str | Path, most: int) -> int:
    """Bytes of a regular file.  FileError: something else, or more than `most`; OSError as open."""
    try:
        found = os.stat(path)
    except ValueError as error:
        raise FileError(str(error)) from None
    if not stat.S_ISREG(found.st_mode):
        kind = 'a folder' if stat.S_ISDIR(found.st_mode) else 'a pipe or a device'
        raise FileError(f'no such file: this is {kind}')
    if found.st_size > most:
        raise FileError(f'is too large: {found.st_size} bytes, at most {most} are read')
    return found.st_size


def read_bytes(path: str | Path, most: int) -> bytes:
    """A regular file of at most `most` bytes.  Errors as size_of."""
    size_of(path, most)
    with open(path, 'rb') as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise FileError(f'is too large: at most {most} bytes are read')
    return data


def unzipped(data: bytes, most: int) -> bytes:
    """What gzip has packed into data.  FileError: damaged, cut short, or more than `most` bytes."""
    parts, size, members = [], 0, 0
    unpacker = None
    for at in range(0, len(data), FED):
        given = data[at:at + FED]
        while given:
            if unpacker is None:
                unpacker, members = zlib.decompressobj(16 + zlib.MAX_WBITS), members + 1
                if members > MOST_MEMBERS:
                    raise FileError(f'is packed in too many members: at most {MOST_MEMBERS} are unpacked')
            try:
                part = unpacker.decompress(given, PIECE)
            except zlib.error as error:
                raise FileError(f'is damaged: {error}') from None
            size += len(part)
            if size > most:
                raise FileError(f'is too large: at most {most} bytes are unpacked')
            parts.append(part)
            given = unpacker.unused_data or unpacker.unconsumed_tail
            if unpacker.eof:
                unpacker = None
    if unpacker is not None:
        raise FileError('is cut short')
    return b''.join(parts)
