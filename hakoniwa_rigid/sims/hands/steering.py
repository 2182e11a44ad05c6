# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A hand steered by keys or a mouse: an open palm that follows a goal with bounded speed.

Terminals report keys that go down, and repeat them while they are held; that a key came up they do not tell. So a key
moves the goal by a step, and the hand follows its goal as a critically damped oscillator whose speed is clamped:
a'' = w^2 (goal - a) - 2 w a', in steps of at most 1/240 s. It never overshoots, and keys never put the goal farther
ahead than the way on which the hand can stop. A stroke (and the way back) is a raised cosine on top, out of the palm.
"""
from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene.hands.hand_layouts import FALLBACK_RADII
from hakoniwa_rigid.sims.hands.figure import PALM_CENTRE, WEBXR_NAMES, attitude, hand_pose
from hakoniwa_rigid.sims.hands.moves import RELAXED, UP
from hakoniwa_rigid.sims.hands.sample import HandSample, SourceEnded
from hakoniwa_rigid.sims.hands.terminal import Mouse, Terminal

QUICKNESS = 10.0          # rad/s, w: a step is half done in 0.17 s
STEP = 1.0 / 240.0        # s, at most; w STEP = 0.04 keeps the integration far from its limit of stability
REPEATS = 20.0            # 1/s; steps of this rate keep up with the largest speed (terminals repeat at 25 to 40)
STROKE = 0.35             # m, length of a stroke
TURN_TIME = 0.8           # s, from palm ahead to palm up
LONGEST = 0.1             # s; what a pause of the process beyond this took is not made up for
# m, width and height that the whole terminal window means to the mouse, and a notch of its wheel ahead or back
WINDOW = (1.6, 1.0)
NOTCH = 0.05
HELP = ('w s ahead, back; a d left, right; r f up, down (arrows too); space strikes; p turns the palm up and back; '
        'q quits')
MOUSE_HELP = 'the mouse moves it left, right, up and down, its wheel ahead and back; a click strikes; ' + HELP
# ahead, left, up
MOVES = {'w': (1, 0, 0), 'up': (1, 0, 0), 's': (-1, 0, 0), 'down': (-1, 0, 0), 'a': (0, 1, 0), 'left': (0, 1, 0),
         'd': (0, -1, 0), 'right': (0, -1, 0), 'r': (0, 0, 1), 'f': (0, 0, -1)}


class SteeredHand:
    """The hand's state; all in axes ahead, left, up of the one who steers, until ``pose``."""

    def __init__(self, position=(0.0, 0.0, 1.2), yaw: float = 0.0, speed: float = 0.6, strike_speed: float = 1.5,
                 side: str = 'right') -> None:
        """``position`` of the palm (m, world), ``yaw`` of what is ahead (rad), the largest speeds of steering and of
        strokes (m/s)."""
        self.home, self.turn = np.asarray(position, dtype=float), Rotation.from_euler('Z', yaw)
        self.speed, self.strike_speed = speed, strike_speed
        self.joints, self.rotations = hand_pose(RELAXED, side)
        self.goal, self.place, self.velocity = np.zeros(3), np.zeros(3), np.zeros(3)
        self.stroke_time = np.pi * STROKE / strike_speed
        self.stroke = self.stroke_time    # s since it began; no stroke from stroke_time on
        self.palm_up, self.raised = False, 0.0

    def press(self, key: str) -> None:
        """A key went down, or repeats itself; keys without a meaning are ignored."""
        if key in MOVES:
            goal = self.goal + self.speed / REPEATS * np.array(MOVES[key])
            ahead = goal - self.place
            # at full speed the oscillator brakes from 2 v / w on; on top the way from one repetition to the next
            most = self.speed * (2.0 / QUICKNESS + 1.0 / REPEATS)
            self.goal = self.place + ahead * min(1.0, most / max(np.linalg.norm(ahead), 1e-9))
        elif key == ' ' and self.stroke >= self.stroke_time:
            self.stroke = 0.0
        elif key == 'p':
            self.palm_up = not self.palm_up

    def point(self, mouse: Mouse) -> None:
        """The mouse moved, turned its wheel or clicked."""
        self.goal[1:] = (0.5 - mouse.x) * WINDOW[0], (0.5 - mouse.y) * WINDOW[1]
        self.goal[0] += NOTCH * mouse.wheel
        if mouse.pressed:
            self.press(' ')

    def step(self, time: float) -> None:
        """Let ``time`` s pass."""
        time = min(time, LONGEST)
        count = max(1, math.ceil(time / STEP))
        h = time / count
        for _ in range(count):
            pull = QUICKNESS**2 * (self.goal - self.place) - 2.0 * QUICKNESS * self.velocity
            self.velocity = self.velocity + h * pull
            self.velocity *= min(1.0, self.speed / max(np.linalg.norm(self.velocity), 1e-9))
            self.place = self.place + h * self.velocity
        self.stroke = min(self.stroke + time, self.stroke_time)
        wanted = time / TURN_TIME if self.palm_up else -time / TURN_TIME
        self.raised = min(max(self.raised + wanted, 0.0), 1.0)

    def pose(self) -> tuple[np.ndarray, np.ndarray]:
        """Joints (25,3) m and orientations (25,4) xyzw, world."""
        upright, flat = attitude(UP, (-1.0, 0.0, 0.0)), attitude((1.0, 0.0, 0.0), -UP)
        eased = 0.5 * (1.0 - np.cos(np.pi * self.raised))
        hand = Rotation.from_rotvec(eased * (flat * upright.inv()).as_rotvec()) * upright
        reach = 0.5 * STROKE * (1.0 - np.cos(2.0 * np.pi * self.stroke / self.stroke_time))
        centre = self.place - reach * hand.apply((0.0, 0.0, 1.0))
        world = self.turn * hand
        points = self.home + self.turn.apply(centre) + world.apply(self.joints - PALM_CENTRE)
        return points, (world * Rotation.from_quat(self.rotations)).as_quat()


class Steering:
    """A Source: a terminal steers a hand that is sampled at a fixed rate."""

    refused = ()

    def __init__(self, terminal: Terminal, hand: SteeredHand, name: str = 'right', frame: str = 'world',
                 rate: float = 60.0) -> None:
        self.terminal, self.hand, self.name, self.frame = terminal, hand, name, frame
        self.interval = round(NANOSECONDS / rate)
        self.last: int | None = None

    def due(self, now: int) -> int:
        """One sample each interval; a clock that was set is followed at once."""
        if self.last is None or now < self.last:
            return now
        return self.last + self.interval

    def samples(self, now: int) -> list[HandSample]:
        """What was typed until now moves the hand; SourceEnded after q, or when the terminal is gone."""
        for event in self.terminal.read():
            if event == 'q':
                raise SourceEnded('q was pressed')
            if isinstance(event, Mouse):
                self.hand.point(event)
            else:
                self.hand.press(event)
        self.hand.step(0.0 if self.last is None else max(now - self.last, 0) / NANOSECONDS)
        self.last = now
        joints, rotations = self.hand.pose()
        return [HandSample(self.name, self.frame, now, WEBXR_NAMES, joints, rotations, FALLBACK_RADII,
                           np.ones(len(joints), dtype=bool))]

    def start(self, stamp_ns: int) -> None:
        """Who steers has begun already."""

    def close(self) -> None:
        """The terminal as it was."""
        self.terminal.close()
