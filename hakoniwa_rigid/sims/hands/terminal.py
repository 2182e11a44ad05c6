# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Keys and the mouse of a terminal, one by one as they come: no Enter, no echo, no waiting. POSIX only.

The mouse is asked for by the control sequences of xterm (any motion, 1003; positions as text, 1006), which the
terminals of today know; places are cells of the window.
"""
from __future__ import annotations

import os
import re
import select
import sys
import termios
import tty
from typing import NamedTuple

from hakoniwa_rigid.sims.hands.sample import SourceEnded

MOUSE_ON, MOUSE_OFF = b'\x1b[?1003h\x1b[?1006h', b'\x1b[?1006l\x1b[?1003l'
ARROWS = {b'A': 'up', b'B': 'down', b'C': 'right', b'D': 'left'}
# a mouse report; an arrow; any other control sequence; an escape before something else; a character
EVENT = re.compile(rb'\x1b\[<(?P<code>\d+);(?P<x>\d+);(?P<y>\d+)(?P<up>[Mm])|\x1b[\[O](?P<arrow>[A-D])'
                   rb'|\x1b\[[0-?]*[ -/]*[@-~]|\x1b(?=[^\[O])|(?P<key>[^\x1b])', re.DOTALL)
# in a mouse report: held buttons in the lowest two bits (3: none), motion, wheel
BUTTONS, MOTION, WHEEL = 3, 32, 64


class Mouse(NamedTuple):
    """Where the pointer is, as parts of the window from its upper left; ``wheel`` 1 away from the user, -1 towards,
    else 0; ``pressed``: the left button went down."""

    x: float
    y: float
    wheel: int
    pressed: bool


class Decoder:
    """Bytes of a terminal to events; sequences may come in pieces."""

    def __init__(self) -> None:
        self.rest = b''

    def events(self, data: bytes, columns: int, lines: int) -> list[str | Mouse]:
        """Keys as characters, arrows by name, the mouse."""
        data, at, found = self.rest + data, 0, []
        while match := EVENT.match(data, at):
            at = match.end()
            if match['code']:
                code = int(match['code'])
                wheel = (1, -1, 0, 0)[code & BUTTONS] if code & WHEEL else 0
                pressed = match['up'] == b'M' and not code & (BUTTONS | MOTION | WHEEL)
                place = ((int(match['x']) - 0.5) / columns, (int(match['y']) - 0.5) / lines)
                found.append(Mouse(*(min(p, 1.0) for p in place), wheel, pressed))
            elif match['arrow']:
                found.append(ARROWS[match['arrow']])
            elif match['key']:
                found.append(match['key'].decode('latin1').lower())
        # the beginning of a sequence waits for its end
        self.rest = data[at:][-32:]
        return found


class Terminal:
    """A terminal in use; ``close`` leaves it as it was."""

    def __init__(self, fd: int, mouse: bool = False) -> None:
        """``fd``: open for reading and writing."""
        self.fd, self.mouse, self.decoder = fd, mouse, Decoder()
        self.before = termios.tcgetattr(fd)
        tty.setcbreak(fd)    # Ctrl-C still is Ctrl-C
        if mouse:
            os.write(fd, MOUSE_ON)

    def read(self) -> list[str | Mouse]:
        """What was typed since the last call; SourceEnded where the terminal is gone."""
        found: list[str | Mouse] = []
        while select.select([self.fd], [], [], 0.0)[0]:
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                data = b''
            if not data:
                raise SourceEnded('the terminal is gone')
            size = os.get_terminal_size(self.fd)
            # a terminal that does not know its size tells 0
            found += self.decoder.events(data, size.columns or 80, size.lines or 24)
        return found

    def close(self) -> None:
        """Back to lines and echo."""
        try:
            if self.mouse:
                os.write(self.fd, MOUSE_OFF)
            termios.tcsetattr(self.fd, termios.TCSADRAIN, self.before)
        except (OSError, termios.error):
            pass    # it is gone


def open_terminal(mouse: bool = False) -> Terminal:
    """The terminal at standard input, else the one that the process was started from; OSError where there is none."""
    fd = sys.stdin.fileno() if sys.stdin and sys.stdin.isatty() else os.open('/dev/tty', os.O_RDWR)
    return Terminal(fd, mouse)
