# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which parts of a drone's shape are the discs of its rotors: those that are named so."""
from __future__ import annotations

from ...engine import Compound
from .shape_words import leaf_names, part_name
from .world_types import DroneModel

__all__ = ['has_rotor', 'is_rotor', 'rotor_of_parts', 'without_disc']

ROTOR = 'rotor_'
# m, across z: a disc whose middle is this near to a rotor of the table is that rotor's
NEAR = 1e-3


def is_rotor(part: str) -> bool:
    """Whether a part of events is the disc of a rotor: its name, or of what it is a part of, begins with rotor_."""
    return part.startswith(ROTOR)


def has_rotor(model: DroneModel) -> bool:
    """Whether a part of the shape is one."""
    return any(map(is_rotor, leaf_names(model.shape)))


def rotor_of_parts(model: DroneModel) -> tuple[int, ...]:
    """Of each part of the shape, in the engine's order, the number of its rotor in the table; -1 for none.

    `rotor_2` is the third of the table; a disc of any other name that begins with rotor_ is the one at its place.
    """
    if not isinstance(model.shape, Compound):
        return (-1,)
    found = []
    for k, part in enumerate(model.shape.parts):
        rotor = _rotor_of(part_name(k, part.name), part.pos, model)
        found += [rotor] * len(leaf_names(part.shape))
    return tuple(found)


def without_disc(model: DroneModel) -> list[int]:
    """The rotors of the table that no part of the shape is the disc of."""
    return [k for k in range(len(model.rotors)) if k not in rotor_of_parts(model)]


def _rotor_of(name: str, place, model: DroneModel) -> int:
    if not is_rotor(name):
        return -1
    number = name.removeprefix(ROTOR)
    if number.isascii() and number.isdigit() and len(number) <= 3:
        return int(number) if int(number) < len(model.rotors) else -1
    near = [k for k, rotor in enumerate(model.rotors)
            if max(abs(place[axis] - rotor.position[axis]) for axis in (0, 1)) <= NEAR]
    return near[0] if near else -1
