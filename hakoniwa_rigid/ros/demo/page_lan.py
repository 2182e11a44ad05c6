# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``demo --lan``: the page for a headset in the network; its address as one line, and as a QR code in the terminal."""
from __future__ import annotations

import argparse
import io
import shutil
import sys
from pathlib import Path

from hakoniwa_rigid.web.errors import WebError
from hakoniwa_rigid.web.lan_access import check_port, lan_access, state_folder, write_viewer_parameters
from hakoniwa_rigid.web.lan_address import lan_address

NO_QR = "for the address as a QR code: pip install 'hakoniwa_rigid[web]' (segno)"
WIDER = 'for the address as a QR code: a terminal of {} columns, this one has {}'
# what a viewer of the code needs to read it: light squares around it
QUIET = 2


def viewer_parameters(options: argparse.Namespace) -> Path:
    """The viewer's parameters for ``--lan``, with a token and a certificate that are kept.  WebError says what is in
    the way."""
    if options.page_params is not None:
        raise WebError('--lan and --page-params: both say where the page is; take one')
    if options.no_page:
        raise WebError('--lan and --no-page: take one')
    address, folder = lan_address(options.lan), state_folder()
    access = lan_access(address, folder)
    check_port(address, options.page_port)
    return write_viewer_parameters(access, folder, options.page_port)


def invitation(address: str, columns: int | None = None) -> str:
    """What is printed below the address: the code, or one sentence why there is none."""
    try:
        import segno
    except ImportError:
        return NO_QR
    code = segno.make(address, error='l', micro=False)
    if columns is None:
        columns = shutil.get_terminal_size().columns
    width = code.symbol_size(border=QUIET)[0]
    if width > columns:
        return WIDER.format(width, columns)
    text = io.StringIO()
    code.terminal(text, border=QUIET, compact=True)
    return text.getvalue().rstrip('\n')


def show_invitation(address: str) -> None:
    """Print it, where a person reads the terminal."""
    if sys.stdout.isatty():
        sys.stdout.write(f'{invitation(address)}\n')
        sys.stdout.write('the browser warns once, since no authority signed the certificate: go on\n')
        sys.stdout.flush()
