# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the installed scripts run: imports take a second or more, and Ctrl-C ends them without a word."""
from __future__ import annotations

import importlib
import os
import signal

__all__ = ['start']


def start(module: str) -> int:
    """Import a module and run its main(); returns the exit code.

    An exception would not do: code that is imported may catch it, or be half done. Nothing is open yet that had to be
    closed. Where Ctrl-C is ignored, as behind & in a script, it stays so.
    """
    is_default = signal.getsignal(signal.SIGINT) == signal.default_int_handler
    if is_default:
        signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    main = importlib.import_module(module).main
    if is_default:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return main()
