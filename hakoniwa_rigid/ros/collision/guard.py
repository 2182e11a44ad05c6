# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parts of a tick, each kept from the others: what one of them raises costs that part this once, never the tick."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from time import perf_counter

from hakoniwa_rigid.scene.inputs.failures import error_text
from hakoniwa_rigid.scene.records import Ledger, shortened

from ..throttle import Throttle

__all__ = ['Guard']

# kinds of failures whose traceback is logged, each once; letters of it
MOST_LOGGED, MOST_TRACE = 32, 4000


class Guard:
    """Counts what fails as `failed` under the name of the part, and logs it: the first of a kind with its traceback,
    then once in a while. `ledger`: where it is counted, which /diagnostics tells."""

    def __init__(self, node) -> None:
        self._node = node
        self.ledger = Ledger()
        self._throttle = Throttle()
        self._logged: set[tuple[str, type]] = set()
        self.part = ''  # that runs, or ran last
        self.longest, self._most = '', 0.0  # the part that took the longest since `begin`, and how long, s

    def run(self, part: str, work: Callable, *arguments):
        """What `work` returns; None where it fails. An end that was asked for is passed on: a signal closes what is in
        use."""
        self.part, begun = part, perf_counter()
        try:
            return work(*arguments)
        except Exception as error:
            if not self._node.context.ok():
                raise
            self.note(part, error)
            return None
        finally:
            if (took := perf_counter() - begun) > self._most:
                self.longest, self._most = part, took

    def begin(self) -> None:
        """A tick begins."""
        self.longest, self._most = '', 0.0

    def note(self, part: str, error: Exception) -> None:
        """Count and log a failure."""
        text = error_text(error)
        self.ledger.note('failed', part, text)
        now, kind = self._node.get_clock().now().nanoseconds, (part, type(error))
        if kind not in self._logged and len(self._logged) < MOST_LOGGED:
            self._logged.add(kind)
            text = shortened(''.join(traceback.format_exception(error)), MOST_TRACE)
        elif not self._throttle.passes(f'{part} {kind[1].__name__}', now):
            return
        self._node.get_logger().error(f'{part} failed, the node goes on; please report it: {text}')
