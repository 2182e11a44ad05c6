# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Rotors that stop where their discs are hit: the rule `rotor_strike` of world files, for `simulate` drones.

What counts is the impulse of a contact of the disc since it began, within the first `persist_period`; of one that lasts
longer that of a call of the engine.  So a drone that lies on its rotors does not stop them by its weight.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ... import rotations as rot
from ..bodies import BodyTable
from ..drones.authority import SIMULATE
from ..drones.drones import Fleet
from ..events.contact import Contact
from ..records import Ledger, RotorStop, Verdict
from ..world_files.rotor_parts import rotor_of_parts
from ..world_files.world_types import DroneConfig

__all__ = ['RotorStrikes']


class RotorStrikes:
    """Of the drones of a fleet; persist_ns: `persist_period`."""

    def __init__(self, drones: Sequence[DroneConfig], table: BodyTable, fleet: Fleet, persist_ns: int,
                 ledger: Ledger) -> None:
        self._table, self._fleet, self._persist_ns, self._ledger = table, fleet, persist_ns, ledger
        # row, rotor and N s by body and part
        self._discs: dict[tuple[int, int], tuple[int, int, float]] = {}
        for row, drone in enumerate(drones):
            self.put(row, drone)

    @property
    def is_used(self) -> bool:
        """Whether any rotor can stop."""
        return bool(self._discs)

    def put(self, row: int, drone: DroneConfig) -> None:
        """A row has another drone."""
        body = int(self._table.drones[row])
        self._discs = {key: disc for key, disc in self._discs.items() if key[0] != body}
        most = drone.model.stop_above
        if most is not None:
            self._discs |= {(body, part): (row, rotor, most)
                            for part, rotor in enumerate(rotor_of_parts(drone.model)) if rotor >= 0}

    def look(self, contacts: Mapping[tuple[int, int, int, int], Contact], t0_ns: int, t1_ns: int) -> list[RotorStop]:
        """After a call of the engine from t0 to t1: the rotors that its contacts stop, which do from now on."""
        stops = []
        for (a, b, part_a, part_b), contact in contacts.items():
            if contact.seen_ns <= t0_ns:
                continue
            young = t1_ns - contact.begun_ns <= self._persist_ns
            impulse = rot.norm(np.array(contact.sum.impulse if young else contact.last.impulse))
            for side, key in enumerate(((a, part_a), (b, part_b))):
                row, rotor, most = self._discs.get(key, (-1, -1, 0.0))
                if row >= 0 and impulse > most and self._may_stop(row, rotor):
                    stops.append(self._stop(row, rotor, contact.parts[side], float(impulse), most, t1_ns))
        return stops

    def _may_stop(self, row: int, rotor: int) -> bool:
        return bool(self._fleet.authority[row] == SIMULATE and not self._fleet.rotors.stopped[row, rotor])

    def _stop(self, row: int, rotor: int, part: str, impulse: float, most: float, now_ns: int) -> RotorStop:
        self._fleet.rotors.stop(row, rotor)
        name = self._fleet.names[row]
        self._ledger.note(Verdict.ROTOR_STOPPED, name, f'{part}: hit by {impulse:.4g} N s, stop_above is {most:g} N s')
        return RotorStop(now_ns, name, rotor, part, impulse)
