# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Processes of Python that have imported the package already: a server that has, and is forked for each.

Half of the processor time of all tests together was that of nodes that import the same modules and load the same
kernels.  The server has neither ROS nor threads of Python at work; what is forked goes on as `python -m` would, and
ends as any interpreter does.  `python fork_server.py FD` is the server; FD is its end of a pair of sockets.

Requests are mappings with the number of a `child`, which the asker gives: to begin with a `command`, an `environment`
and a `folder`, or to send it a `signal`.  What the server says is [what, child, value]: 'begun' with its pid,
'signalled' with null, and 'ended' with its exit code, of its own accord.
"""

from __future__ import annotations

import ctypes
import itertools
import json
import os
import random
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tested import PACKAGES

# what tests import that lies beside their folders
TESTS = str(Path(__file__).resolve().parents[1])
# bytes: the largest request, with the environment in it
MOST = 1 << 20
PR_SET_PDEATHSIG = 1
# environment variables that are read when modules are imported: processes that have others are of another server
READ_EARLY = ('PYTHON', 'NUMBA', 'HAKONIWA_RIGID', 'LD_', 'OPENBLAS', 'OMP')
# s that an answer of the server may take: before the first it imports all, and compiles it where that has not been done
ANSWERED = 300.0
# s between looks at what has ended
LOOK = 0.01


class Forked:
    """A child of the server, as far as subprocess.Popen does the same: pid, stdout, poll, wait, send_signal, kill."""

    def __init__(self, server: Server, child: int, pid: int, stdout: int) -> None:
        self._server, self._child, self.pid, self.returncode = server, child, pid, None
        self.stdout = os.fdopen(stdout, encoding='utf-8')

    def poll(self) -> int | None:
        """Its exit code, or less the signal that ended it; None while it runs."""
        if self.returncode is None:
            self.returncode = self._server.code_of(self._child)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Its exit code; TimeoutExpired after `timeout` s."""
        end = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(f'child {self.pid}', timeout)
            time.sleep(LOOK)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """To a child that runs."""
        if self.poll() is None:
            self._server.signal(self._child, number)

    def kill(self) -> None:
        """Ends it at once."""
        self.send_signal(signal.SIGKILL)


def early() -> frozenset[tuple[str, str]]:
    """What of the environment is read at imports."""
    return frozenset((name, value) for name, value in os.environ.items() if name.startswith(READ_EARLY))


class Servers:
    """Those of this test process: of the environment in which they begin, and of others that come again."""

    MOST = 3

    def __init__(self, launcher: tuple[str, ...]) -> None:
        self._launcher, self._own = launcher, early()
        self._servers: dict[frozenset, Server] = {}
        self._seen: set[frozenset] = set()

    def of_now(self) -> Server | None:
        """The server of the environment as it is; None where a process of its own is cheaper, or there is none left."""
        key = early()
        if key not in self._servers:
            is_new = key not in self._seen
            self._seen.add(key)
            if key != self._own and (is_new or len(self._servers) + (self._own not in self._servers) >= self.MOST):
                return None
            self._servers[key] = Server(self._launcher)
        server = self._servers[key]
        return server if server.serves() else None


class Server:
    """A server of this test process; its environment is that of its start."""

    def __init__(self, launcher: tuple[str, ...]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MOST)
        path = os.pathsep.join([PACKAGES, TESTS, os.environ.get('PYTHONPATH', '')])
        self._process = subprocess.Popen(
            [*launcher, sys.executable, __file__, str(theirs.fileno())], pass_fds=[theirs.fileno()],
            env={**os.environ, 'PYTHONPATH': path, 'PYTHONUNBUFFERED': '1'}, start_new_session=True,
            stdin=subprocess.DEVNULL)
        theirs.close()
        self._socket, self._codes, self._lock = ours, {}, threading.Lock()
        self._children = itertools.count()

    def serves(self) -> bool:
        """Whether it is there."""
        return self._process.poll() is None

    def start(self, command: list[str], environment: dict[str, str], stdin: int | None) -> Forked:
        """`python` with the words of a command, ['-m', module, ...] or [script, ...]."""
        read, write = os.pipe()
        nothing = os.open(os.devnull, os.O_RDONLY) if stdin is None else None
        child = next(self._children)
        request = {'child': child, 'command': command, 'environment': environment, 'folder': os.getcwd()}
        try:
            pid = self._ask('begun', request, [nothing if stdin is None else stdin, write])
        except OSError:
            os.close(read)
            raise
        finally:
            os.close(write)
            if nothing is not None:
                os.close(nothing)
        return Forked(self, child, pid, read)

    def code_of(self, child: int) -> int | None:
        """Exit code of a child, None while it runs."""
        with self._lock:
            try:
                while select.select([self._socket], [], [], 0.0)[0]:
                    self._hear()
            except ConnectionError:     # its children end with it
                self._codes.setdefault(child, -signal.SIGKILL)
            return self._codes.get(child)

    def signal(self, child: int, number: int) -> None:
        """To a child; nothing where it has ended.  The server sends it: it alone knows which pids are its children's
        still, and no other process's."""
        with suppress(ConnectionError):     # its children have ended with it
            self._ask('signalled', {'child': child, 'signal': number})

    def _ask(self, what: str, request: dict[str, Any], ends: Sequence[int] = ()) -> Any:
        """The value of the answer; TimeoutError after ANSWERED s."""
        end = time.monotonic() + ANSWERED
        with self._lock, suppress(TimeoutError):
            self._socket.settimeout(ANSWERED)
            socket.send_fds(self._socket, [json.dumps(request).encode()], ends)
            while (left := end - time.monotonic()) > 0.0:
                self._socket.settimeout(left)
                said, child, value = self._hear()
                if (said, child) == (what, request['child']):
                    return value
        raise TimeoutError(f'the server that nodes are forked from has not answered in {ANSWERED:g} s')

    def _hear(self) -> tuple[str, int, Any]:
        """What the server says next; the codes of those that have ended are kept."""
        heard = self._socket.recv(MOST)
        if not heard:
            raise ConnectionError('the server that nodes are forked from has ended')
        said, child, value = json.loads(heard)
        if said == 'ended':
            self._codes[child] = value
        return said, child, value


class Children:
    """Children of the server that it has not reaped: until then the system gives their pids to no other process."""

    def __init__(self) -> None:
        self._pids: dict[int, int] = {}

    def begun(self, child: int, pid: int) -> None:
        """There is one more."""
        self._pids[child] = pid

    def reaped(self, pid: int) -> int | None:
        """Which child that was; None: none that was asked for."""
        child = next((child for child, its in self._pids.items() if its == pid), None)
        self._pids.pop(child, None)
        return child

    def signal(self, child: int, number: int) -> None:
        """To a child; nothing where it has been reaped."""
        if child in self._pids:
            os.kill(self._pids[child], number)


def _serve(connection: socket.socket) -> tuple[dict, list[int]] | None:
    """Fork children until the other end is gone: None.  In a child: its request, and its stdin and stdout."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    server, children = os.getpid(), Children()
    # who does not listen any more must not hold it for ever
    connection.settimeout(ANSWERED)

    def say(*words: Any) -> None:
        connection.send(json.dumps(words).encode())

    while True:
        ready, _, _ = select.select([connection, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            with suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    if (child := children.reaped(ended[0])) is not None:
                        say('ended', child, os.waitstatus_to_exitcode(ended[1]))
        if connection not in ready:
            continue
        data, ends, _, _ = socket.recv_fds(connection, MOST, 2)
        if not data:
            return None
        request = json.loads(data)
        if 'signal' in request:
            children.signal(request['child'], request['signal'])
            say('signalled', request['child'], None)
            continue
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for own in (woken, wake):
                os.close(own)
            connection.close()
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != server:
                os._exit(1)
            return request, ends
        for end in ends:
            os.close(end)
        children.begun(request['child'], pid)
        say('begun', request['child'], pid)


def _become(request: dict, ends: list[int]) -> None:
    """What `python` with the words of the request would be."""
    os.setsid()
    os.dup2(ends[0], 0)
    os.dup2(ends[1], 1)
    os.dup2(ends[1], 2)
    for end in ends:
        os.close(end)
    os.environ.clear()
    os.environ.update(request['environment'])
    os.chdir(request['folder'])
    random.seed()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    first, *rest = request['command']
    if first == '-m':
        module, *rest = rest
        sys.modules.pop(module, None)       # it is __main__ now
        sys.argv, sys.path[0] = ['', *rest], request['folder']
        runpy.run_module(module, run_name='__main__', alter_sys=True)
    else:
        sys.argv, sys.path[0] = [first, *rest], str(Path(first).parent)
        runpy.run_path(first, run_name='__main__')


def _import() -> None:
    """What nodes import and load."""
    import importlib

    import hakoniwa_rigid.scene
    for module in ('collision.collision_node', 'viewer.viewer_node', 'simulators.hover'):
        with suppress(ImportError):     # of what is optional
            importlib.import_module(f'hakoniwa_rigid.ros.{module}')
    hakoniwa_rigid.scene.warmup()


if __name__ == '__main__':
    # who interrupts the tests ends them, and they their nodes
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    given = socket.socket(fileno=int(sys.argv[1]))
    _import()
    import gc
    gc.freeze()     # or every collection of a child copies the pages of all objects
    if (mine := _serve(given)) is not None:
        _become(*mine)
