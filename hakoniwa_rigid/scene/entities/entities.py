# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The entities of a scene: drones, objects, walls and hands by name; what they are, where they are, how far they reach.

    entities = Entities(scene)
    entities.select(Filter(text='^d', categories=('robot',)))       # names
    entities.motion('d0'), entities.acceleration('d0'), entities.bounds('d0', 'box')
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ... import rotations as rot
from ..collision_scene import CollisionScene
from ..drones.authority import CODES
from ..errors import EntityError
from ..records import FleetArrays, Tick
from ..state_setting import EntityMotion
from ..world_files.shape_words import word_of
from ..world_files.world_types import DroneConfig, ObjectConfig, WallConfig
from .bounds import Bounds, bounds_of, box_of_hand
from .name_patterns import NamePattern
from .overlaps import Overlaps

__all__ = ['CATEGORIES', 'Entities', 'Filter', 'Info']

# categories of entities among those of simulation_interfaces: of drones, objects, walls and hands
CATEGORIES = ('robot', 'dynamic_object', 'static_object', 'human')
# tags of a filter, and letters of each
MOST_TAGS, MOST_TAG = 64, 255


class Info(NamedTuple):
    """What an entity is: one of CATEGORIES, a sentence, tags."""

    category: str
    description: str
    tags: tuple[str, ...]


class Filter(NamedTuple):
    """Which entities are asked for; what is empty asks nothing.  text: an expression for their names; categories: any
    of these; tags: any of these, or all; bounds: what they overlap, in the world."""

    text: str = ''
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    has_all_tags: bool = False
    bounds: Bounds | None = None


class Entities:
    """Those of one scene.  `look` at every tick: accelerations are mean ones over the last that ran steps."""

    def __init__(self, scene: CollisionScene) -> None:
        self._scene, self._dt = scene, scene.config.dt
        self._items: dict[str, DroneConfig | ObjectConfig | WallConfig] = {}
        self._rows: dict[str, int] = {}     # of drones
        self._bounds: dict[tuple[str, str], Bounds] = {}    # of shapes, by name and kind
        self._config = None
        self._overlaps = Overlaps(scene)
        self.forget()

    def forget(self) -> None:
        """Velocities jump: there are no accelerations until two ticks have passed."""
        self._before: _Seen | None = None
        self._last: _Seen | None = None

    def look(self, tick: Tick) -> None:
        """A tick is over."""
        if tick.steps:
            self._before = self._last
            self._last = _Seen(tick.steps * self._dt, tick.states, *self._scene.object_motions())

    # what there is

    def names(self) -> tuple[str, ...]:
        """All that are in the scene: drones, objects, walls in the order of the world file, then hands."""
        there = [name for name in self._scene.hand_names if self._scene.motion_of(name) is not None]
        return (*self._all(), *there)

    def _all(self) -> dict[str, DroneConfig | ObjectConfig | WallConfig]:
        """By name, all but hands."""
        config = self._scene.config
        if config is not self._config:
            self._config = config
            self._items = {item.name: item for item in (*config.drones, *config.objects, *config.walls)}
            self._bounds.clear()
            self._rows = {name: row for row, name in enumerate(self._scene.drone_names)}
        return self._items

    def info(self, name: str) -> Info:
        """What an entity is.  UnknownEntityError."""
        item = self._all().get(name)
        if isinstance(item, DroneConfig):
            code = int(self._scene.authorities()[self._rows[name]])
            authority = next(word for word, own in CODES.items() if own == code)
            text = f'drone of the model {item.model.name}, {item.model.mass:g} kg; authority {authority}'
            return Info('robot', text, ('drone', item.model.name, authority))
        if isinstance(item, ObjectConfig):
            word = word_of(item.shape)
            return Info('dynamic_object', f'object, {word}, {item.mass:g} kg', ('object', word))
        if isinstance(item, WallConfig):
            return Info('static_object', f'wall, {item.kind}', ('wall', item.kind))
        self._scene.motion_of(name)     # an unknown name
        return Info('human', 'tracked hand', ('hand',))

    # where it is

    def motion(self, name: str) -> EntityMotion:
        """Its motion.  UnknownEntityError; EntityError for a hand that is not in the scene."""
        found = self._scene.motion_of(name)
        if found is None:
            raise EntityError(f'{name}: the hand is not in the scene, no sample has come for a while')
        return found

    def acceleration(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Mean acceleration (3,) m/s^2 of the origin of its frame and angular acceleration (3,) rad/s^2 over the last
        tick, world; zero of walls and hands, and where velocities have just been set."""
        item = self._all().get(name)
        if self._before is None or not isinstance(item, DroneConfig | ObjectConfig):
            return np.zeros(3), np.zeros(3)
        seen = [self._speeds(name, isinstance(item, DroneConfig), one) for one in (self._before, self._last)]
        if seen[0] is None or seen[1] is None:
            return np.zeros(3), np.zeros(3)
        change = (seen[1] - seen[0]) / self._last.duration
        return change[:3], change[3:]

    def _speeds(self, name: str, is_drone: bool, seen: _Seen) -> np.ndarray | None:
        """Velocities (6,) of an entity's frame, m/s and rad/s, world; None where it was not there."""
        if is_drone:
            row, states = self._rows[name], seen.drones
            if states.names[row:row + 1] != (name,):
                return None
            spin = rot.rotate(rot.wxyz(states.orientations_xyzw[row]), states.angular_velocities[row])
            return np.concatenate([states.linear_velocities[row], spin])
        if name not in seen.objects:
            return None
        return self._scene.frame_velocities(name, seen.motions[seen.objects.index(name)])

    def bounds(self, name: str, kind: str) -> Bounds:
        """How far it reaches in its frame; kind: of bounds.KINDS.  Errors as of `motion`."""
        item = self._all().get(name)
        if item is not None:
            if (name, kind) not in self._bounds:
                shape = item.model.shape if isinstance(item, DroneConfig) else item.shape
                self._bounds[name, kind] = bounds_of(shape, kind)
            return self._bounds[name, kind]
        motion = self.motion(name)
        return box_of_hand(self._scene.hand_bones(name), motion.position, motion.orientation_xyzw, kind)

    # which are asked for

    def select(self, wanted: Filter) -> tuple[str, ...]:
        """Names of those that pass all parts of a filter, in the order of `names`.  EntityError for a filter that makes
        no sense."""
        names = self.names()
        if wanted.text:
            pattern = NamePattern(wanted.text)
            names = tuple(name for name in names if pattern.finds(name))
        if wanted.categories:
            names = tuple(name for name in names if self.info(name).category in wanted.categories)
        if wanted.tags:
            names = self._tagged(names, wanted)
        return names if wanted.bounds is None else self._overlaps.select(names, self._all(), wanted.bounds)

    def _tagged(self, names: tuple[str, ...], wanted: Filter) -> tuple[str, ...]:
        if len(wanted.tags) > MOST_TAGS or max(map(len, wanted.tags)) > MOST_TAG:
            raise EntityError(f'tags: must be at most {MOST_TAGS}, of at most {MOST_TAG} letters, got '
                              f'{len(wanted.tags)}')
        asked, found = frozenset(wanted.tags), []
        for name in names:
            own = asked.intersection(self.info(name).tags)
            if own == asked or (own and not wanted.has_all_tags):
                found.append(name)
        return tuple(found)


class _Seen(NamedTuple):
    """After a tick of `duration` s: states of drones; names of objects and motions (K,13) of their centres of mass."""

    duration: float
    drones: FleetArrays
    objects: tuple[str, ...]
    motions: np.ndarray
