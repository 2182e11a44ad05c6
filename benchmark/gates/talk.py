# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Child processes that have imported the package of a tree, and what they say: a line of JSON after MARK."""
import json
import os
import subprocess
import sys
from pathlib import Path

CHILD = Path(__file__).with_name('child.py')
MARK = '@ '


class ChildError(Exception):
    """A child process ended as it should not; what it printed on stderr is on the terminal."""


def say(word):
    """In a child: tell whoever leads it."""
    print(MARK + json.dumps(word), flush=True)


class Child:
    """`child.py TREE FILE ARGUMENT...`, in the tree: what it starts itself imports the same package."""

    def __init__(self, tree, file, *arguments):
        self.tree = tree
        env = dict(os.environ, PYTHONPATH=str(tree))
        self._process = subprocess.Popen([sys.executable, str(CHILD), str(tree), str(file), *map(str, arguments)],
                                         cwd=tree, env=env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self):
        """Ask for the next thing and wait for it.  ChildError where the child ends instead."""
        try:
            self._process.stdin.write('\n')
            self._process.stdin.flush()
        except OSError:
            raise self._ended() from None
        return self.read()

    def read(self):
        """The next thing it says.  ChildError where it ends instead."""
        for word in self.lines():
            return word
        raise self._ended()

    def lines(self):
        """What it says, until it ends."""
        for line in self._process.stdout:
            if line.startswith(MARK):
                yield json.loads(line[len(MARK):])

    def wait(self):
        """Its end.  ChildError where that is a failure."""
        self._process.stdin.close()
        if self._process.wait():
            raise self._ended()

    def _ended(self):
        return ChildError(f'the process with the package of {self.tree} ended with status {self._process.wait()}')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()
