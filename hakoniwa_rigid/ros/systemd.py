# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Words to systemd, where it started this process as a service of Type=notify: one datagram, no library."""

from __future__ import annotations

import os
import socket
from time import monotonic

__all__ = ['Notifier']


class Notifier:
    """Says nothing where there is no supervisor."""

    def __init__(self) -> None:
        address = os.environ.get('NOTIFY_SOCKET', '')
        self._socket = None
        if address[:1] in ('/', '@'):
            # a name that begins with a zero byte lies in no folder
            self._address = '\0' + address[1:] if address[0] == '@' else address
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._socket.setblocking(False)
        # s between two signs of life: a third of what systemd waits; 0: it does not wait
        self.every = _microseconds() / 3e6
        self._is_ready, self._next = False, 0.0

    def alive(self) -> None:
        """The loop of the node goes round: the first time that it is ready, then now and then that it lives."""
        if self._socket is None:
            return
        if not self._is_ready:
            self._is_ready = True
            self.say('READY=1')
        if self.every and (now := monotonic()) >= self._next:
            self._next = now + self.every
            self.say('WATCHDOG=1')

    def say(self, word: str) -> None:
        """Send it; one that is not heard is sent again in time."""
        if self._socket is not None:
            try:
                self._socket.sendto(word.encode(), self._address)
            except OSError:
                self._next = 0.0


def _microseconds() -> int:
    """That systemd waits for a sign of life of this process."""
    if os.environ.get('WATCHDOG_PID', str(os.getpid())) != str(os.getpid()):
        return 0
    try:
        return max(int(os.environ.get('WATCHDOG_USEC', '0')), 0)
    except ValueError:
        return 0
