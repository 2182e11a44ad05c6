# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What every judge shares: a failure with a name that does not depend on numbers, and the time of a call."""
from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# s of processor time that one call may take
SLOW = 1.0
# lines of a traceback that are printed
LAST_LINES = 8


class BrokenPromiseError(Exception):
    """A promise was broken.  name: which, and where, for failures that are the same; text: all about it."""

    def __init__(self, name: str, text: str = '') -> None:
        super().__init__(f'{name}: {text}')
        self.name, self.text = name, text


@dataclass
class Meter:
    """Processor time of calls (s), inputs given, and a sign of life; crowd: of a slow call's result, how many drones
    stand in one place, 0 where that is no excuse."""

    beat: Callable[[], None] = lambda: None
    times: list[float] = field(default_factory=list)
    inputs: int = 0
    worst: tuple[float, str] = (0.0, '')
    crowd: Callable[[object], int] = lambda result: 0

    def call(self, name: str, function: Callable, *args, allowed: tuple[type[BaseException], ...] = (), **kwargs):
        """The function's result; an exception that is not allowed, or a slow call, is a failure.  None where an allowed
        one came."""
        self.beat()
        begin, result = time.process_time(), None
        try:
            result = function(*args, **kwargs)
        except allowed:
            pass
        except Exception as error:
            raise BrokenPromiseError(f'{name} {type(error).__name__} {where(error)}', reported(error)) from error
        took = time.process_time() - begin
        self.times.append(took)
        if took > self.worst[0]:
            self.worst = took, name
        if took > SLOW:
            bodies = self.crowd(result)
            kind = 'crowd' if bodies else 'slow'
            raise BrokenPromiseError(f'{kind} {name}', f'{took:.2f} s of processor time, {bodies} drones in one place')
        return result


def where(error: BaseException) -> str:
    """The innermost line of the package that an exception passed, as file:function."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if 'hakoniwa_rigid' in f.filename]
    last = frames[-1] if frames else traceback.extract_tb(error.__traceback__)[-1]
    return f'{Path(last.filename).name}:{last.name}'


def reported(error: BaseException) -> str:
    """The last lines of a traceback."""
    lines = ''.join(traceback.format_exception(error)).splitlines()
    return '\n'.join(line[:400] for line in lines[-LAST_LINES:])


def need(ok: bool, name: str, text: object = '') -> None:
    """BrokenPromiseError where not ok."""
    if not ok:
        raise BrokenPromiseError(name, str(text))


def resident() -> float:
    """MB of this process that are in memory, after tidying up."""
    gc.collect()
    with open('/proc/self/statm') as file:
        return int(file.read().split()[1]) * 4096 / 1e6
