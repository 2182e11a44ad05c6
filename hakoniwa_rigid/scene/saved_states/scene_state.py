# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The state of a scene as arrays and plain values, all that its future depends on, and back into an equal scene.

Hands are not in it: they leave, as after a pause, and come in again where their next samples are.  Neither is what
counts and reports: counters, clearances, what was said of a contact.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...brief import MOST_VALUE, brief, cut
from ...engine import EngineError
from ...engine.world.constraint_view import constraints_in
from ...engine.world.kept_state import kept_arrays, put_kept_arrays
from ..bodies import BodyTable
from ..constraints.attached import Attached
from ..constraints.constraint_book import ConstraintBook
from ..containment import Containment
from ..drones.authority import CODES, SIMULATE
from ..drones.drones import Fleet
from ..drones.rows import MOST_STAMP
from ..errors import StateError
from ..events.amounts import Amounts
from ..events.contact import Contact
from ..events.events import EventTracker
from ..observed_drones.responses import Responses
from ..records import ContactEventRecord, Phase, event_of, plain_event
from .plain_constraints import constraints_of, plain_constraints
from .plain_contacts import contacts_of, plain_contacts

__all__ = ['Awaited', 'Parts', 'SceneState', 'follow', 'put_state', 'take_state']

# of Drones: what changes while a scene runs
CHANGING = ('authority', 'sample', 'reference', 'reference_stamp', 'shown', 'offset', 'force', 'torque', 'rotor_force',
            'rotor_torque', 'by_rotors', 'reset', 'rejected', 'enabled', 'stale', 'touched', 'touch_stamp', 'held',
            'cut', 'limited', 'frozen')
# before the names of the engine's arrays
WORLD = 'world.'
# place of the stale timeout, ns, in the limits of a gate
STALE_AFTER = 3


class SceneState(NamedTuple):
    """Arrays by name, own copies; values for JSON: whole numbers, numbers, texts, flags, lists and mappings."""

    arrays: dict[str, np.ndarray]
    values: dict[str, Any]


class Parts(NamedTuple):
    """Where the state of a scene is."""

    world: Any
    table: BodyTable
    fleet: Fleet
    tracker: EventTracker
    responses: Responses
    containment: Containment
    book: ConstraintBook


class Awaited:
    """Drones that take part and are moved by what comes, if it did not lack at `now_ns`: which of them have said
    nothing since this was made."""

    def __init__(self, parts: Parts, now_ns: int | None) -> None:
        f = parts.fleet
        simulated = f.authority == SIMULATE
        self._streams = []
        for gate, on in ((f.gate, ~simulated), (f.wrench_gate, simulated)):
            fresh = gate.known & ((now_ns or 0) - gate.newest <= gate.arrays.limits[STALE_AFTER])
            self._streams.append((gate, f.s.enabled & on & fresh, gate.newest.copy()))

    def any(self) -> bool:
        """Whether there is one."""
        return any(bool((on & (gate.newest == before)).any()) for gate, on, before in self._streams)


def take_state(parts: Parts, late: list[ContactEventRecord], **values) -> SceneState:
    """The state between two ticks; late: events that are reported with the next; `values` of the scene itself."""
    arrays = {f'{WORLD}{name}': array for name, array in kept_arrays(parts.world).items()}
    arrays |= {name: array.copy() for name, array in _arrays(parts).items()}
    arrays['rotors.speed'] = parts.fleet.rotors.speed.copy()
    tracker, book = parts.tracker, parts.book
    frozen = [[body, until] for body, until in parts.containment.frozen.items()]
    stopped = np.argwhere(parts.fleet.rotors.stopped).tolist()
    if stopped:
        values['stopped_rotors'] = stopped
    return SceneState(arrays, {**values, 'next_id': tracker.next_id, 'contacts': plain_contacts(tracker.contacts),
                               'frozen': frozen, 'late': [plain_event(event) for event in late],
                               'constraints': plain_constraints(book.running), 'next_constraint': book.next_id,
                               'late_constraints': [plain_event(event) for event in book.late]})


def put_state(parts: Parts, state: SceneState) -> None:
    """Make the parts of a scene of the same world what they were.  StateError, with nothing changed, where the state is
    that of another."""
    for name, array in (_arrays(parts) | {'rotors.speed': parts.fleet.rotors.speed}).items():
        found = state.arrays.get(name)
        if found is None or found.dtype != array.dtype or found.shape != array.shape:
            raise StateError(f'{name}: must be {array.dtype} of shape {array.shape}, is '
                             f'{found if found is None else f"{found.dtype} of shape {found.shape}"}')
        if not name.startswith('responses') and not np.isfinite(found).all():
            raise StateError(f'{name}: must be finite numbers')
    if not np.isin(state.arrays['drones.authority'], list(CODES.values())).all():
        found = state.arrays['drones.authority'].tolist()
        raise StateError(f'drones.authority: must be of {CODES}, got {brief(found)}')
    try:
        contacts = contacts_of(state.values['contacts'], parts.table.names)
        frozen = {int(body): int(until) for body, until in state.values['frozen']}
        next_id = int(state.values['next_id'])
        held = constraints_of(state.values['constraints'], parts.table.names)
        late_constraints = list(map(event_of, state.values['late_constraints']))
        next_constraint = int(state.values['next_constraint'])
        stopped = _stopped(state.values.get('stopped_rotors', []), parts.fleet.rotors.stopped)
        _check_values(state.values, frozen, parts)
        arrays = {name.removeprefix(WORLD): array for name, array in state.arrays.items() if name.startswith(WORLD)}
        put_kept_arrays(parts.world, arrays, _names_of(arrays, held))
    except StateError:
        raise
    except (EngineError, LookupError, TypeError, ValueError, OverflowError) as error:
        raise StateError(f'is not the state of this world: {cut(repr(error), MOST_VALUE)}') from error
    for name, array in _arrays(parts).items():
        array[...] = state.arrays[name]
    rotors = parts.fleet.rotors
    rotors.speed = np.array(state.arrays['rotors.speed'])
    rotors.any_started, rotors.stopped[:] = bool(rotors.started.any()), stopped
    parts.tracker.contacts, parts.tracker.next_id, parts.tracker.new_impacts = contacts, next_id, []
    parts.containment.frozen = frozen
    parts.book.running, parts.book.next_id, parts.book.late = held, next_constraint, late_constraints
    for bodies in parts.table.hands.values():
        for body in bodies.tolist():
            parts.world.set_enabled(body, False)
    parts.containment.mark()
    parts.containment.remember_inputs()


def _stopped(pairs: list, like: np.ndarray) -> np.ndarray:
    """Which rotors stand still, (N,R) bool, by pairs of row and rotor.  StateError, LookupError, TypeError, ValueError
    where they are none."""
    stopped = np.zeros_like(like)
    for row, rotor in pairs:
        if not (0 <= row < like.shape[0] and 0 <= rotor < like.shape[1]):
            raise StateError(f'stopped_rotors: must be rows and rotors of {like.shape}, got {brief([row, rotor])}')
        stopped[row, rotor] = True
    return stopped


def _names_of(arrays: dict[str, np.ndarray], held: dict[int, Attached]) -> list[str | None]:
    """Names of the engine's constraints, which are those that the scene has.  StateError."""
    there = constraints_in(arrays['joint_i'])
    if set(there) != set(held) or any(there[k] != held[k].bodies for k in there):
        raise StateError(f'constraints: must be those of joint_i, {brief(there)}, got {brief(sorted(held))}')
    return [held[k].config.name if k in held else None for k in range(len(arrays['joint_i']))]


def _check_values(values: dict[str, Any], frozen: dict[int, int], parts: Parts) -> None:
    """StateError or ValueError where those that are used later are none, or of no body of the scene."""
    for event in map(event_of, (*values['late'], *values['late_constraints'])):
        if not {event.body_a, event.body_b} <= {*parts.table.names}:
            raise StateError(f'late: no such bodies: {brief([event.body_a, event.body_b])}')
        ''.join((event.part_a, event.part_b)).encode()
    numbers = [values['next_id'], values['next_constraint'], *frozen.values(),
               0 if values['now_ns'] is None else values['now_ns']]
    if not all(0 <= body < len(parts.table.names) for body in frozen) or not all(
            abs(n) <= MOST_STAMP for n in map(int, numbers)):
        raise StateError(f'now_ns, next_id, frozen: must be times, an id, bodies, got {brief([*frozen, *numbers])}')


def follow(tracker: EventTracker, state: SceneState, reported: list[ContactEventRecord]) -> list[ContactEventRecord]:
    """What was reported after a state was taken: contacts that have ended since run no more; those that have begun
    since, of which the scene knows nothing, end, with all that was reported of them.  Returns the events that are late,
    those of the state among them.  No id is given twice."""
    late = {event.id: event for event in map(event_of, state.values['late'])}
    running = {contact.id: key for key, contact in tracker.contacts.items()}
    begun: dict[int, list[ContactEventRecord]] = {}
    for event in reported:
        tracker.next_id = max(tracker.next_id, event.id + 1)
        if event.id in late:
            late.pop(event.id)
        elif event.id in running:
            if event.phase is Phase.END:
                del tracker.contacts[running.pop(event.id)]
            else:
                _add(tracker.contacts[running[event.id]], event)
        elif event.phase is Phase.END:
            begun.pop(event.id, None)
        else:
            begun.setdefault(event.id, []).append(event)
    return [*late.values(), *map(_ended, begun.values())]


def _arrays(parts: Parts) -> dict[str, np.ndarray]:
    """The arrays that stay where they are; the engine's and the speeds of rotors are replaced by others."""
    f = parts.fleet
    found = {f'drones.{name}': getattr(f.s, name) for name in CHANGING}
    for what, gate in (('gate', f.gate), ('wrench_gate', f.wrench_gate)):
        found |= {f'{what}.{name}': array for name, array in gate.arrays._asdict().items() if name != 'limits'}
    found |= {f'base.{k}': array for k, array in enumerate(f.base)}
    found['constraints.lasting'] = parts.book.loads.lasting
    found |= {f'responses.{k}': array for k, array in enumerate(parts.responses.arrays)}
    return found | {'rotors.commanded': f.rotors.commanded, 'rotors.started': f.rotors.started}


def _add(contact: Contact, event: ContactEventRecord) -> None:
    """What an event reported of a contact counts in its sums."""
    flip = contact.names > contact.names[::-1]
    turns = (event.delta_omega_b, event.delta_omega_a) if flip else (event.delta_omega_a, event.delta_omega_b)
    impulse = tuple(-x for x in event.impulse) if flip else event.impulse
    contact.sum = contact.sum.plus(Amounts(impulse, *turns, event.energy_lost))
    contact.peak, contact.duration = max(contact.peak, event.peak_force), max(contact.duration, event.duration)


def _ended(events: list[ContactEventRecord]) -> ContactEventRecord:
    """The END of a contact by what was reported of it."""
    first, last = events[0], events[-1]
    values = dict(last.__dict__)
    for name in ('relative_velocity_before', 'relative_velocity_after', 'restitution', 'friction'):
        values[name] = getattr(first, name)
    # in a loop: Python's own sum depends on its version
    for name in ('impulse', 'delta_v_a', 'delta_v_b', 'delta_omega_a', 'delta_omega_b', 'energy_lost'):
        values[name] = getattr(first, name)
        for event in events[1:]:
            more = getattr(event, name)
            values[name] = (values[name] + more if isinstance(more, float) else
                            tuple([x + y for x, y in zip(values[name], more, strict=True)]))
    return ContactEventRecord(**{**values, 'phase': Phase.END})
