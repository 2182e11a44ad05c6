# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Stretches that are run again and again, and how a child process times them."""
import sys
from collections.abc import Callable
from typing import NamedTuple

from benchmark.gates import talk
from benchmark.timing import clock, stay

ROUNDS, LAPS = 6, 5         # a stretch is cut into rounds, and run so many times


class Case(NamedTuple):
    """make(): what has start() and run(count); steps of a round; laps: how often the stretch is run at first."""

    make: Callable
    steps: int
    laps: int = LAPS


def serve_cases(cases, name, prepare):
    """Without a name tell the cases and their laps.  With one make that case, and run its stretch once for every line
    that is printed; prepare() comes first, with all cores."""
    if not name:
        talk.say({key: case.laps for key, case in cases.items()})
        return
    prepare()
    stay()
    try:
        subject = cases[name].make()
        talk.say({'made': name})
        for _ in sys.stdin:
            subject.start()
            talk.say({'times': [clock(subject.run, cases[name].steps) for _ in range(ROUNDS)]})
    except Exception as error:
        talk.say({'error': f'{type(error).__name__}: {error}'})
