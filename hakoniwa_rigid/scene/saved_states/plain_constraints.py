# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints that hold as plain values for JSON, and back; values of other kinds are refused, whoever wrote them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...brief import brief
from ..constraints.attached import Attached
from ..drones.rows import MOST_STAMP
from ..errors import StateError, WorldFileError
from ..world_files.constraint_file import constraint_of, write_constraint
from ..world_files.world_types import MOST_CONSTRAINTS
from .plain_contacts import VEC, checked

__all__ = ['constraints_of', 'plain_constraints']

# kinds of the fields but `config`, which is by the keys of world files; of what may be missing the kind in a list
FIELDS: dict[str, Any] = {'id': int, 'number': int, 'bodies': (int,) * 2, 'parts': (str,) * 2, 'attached_ns': int,
                          'taut': bool, 'taut_ns': int, 'slack_ns': [int], 'impulse': VEC}


def plain_constraints(running: dict[int, Attached]) -> list[dict[str, Any]]:
    """By the engine's numbers."""
    return [{**attached.__dict__, 'config': write_constraint(attached.config)} for attached in running.values()]


def constraints_of(values: Any, names: Sequence[str]) -> dict[int, Attached]:
    """What `plain_constraints` gave; names: of the bodies.  StateError."""
    if not isinstance(values, list) or len(values) > MOST_CONSTRAINTS:
        raise StateError(f'constraints: must be at most {MOST_CONSTRAINTS}, got {brief(values)}')
    found = {attached.number: attached for attached in (_attached(value, names) for value in values)}
    for what in ({c.config.name for c in found.values()}, {c.id for c in found.values()}):
        if len(what) < len(values):
            raise StateError(f'constraints: numbers, ids and names must be different, got {brief(values)}')
    return found


def _attached(values: Any, names: Sequence[str]) -> Attached:
    if not isinstance(values, dict) or values.keys() != {*FIELDS, 'config'}:
        raise StateError(f'constraints: must have {", ".join(FIELDS)}, config, got {brief(values)}')
    made = {name: checked(kind, values[name], f'constraints: {name}') for name, kind in FIELDS.items()}
    stamps = [made['id'], made['attached_ns'], made['taut_ns'], made['slack_ns'] or 0]
    if not all(abs(n) <= MOST_STAMP for n in stamps) or not all(0 <= body < len(names) for body in made['bodies']):
        raise StateError(f'constraints: no such id, time or body: {brief([*stamps, *made["bodies"]])}')
    if not isinstance(values['config'], dict):
        raise StateError(f'constraints: config: must be a mapping, got {brief(values["config"])}')
    try:
        return Attached(**made, config=constraint_of(values['config'], 'config'))
    except WorldFileError as error:
        raise StateError(f'constraints: {error}') from None
