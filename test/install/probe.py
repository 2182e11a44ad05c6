# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What an installed package does in a process of its own, as one line of JSON: `python probe.py STARTED`.

STARTED is the monotonic clock when the process was asked for.  Run by installs.py with the Python of an installation,
from a folder that holds no sources.
"""
import contextlib
import io
import json
import sys
import time

from numba.core import event


class Compiled(event.Listener):
    """Counts the kernels that are compiled; those that are loaded do not count."""

    count = 0

    def on_start(self, _event):
        self.count += 1

    def on_end(self, _event):
        pass


def main() -> None:
    """Prints what was found."""
    from hakoniwa_rigid import cli, engine
    with event.install_listener('numba:compile', Compiled()) as compiled:
        b = engine.WorldBuilder()
        b.add_body(engine.HalfSpace(), kind='static')
        b.add_body(engine.Box((1.0, 1.0, 1.0)), mass=1.0, pos=(0.0, 0.0, 0.5))
        b.build().step(1)
        first_step, processor = time.monotonic() - float(sys.argv[1]), time.process_time()
        with contextlib.redirect_stdout(io.StringIO()) as said:
            differs = cli.main(['selftest'])
    total = next(line.split()[1] for line in said.getvalue().splitlines() if line.startswith('all '))
    print(json.dumps({'first_step': first_step, 'processor': processor, 'compiled': compiled.count,
                      'same_bits': not differs, 'total': total, 'place': engine.__file__}))


if __name__ == '__main__':
    main()
