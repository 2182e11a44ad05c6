# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Files of strangers, read within limits: a pipe, a device, a thousand gigabytes or a damaged archive are an error."""
from __future__ import annotations

import os
import stat
import tempfile
import zlib
from contextlib import suppress
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


def names_in(folder: str | Path) -> list[str]:
    """Names of what is in a folder, sorted; none where it cannot be read; never an error."""
    try:
        return sorted(os.listdir(folder))
    except (OSError, ValueError):
        return []


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Whether a path lies below a folder, links followed; never an error."""
    try:
        return Path(path).expanduser().resolve().is_relative_to(Path(folder).expanduser().resolve())
    except (OSError, ValueError, RuntimeError):     # a zero byte, a loop of links, a home that is not there
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


def write_whole(path: str | Path, text: str) -> None:
    """A text file that is there whole or not at all, and on the disk: written under another name, then renamed.
    OSError."""
    write_bytes(path, text.encode(), 0o666 & ~_umask())


def write_bytes(path: str | Path, data: bytes, mode: int) -> None:
    """The same of bytes, with these permissions.  OSError."""
    path = Path(path)
    number, part = tempfile.mkstemp(prefix=f'.{path.name[:100]}.', suffix='.part', dir=path.parent)
    try:
        with os.fdopen(number, 'wb') as file:
            with suppress(OSError):     # of a file system without permissions
                os.fchmod(number, mode)
            file.write(data)
            file.flush()
            os.fsync(number)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Names that were given in a folder are on the disk; where its file system can do that."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    with suppress(OSError):
        os.fsync(folder)
    os.close(folder)


def _umask() -> int:
    """Of this process, which can only be read by setting it; /proc tells it without."""
    with suppress(OSError, StopIteration), open('/proc/self/status', encoding='utf8') as status:
        return int(next(line for line in status if line.startswith('Umask:')).split()[1], 8)
    return 0o022


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
