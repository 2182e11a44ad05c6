# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Grasp assistance: hands that hold drones and objects by a gesture, as a person with a headset means it.

A pinch by a hand that goes along with a drone, or fingers that close before one that comes, take hold: a `fixed`
constraint between the body and a body of no extent that goes where the palm is tracked, as strong as a hand is and no
stronger.  Meanwhile the hand's parts are out of contact.  The hand opens, leaves, or is pulled away: it lets go, with
the velocity that it had as it began to open.  A hand that strikes makes no such gesture.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from ... import rotations as rot
from ...codec.message_fields import NANOSECONDS
from ...codec.motion_columns import OMEGA, POS, QUAT, VEL
from ...engine.maths.matrices import dots
from ..bodies import DRONE, OBJECT, BodyTable
from ..drones.authority import SIMULATE
from ..drones.drones import Fleet
from ..errors import ConstraintError
from ..hands.gestures import FIST, PINCH, Gestures
from ..hands.hand_set import HandSet
from ..hands.hands import BOX, Hand
from ..records import ConstraintPhase, Ledger, Verdict
from ..world_files.world_types import ConstraintConfig, SceneParams
from .constraint_book import ConstraintBook

# m from a finger of a pinch, and from the palm of a hand that closes, to what it holds
PINCH_REACH, FIST_REACH = 0.04, 0.08
# m/s between hand and body: slower a pinch takes hold, and a hand that closes
PINCH_SPEED, FIST_SPEED = 0.3, 2.5
# m, m/s: what comes faster than this has to be so near first
TOUCH, COMES = 0.015, 0.3
# m of the lever with which the force of a hand is its torque: 8 N m of 80 N, what a wrist can do
LEVER = 0.1
# s, of the filter of what holds, and in which it gets there
SMOOTHED, APPROACH = 0.08, 0.08
# m/s, rad/s: a hand that opens more slowly is at rest, or does not turn, within the noise of its tracker
AT_REST, AT_REST_TURNING = 0.2, 1.0
# s after which a hand that let go may take hold again: fingers that stop overshoot
PAUSE = 0.5

__all__ = ['Grasps']


@dataclass
class Grasp:
    """What a hand does: gestures; name of the constraint with which it holds `body`, by which gesture; place (3,) m of
    that in the palm; pause: s until the next; track: of what holds it."""

    gestures: Gestures = field(default_factory=Gestures)
    name: str = ''
    body: int = -1
    by: str = ''
    place: np.ndarray = field(default_factory=lambda: np.zeros(3))
    pause: float = 0.0
    track: Follower | None = None


class Follower:
    """What holds a body follows the palm without its noise, which would shake off what is heavy: a critically damped
    g-h filter of places and turns, approached within APPROACH s.  Even motion is followed without lag."""

    def __init__(self, palm: np.ndarray) -> None:
        self._seen, self._held = palm[:VEL].copy(), palm[:VEL].copy()
        self._speed, self._rate = palm[VEL:OMEGA].copy(), np.zeros(3)

    def pose(self) -> np.ndarray:
        """Place (3,) m and orientation (4,) wxyz at the end of the last `move`, and no speeds (13,)."""
        return np.concatenate([self._held, np.zeros(6)])

    def move(self, palm: np.ndarray | None, h: float) -> np.ndarray:
        """Motion (13,) for h s after the palm was there; None: it could not be placed, and is taken to go on."""
        kept = SMOOTHED / (SMOOTHED + h)
        gain, gain_of_speed = 1.0 - kept * kept, (1.0 - kept) * (1.0 - kept) / h
        if palm is not None:
            off, turned = palm[POS:QUAT] - self._seen[:QUAT], rot.difference(palm[QUAT:VEL], self._seen[QUAT:])
            self._speed, self._rate = self._speed + gain_of_speed * off, self._rate + gain_of_speed * turned
            self._seen[:QUAT] += gain * off
            self._seen[QUAT:] = rot.multiply(rot.from_vector(gain * turned), self._seen[QUAT:])
        v = self._speed + (self._seen[:QUAT] - self._held[:QUAT]) / APPROACH
        w = self._rate + rot.difference(self._seen[QUAT:], self._held[QUAT:]) / APPROACH
        motion = np.concatenate([self._held, v, w])
        for pose, speed, rate in ((self._seen, self._speed, self._rate), (self._held, v, w)):
            pose[:QUAT] += h * speed
            pose[QUAT:] = rot.normalise(rot.multiply(rot.from_vector(h * rate), pose[QUAT:]))
        return motion


class Grasps:
    """Of the hands of a scene that have it.  grips: name of the hand to the engine's body that goes with its palm."""

    def __init__(self, hands: HandSet, world, table: BodyTable, fleet: Fleet, params: SceneParams,
                 book: ConstraintBook, ledger: Ledger) -> None:
        self._hands, self._world, self._table, self._fleet = hands, world, table, fleet
        self._book, self._params, self._ledger = book, params, ledger
        self._of: dict[str, Grasp] = {}
        self.follow()

    def follow(self) -> None:
        """Hands have come or left; none of these holds anything."""
        self._of = {name: self._of.get(name) or Grasp() for name in self._table.grips}
        self._owners = set(self._table.grips.values())

    def __bool__(self) -> bool:
        return bool(self._of)

    def move(self, t0_ns: int, t1_ns: int) -> None:
        """After the hands: take hold, let go, and take the grips to where the palms are."""
        h = (t1_ns - t0_ns) / NANOSECONDS
        self._let_strangers_go(t0_ns)
        for name, grasp in self._of.items():
            hand, grip = self._hands[name], self._table.grips[name]
            if not hand.tracking.placed.any():
                self._leave(grasp, hand, t0_ns)
                continue
            if hand.palm is not None:
                grasp.gestures.look(hand.tracking.layout, hand.tracking.joints, hand.tracking.sample, h)
                if grasp.name:
                    self._hold_on(grasp, hand, t0_ns)
                elif grasp.pause > 0.0:
                    grasp.pause -= h
                else:
                    self._take_hold(grasp, hand, t0_ns, h)
            if grasp.name:
                motion = grasp.track.move(hand.palm, h)
                hand.palm_after = grasp.track.pose()
                self._hands.moves.append((np.array([grip]), motion[None]))

    def _let_strangers_go(self, now_ns: int) -> None:
        """What a hand held in a state that was restored, or an engine that was reset, it holds no longer."""
        held = {grasp.name for grasp in self._of.values()}
        for attached in list(self._book.running.values()):
            if attached.bodies[0] in self._owners and attached.config.name not in held:
                self._book.detach(attached.config.name, now_ns, ConstraintPhase.RELEASED)
        there = set(self._book.names)
        for name, grasp in self._of.items():
            if grasp.name and grasp.name not in there:
                self._forget(grasp, self._hands[name])

    def _leave(self, grasp: Grasp, hand: Hand, now_ns: int) -> None:
        """The hand is not there."""
        if grasp.name:
            self._let_go(grasp, hand, now_ns, False)
        grasp.gestures.clear()

    # -- taking hold

    def _take_hold(self, grasp: Grasp, hand: Hand, now_ns: int, h: float) -> None:
        made = [gesture for gesture in (FIST, PINCH) if grasp.gestures.is_made(gesture)]
        if not made or not hand.shown[BOX]:
            return
        for gesture in made:
            body = self._found(grasp, hand, gesture, h)
            if body >= 0:
                self._attach(grasp, hand, body, gesture, now_ns)
                return

    def _found(self, grasp: Grasp, hand: Hand, gesture: str, h: float) -> int:
        """The body that a gesture takes hold of; -1: there is none."""
        slots = [BOX] if gesture == FIST else hand.slots_of('thumb_tip', 'index_tip')
        reach, speed = (FIST_REACH, FIST_SPEED) if gesture == FIST else (PINCH_REACH, PINCH_SPEED)
        slots = [slot for slot in slots if hand.shown[slot]]
        if not slots:
            return -1
        gaps, others = self._world.nearest(hand.bodies[slots], reach)
        k = int(np.argmin(gaps))
        body = int(others[k])
        if not gaps[k] <= reach or self._table.kinds[body] not in (DRONE, OBJECT):
            return -1
        motion, palm = self._world.motions([body])[0], hand.palm
        away = motion[POS:QUAT] - palm[POS:QUAT]
        coming = palm[VEL:OMEGA] + rot.cross(palm[OMEGA:], away) - motion[VEL:OMEGA]
        if float(rot.norm(coming)) > speed:
            return -1
        if gesture == FIST:
            side = hand.palm_side()
            if not float(dots(side, away)) > 0.0:
                return -1
            closing = float(dots(side, coming))
            gap = min(float(gaps[k]), self._least_gap(hand, body, reach))
            if closing > COMES and gap > TOUCH + closing * h:
                return -1
        return body

    def _least_gap(self, hand: Hand, body: int, reach: float) -> float:
        """m from the hand's parts to a body; inf beyond reach."""
        gaps, others = self._world.nearest(hand.bodies[hand.shown], reach)
        return float(gaps[others == body].min(initial=math.inf))

    def _attach(self, grasp: Grasp, hand: Hand, body: int, gesture: str, now_ns: int) -> None:
        grip, force = self._table.grips[hand.name], self._params.hand_max_force
        name = f'grasp_{hand.name}'
        config = ConstraintConfig(name, 'fixed', hand.name, self._table.names[body], max_force=force,
                                  max_torque=LEVER * force)
        self._world.set_motions([grip], hand.palm[None])
        self._world.set_enabled(grip, True)
        try:
            self._book.attach(config, (grip, body), ('palm', ''), now_ns, ConstraintPhase.GRASPED)
        except ConstraintError as error:
            self._world.set_enabled(grip, False)
            self._ledger.note(Verdict.FAILED, hand.name, str(error)[:200])
            grasp.gestures.ages[gesture] = math.inf
            return
        grasp.track = Follower(hand.palm)
        hand.take_hold(self._world)
        self._hands.drop(hand)
        grasp.name, grasp.body, grasp.by = name, body, gesture
        grasp.place = self._place(grasp, hand.palm)
        grasp.gestures.hold()

    # -- letting go

    def _place(self, grasp: Grasp, palm: np.ndarray) -> np.ndarray:
        """Of what is held, in the axes of the palm, m."""
        return rot.rotate_inverse(palm[QUAT:VEL], self._world.pos[grasp.body] - palm[POS:QUAT])

    def _hold_on(self, grasp: Grasp, hand: Hand, now_ns: int) -> None:
        if grasp.by == PINCH and grasp.gestures.is_closing:     # tips that meet on the way to a fist
            grasp.by = FIST
        opened = grasp.gestures.opened(grasp.by)
        slipped = float(rot.norm(self._place(grasp, grasp.track.pose()) - grasp.place))
        if opened or slipped > self._params.hand_pass_distance:
            self._let_go(grasp, hand, now_ns, opened)

    def _let_go(self, grasp: Grasp, hand: Hand, now_ns: int, opened: bool) -> None:
        self._book.detach(grasp.name, now_ns, ConstraintPhase.RELEASED)
        moves = False
        if opened and self._is_free(grasp.body):
            seen = hand.way.before_opening(grasp.by)
            at_ns, speed, rate = seen or (now_ns, hand.palm[VEL:OMEGA], hand.palm[OMEGA:])
            motion = self._world.motions([grasp.body])
            # as it is held: a track takes fingers that open for a palm that moves
            away = rot.rotate(grasp.track.pose()[QUAT:VEL], grasp.place)
            if float(rot.norm(rate)) < AT_REST_TURNING:
                rate = np.zeros(3)
            # a hand that goes round has gone on since
            speed = rot.rotate(rot.from_vector(rate * ((now_ns - at_ns) / NANOSECONDS)), speed)
            v = speed + rot.cross(rate, away)
            moves = float(rot.norm(v)) > AT_REST
            motion[0, VEL:OMEGA], motion[0, OMEGA:] = (v, rate) if moves else (0.0, 0.0)
            self._world.set_motions([grasp.body], motion)
        self._forget(grasp, hand, moves)

    def _is_free(self, body: int) -> bool:
        """Whether a body that was let go moves by itself: no drone with a plan or a simulator of its own, nothing that
        something else holds."""
        row = int(self._table.drone_row[body])
        held = any(body in c.bodies for c in self._book.running.values())
        return not held and (row < 0 or int(self._fleet.authority[row]) == SIMULATE)

    def _forget(self, grasp: Grasp, hand: Hand, thrown: bool = False) -> None:
        grasp.name, grasp.body, grasp.by, grasp.pause = '', -1, '', PAUSE
        grasp.gestures.ages = {PINCH: math.inf, FIST: math.inf}
        self._world.set_enabled(self._table.grips[hand.name], False)
        hand.let_go(thrown)
