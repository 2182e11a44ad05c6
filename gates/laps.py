"""Stretches that are run again and again, and how a child process times them."""
import json
import sys
from collections.abc import Callable
from typing import NamedTuple

from benchmark.timing import clock, stay
from gates import talk

ROUNDS, LAPS = 6, 5         # a stretch is cut into rounds, and run so many times


class Case(NamedTuple):
    """make(): what has start() and run(count); steps of a round; laps: how often the stretch is run at first."""

    make: Callable
    steps: int
    laps: int = LAPS


def answer(cases):
    """The case made last is the one that laps are run of."""
    stay()
    subject = None
    talk.say({name: case.laps for name, case in cases.items()})
    for line in sys.stdin:
        (verb, name), = json.loads(line).items()
        try:
            if verb == 'make':
                subject = cases[name].make()
                talk.say({'made': name})
            else:
                subject.start()
                talk.say({'times': [clock(subject.run, cases[name].steps) for _ in range(ROUNDS)]})
        except Exception as error:
            talk.say({'error': f'{type(error).__name__}: {error}'})
