# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How near drones came to each other: the distances of their collision shapes, from poses over time.

Poses are interpolated to instants STEP apart, a window at a time; what is near then is measured by the engine, and
again each FINE about the nearest instant of a window. A drone whose samples pause for longer than MOST_PAUSE is not
there meanwhile.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.engine import EngineError, WorldBuilder
from hakoniwa_rigid.engine.constants import MAX_COORDINATE
from hakoniwa_rigid.engine.world.queries import Distance
from hakoniwa_rigid.scene.world_files.world_types import DroneModel

WINDOW = NANOSECONDS
STEP, FINE = NANOSECONDS // 50, NANOSECONDS // 500
LATENESS = NANOSECONDS // 4      # how much later than others a sample may come
MOST_PAUSE = NANOSECONDS // 4
SLACK = 0.2             # m; what two drones approach each other by within half a STEP, at 20 m/s
APART = NANOSECONDS // 5         # encounters of a pair with less than this between them are one


class Encounter(NamedTuple):
    """A pair of drones nearer than the bound, for a while."""

    a: str
    b: str
    begin_ns: int
    end_ns: int
    distance: float       # m between the surfaces at the nearest instant; 0 or less: they touch
    at_ns: int            # that instant
    speed: float          # m/s of b as seen from a, there
    position: tuple[float, float, float]    # m, between their nearest points
    touching: float       # s during which the distance was 0 or less


class Proximity:
    """Takes samples in, about in order of time; ``encounters`` is complete after ``finish``."""

    def __init__(self, model: DroneModel, models: dict[str, DroneModel], near: float) -> None:
        """``models``: those of drones that do not have ``model``; ``near``: m."""
        self.model, self.models, self.near = model, models, near
        self.encounters: list[Encounter] = []
        self.problem = ''
        self.samples: dict[str, list[tuple]] = {}    # (stamp_ns, 3 position, 4 orientation) that are still needed
        self.open: dict[tuple[str, str], Encounter] = {}
        self.begin: int | None = None                # of the next window
        self.world, self.names, self.reach = None, (), np.zeros(0)

    def add(self, name: str, stamp_ns: int, position: tuple, orientation: tuple) -> None:
        """A pose of base_link in the world, orientation x, y, z, w."""
        if self.begin is None:
            self.begin = stamp_ns - stamp_ns % STEP
        elif stamp_ns > self.begin + WINDOW + LATENESS:
            self._measure(stamp_ns - LATENESS)
        found = self.samples.get(name)
        if found is None:
            self.samples[name] = [(stamp_ns, *position, *orientation)]
        elif stamp_ns > found[-1][0]:
            found.append((stamp_ns, *position, *orientation))

    def finish(self) -> None:
        """No more samples come."""
        if self.begin is not None:
            self._measure(max(found[-1][0] for found in self.samples.values()) + STEP)
        self.encounters = sorted([*self.encounters, *self.open.values()], key=lambda e: (e.begin_ns, e.a, e.b))
        self.open = {}

    def _measure(self, until: int) -> None:
        """Window by window; a pause of all drones is skipped."""
        until -= until % STEP
        while self.begin < until and not self.problem:
            end = min(self.begin + WINDOW, until)
            coming = min((t for found in self.samples.values() for t, *_ in found if t >= self.begin), default=until)
            if coming < end + MOST_PAUSE:
                self._window(np.arange(self.begin, end, STEP, dtype=np.int64))
                self.begin = end
            else:
                self.begin = min(until, coming - coming % STEP)
            self._forget(self.begin - MOST_PAUSE - STEP)

    def _forget(self, before: int) -> None:
        """Samples that no later instant lies behind."""
        for found in self.samples.values():
            keep = 0
            while keep < len(found) - 1 and found[keep + 1][0] < before:
                keep += 1
            del found[:keep]

    def _window(self, instants: np.ndarray) -> None:
        self._prepare()
        tracks = [_Track(self.samples[name]) for name in self.names]
        poses = np.stack([track.at(instants) for track in tracks], axis=1)    # (T,N,7), nan where there is none
        nearest: dict[tuple[int, int], tuple[float, int]] = {}
        try:
            for instant, there in zip(instants.tolist(), poses, strict=True):
                for pair, gap in self._gaps(there, self._candidates(there[:, :3])):
                    nearest[pair] = min(nearest.get(pair, (np.inf, 0)), (gap.distance, instant))
                    self._note(pair, tracks, instant, gap, STEP)
            for pair, (_, instant) in sorted(nearest.items()):
                self._refine(pair, tracks, instant)
        except EngineError as error:
            self.problem = f'distances not measured from {instants[0] / NANOSECONDS:.3f} s on: {error}'

    def _candidates(self, x: np.ndarray) -> list[tuple[int, int]]:
        """Pairs whose balls come nearer than the bound and SLACK."""
        there = np.flatnonzero(np.isfinite(x[:, 0]) & (np.abs(x) < MAX_COORDINATE).all(axis=1))
        if len(there) < 2:
            return []
        bound = 2.0 * self.reach.max() + self.near + SLACK
        pairs = cKDTree(x[there]).query_pairs(bound, output_type='ndarray')
        return sorted((int(there[i]), int(there[j])) for i, j in pairs.tolist())

    def _gaps(self, poses: np.ndarray, pairs: list[tuple[int, int]]):
        """(pair, Distance) of those pairs that are near, poses (N,7)."""
        if not pairs:
            return
        moved = sorted({k for pair in pairs for k in pair})
        self.world.set_states(moved, pos=poses[moved, :3], quat=poses[moved][:, [6, 3, 4, 5]])
        for pair in pairs:
            gap = self.world.distance(*pair, limit=self.near + SLACK)
            if gap.distance <= self.near + SLACK:
                yield pair, gap

    def _refine(self, pair: tuple[int, int], tracks: list[_Track], nearest: int) -> None:
        """Measures the instants between the nearest one and its neighbours."""
        instants = np.arange(nearest - STEP + FINE, nearest + STEP, FINE, dtype=np.int64)
        poses = np.stack([track.at(instants) for track in tracks], axis=1)
        for instant, there in zip(instants.tolist(), poses, strict=True):
            if np.isfinite(there[list(pair)]).all():
                for _, gap in self._gaps(there, [pair]):
                    self._note(pair, tracks, instant, gap, 0)

    def _note(self, pair: tuple[int, int], tracks: list[_Track], instant: int, gap: Distance, step: int) -> None:
        """``step``: the time that the instant stands for, ns."""
        if gap.distance > self.near:
            return
        names = self.names[pair[0]], self.names[pair[1]]
        known = self.open.get(names)
        if known and instant - known.end_ns > APART:
            self.encounters.append(known)
            known = None
        touching = step / NANOSECONDS if gap.distance <= 0.0 else 0.0
        if known:
            touching += known.touching
        begin, end = (min(known.begin_ns, instant), max(known.end_ns, instant)) if known else (instant, instant)
        if known is None or gap.distance < known.distance:
            speed = np.linalg.norm(tracks[pair[1]].velocity(instant) - tracks[pair[0]].velocity(instant))
            middle = tuple((0.5 * (gap.point_a + gap.point_b)).tolist())
            known = Encounter(*names, begin, end, float(gap.distance), instant, float(speed), middle, touching)
        self.open[names] = known._replace(begin_ns=begin, end_ns=end, touching=touching)

    def _prepare(self) -> None:
        """A world with every drone that has been seen."""
        if len(self.samples) == len(self.names):
            return
        self.names = tuple(sorted(self.samples))
        builder = WorldBuilder(gravity=(0.0, 0.0, 0.0), dt=0.001)
        shapes = [self.models.get(name, self.model).shape for name in self.names]
        for name, shape in zip(self.names, shapes, strict=True):
            builder.add_body(shape, kind='kinematic', name=name)
        self.reach = np.array([shape.bounding_radius() for shape in shapes])
        self.world = builder.build()


class _Track:
    """The poses of a drone as a function of time."""

    def __init__(self, samples: list[tuple]) -> None:
        self.t = np.array([sample[0] for sample in samples], dtype=np.int64)
        self.poses = np.array([sample[1:] for sample in samples])

    def at(self, instants: np.ndarray) -> np.ndarray:
        """Poses (T,7) between neighbours; nan where there are none, or a pause."""
        after = np.searchsorted(self.t, instants, side='left')
        exact = self.t[np.minimum(after, len(self.t) - 1)] == instants
        before = np.clip(np.where(exact, after, after - 1), 0, len(self.t) - 1)
        after = np.minimum(after, len(self.t) - 1)
        span = self.t[after] - self.t[before]
        share = np.divide(instants - self.t[before], span, out=np.zeros(len(instants)), where=span > 0)[:, None]
        a, b = self.poses[before], self.poses[after]
        b = np.where((a[:, 3:] * b[:, 3:]).sum(axis=1)[:, None] < 0.0, np.hstack([b[:, :3], -b[:, 3:]]), b)
        found = (1.0 - share) * a + share * b
        found[:, 3:] /= np.linalg.norm(found[:, 3:], axis=1)[:, None]
        known = exact | ((instants > self.t[0]) & (instants < self.t[-1]) & (span <= MOST_PAUSE))
        found[~known] = np.nan
        return found

    def velocity(self, instant: int) -> np.ndarray:
        """m/s (3,) between the neighbours of an instant; zero where there is one sample."""
        if len(self.t) < 2:
            return np.zeros(3)
        k = int(np.clip(np.searchsorted(self.t, instant), 1, len(self.t) - 1))
        return (self.poses[k, :3] - self.poses[k - 1, :3]) / ((self.t[k] - self.t[k - 1]) / NANOSECONDS)
