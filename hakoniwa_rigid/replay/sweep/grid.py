# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Axes of a grid: ``restitution=0.2:0.8:4``, ``rate=100,200``; their values get the types of what they name."""
from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np

MOST_RUNS = 100_000
LINEAR = re.compile(r'([^:,]+):([^:,]+):([^:,]+)')
WORDS = {bool: 'true or false', int: 'a whole number', float: 'a finite number'}


class GridError(ValueError):
    """A sweep that makes no sense as it is asked for: ``--grid text: message``."""


class Given(NamedTuple):
    """An axis as it was given: name, and the text behind the sign of equality."""

    name: str
    text: str

    def error(self, message: str) -> GridError:
        """The error for this axis, to be raised."""
        return GridError(f'--grid {self.name}={self.text}: {message}')


class Axis(NamedTuple):
    """A name and the values it takes, all of one type, none twice."""

    name: str
    values: tuple


def parse(text: str) -> Given:
    """``name=values``.  Raises GridError."""
    name, sign, values = text.partition('=')
    if not name.strip() or not sign or not values.strip():
        raise GridError(f'--grid {text}: must be NAME=LOW:HIGH:COUNT or NAME=A,B,C')
    return Given(name.strip(), values.strip())


def axes_of(given: Sequence[Given], kinds: Mapping[str, type], bags: int) -> tuple[Axis, ...]:
    """The axes with typed values.  ``kinds``: the type of every name that can be varied.  Raises GridError, for a name
    that is not among them and for more than MOST_RUNS runs of ``bags`` bags, too."""
    seen: set[str] = set()
    for one in given:
        if one.name in seen:
            raise one.error('this name is there already')
        seen.add(one.name)
        if one.name not in kinds:
            raise one.error(f'unknown name; {_near(one.name, kinds)}')
    axes = tuple(Axis(one.name, _values(one, kinds[one.name])) for one in given)
    runs = bags * math.prod(len(axis.values) for axis in axes)
    if runs > MOST_RUNS:
        counts = ' x '.join([f'{bags} bags', *(f'{len(axis.values)} {axis.name}' for axis in axes)])
        raise GridError(f'{counts} are {runs} runs; at most {MOST_RUNS} at a time')
    return axes


def _near(name: str, kinds: Mapping[str, type]) -> str:
    near = get_close_matches(name, kinds, n=3, cutoff=0.5)
    if not near:    # the right last word behind a wrong beginning
        near = [known for known in kinds if known.rpartition('.')[2] == name.rpartition('.')[2]][:3]
    if near:
        return f'did you mean {" or ".join(near)}?'
    return 'known: restitution, friction, material.<name>.friction, dt, scene.<key>, and the parameters of the node'


def _values(given: Given, kind: type) -> tuple:
    if kind not in (bool, int, float, str):
        raise given.error('is a list, and lists cannot be varied')
    linear = LINEAR.fullmatch(given.text) if kind in (int, float) else None
    values = _between(given, kind, *linear.groups()) if linear else [
        _value(given, kind, text.strip()) for text in given.text.split(',')]
    if len(set(values)) != len(values):
        raise given.error('every value once')
    return tuple(values)


def _between(given: Given, kind: type, low: str, high: str, count: str) -> list:
    number = _value(given, int, count)
    if not 2 <= number <= MOST_RUNS:
        raise given.error(f'COUNT must be 2 to {MOST_RUNS}, got {number}')
    values = np.linspace(_value(given, float, low), _value(given, float, high), number).tolist()
    # 0.6, not 0.6000000000000001: what a person would have written
    values = [float(f'{value:.12g}') for value in values]
    if kind is float:
        return values
    if any(value != round(value) for value in values):
        raise given.error(f'must be whole numbers, and {number} steps give {values[1]:g}')
    return [round(value) for value in values]


def _value(given: Given, kind: type, text: str) -> bool | int | float | str:
    try:
        value = {'true': True, 'false': False}[text.lower()] if kind is bool else kind(text)
    except (KeyError, ValueError):
        raise given.error(f'must be {WORDS[kind]}, got {text!r}') from None
    if kind is float and not math.isfinite(value):
        raise given.error(f'must be finite, got {text}')
    return value
