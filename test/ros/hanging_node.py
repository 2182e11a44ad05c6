# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A collision node one of whose ticks hangs, once the file named by HANG is there: `python` lets other threads of
Python go on, `kernel` lets none."""

from __future__ import annotations

import ctypes
import os
import time
from pathlib import Path

from hakoniwa_rigid.ros.collision.collision_node import CollisionNode
from hakoniwa_rigid.ros.executor import run

FILE, KIND, SECONDS = Path(os.environ['HANG']), os.environ['HANG_KIND'], float(os.environ['HANG_SECONDS'])


class Hanging(CollisionNode):
    """See the module."""

    def _advance(self, stamp):
        if FILE.exists():
            FILE.unlink()
            if KIND == 'python':
                time.sleep(SECONDS)
            else:
                # a call that keeps hold of Python, as compiled kernels do
                ctypes.PyDLL(None).usleep(ctypes.c_uint(int(SECONDS * 1e6)))
        return super()._advance(stamp)


if __name__ == '__main__':
    raise SystemExit(run(Hanging))
