# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bytes and operations of each stage of a step, counted by running it as plain Python: `python -m benchmark.tally`.

NUMBA_DISABLE_JIT makes plain Python of the kernels; the arrays of the world then note which words a stage touches, and
what they give are numbers that count.  So the figures follow the code.  They are those of the source: what a compiler
finds twice is counted twice.  Reads one line from stdin: kind, n, file with the state (see `counts`).
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

STEPS, PATIENCE_S = 10, 15.0     # steps at most, and s of processor time after which no other is begun
# stage -> kernels that `engine/step.py` calls for it; the rest of a step is not counted
STAGES = {'bounds': ('motion_bounds',), 'list': ('rebuild',), 'contact pairs': ('pairs_in_reach', 'find_contact_pairs'),
          'free flight': ('fly_free_bodies',), 'contacts': ('link_bodies', 'step_near_bodies')}
ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Tally:
    """What a stage has done: sums, products, divisions and roots; calls; addresses read before written, and written."""

    flops: int = 0
    slow: int = 0           # of them divisions and roots
    calls: int = 0
    read: set = field(default_factory=set)
    written: set = field(default_factory=set)
    words: int = 0          # the sizes of both sets, summed over the calls
    stored: int = 0

    def close(self):
        """End of a call: another one has to fetch everything again."""
        self.calls, self.words, self.stored = (self.calls + 1, self.words + len(self.read),
                                               self.stored + len(self.written))
        self.read.clear()
        self.written.clear()


_now = [Tally()]            # that of the scene in hand; the first is of none


class Counted(float):
    """A number whose arithmetic is counted."""


def _operation(name, slow):
    plain = getattr(float, name)

    def operation(self, other):
        result = plain(self, other)
        if result is NotImplemented:
            return result
        _now[0].flops += 1
        _now[0].slow += slow
        return Counted(result)
    return operation


for _name in ('add', 'sub', 'mul', 'truediv'):
    for _side in ('', 'r'):
        setattr(Counted, f'__{_side}{_name}__', _operation(f'__{_side}{_name}__', int(_name == 'truediv')))
Counted.__neg__ = lambda self: Counted(float.__neg__(self))
Counted.__abs__ = lambda self: Counted(float.__abs__(self))


def root(x, plain=math.sqrt):
    _now[0].flops += 1
    _now[0].slow += 1
    return Counted(plain(x))


class Watched(np.ndarray):
    """An array that notes which of its words are read and written one by one, as kernels do."""

    def _place(self, key):
        """Address of element `key`, or None for a part of the array."""
        key = key if isinstance(key, tuple) else (key,)
        if len(key) < self.ndim or not all(isinstance(k, int | np.integer) for k in key):
            return None
        return self.__array_interface__['data'][0] + sum(
            int(k if k >= 0 else k + n) * s for k, n, s in zip(key, self.shape, self.strides, strict=True))

    def __getitem__(self, key):
        found = super().__getitem__(key)
        if isinstance(found, np.ndarray):
            return found
        place = self._place(key)
        if place not in _now[0].written:
            _now[0].read.add(place)
        return self._number(found) if isinstance(found, np.floating) else int(found)

    @staticmethod
    def _number(x):
        return Counted(x)

    def __setitem__(self, key, value):
        place = self._place(key)
        if place is not None:
            _now[0].written.add(place)
        super().__setitem__(key, value)


class Settings(Watched):
    """Of what the loops do not change: a compiler computes with it once, not for each body."""

    @staticmethod
    def _number(x):
        return float(x)


def watched(arrays):
    """A NamedTuple of arrays, also of such tuples, with all arrays Watched."""
    return arrays._replace(**{k: watched(a) if hasattr(a, '_asdict') else a.view(Settings if k == 'par' else Watched)
                              for k, a in arrays._asdict().items()})


def attributed(kernel, tally):
    def call(*args):
        before, _now[0] = _now[0], tally
        try:
            return kernel(*args)
        finally:
            tally.close()
            _now[0] = before
    return call


def tallied(world):
    """stage -> Tally of some steps of a world, and how many steps; the candidate list is rebuilt in the first."""
    from hakoniwa_rigid.engine import step
    from hakoniwa_rigid.engine.model import layout as L
    found = {stage: Tally() for stage in STAGES}
    for stage, kernels in STAGES.items():
        for name in kernels:
            setattr(step, name, attributed(getattr(step, name), found[stage]))
    math.sqrt = root
    world.step()                                    # buffers grow
    world._s = watched(world._s)
    for tally in found.values():
        tally.flops = tally.slow = tally.calls = tally.words = tally.stored = 0
    world._s.count[L.N_STALE_LIST] = 1
    done, begun = 0, time.process_time()
    while done < STEPS and time.process_time() < begun + PATIENCE_S:
        if step.step_once(world._s, L.WHOLE) != L.OK:
            raise RuntimeError('a buffer is full')
        done += 1
    return found, done


@dataclass(frozen=True)
class Count:
    """Per body and step of one stage; of the list per rebuild."""

    read: float             # bytes
    written: float          # bytes
    flops: float
    slow: float             # of them divisions and roots


def counts(kind, scene, world):
    """stage -> Count of S(n) as it is in a world that has run in."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder) / 'state.npz'
        np.savez(state, pos=world.pos[:scene.n], quat=world.quat[:scene.n], linvel=world.linvel[:scene.n],
                 angvel=world.angvel[:scene.n])
        env = dict(os.environ, NUMBA_DISABLE_JIT='1')
        done = subprocess.run([sys.executable, '-m', __name__], input=f'{kind} {scene.n} {state}', text=True, env=env,
                              capture_output=True, cwd=ROOT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f'python -m {__name__}: {done.stderr}')
    return {stage: Count(**figures) for stage, figures in json.loads(done.stdout).items()}


def main():
    """The child's part: print stage -> Count as JSON."""
    from . import scenes
    from .engines.hakoniwa import Hakoniwa
    kind, n, state = sys.stdin.readline().split(maxsplit=2)
    scene = replace(scenes.room(int(n), kind), **np.load(state.strip()))
    found, (tallies, steps) = {}, tallied(Hakoniwa(scene).world)
    for stage, t in tallies.items():
        bodies = scene.n * (max(t.calls, 1) if stage == 'list' else steps)
        found[stage] = asdict(Count(8 * t.words / bodies, 8 * t.stored / bodies, t.flops / bodies, t.slow / bodies))
    print(json.dumps(found))


if __name__ == '__main__':
    main()
