# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""CollisionScene: drones, hands, walls and objects over one engine world, driven by stamped inputs and advance().

    scene = CollisionScene.from_yaml('room.yaml')
    scene.feed_drone('d0', stamp_ns, position, orientation_xyzw)
    tick = scene.advance(stamp_ns)          # tick.states, tick.events

The node and the replay tool drive this same object.  Equal calls give equal bits.  Scene time starts at the first
advance() and is that stamp plus a whole number of engine steps; no other clock exists here.
"""
from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..codec.message_fields import NANOSECONDS
from .attaching import AttachingScene
from .bodies import HAND, build, shape_frame
from .buried import BuriedDrones
from .constraints.constraint_book import ConstraintBook
from .constraints.constraint_loads import LoadsOnDrones
from .constraints.grasps import Grasps
from .containment import Containment
from .drones.authority import CODES, OBSERVE
from .drones.drones import Fleet
from .drones.rows import MOST_STAMP
from .drones.stepper import DroneStepper
from .errors import SpawnError, StateError
from .events.events import EventTracker
from .events.observed_contacts import ObservedContacts
from .fed_scene import FedScene
from .hands.hand_set import HandSet
from .observed_drones.impacts import ImpactReporter
from .observed_drones.responses import Responses
from .places import with_places
from .present_world import at_present
from .records import (
    ConstraintEventRecord,
    ContactEventRecord,
    EventRecord,
    ImpactRecord,
    Ledger,
    Proximity,
    RotorStop,
    Tick,
    Touch,
    Vec,
    Verdict,
)
from .saved_states.scene_state import Awaited, Parts, SceneState, follow, put_state, take_state
from .sensing.imu import Imus
from .sensing.rotor_strikes import RotorStrikes
from .spawning import SpawningScene
from .state_setting import StateSettingScene
from .world_files import world_file
from .world_files.world_types import WallConfig, WorldConfig
from .world_files.world_writer import write

# engine steps between two looks at the inputs: bounds the time over which forces are held constant
STEPS_PER_CALL = 10
# s: a stamp of advance() this far back is a reset clock, not a late timer
CLOCK_RESET = 0.5


class CollisionScene(FedScene, AttachingScene, SpawningScene, StateSettingScene):
    """A scene; see the module.  Feeding never raises for bad data: it returns a Verdict and counts it in `counters`."""

    def __init__(self, config: WorldConfig):
        self.config = config
        self.params = config.scene
        self._ledger = Ledger()
        whole = with_places(config)
        self.world, self._table = build(whole)
        self._find_places(whole)
        self._start, self._start_lacks = self.world.save(), set()
        self._fleet = Fleet(whole, self._ledger)
        self._stepper = DroneStepper(whole, self._fleet, self.world, self._table.drones)
        self._hands = HandSet(whole.hands, self._hand_bodies, self._hand_grips, self.params, config.gravity,
                              self.world, self._ledger)
        self._responses = Responses(self._table, self._fleet, self.params.teleport_bound)
        self._led = ObservedContacts(self.world, self._table, self._responses, self._ledger)
        self._tracker = EventTracker(self._table, self.params, config.dt, self._part_name, self._led)
        loads = LoadsOnDrones(self.world, self._table, self._fleet, self._responses, self._ledger)
        self._book = ConstraintBook(self.world, self._table, self.params, config.dt, loads)
        self._book.begin(config.constraints, None)
        self._grasps = Grasps(self._hands, self.world, self._table, self._fleet, self.params, self._book, self._ledger)
        self._told_constraints: list[ConstraintEventRecord] = []
        self._reporter: ImpactReporter | None = None
        self._impacts: list[ImpactRecord] = []
        self._imus: Imus | None = None
        self._strikes = RotorStrikes(whole.drones, self._table, self._fleet, self._tracker.persist_ns, self._ledger)
        self._rotor_stops: list[RotorStop] = []
        self._dt_ns = round(config.dt * NANOSECONDS)
        self._now_ns: int | None = None
        self._enabled = True
        bodies = len(self._table.names)
        self._no_bodies, self._no_kicks = np.zeros(bodies, dtype=bool), (np.zeros((bodies, 3)), np.zeros((bodies, 3)))
        self._containment = Containment(self.world, self._table, self._fleet, self._tracker, self._book, self._ledger,
                                        self._hands.send_away)
        self._cuts = 0      # what the engine had held within its limits when it was last asked
        self._buried = BuriedDrones(replace(config, drones=whole.drones), self.world, self._table.drones, self._ledger)
        self._parts = Parts(self.world, self._table, self._fleet, self._tracker, self._responses, self._containment,
                            self._book)
        self._late: list[ContactEventRecord] = []    # events that are reported with the next tick
        self._find_observed()
        self._proximity()   # the first question compiles: not in the first tick

    @classmethod
    def from_config(cls, config: WorldConfig, **overrides) -> CollisionScene:
        """A scene of a world; overrides replace scene parameters (SceneParams)."""
        return cls(world_file.with_overrides(config, **overrides) if overrides else config)

    @classmethod
    def from_yaml(cls, path: str | Path, **overrides) -> CollisionScene:
        """A scene of a world file.  Raises WorldFileError with file, key path and value."""
        return cls.from_config(world_file.load(path), **overrides)

    # -- what it is

    @property
    def drone_names(self) -> tuple[str, ...]:
        """Names of the drones, in the order of all fleet arrays; '' for a place that is free."""
        return self._fleet.names

    @property
    def drone_index(self) -> dict[str, int]:
        """Rows of the drones in all fleet arrays, by name; it changes when drones come or leave."""
        return self._fleet.index

    @property
    def walls(self) -> tuple[WallConfig, ...]:
        """The walls, for viewers."""
        return self.config.walls

    def object_pose(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Where the frame of an object's shape is now: position (3,) m and orientation (4,) wxyz in the world."""
        return shape_frame(self.world, self._table.objects[name])

    @property
    def counters(self) -> dict[tuple[str, str], int]:
        """Inputs not plainly accepted, by (verdict, name), in order of first occurrence."""
        return self._ledger.counters

    @property
    def last_rejected(self) -> dict[tuple[str, str], str]:
        """The last value behind each counter."""
        return self._ledger.last

    @property
    def now_ns(self) -> int | None:
        """Scene time, ns; None before the first advance."""
        return self._now_ns

    def clearances(self, limit: float, rows: np.ndarray | None = None) -> Proximity:
        """The nearest body within `limit` m of every drone, or of those at rows (K,), now."""
        rows = np.arange(self._fleet.n) if rows is None else rows
        clearances, others = self.world.nearest(self._table.drones[rows], limit)
        on = self._fleet.s.enabled[rows].astype(bool)
        names = self._table.names
        return Proximity(np.where(on, clearances, np.inf),
                         tuple(names[k] if k >= 0 and here else '' for k, here in zip(others, on, strict=True)))

    def sample_stamps(self) -> np.ndarray:
        """Stamps (N,) int64 ns of the newest samples taken; -1 for drones that have none."""
        return np.where(self._fleet.gate.known, self._fleet.gate.newest, -1)

    def present(self) -> np.ndarray:
        """Which drones take part, (N,) bool: not those without inputs, or whose last is too old."""
        return self._fleet.s.enabled.copy()

    def authorities(self) -> np.ndarray:
        """Who owns each drone's motion, (N,): codes of authority.CODES."""
        return self._fleet.authority.copy()

    # -- control

    def set_authority(self, name: str, authority: str) -> None:
        """'observe', 'correct' or 'simulate' for one drone, from the next step on; its body stays where it is.
        ValueError otherwise."""
        if authority not in CODES or name not in self._fleet.index:
            known = f'a drone ({", ".join(self._fleet.names)}) and one of {", ".join(CODES)}'
            raise ValueError(f'set_authority({name!r}, {authority!r}): must name {known}')
        row = self._fleet.index[name]
        self._stepper.switch(row, CODES[authority], self._now_ns or 0)
        self._responses.clear(row)
        self._find_observed()
        self._tracker.watch(self._observed, int(self._table.drones[row]))

    def report_impacts(self, names: Sequence[str]) -> None:
        """From now on ticks have the impacts of these drones, one for every new contact and, of observed drones, for
        every renewed impulse; of solvers with impacts."""
        watched = np.zeros(len(self._table.names), dtype=bool)
        watched[self._table.drones[[self._fleet.index[name] for name in names]]] = True
        self._reporter = ImpactReporter(self.world, self._table, watched) if watched.any() else None

    tell_impacts = report_impacts    # its name in 0.1.0

    def watch_imus(self, places: Mapping[str, Vec]) -> None:
        """From now on ticks have what the IMUs of these drones measure, which are at places (3,) m in base_link.
        Those that were watched before go on.  ValueError names what is wrong."""
        profile, before = self.config.contact and self.config.contact.profile, self._imus
        self._imus = (Imus(self.world, self._table, self._fleet, self._responses, places, profile) if places
                      else None)
        if self._imus is not None and before is not None:
            self._imus.follow(before)

    def touches(self, since_ns: int) -> list[Touch]:
        """The contacts with a touch after a time, ns, in order of their beginning."""
        return self._tracker.touches(since_ns)

    def set_enabled(self, enabled: bool) -> None:
        """Off: the engine rests, nothing collides, references pass through.  On again: every drone starts afresh."""
        if enabled and not self._enabled:
            self._stepper.clear()
        self._enabled = bool(enabled)

    def reset(self) -> None:
        """Objects and constraints back to their start; drones and hands as before their first sample.  Scene time,
        counters and event ids go on."""
        self._book.finish(self._now_ns)
        self._bring_start_up_to_date()
        self.world.restore(self._start)
        self._enable_places()
        self._book.begin(self.config.constraints, self._now_ns)
        self._containment.clear()
        self._fleet.clear()
        self._stepper.clear()
        self._buried.clear()
        self.release_hands()
        self._tracker.clear()
        self._responses.clear()
        self._forget_motion()
        self._late = []

    def save_world(self) -> str:
        """The world as a YAML file, with drones and objects where they are now."""
        f, held = self._fleet, [c.config for c in self._book.running.values()]
        return write(at_present(self.config, self._stepper.shown, f.authority, f.index, self.world,
                                self._table.objects, held))

    def saved(self) -> SceneState:
        """All that the future depends on, but for hands; between two ticks.  Scene time, events and ids are in it."""
        places = self.occupied()
        more = {'places': places} if places else {}
        return take_state(self._parts, self._late, now_ns=self._now_ns, enabled=self._enabled, **more)

    def restore(self, state: SceneState, reported: Sequence[EventRecord] = ()) -> Awaited:
        """Go on from a state of an equal scene, exact to the bit; hands leave, as by `release_hands`.  reported: events
        after it, whose contacts do not begin, or end, once more; those that nothing is known of end in the next tick.
        Returns whom to wait for.  StateError, with nothing changed, where it is of another scene."""
        before = self.occupied()
        try:
            self.occupy(state.values.get('places', []))
            put_state(self._parts, state)
        except (SpawnError, StateError, TypeError, ValueError) as error:
            self.occupy(before)
            raise error if isinstance(error, StateError) else StateError(str(error)) from error
        self.release_hands()
        now, self._enabled = state.values['now_ns'], bool(state.values['enabled'])
        self._now_ns = None if now is None else int(now)
        self._cuts, self._impacts, self._rotor_stops = self.world.cuts, [], []
        self._forget_motion()
        self._find_observed()
        self._late = follow(self._tracker, state, [e for e in reported if isinstance(e, ContactEventRecord)])
        self._book.follow([e for e in reported if isinstance(e, ConstraintEventRecord)])
        return Awaited(self._parts, self._now_ns)

    def state_hash(self) -> str:
        """Digest of everything that the future depends on except stored inputs; equal runs give equal digests."""
        digest, s = hashlib.sha256(self.world.state_hash().encode()), self._fleet.s
        for array in (s.shown, s.offset, s.enabled):
            digest.update(array.tobytes())
        digest.update(f'{self._now_ns} {self._tracker.next_id}'.encode())
        if self._any_observed:
            for array in self._responses.arrays:
                digest.update(array.tobytes())
        if self._containment.frozen:
            digest.update(repr(self._containment.frozen).encode())
        if self._fleet.rotors.stopped.any():
            digest.update(self._fleet.rotors.stopped.tobytes())
        if self._book.next_id > 1:
            digest.update(repr((self._book.next_id, self._book.running)).encode())
        return digest.hexdigest()

    # -- time

    def advance(self, stamp_ns: int) -> Tick:
        """Run the engine steps due up to stamp_ns.  The first call sets the scene's time and runs none.  At most
        `max_steps` run; the rest are dropped, and reported as overrun_steps.  A stamp back by more than CLOCK_RESET
        starts the scene's time anew."""
        stamp_ns, events, run, dropped = self._sane(stamp_ns, 'advance'), [], 0, 0
        if self._now_ns is None or self._now_ns - stamp_ns > CLOCK_RESET * NANOSECONDS:
            self._set_clock(stamp_ns, events)
        else:
            due = max(0, (stamp_ns - self._now_ns) // self._dt_ns)
            run = min(due, self.params.max_steps)
            dropped = due - run
            # what is dropped is dropped first: the scene ends at the present
            self._now_ns += dropped * self._dt_ns
            for first in range(0, run, STEPS_PER_CALL):
                events += self._run(min(STEPS_PER_CALL, run - first))
        return self._tick(run, dropped, events)

    def hold(self, stamp_ns: int) -> Tick:
        """Let time go on to stamp_ns, by whole engine steps, while nothing moves: the next advance() runs from there.
        Inputs are taken as ever."""
        stamp_ns, events = self._sane(stamp_ns, 'hold'), []
        if self._now_ns is None or self._now_ns - stamp_ns > CLOCK_RESET * NANOSECONDS:
            self._set_clock(stamp_ns, events)
        else:
            self._now_ns += max(0, (stamp_ns - self._now_ns) // self._dt_ns) * self._dt_ns
        return self._tick(0, 0, events)

    def _sane(self, stamp_ns: int, what: str) -> int:
        """The stamp; one beyond MOST_STAMP is counted, and time stands still."""
        stamp_ns = int(stamp_ns)
        if abs(stamp_ns) <= MOST_STAMP:
            return stamp_ns
        self._ledger.note(Verdict.OUT_OF_RANGE, what, f'stamp {stamp_ns} ns')
        return max(-MOST_STAMP, min(stamp_ns, MOST_STAMP)) if self._now_ns is None else self._now_ns

    def release_hands(self) -> None:
        """Hands leave, and come in again where their next samples are: after a hold they would strike whatever lies on
        the way to where they are by now."""
        self._hands.leave()

    def _tick(self, run: int, dropped: int, events: list[ContactEventRecord]) -> Tick:
        touching = self._tracker.touching() if self._tracker.contacts else self._no_bodies
        hands = self._hands.bones() if self._hands else ()
        impacts, self._impacts = tuple(self._impacts), []
        if self._late:
            events, self._late = self._late + events, []
        constraint_events, loads = (), None
        if self._book.is_used:
            constraint_events, self._book.late, self._told_constraints = (
                (*self._book.late, *self._told_constraints), [], [])
            loads = self._book.loads.take(run * self._dt_ns / NANOSECONDS)
        self._buried.look(self._fleet.s.enabled)
        states = self._stepper.export_states(touching)
        self._containment.remember_inputs()
        imus = () if self._imus is None else self._imus.take(self._fleet.s.shown, loads, self._now_ns)
        stops, self._rotor_stops = tuple(self._rotor_stops), []
        return Tick(self._now_ns, run, dropped, states, tuple(events), hands, self._proximity(), impacts,
                    constraint_events, loads, imus, stops)

    def _forget_motion(self) -> None:
        """What was before has nothing to do with what follows."""
        if self._imus is not None:
            self._imus.clear()

    def _set_clock(self, stamp_ns: int, events: list[ContactEventRecord]) -> None:
        """Start, or start anew after the clock was set back."""
        if self._now_ns is not None:
            self._ledger.note(Verdict.STAMP_BACKWARDS, 'advance', f'{self._now_ns} -> {stamp_ns} ns')
            events += self._tracker.finish(stamp_ns)
            self._fleet.forget()
            self._containment.thaw(math.inf)
            self._stepper.clear()
            self._responses.clear()
            self._forget_motion()
            self._hands.forget()
        self._book.start(stamp_ns)
        self._now_ns = stamp_ns

    def _run(self, steps: int) -> list[ContactEventRecord]:
        """One engine call."""
        t0, t1 = self._now_ns, self._now_ns + steps * self._dt_ns
        if self._containment.frozen:
            self._containment.thaw(t0)
        if self._hands:
            self._hands.move(t0, t1)
        if self._grasps:
            self._grasps.move(t0, t1)
        self._containment.mark()
        try:
            events = self._attempt(t0, t1, steps)
        except Exception as error:
            events = self._containment.recover(error, lambda: self._attempt(t0, t1, steps), t0)
            if events is None:
                events = []
                self.release_hands()
                self._stepper.post_step(t1, self._no_bodies, *self._no_kicks)
                self._forget_motion()
        if self._imus is not None:
            self._imus.keep()
        self._now_ns = t1
        return events

    def _attempt(self, t0: int, t1: int, steps: int) -> list[ContactEventRecord]:
        """One engine call; where it raises, what it has changed is taken back by who calls."""
        observed, impacts, rows = self._observed, [], None
        moves = self._hands.moves
        if self._imus is not None:
            self._imus.look()
        own = self._stepper.pre_step(t0, t1, alone=not moves)
        if moves or len(own[0]):
            self._place([*moves, own], observed)
        if self._imus is not None:
            self._imus.put(t1)
        events, constraint_events, touched, (kick_v, kick_w) = [], [], self._no_bodies, self._no_kicks
        if self._any_observed:
            self._led.look(self._tracker.contacts.values(), observed, t0)
        if self._enabled:
            if self._reporter is not None:
                self._reporter.look()
            self.world.step(steps)
            if self._book.is_used:
                self.world.require_poses()  # a tangle of constraints can end anywhere, in the last step too
            if self.world.log_rows or self._tracker.contacts:
                rows = self.world.contact_log()
                events, kick_v, kick_w = self._tracker.process(rows, t0, steps, observed)
                if self._reporter is not None and self._tracker.new_impacts:
                    impacts = self._reporter.report(rows, self._tracker.new_impacts, t0, self._led.predicted)
                touched = np.zeros(len(observed), dtype=bool)
                touched[rows['body_a']] = touched[rows['body_b']] = True
            if self._imus is not None:
                self._imus.felt((t1 - t0) / NANOSECONDS, rows, (kick_v, kick_w))
            if self._book.is_used:
                constraint_events, touched, kick_v = self._process_constraints(t0, t1, steps, touched, kick_v)
        else:
            events = self._tracker.finish(t1)
            self._fleet.s.offset[:] = 0.0
        self._stepper.post_step(t1, touched, kick_v, kick_w)
        self._impacts += impacts
        if self._strikes.is_used and self._tracker.contacts:
            self._rotor_stops += self._strikes.look(self._tracker.contacts, t0, t1)
        self._told_constraints += constraint_events
        if self.world.cuts != self._cuts:
            self._note_limited()
        return events

    def _process_constraints(self, t0: int, t1: int, steps: int, touched: np.ndarray, kick_v: np.ndarray) -> tuple:
        """After a call: events of constraints; touched (B,) with those that they held, kick_v (B,3) with what observed
        drones are told."""
        events = self._book.process(t0, steps)
        kick_v = kick_v.copy()
        for body, change in self._book.loads.add((t1 - t0) / NANOSECONDS, t1):
            kick_v[body] += change
        return events, touched | self._book.held, kick_v

    def _note_limited(self) -> None:
        """Count the bodies that the engine held within its limits, and flag those that are drones."""
        self._cuts = self.world.cuts
        for body, (speed, rate, place) in zip(*self.world.limited(), strict=True):
            row = self._table.drone_row[body]
            if row >= 0:
                self._fleet.s.limited[row] = True
            values = ((speed, 'm/s'), (rate, 'rad/s'), (place, 'm'))
            what = ', '.join(f'{x:.6g} {unit}' for x, unit in values if x > 0.0)
            self._ledger.note(Verdict.LIMITED, self._table.names[body], f'held within its limits: {what}')

    def _find_observed(self) -> None:
        """(B,) bool: bodies of drones whose motion is their simulator's."""
        self._observed = np.zeros(len(self._table.names), dtype=bool)
        self._observed[self._table.drones] = self._fleet.authority == OBSERVE
        self._any_observed = bool(self._observed.any())

    def _proximity(self) -> Proximity | None:
        """Clearances of all drones where they are."""
        return self.clearances(self.params.proximity) if self.params.proximity else None

    def _place(self, moves: list[tuple[np.ndarray, np.ndarray]], observed: np.ndarray) -> None:
        """Put bodies (K,) at motions (K,13), all in one call of the engine.

        The motion of an observed drone (B,) bool has in it what its simulator made of our impulses: the engine owes it
        nothing more of an impact over time.
        """
        moves = [move for move in moves if len(move[0])]
        if moves:
            bodies, motions = zip(*moves, strict=True)
            index = np.concatenate(bodies)
            self.world.set_motions(index, np.concatenate(motions), keep_impacts=~observed[index])

    def _part_name(self, body: int, part: int) -> str:
        if self._table.kinds[body] == HAND:
            return self._hands.part(body)
        return self._table.parts[body][part]
