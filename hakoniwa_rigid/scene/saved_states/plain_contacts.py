# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Running contacts as plain values for JSON, and back; values of other kinds are refused, whoever wrote them."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...brief import brief
from ..errors import StateError
from ..events.amounts import Amounts
from ..events.contact import Contact
from ..events.merging import PairContact
from ..records import Kind

__all__ = ['VEC', 'checked', 'contacts_of', 'plain_contacts']

# whole numbers: ns, ids, steps, indices; letters of a name
MOST, MOST_LETTERS = 1 << 62, 1024
Key = tuple[int, int, int, int]     # bodies and parts
VEC = (float,) * 3
AMOUNTS = (VEC, VEC, VEC, float)
PAIR = (int,) * 4 + (float, VEC, VEC, float, float, float, int, int, float, VEC, VEC, float, float, AMOUNTS)
# kinds of a contact's fields; of what may be missing the kind in a list
FIELDS: dict[str, Any] = {
    'id': int, 'kind': int, 'names': (str,) * 2, 'parts': (str,) * 2, 'bodies': (int,) * 2, 'begun_ns': int,
    'seen_ns': int, 'reported_ns': int, 'observed': bool, 'resolved': bool, 'peak': float, 'steps': int,
    'duration': float, 'last': [PAIR], 'main': [PAIR], 'force': VEC, 'span': AMOUNTS, 'sum': AMOUNTS, 'same': bool}


def plain_contacts(contacts: dict[Key, Contact]) -> list[list]:
    """Each with its key; `same`: whether its last touch was its largest, one object."""
    return [[list(key), _plain(contact)] for key, contact in contacts.items()]


def contacts_of(values: Any, names: Sequence[str]) -> dict[Key, Contact]:
    """What `plain_contacts` gave; names: of the bodies.  StateError."""
    if not isinstance(values, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in values):
        raise StateError(f'contacts: must be pairs of a key and a contact, got {brief(values)}')
    return {_key(key, len(names)): _contact(contact, names) for key, contact in values}


def _plain(contact: Contact) -> dict[str, Any]:
    values = dict(contact.__dict__)
    for name in ('last', 'main'):
        pair = values[name]
        values[name] = None if pair is None else [*pair[:-1], list(pair.amounts)]
    values['same'] = contact.last is contact.main
    return values


def _key(key: Any, bodies: int) -> Key:
    key = checked((int,) * 4, key, 'contacts: bodies and parts')
    if not all(0 <= body < bodies for body in key[:2]) or min(key[2:]) < 0:
        raise StateError(f'contacts: no such bodies and parts: {brief(list(key))}')
    return key


def _contact(values: Any, names: Sequence[str]) -> Contact:
    if not isinstance(values, dict) or values.keys() != FIELDS.keys():
        raise StateError(f'contacts: must have {", ".join(FIELDS)}, got {brief(values)}')
    made = {name: checked(kind, values[name], f'contacts: {name}') for name, kind in FIELDS.items()}
    same = made.pop('same')
    for name in ('last', 'main'):
        made[name] = None if made[name] is None else PairContact(*map(_listed, made[name][:-1]),
                                                                 Amounts._make(made[name][-1]))
    if same:
        made['main'] = made['last']
    if made['kind'] not in tuple(Kind) or not {*made['names']} <= {*names} or not all(
            0 <= body < len(names) for body in made['bodies']):
        raise StateError(f'contacts: no such kind or bodies: {brief(values["kind"])}, {brief(values["names"])}')
    return Contact(**{**made, 'kind': Kind(made['kind']), 'span': Amounts._make(made['span']),
                      'sum': Amounts._make(made['sum'])})


def checked(kind: Any, value: Any, what: str) -> Any:
    """The value, its lists as tuples, where it is of that kind."""
    if isinstance(kind, list):
        return None if value is None else checked(kind[0], value, what)
    if isinstance(kind, tuple) and isinstance(value, (list, tuple)) and len(value) == len(kind):
        return tuple(checked(k, v, what) for k, v in zip(kind, value, strict=True))
    if isinstance(kind, tuple) or not isinstance(value, kind) or (kind is not bool and isinstance(value, bool)) or (
            kind is int and abs(value) > MOST) or (kind is str and not _is_text(value)):
        raise StateError(f'{what}: must not be {brief(value)}')
    return value


def _is_text(value: str) -> bool:
    return len(value) <= MOST_LETTERS and not any('\ud800' <= letter <= '\udfff' for letter in value)


def _listed(value: Any) -> Any:
    """Vectors of a PairContact are lists."""
    return list(value) if isinstance(value, tuple) else value
