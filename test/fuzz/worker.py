# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The loop of a worker process: case after case, and what each cost."""
from __future__ import annotations

import logging
import resource
import warnings

# bytes of address space that a worker may take beyond what it has when it begins: what eats more gets a MemoryError
ROOM = 6 << 30
# cases before memory is measured for the first time, and between two times
WARM_CASES, BETWEEN = 40, 40
# seeds of what is thrown away while compiling
THROWN = 999_983


def warm(kinds: tuple[str, ...]) -> None:
    """Compile and load what the cases need, so that no case pays for it."""
    from hakoniwa_rigid.scene import warmup

    from . import cases
    from .judging import BrokenPromiseError, Meter
    logging.disable(logging.CRITICAL)     # readers of meshes tell of what they cannot read
    warnings.simplefilter('ignore')
    warmup()
    for kind in kinds:
        for number in range(6):
            try:
                cases.judge(cases.make(kind, THROWN, number, gentle=True), Meter())
            except BrokenPromiseError:
                continue


def work(kind: str, seed: int, first: int, stride: int, gentle: bool, pulse, writer) -> None:
    """Judge cases first, first + stride, ... for ever; `pulse` shows the case and beats, `writer` gets (number,
    inputs, times, worst, failure name, text, MB or None)."""
    from . import cases
    from .judging import BrokenPromiseError, Meter, resident
    warm((kind,))
    with open('/proc/self/statm') as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, size + ROOM))
    number = first

    def beat() -> None:
        pulse[1] += 1

    while True:
        pulse[0], pulse[1] = number, pulse[1] + 1
        meter, name, text = Meter(beat), '', ''
        try:
            cases.judge(cases.make(kind, seed, number, gentle), meter)
        except BrokenPromiseError as failed:
            name, text = failed.name, failed.text[-3000:]
        done = (number - first) // stride + 1
        memory = resident() if done >= WARM_CASES and (done - WARM_CASES) % BETWEEN == 0 else None
        writer.send((number, meter.inputs, meter.times, meter.worst, name, text, memory))
        number += stride
