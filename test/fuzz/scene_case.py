# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Judges a scene case: it is run whole, once without what the sick drones are sent, and at times once more."""
from __future__ import annotations

import math

import numpy as np

from hakoniwa_rigid.scene import CollisionScene, ConstraintError, Phase, Tick, Verdict, records

from . import worlds
from .judging import Meter, need
from .scene_ops import COMMON

# all bits that a flag may have
FLAGS = records.IN_CONTACT | records.DEFLECTED | records.STALE | records.REJECTED | records.LIMITED | records.FROZEN
UPRIGHT = (0.0, 0.0, 0.0, 1.0)
ZERO = (0.0, 0.0, 0.0)
# drones whose centres are this near (m), and so many of them, are a crowd
NEAR, CROWD = 1.0, 3
UNIT = 1e-6
WRENCH = ((0.1, 0.05, 7.2), (1e-3, 0.0, -1e-3))


class Run:
    """One run of the operations; alone: without those that only sick drones feel."""

    def __init__(self, spec: dict, meter: Meter, alone: bool = False) -> None:
        self.scene, self.meter, self.alone = CollisionScene.from_config(worlds.build(spec)), meter, alone
        self.sick = len(spec['drones'])
        self.places = np.zeros((0, 3))      # of the sick drones in the last tick
        self.clock, self.count, self.bits, self.open = 0, 0, [], {}
        meter.crowd = self.crowd
        self._check(meter.call('advance', self.scene.advance, 0))

    def crowd(self, result: object) -> int:
        """How many sick drones are in one place, before or after the call; 0: too few for a crowd."""
        after = result.states.positions[:self.sick] if isinstance(result, Tick) else self.places
        return max(map(_nearest, (self.places, after)))

    def play(self, ops: list) -> None:
        for op in ops:
            if not self.alone or op[0] in COMMON:
                getattr(self, f'_{op[0]}')(*op[1:])

    # time

    def _tick(self, period: int) -> None:
        self._feed_healthy()
        self.clock += period
        self._check(self.meter.call('advance', self.scene.advance, self.clock))

    def _hold(self, period: int) -> None:
        self.clock += period
        self._check(self.meter.call('hold', self.scene.hold, self.clock))

    def _jump(self, to) -> None:
        self.clock = to[0] if isinstance(to, list) else self.clock + to
        self._check(self.meter.call('advance', self.scene.advance, self.clock))

    def _feed_healthy(self) -> None:
        """A constant wrench, and a circle of 1 m at 1 rad/s."""
        self.count += 1
        a, scene = 0.005 * self.count, self.scene
        for name, authority, (x, y, z) in worlds.HEALTHY:
            if authority == 'correct':
                c, s = math.cos(a), math.sin(a)
                self.meter.call('feed_drone', scene.feed_drone, name, self.clock, (x + c, y + s, z), UPRIGHT,
                                (-s, c, 0.0), ZERO)
            elif name.endswith('simulate'):
                self.meter.call('feed_wrench', scene.feed_wrench, name, self.clock, *WRENCH)

    # inputs

    def _stamp(self, stamp) -> int:
        return stamp[0] if isinstance(stamp, list) else self.clock + stamp

    def _give(self, name: str, function, drone, *args) -> None:
        self.meter.inputs += 1
        verdict = self.meter.call(name, function, drone, *args)
        need(isinstance(verdict, Verdict), f'{name} no verdict', verdict)
        known = drone in self.scene.drone_names or drone in self.scene.hand_names
        if verdict is not Verdict.ACCEPTED and known:
            need((str(verdict), drone) in self.scene.counters, f'{name} {verdict} not counted', args)

    def _pose(self, name, stamp, position, orientation, velocity, rate) -> None:
        self._give('feed_drone', self.scene.feed_drone, name, self._stamp(stamp), position, orientation, velocity, rate)

    def _wrench(self, name, stamp, force, torque) -> None:
        self._give('feed_wrench', self.scene.feed_wrench, name, self._stamp(stamp), force, torque)

    def _rotors(self, name, stamp, speeds) -> None:
        self._give('feed_motor_speeds', self.scene.feed_motor_speeds, name, self._stamp(stamp), speeds)

    def _hand(self, name, stamp, *rest) -> None:
        self._give('feed_hand', self.scene.feed_hand, name, self._stamp(stamp), *rest)

    def _fleet(self, names, stamp, *arrays) -> None:
        self.meter.inputs += len(names)
        counts = self.meter.call('feed_drones', self.scene.feed_drones, names, self._stamp(stamp), *arrays)
        need(sum(counts.values()) == len(names), 'feed_drones verdicts', f'{counts} of {len(names)}')

    def _wrenches(self, names, stamp, *arrays) -> None:
        self.meter.inputs += len(names)
        counts = self.meter.call('feed_wrenches', self.scene.feed_wrenches, names, self._stamp(stamp), *arrays)
        need(sum(counts.values()) == len(names), 'feed_wrenches verdicts', f'{counts} of {len(names)}')

    def _motions(self, rows, stamps, table, moving) -> None:
        self.meter.inputs += len(rows)
        stamps = np.clip(np.array(stamps, dtype=object) + self.clock, -2**63, 2**63 - 1).astype(np.int64)
        self.meter.call('feed_motions', self.scene.feed_motions, np.array(rows, dtype=np.int64), stamps,
                        np.array(table, dtype=float).reshape(-1, 13), moving)

    # control

    def _authority(self, name, mode) -> None:
        self.meter.call('set_authority', self.scene.set_authority, name, mode)

    def _impacts(self, names) -> None:
        self.meter.call('report_impacts', self.scene.report_impacts, names)

    def _save(self) -> None:
        self.meter.call('save_world', self.scene.save_world)

    def _touches(self, since) -> None:
        for touch in self.meter.call('touches', self.scene.touches, self.clock + since):
            need(_finite(touch), 'touch not finite', touch)

    def _clear(self, limit) -> None:
        found = self.meter.call('clearances', self.scene.clearances, limit)
        need(not np.isnan(found.clearances).any(), 'clearances NaN', found)

    def _enable(self, on) -> None:
        self.meter.call('set_enabled', self.scene.set_enabled, on)

    def _reset(self) -> None:
        self.meter.call('reset', self.scene.reset)

    def _attach(self, kind, a, b, name, settings) -> None:
        self.meter.call('attach', self.scene.attach, kind, a, b, name, allowed=(ConstraintError,), **settings)

    def _detach(self, name) -> None:
        self.meter.call('detach', self.scene.detach, name, allowed=(ConstraintError,))

    def _release(self) -> None:
        self.meter.call('release_hands', self.scene.release_hands)

    # what came out

    def _check(self, tick) -> None:
        s = tick.states
        for key in ('positions', 'orientations_xyzw', 'linear_velocities', 'angular_velocities'):
            bad = ~np.isfinite(getattr(s, key)).all(axis=1)
            need(not bad.any(), f'tick {key} not finite', [s.names[k] for k in np.flatnonzero(bad)])
        lengths = np.linalg.norm(s.orientations_xyzw, axis=1)
        need((np.abs(lengths - 1.0) < UNIT).all(), 'tick orientations not unit', lengths)
        need(not (s.flags & ~np.uint8(FLAGS)).any(), 'tick flags', s.flags)
        if tick.proximity is not None:
            need(not np.isnan(tick.proximity.clearances).any(), 'tick proximity NaN', tick.proximity)
        for event in tick.events:
            self._check_event(event)
        for impact in tick.impacts:
            need(_finite(impact, but=('other_mass', 'other_inertia')), 'impact not finite', impact)
        for event in tick.constraint_events:
            need(_finite(event), 'constraint event not finite', event)
        for hand in tick.hands:
            need(all(np.isfinite(a[hand.enabled]).all() for a in (hand.positions, hand.orientations_xyzw, hand.radii)),
                 'hand not finite', hand)
        healthy, self.places = slice(self.sick, None), s.positions[:self.sick]
        self.bits.append(b''.join(np.ascontiguousarray(a[healthy]).tobytes() for a in s[1:]))

    def _check_event(self, event) -> None:
        need(_finite(event), 'event not finite', event)
        need(abs(math.hypot(*event.normal) - 1.0) < UNIT, 'event normal not unit', event)
        need(event.depth >= 0.0 and event.duration >= 0.0, 'event depth or duration below 0', event)
        begun = event.id in self.open
        need(begun == (event.phase != Phase.BEGIN), f'event {event.phase.name} out of order', event)
        if event.phase == Phase.END:
            del self.open[event.id]
        else:
            self.open[event.id] = True


def judge(case: dict, meter: Meter, again: bool = True) -> None:
    """BrokenPromiseError where a promise is broken; again: replay it, too."""
    whole = Run(case['world'], meter)
    whole.play(case['ops'])
    inputs = meter.inputs
    alone = Run(case['world'], meter, alone=True)
    alone.play(case['ops'])
    for k, (a, b) in enumerate(zip(whole.bits, alone.bits, strict=True)):
        need(a == b, 'healthy bits changed', f'tick {k} of {len(whole.bits)}')
    if again:
        twice = Run(case['world'], meter)
        twice.play(case['ops'])
        need(twice.scene.state_hash() == whole.scene.state_hash(), 'replay differs', len(case['ops']))
    meter.inputs = inputs


def _nearest(places: np.ndarray) -> int:
    """How many of the places (K,3) are near one of them; 0: too few for a crowd."""
    near = (np.linalg.norm(places[:, None] - places[None], axis=2) < NEAR).sum(axis=1)
    most = int(near.max(initial=0))
    return most if most >= CROWD else 0


def _finite(record, but: tuple[str, ...] = ()) -> bool:
    """Whether all numbers of a dataclass are."""
    for key, value in vars(record).items():
        if key not in but and isinstance(value, (float, tuple)) and not np.isfinite(value).all():
            return False
    return True
