# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands that come and leave while a scene runs: a part of spawning.

The bodies of a place are those of a hand, whichever has it: they are made anew only where material, mass or filters
differ.  Their sizes are those of the samples.
"""
from __future__ import annotations

import math

import numpy as np

from ..engine import EngineError
from .bodies import HAND, BodyTable, hand_body, hand_body_name
from .errors import SpawnError
from .free_names import is_free
from .hands.hand_layouts import HAND_BODIES, MOST_BONES
from .places import Body, Place, free_config
from .world_files.world_types import HandConfig, WorldConfig

__all__ = ['HandPlaces']


class HandPlaces:
    """See the module."""

    config: WorldConfig
    _table: BodyTable
    _places: dict[str, list[Body]]      # by kind and number
    _first_places: dict[str, tuple[Body, ...]]
    _start_lacks: set[int]
    _hand_bodies: dict[str, np.ndarray]     # by the names of all places of hands, at first
    _hand_grips: dict[str, int]

    def _bodies_in(self, place: Place) -> list[int]:
        """The engine's bodies of a place."""
        if place.kind != 'hand':
            return [place.body]
        name = self._first_places['hand'][place.number].name
        grip = self._hand_grips.get(name)
        return [*self._hand_bodies[name].tolist(), *(() if grip is None else (grip,))]

    def _check_hand(self, place: Place, config: HandConfig) -> None:
        """SpawnError where a place cannot have such a hand."""
        first = self._first_places['hand'][place.number]
        if math.isinf(config.effective_mass) != math.isinf(first.effective_mass):
            what = 'infinite, as in the world file' if math.isinf(first.effective_mass) else 'finite'
            raise SpawnError(f'add: {config.name}: effective_mass: must be {what}, got {config.effective_mass:g}')
        if config.grasp_assistance and first.name not in self._hand_grips:
            why = ('this world has no constraints' if is_free(first.name) else
                   'a hand of the world file has it from the start or never')
            raise SpawnError(f'add: {config.name}: grasp_assistance: {why}, got True')

    def _enter_hand(self, place: Place, config: HandConfig) -> None:
        """A hand waits for its first sample."""
        self._check_hand(place, config)
        self._put_hand(place, config)
        t, first = self._table, self._first_places['hand'][place.number]
        t.hands[config.name] = self._hand_bodies[first.name]
        if config.grasp_assistance:
            t.grips[config.name] = self._hand_grips[first.name]
        for body in self._bodies_in(place):
            t.names[body] = config.name
        self._hold(place, config)

    def _put_hand(self, place: Place, config: HandConfig) -> None:
        """The engine's bodies, where they are not of that matter: mostly they are.  A free place has that of its first
        hand.  SpawnError, with nothing changed."""
        first, there = self._first_places['hand'][place.number], self._places['hand'][place.number]
        old, new = (first if is_free(c.name) else c for c in (there, config))
        if self._matter(old) == self._matter(new):
            return
        try:
            self._make_hand(place, new)
        except EngineError as error:
            self._make_hand(place, old)
            raise SpawnError(f'add: {error}') from None

    def _matter(self, config: HandConfig) -> tuple:
        return config.material, config.effective_mass, self._meets(HAND, config)

    def _make_hand(self, place: Place, config: HandConfig) -> None:
        bits, never = self._meets(HAND, config)
        bodies = self._hand_bodies[self._first_places['hand'][place.number].name]
        for alike in (range(MOST_BONES), range(MOST_BONES, HAND_BODIES)):    # capsules, and the box
            shape, own = hand_body(config, alike[0])
            del own['name']
            names = [hand_body_name(config, k) for k in alike]
            self.world.replace_bodies(bodies[alike], shape, names=names, exclude=never, **own, **bits)
        self._table.inverse_mass[bodies] = 1.0 / config.effective_mass
        self._start_lacks.update(bodies.tolist())

    def _leave_hand(self, place: Place) -> None:
        """Its place is free."""
        t, there = self._table, self._places['hand'][place.number]
        for names in (t.hands, t.grips):
            names.pop(there.name, None)
        free = free_config('hand', place.number, self.config.default_material)
        for body in self._bodies_in(place):
            self.world.set_enabled(body, False)
            t.names[body] = free.name
        self._put_hand(place, free)
        self._hold(place, free)
