# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A self-signed certificate for a server on a local network, made by the openssl command."""
from __future__ import annotations

import ipaddress
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .errors import WebError

DAYS = 397      # the most that browsers take
NAMES = 'certificate.pem', 'key.pem'


def make_certificate(folder: Path, hosts: Sequence[str]) -> tuple[Path, Path]:
    """Write certificate.pem and key.pem (readable by their owner only) for names and addresses.  WebError where one is
    there already, or openssl is missing or fails."""
    paths = tuple(folder / name for name in NAMES)
    for path in paths:
        if path.exists():
            raise WebError(f'{path}: is there already')
    folder.mkdir(parents=True, exist_ok=True)
    command = ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
               '-sha256', '-days', str(DAYS), '-subj', '/CN=hakoniwa_rigid', '-addext',
               'subjectAltName=' + ','.join(map(_alternative, hosts)), '-out', str(paths[0]), '-keyout', str(paths[1])]
    paths[1].touch(mode=0o600)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        paths[1].unlink()
        raise WebError('openssl: no such command: install openssl, or bring a certificate of your own') from error
    if done.returncode:
        paths[1].unlink(missing_ok=True)
        raise WebError(f'openssl failed for {", ".join(hosts)}: {done.stderr.strip().splitlines()[-1]}')
    return paths


def _alternative(host: str) -> str:
    try:
        return f'IP:{ipaddress.ip_address(host)}'
    except ValueError:
        return f'DNS:{host}'
