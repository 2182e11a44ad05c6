# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a scene of `make state-hashes` is, and what is kept of its run."""
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmark.gates import talk


class Moment(NamedTuple):
    """A step or a tick: all numbers of its state (float64, the same shape all the time), and its events as bytes."""

    state: np.ndarray
    events: bytes


@dataclass(frozen=True)
class Scene:
    """name; covers: words for what is run (shapes, solvers, authorities ...); run(folder of the bags): its moments."""

    name: str
    covers: tuple[str, ...]
    run: Callable[[Path], Iterator[Moment]]


class Trace(NamedTuple):
    """A run: digest of all its bits, states (T, ...) and digests of the events (T, 32)."""

    digest: str
    states: np.ndarray
    events: np.ndarray


def trace(scene, bags):
    """Run a scene."""
    moments = list(scene.run(bags))
    if not moments:
        raise ValueError(f'{scene.name}: has no moments')
    states = np.array([m.state for m in moments], dtype=np.float64)
    events = np.array([np.frombuffer(hashlib.sha256(m.events).digest(), np.uint8) for m in moments])
    digest = hashlib.sha256(repr(states.shape).encode() + states.tobytes() + events.tobytes()).hexdigest()
    return Trace(digest, states, events)


def packed(table, keys):
    """The bytes of some columns of a structured array: a column that a later commit adds changes nothing."""
    return b''.join(np.ascontiguousarray(table[key]).tobytes() for key in keys)


def written(records, keys):
    """The same of records; repr of a float has all its bits."""
    return repr([tuple(getattr(record, key) for key in keys) for record in records]).encode()


def run_all(scenes, bags, out, only=''):
    """Trace the scenes whose name has `only` in it, each into a file; tell the digest, or why a scene cannot run."""
    for k, scene in enumerate(scenes):
        if only not in scene.name:
            continue
        try:
            found = trace(scene, Path(bags))
        except Exception as error:
            talk.say({'name': scene.name, 'error': f'{type(error).__name__}: {error}'})
            continue
        file = Path(out, f'{k}.npz')
        np.savez(file, states=found.states, events=found.events)
        talk.say({'name': scene.name, 'digest': found.digest, 'steps': len(found.states), 'file': str(file)})
