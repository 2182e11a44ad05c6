# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What came of the cases, and how to tell of it."""
from __future__ import annotations

import numpy as np

# MB by which a worker's memory may differ between its first measurement and any later one
FLAT = 20.0
# times (s) of calls kept for the percentile: every n-th where there are more
MOST_TIMES = 2_000_000


def repeat(kind: str, seed: int, number: int, gentle: bool) -> str:
    """The command that repeats a case."""
    return (f'python test/fuzz --only {kind} --seed {seed} --case {number} --cases 1'
            f'{" --gentle" if gentle else ""} --no-keep')


class Tally:
    """Cases of one kind."""

    def __init__(self) -> None:
        self.cases = self.inputs = 0
        self.failures: dict[str, list[int]] = {}    # numbers of cases by name
        self.texts: dict[str, str] = {}
        self.crowds: dict[str, list[int]] = {}
        self.memory: dict[int, list[float]] = {}    # MB by process
        self.times, self.worst, self.wall = [], (0.0, '', -1), 0.0

    def add(self, said: tuple, pid: int) -> None:
        """One case of a worker."""
        number, inputs, times, worst, name, text, memory = said
        self.cases, self.inputs = self.cases + 1, self.inputs + inputs
        if len(self.times) < MOST_TIMES:
            self.times += times
        if worst[0] > self.worst[0]:
            self.worst = *worst, number
        if name:
            self.fail(number, name, text)
        if memory is not None:
            self.memory.setdefault(pid, []).append(memory)

    def fail(self, number: int, name: str, text: str = '') -> None:
        group = self.crowds if name.startswith('crowd') else self.failures
        group.setdefault(name, []).append(number)
        self.texts.setdefault(name, text)

    @property
    def growth(self) -> float:
        """MB, the largest change of a worker's memory."""
        return max((abs(m - all_[0]) for all_ in self.memory.values() for m in all_), default=0.0)


class Report:
    """All kinds."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = {}

    def of(self, kind: str) -> Tally:
        return self.tallies.setdefault(kind, Tally())

    @property
    def failed(self) -> bool:
        return any(t.failures or t.growth > FLAT for t in self.tallies.values())

    def text(self, options) -> str:
        """For people."""
        lines = []
        for kind, t in self.tallies.items():
            p99 = np.percentile(t.times, 99) * 1e3 if t.times else 0.0
            memory = ', '.join(f'{m[0]:.0f} -> {m[-1]:.0f} MB' for m in t.memory.values()) or 'not measured'
            lines.append(f'{kind}: {t.cases} cases, {t.inputs} inputs in {t.wall:.0f} s; processor time of a call: p99 '
                         f'{p99:.2f} ms, worst {t.worst[0]:.3f} s ({t.worst[1]}, case {t.worst[2]}); memory {memory}')
            if t.growth > FLAT:
                lines.append(f'  FAILED memory is not flat: {t.growth:.0f} MB')
            for name, numbers in t.crowds.items():
                lines.append(f'  crowd, no failure: {name}: {len(numbers)} cases, as {numbers[0]}')
            for name, numbers in t.failures.items():
                lines += [f'  FAILED {name}: {len(numbers)} cases',
                          f'    {repeat(kind, options.seed, numbers[0], options.gentle)}']
                lines += [f'    | {line}' for line in t.texts[name].splitlines()[-8:]]
        lines.append('failed' if self.failed else 'nothing failed')
        return '\n'.join(lines)
