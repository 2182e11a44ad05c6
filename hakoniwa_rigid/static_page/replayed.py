# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A flight from a replay: the bag through its world, every tick looked at."""
from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.records import Tick
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig
from hakoniwa_rigid.static_page import hands
from hakoniwa_rigid.static_page.flight import Flight, Frame
from hakoniwa_rigid.static_page.touches import Change


class EnoughError(Exception):
    """Every tick that is to be shown has been seen."""


class Watcher:
    """Takes ticks into a flight.  world: of the scene, once there was a tick."""

    def __init__(self, flight: Flight, first: float | None, last: float | None) -> None:
        """first, last: s since the first tick; None for no bound."""
        self.world: WorldConfig | None = None
        self._flight, self._first, self._last = flight, first or 0.0, last
        self._start: int | None = None

    def see(self, scene: CollisionScene, tick: Tick) -> None:
        """One tick.  EnoughError behind the last one that is asked for."""
        self.world = scene.config
        self._start = tick.stamp_ns if self._start is None else self._start
        at = (tick.stamp_ns - self._start) / NANOSECONDS
        if self._last is not None and at > self._last:
            raise EnoughError
        if at < self._first:
            return
        for event in tick.events:
            self._flight.touches.add(event)
        for event in tick.constraint_events:
            self._flight.touches.change(Change(event.stamp_ns, int(event.phase), event.name, event.body_a,
                                               event.body_b))
        if self._flight.is_due(tick.stamp_ns):
            self._flight.add(tick.stamp_ns, frame_of(scene, tick))


def frame_of(scene: CollisionScene, tick: Tick) -> Frame:
    """A tick as a frame; drones that have not come yet stand where they start, stale, as the node publishes them."""
    states = tick.states
    rows = list(enumerate(states.names))
    objects = {body.name: _xyzw(*scene.object_pose(body.name)) for body in scene.config.objects}
    constraints = [scene.constraint(name) for name in scene.constraint_names]
    lines = np.array([(*c.anchor_a, *c.anchor_b) for c in constraints]).reshape(-1, 6)
    return Frame({name: (states.positions[n], states.orientations_xyzw[n]) for n, name in rows},
                 {name: int(states.flags[n]) for n, name in rows}, objects,
                 {hand.name: hands.of_scene(hand) for hand in tick.hands if hand.present},
                 lines, np.array([bool(c.is_taut or c.slips) for c in constraints], dtype=bool))


def _xyzw(position: np.ndarray, quat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A pose of the scene, wxyz."""
    return np.asarray(position), np.roll(quat, -1)


def fill(flight: Flight, options: argparse.Namespace, progress: Callable[[float], object]) -> WorldConfig | None:
    """Replay, and look at every tick from --from to --to; the world of the scene.  Errors as replay."""
    watcher = Watcher(flight, options.first, options.last)
    asked = Options(options.bag, None, options.world, options.params, namespace=options.namespace,
                    maps=tuple(options.map))
    with suppress(EnoughError):
        replay(asked, progress, watcher.see)
    return watcher.world
