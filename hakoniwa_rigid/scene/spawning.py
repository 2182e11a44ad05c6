# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Drones, walls, objects and hands that come and leave while a scene runs.  A part of CollisionScene."""
from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from .. import rotations as rot
from ..codec.motion_columns import QUAT
from ..engine import EngineError
from .bodies import (
    DRONE,
    OBJECT,
    WALL,
    drone_body,
    drone_parts,
    engine_bits,
    kinds_met,
    object_body,
    pair_rules,
    shape_frame,
    wall_body,
)
from .errors import BadNameError, NameInUseError, OverlapError, SpawnError, WorldFileError
from .free_names import is_free
from .hand_places import HandPlaces
from .places import GROUPS, KINDS, Body, Place, free_config
from .world_files.shape_words import leaf_names
from .world_files.world_entry import entry_from_text, entry_of, write_entry
from .world_files.world_types import WorldConfig

__all__ = ['SpawningScene']

# m: an object may come in overlapping what is there by so much
OVERLAP = 1e-3
# letters of a name
MOST_NAME = 128
# kinds of which the places of the world file are kept for those that it names
KEPT = ('drone', 'hand')
BODIES = {'drone': drone_body, 'wall': wall_body, 'object': object_body}


class SpawningScene(HandPlaces):
    """Between two ticks.  Nothing of the other bodies changes, to the bit, but that what slept on a body that leaves
    wakes; contacts and constraints of what leaves end with the next tick."""

    roster = 0      # counts what came and what left
    _places: dict[str, list[Body]]      # by kind and number
    _taken: dict[str, list[bool]]
    _place_at: dict[int, Place]     # by body
    _start_lacks: set[int]  # bodies that have come or left since the start was brought up to date

    def add_drone(self, name: str, model: str | Mapping[str, Any], **settings) -> None:
        """A drone comes; the keys are those of `drones:` in a world file.  It takes part from its first sample on.
        SpawnError names key and value; nothing has changed then."""
        self.add('drone', {**settings, 'name': name, 'model': model})

    def add_object(self, name: str, **settings) -> None:
        """An object comes, with the keys of `objects:` in a world file.  SpawnError, also where it would overlap what
        is there by more than 1 mm."""
        self.add('object', {**settings, 'name': name})

    def add_wall(self, name: str, **settings) -> None:
        """A wall comes, with the keys of `walls:` in a world file.  SpawnError.  All walls are looked at for those that
        it lies beside: in large worlds that takes longer than a tick."""
        self.add('wall', {**settings, 'name': name})

    def add_hand(self, name: str, **settings) -> None:
        """A hand comes, with the keys of `hands:` in a world file.  It takes part from its first sample on.
        SpawnError, also for one of infinite mass."""
        self.add('hand', {**settings, 'name': name})

    def add(self, kind: str, values: Mapping[str, Any]) -> None:
        """A 'drone', 'wall', 'object' or 'hand' by the keys of world files.  SpawnError."""
        self.add_config(kind, self.entry_config(kind, values))

    def entry_config(self, kind: str, values: Mapping[str, Any]) -> Body:
        """What `add` would add.  SpawnError."""
        if kind not in KINDS:
            raise SpawnError(f'add: kind: must be one of {", ".join(KINDS)}, got {str(kind)[:MOST_NAME]!r}')
        try:
            return entry_of(kind, dict(values), self.config)
        except WorldFileError as error:
            raise SpawnError(str(error)) from error

    @staticmethod
    def entry_from_text(text: str) -> dict[str, Any]:
        """The keys in a YAML or JSON text that came from elsewhere, for `add` and `change`: at most 64 KiB, without
        files.  SpawnError."""
        try:
            return entry_from_text(text)
        except WorldFileError as error:
            raise SpawnError(str(error)) from None

    def added_entry(self, name: str) -> dict[str, Any]:
        """By the keys of world files, what is there under a name: what `add` takes.  SpawnError."""
        place = self._place_of(name)
        return write_entry(place.kind, self._places[place.kind][place.number], self.config)

    def add_config(self, kind: str, config: Body) -> None:
        """`add` of what was read."""
        self._check_name(config.name)
        number = self._free_place(kind, config.name)
        if number is None:
            group = GROUPS[kind]
            kept = f', or kept for {group} that left' if kind in KEPT else ''
            raise SpawnError(f'add: {config.name}: all {len(self._places[kind])} places for {group} are taken{kept}; '
                             f'spare: {group}: in the world file makes more')
        if kind == 'drone' and len(config.model.rotors) > self._fleet.rotors.room:
            raise SpawnError(f'add: {config.name}: model: may have {self._fleet.rotors.room} rotors in this world, '
                             f'got {len(config.model.rotors)}')
        place = Place(kind, number, self._body_of(kind, number))
        self._enter(place, config)
        if kind == 'object' and (overlap := self._overlap_of(place.body)):
            self._leave(place)
            raise OverlapError(f'add: {config.name}: position: is {overlap}')
        self._changed()

    def remove(self, name: str) -> None:
        """A drone, wall, object or hand leaves.  SpawnError where there is none of that name."""
        place = self._place_of(name)
        now = self._now_ns or 0
        for held in self._held(place):
            self._book.detach(held, self._now_ns)
        bodies = self._bodies_in(place)
        self._late += self._tracker.end(set(bodies), now)
        for body in bodies:
            self._containment.frozen.pop(body, None)
        self._leave(place)
        if self._first_places[place.kind][place.number].name != name:
            self._ledger.forget(name)
        self._changed()

    def change(self, name: str, /, **settings) -> None:
        """A drone, wall, object or hand gets other values for some keys of a world file, its model or material say,
        and stays where it is; a hand waits for its next sample.  `position` and so on are those after a reset.  Its
        contacts end, and begin anew.  SpawnError, with nothing changed, also where a constraint holds it."""
        place = self._place_of(name)
        old = self._places[place.kind][place.number]
        if self._held(place):
            raise SpawnError(f'change: {name}: is held by a constraint: detach it first')
        if settings.get('name', name) != name:
            raise SpawnError(f'change: {name}: name: stays as it is, got {settings["name"]!r}')
        new = self.entry_config(place.kind, write_entry(place.kind, old, self.config) | settings)
        if place.kind == 'hand':
            self._check_hand(place, new)
        ended = self._tracker.end(set(self._bodies_in(place)), self._now_ns or 0)
        kept = self._kept(place)
        self._leave(place)
        try:
            self._enter(place, new)
        except SpawnError:
            self._enter(place, old)
            raise
        finally:
            self._put_back(place, kept)
            self._late += ended
            self._changed()
        if place.kind == 'drone' and 'authority' in settings:
            self.set_authority(name, new.authority)

    def _kept(self, place: Place) -> tuple:
        """What `change` leaves as it is."""
        body = np.array([place.body])
        moving = None
        if place.kind in ('drone', 'object'):
            moving = self.world.motions(body), *shape_frame(self.world, place.body)
        return moving, self._fleet.keep(place.number) if place.kind == 'drone' else None

    def _put_back(self, place: Place, kept: tuple) -> None:
        moving, rows = kept
        if moving is not None:
            motion, origin, quat = moving
            motion[0, :QUAT] = origin + rot.rotate(quat, self.world.com[place.body])
            self.world.set_motions(np.array([place.body]), motion)
        if rows is not None:
            self._fleet.put_back(place.number, rows)
            self.world.set_enabled(place.body, bool(self._fleet.s.enabled[place.number]))

    @property
    def spawned_names(self) -> tuple[str, ...]:
        """Names of what came since the scene was made and is there."""
        first = {there.name for places in self._first_places.values() for there in places}
        return tuple(there.name for places in self._places.values() for there in places if there.name not in first
                     and not is_free(there.name))

    def spawned(self, kind: str) -> dict[str, int]:
        """Names and places of the 'drone's or 'hand's that came since the scene was made and are there; the place of a
        drone is its row."""
        places, first = self._places[kind], self._first_places[kind]
        return {there.name: number for number, there in enumerate(places)
                if there.name != first[number].name and not is_free(there.name)}

    def roster_changes(self) -> tuple[list[tuple[str, Body]], list[str]]:
        """What has come or been changed since the scene was made and is there, each with its kind; and the names of the
        world file's that are not there."""
        changed = list(self._changed_places())
        there = [(kind, now) for kind, _, now, _ in changed if not is_free(now.name)]
        left = [first.name for _, _, _, first in changed
                if not is_free(first.name) and self.is_free_name(first.name)]
        return there, left

    def free_places(self, kind: str) -> int:
        """So many more of a kind may come, of new names."""
        return sum(not taken and is_free(first.name) for taken, first in
                   zip(self._taken[kind], self._first_places[kind], strict=True))

    @property
    def most_names(self) -> int:
        """So many names are in use at most."""
        return sum(map(len, self._places.values()))

    def is_free_name(self, name: str) -> bool:
        """Whether no body has it."""
        return name not in self._table.index and name not in self._hands

    # -- places

    def _free_place(self, kind: str, name: str) -> int | None:
        """The first that a body of this name may have.  Topics of their own lead to drones and hands of the world
        file."""
        for first, (number, taken) in zip(self._first_places[kind], enumerate(self._taken[kind]), strict=True):
            if not taken and (kind not in KEPT or first.name == name or is_free(first.name)):
                return number
        return None

    def _find_places(self, whole: WorldConfig) -> None:
        """Of a scene that is being made, of the world with its spare places."""
        t = self._table
        self._hand_bodies, self._hand_grips = dict(t.hands), dict(t.grips)
        self._place_bodies = {'drone': t.drones, 'wall': np.flatnonzero(t.kinds == WALL),
                              'object': np.flatnonzero(t.kinds == OBJECT),
                              'hand': [bodies[0] for bodies in t.hands.values()]}
        self._place_at = {int(body): Place(kind, number, int(body)) for kind, bodies in self._place_bodies.items()
                          for number, body in enumerate(bodies)}
        self._first_places = {kind: tuple(getattr(whole, group)) for kind, group in GROUPS.items()}
        self._places = {kind: list(places) for kind, places in self._first_places.items()}
        self._taken = {kind: [not is_free(there.name) for there in places] for kind, places in self._places.items()}
        for kind, places in self._places.items():
            for number, there in enumerate(places):
                if is_free(there.name):
                    self.world.set_enabled(self._body_of(kind, number), False)
                    for names in (t.index, t.objects, t.hands, t.grips):
                        names.pop(there.name, None)

    def _changed_places(self) -> Iterator[tuple[str, int, Body, Body]]:
        """Kind and number of the places that are not as they were at first; what is there, and what was."""
        for kind, places in self._places.items():
            for number, (there, first) in enumerate(zip(places, self._first_places[kind], strict=True)):
                if there is not first and there != first:
                    yield kind, number, there, first

    def occupied(self) -> list[list[Any]]:
        """What has come or left since the scene was made, for a saved state: kind, number, entry or None each."""
        return [[kind, number, None if is_free(there.name) else write_entry(kind, there, self.config)]
                for kind, number, there, _ in self._changed_places()]

    def occupy(self, changes: Sequence[Sequence[Any]]) -> None:
        """Make the places what `occupied` said.  SpawnError, with nothing changed, where it cannot have said so."""
        wanted = {kind: list(places) for kind, places in self._first_places.items()}
        for kind, number, entry in changes:
            if kind not in wanted or not 0 <= number < len(wanted[kind]):
                raise SpawnError(f'places: must be of this scene, got {str(kind)[:20]!r} {str(number)[:20]}')
            wanted[kind][number] = (free_config(kind, number, self.config.default_material) if entry is None
                                    else self.entry_config(kind, entry))
        before = {kind: list(places) for kind, places in self._places.items()}
        try:
            self._occupy(wanted)
        except SpawnError:
            self._occupy(before)
            raise

    def _occupy(self, wanted: Mapping[str, list[Body]]) -> None:
        changes = [(kind, k) for kind, places in wanted.items() for k, there in enumerate(places)
                   if there != self._places[kind][k]]
        for kind, k in changes:
            self._leave(Place(kind, k, self._body_of(kind, k)))
        for kind, k in changes:
            if not is_free(wanted[kind][k].name):
                self._check_name(wanted[kind][k].name)
                self._enter(Place(kind, k, self._body_of(kind, k)), wanted[kind][k])
        if changes:
            self._changed()

    def _body_of(self, kind: str, number: int) -> int:
        return int(self._place_bodies[kind][number])

    def _held(self, place: Place) -> list[str]:
        """Names of the constraints that hold what is there."""
        running = self._book.running.values()
        bodies = set(self._bodies_in(place)) if running else set()
        return [c.config.name for c in running if not bodies.isdisjoint(c.bodies)]

    def _place_of(self, name: str) -> Place:
        body = self._table.hands[name][0] if name in self._table.hands else self._table.index.get(name, -1)
        place = self._place_at.get(int(body)) if not is_free(name) else None
        if place is not None:
            return place
        raise SpawnError(f'remove: name: no such drone, wall, object or hand, got {str(name)[:MOST_NAME]!r}')

    def _check_name(self, name: str) -> None:
        if not name or is_free(name) or '/' in name or len(name) > MOST_NAME:
            raise BadNameError(f'add: name: must be a text without / of 1 to {MOST_NAME} letters, '
                               f'got {name[:MOST_NAME]!r}')
        if not self.is_free_name(name):
            raise NameInUseError(f'add: name: is in use by another body, got {name!r}')

    def _overlap_of(self, body: int) -> str:
        """What a body overlaps, in words; '' for nothing."""
        (gap,), (other,) = self.world.nearest(np.array([body]), OVERLAP)
        if other < 0 or gap > 0.0:
            return ''
        depth = -self.world.distance(body, int(other), 0.0).distance
        return f'{depth:.3g} m inside {self._table.names[other]}' if depth > OVERLAP else ''

    def _enter(self, place: Place, config: Body) -> None:
        """The engine's body, and all that is known by names and rows."""
        if place.kind == 'hand':
            self._enter_hand(place, config)
            return
        t, kind = self._table, KINDS[place.kind]
        shape, own = BODIES[place.kind](config)
        bits, never = self._meets(kind, config)
        try:
            self.world.replace_body(place.body, shape, exclude=never, **own, **bits)
        except EngineError as error:
            raise SpawnError(f'add: {error}') from None
        t.names[place.body] = config.name
        t.parts[place.body] = drone_parts(config) if kind == DRONE else leaf_names(config.shape)
        t.inverse_mass[place.body] = 0.0 if kind == WALL else 1.0 / self.world.mass[place.body]
        t.index[config.name] = place.body
        self._hold(place, config)
        if kind == WALL:
            self.world.set_enabled(place.body, True)
        elif kind != DRONE:
            t.objects[config.name] = place.body
            self.world.set_enabled(place.body, True)

    def _meets(self, kind: int, config: Body) -> tuple[dict[str, int], list[int]]:
        """The engine's group and mask of a body, and the bodies that it never meets."""
        bits = engine_bits(kind, kinds_met(self.config.filters), config.collision)
        never = [body for a, b in self.config.filters.pairs for x, y in ((a, b), (b, a)) if x == config.name
                 for body in self._bodies_of(y)]
        return bits, never

    def _leave(self, place: Place) -> None:
        """A free place."""
        t, there = self._table, self._places[place.kind][place.number]
        if is_free(there.name):
            return
        if place.kind == 'hand':
            self._leave_hand(place)
            return
        config = free_config(place.kind, place.number, self.config.default_material)
        shape, own = BODIES[place.kind](config)
        self.world.set_enabled(place.body, False)
        self.world.replace_body(place.body, shape, **own)
        t.names[place.body], t.parts[place.body], t.inverse_mass[place.body] = config.name, ('',), 1.0
        del t.index[there.name]
        t.objects.pop(there.name, None)
        self._hold(place, config)

    def _hold(self, place: Place, config: Body) -> None:
        """A place holds something else: in the world as it is described, and in its start."""
        self._places[place.kind][place.number] = config
        self._taken[place.kind][place.number] = not is_free(config.name)
        there = compress(self._places[place.kind], self._taken[place.kind])
        self.config = replace(self.config, **{GROUPS[place.kind]: tuple(there)})
        if is_free(config.name) and self.config.constraints:
            known = {c.name for g in GROUPS.values() for c in getattr(self.config, g)}
            self.config = replace(self.config, constraints=tuple(
                c for c in self.config.constraints if {c.body_a, c.body_b} <= known))
        if place.kind != 'hand':
            self._start_lacks.add(place.body)
        if place.kind == 'drone':
            self._fleet.put(place.number, config)
            self._stepper.put(place.number, config)
            self._responses.clear(place.number)
            self._buried.put(place.number, config)
            self._strikes.put(place.number, config)
        elif place.kind == 'wall':
            self._buried.put_walls(self.config.walls)
        elif place.kind == 'hand':
            self._hands.put(place.number, None if is_free(config.name) else config)
            self._grasps.follow()
        if self._reporter is not None:
            for body in self._bodies_in(place):
                self._reporter.forget(body)

    def _bodies_of(self, name: str) -> list[int]:
        """The engine's bodies of a name; none where nothing is called so."""
        if name in self._table.hands:
            return self._table.hands[name].tolist()
        return [self._table.index[name]] if name in self._table.index else []

    def _changed(self) -> None:
        """After bodies have come or left."""
        self.roster += 1
        if self.config.pair_materials:
            made_of: dict[str, list[int]] = {}
            for item in self._bodies():
                made_of.setdefault(getattr(item, 'model', item).material.name, []).extend(self._bodies_of(item.name))
            rules = pair_rules(self.config, made_of)
            self.world.set_pair_materials(rules, wake=False)
        if math.isfinite(self.world.stable_dt):     # the step is checked with the bodies of one time
            self._bring_start_up_to_date()
        self._find_observed()
        self._containment.remember_inputs()

    def _bring_start_up_to_date(self) -> None:
        """Before a reset: what came and left since the last one is in the start, too."""
        if not self._start_lacks:
            return
        for body in sorted(self._start_lacks):
            self._start = self.world.with_body(self._start, body)
        self._start_lacks.clear()
        if self.config.pair_materials:
            self._start = self.world.with_pair_materials(self._start)

    def _bodies(self) -> Iterator[Any]:
        for group in GROUPS.values():
            yield from getattr(self.config, group)

    def _enable_places(self) -> None:
        """After a reset: walls and objects that have come take part."""
        for kind, number, there, _ in self._changed_places():
            if kind in ('wall', 'object'):
                self.world.set_enabled(self._body_of(kind, number), not is_free(there.name))
