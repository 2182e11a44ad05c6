# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Token and certificate for a page in the local network, made by themselves and kept in the user's state folder.

They are made anew when the address changes, before the certificate ends, and where others could have read them.  Every
file is its owner's only (0600), the folder too (0700).
"""
from __future__ import annotations

import errno
import json
import os
import secrets
import shutil
import socket
import stat
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from .certificate import DAYS, NAMES, make_certificate
from .errors import WebError

FOLDER = Path('hakoniwa_rigid', 'page')     # below the user's state folder
RECORD = 'access.json'
TOKEN_BYTES = 16
# s before its end at which a certificate is made anew: a demo runs for days at most
MARGIN = 7 * 24 * 3600
DAY = 24 * 3600
MOST_RECORD = 4096  # bytes


@dataclass(frozen=True)
class LanAccess:
    """What a viewer needs to listen at an address of the network."""

    address: str
    token: str
    certificate: Path
    key: Path


def state_folder() -> Path:
    """Where what is made lies: below XDG_STATE_HOME, else ~/.local/state."""
    home = os.environ.get('XDG_STATE_HOME', '')
    return (Path(home) if os.path.isabs(home) else Path.home() / '.local' / 'state') / FOLDER


def lan_access(address: str, folder: Path, now: float | None = None) -> LanAccess:
    """Those that are kept for this address, else new ones; now: s since 1970.  WebError where the folder is not ours or
    cannot be written, or there is no openssl."""
    now = time.time() if now is None else now
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_owner(folder)
        return _kept(address, folder, now) or _made(address, folder, now)
    except OSError as error:
        raise WebError(f'{folder}: cannot be written: {error.strerror or error}; XDG_STATE_HOME names another folder'
                       ) from error


def check_port(address: str, port: int) -> None:
    """WebError where another program listens there, or this user may not."""
    family = socket.AF_INET6 if ':' in address else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise WebError(f'port {port} of {address} is in use: end what uses it, or name another by --page-port'
                           ) from error
        raise WebError(f'port {port} of {address}: {error.strerror}; name another by --page-port') from error


def write_viewer_parameters(access: LanAccess, folder: Path, port: int) -> Path:
    """A file of parameters for the viewer, for its owner only: a token on a command line is read by everybody on the
    machine."""
    values = {'host': access.address, 'port': port, 'token': access.token, 'certificate': str(access.certificate),
              'key': str(access.key)}
    lines = ['/**:', '  ros__parameters:', *(f'    {key}: {json.dumps(value)}' for key, value in values.items())]
    path = folder / f'viewer_{port}.yaml'
    try:
        _write(path, '\n'.join(lines) + '\n')
    except OSError as error:
        raise WebError(f'{path}: cannot be written: {error.strerror or error}') from error
    return path


def _check_owner(folder: Path) -> None:
    """What lies in a folder that others may write to can be exchanged by them."""
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise WebError(f'{folder}: must be a folder of this user; XDG_STATE_HOME names another')
    if found.st_mode & 0o077:
        folder.chmod(0o700)


def _is_private(path: Path) -> bool:
    found = path.lstat()
    return stat.S_ISREG(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


def _kept(address: str, folder: Path, now: float) -> LanAccess | None:
    """None where there is nothing for this address and time, or it is not as it was left."""
    paths = [folder / name for name in (RECORD, *NAMES)]
    try:
        if not all(map(_is_private, paths)):
            return None
        with open(paths[0], encoding='utf8') as file:
            record = json.loads(file.read(MOST_RECORD))
        token, until = record['token'], record['until']
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None
    fits = record['address'] == address and isinstance(token, str) and len(token) >= TOKEN_BYTES
    is_in_time = isinstance(until, int | float) and now < until - MARGIN and until - now <= DAYS * DAY
    return LanAccess(address, token, paths[1], paths[2]) if fits and is_in_time else None


def _made(address: str, folder: Path, now: float) -> LanAccess:
    record = folder / RECORD
    record.unlink(missing_ok=True)      # what is made by half is not taken for whole
    new = Path(tempfile.mkdtemp(prefix='new_', dir=folder))
    try:
        pair = make_certificate(new, [address, *_names()])
        for path in pair:
            path.chmod(0o600)
            os.replace(path, folder / path.name)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    _write(record, json.dumps({'address': address, 'until': now + DAYS * DAY, 'token': token}))
    return LanAccess(address, token, *(folder / name for name in NAMES))


def _names() -> list[str]:
    """Names by which this machine may be reached, too; such as a certificate can hold."""
    name = socket.gethostname()
    is_plain = name.isascii() and all(c.isalnum() or c in '-.' for c in name) and 0 < len(name) <= 63
    return ['localhost', *([name, f'{name}.local'] if is_plain and '.' not in name else [])]


def _write(path: Path, text: str) -> None:
    """Whole or not at all, for its owner only from the first byte."""
    handle, name = tempfile.mkstemp(prefix=f'{path.name}_', dir=path.parent)     # 0600
    try:
        with os.fdopen(handle, 'w', encoding='utf8') as file:
            file.write(text)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
