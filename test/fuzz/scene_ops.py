# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is done to a scene, drawn from a seed: a list of operations, each a plain list that begins with its name."""
from __future__ import annotations

import numpy as np

from hakoniwa_rigid.scene.world_files.constraint_file import ONLY

from . import values, worlds
from .values import Chance

MS = 1_000_000
# ns between ticks, engine steps of 1 ms
PERIODS = (5 * MS,) * 6 + (MS, 0, 10 * MS, 1_500_000)
JUMPS = (-600 * MS, -400 * MS, 10**9, 10**10, -10**10)
SPOTS = ((0.0, 0.0, 1.0), (0.0, 0.0, 1.0), (0.01, 0.0, 1.0), (0.0, 0.0, -0.3), (4.95, 0.0, 1.0), (5.3, 0.0, 1.0),
         (1.0, 1.0, 0.7), (-1.0, 1.0, 1.0), (0.5, -0.5, 0.4))
WRONG = (None, [], [1.0], 'abc', [[1.0, 2.0], [3.0]], [1.0, 2.0, 3.0, 4.0, 5.0], {}, 7.0, [None, None, None],
         ['x', 'y', 'z'])
JOINTS = (25, 25, 26, 21, 1, 3, 0)
ROWS = 40
CONSTRAINTS = ('fixed', 'ball', 'hinge', 'distance', 'cable', 'spring')
# settings of constraints: how often, usual size
LOADS = {'max_force': (0.3, 30.0), 'max_torque': (0.3, 1.0), 'break_force': (0.2, 100.0), 'break_impulse': (0.2, 1.0),
         'length': (0.5, 0.5), 'restitution': (0.5, 0.3), 'stiffness': (1.0, 1e4), 'damping': (0.5, 10.0)}
# names of constraints at most
TANGLE = 24
# share of the cases with inputs of wrong sizes and types
WRONGS = 0.15
# operations that every drone feels, so a run without the inputs of the sick ones does them too
COMMON = ('tick', 'hold', 'jump', 'enable', 'reset', 'release')


class Maker:
    """Draws the operations of one case."""

    def __init__(self, seed, gentle: bool = False) -> None:
        self.chance = Chance(seed, gentle)
        self.spec = worlds.draw(self.chance)
        if gentle:
            self.spec['drones'] = self.spec['drones'][:4]
        self.names = [d[0] for d in self.spec['drones']]
        self.models = {d[0]: worlds.model(d[1]) for d in self.spec['drones']}
        self.modes = {d[0]: d[2] for d in self.spec['drones']}
        self.places = {name: np.array(self.chance.one(SPOTS)) for name in self.names}
        self.unknown = 0

    def case(self, ticks: int) -> dict:
        """A whole case."""
        ops = []
        weights = dict(pose=10, fleet=2, motions=3, wrench=3, wrenches=1, rotors=2, hand=4 * bool(self.spec['hands']),
                       authority=1, impacts=0.3, save=0.1, touches=0.5, clear=0.5, enable=0.2, reset=0.15, hold=0.3,
                       jump=0.2, release=0.1, wrong=self.chance.happens(WRONGS))
        weights['attach'], weights['detach'] = self.chance.one(((0.0, 0.0), (0.5, 0.2), (2.0, 0.3)))
        kinds, share = list(weights), np.array(list(weights.values()))
        for _ in range(ticks):
            drawn = self.chance.rng.choice(kinds, self.chance.whole(0, 16), p=share / share.sum())
            ops += [getattr(self, str(kind))() for kind in drawn]
            ops.append(['tick', self.chance.one(PERIODS)])
        return {'kind': 'scene', 'world': self.spec, 'ops': ops}

    # inputs

    def name(self) -> str:
        if self.chance.happens(0.02):
            self.unknown += not self.chance.gentle
            return f'unknown{self.unknown}'
        return self.chance.one(self.names)

    def motion(self, name: str) -> tuple[list, list, list, list]:
        """Position, orientation xyzw, velocity, rate; a drone mostly stays where it was."""
        c = self.chance
        place = self.places.get(name, np.zeros(3))
        if c.happens(0.1):
            place = np.array(c.one(SPOTS))
        place = place + 0.02 * c.rng.normal(size=3)
        self.places[name] = place
        position = place.tolist() if c.happens(0.93) else c.vector(1.0, values.POSITION, 0.8)
        return position, c.quaternion(), c.vector(c.one((0.3, 3.0, 30.0)), values.SPEED), c.rates()

    def pose(self) -> list:
        name = self.name()
        position, orientation, velocity, rate = self.motion(name)
        moving = self.chance.happens(0.7)
        return ['pose', name, self.chance.stamp(), position, orientation, velocity if moving else None,
                rate if moving or self.chance.happens(0.2) else None]

    def fleet(self) -> list:
        names = [self.name() for _ in range(self.chance.whole(1, 5))]
        names = list(dict.fromkeys(names))
        columns = list(zip(*map(self.motion, names), strict=True))
        return ['fleet', names, self.chance.stamp(), *map(list, columns)]

    def motions(self) -> list:
        """Many rows at once, as plain messages come."""
        rows = [self.chance.whole(0, len(self.names)) for _ in range(ROWS)]
        table = []
        for row in rows:
            position, (x, y, z, w), velocity, rate = self.motion(self.names[row])
            table.append([*position, w, x, y, z, *velocity, *rate])
        return ['motions', rows, [self.chance.whole(-MS, MS) for _ in rows], table, self.chance.happens(0.7)]

    def _wrench(self, name: str) -> tuple[list, list]:
        model = self.models.get(name, worlds.MODEL)
        force = values.KICK * 1e3 * model.mass
        least = float(np.min(np.ravel(model.inertia)[:3])) or 1e-3
        turn = values.GENTLE_TURN if self.chance.gentle else values.KICK * 1e3
        torque = self.chance.vector(least, turn * least)
        return self.chance.vector(10.0 * model.mass, force), torque

    def wrench(self) -> list:
        name = self.name()
        return ['wrench', name, self.chance.stamp(), *self._wrench(name)]

    def wrenches(self) -> list:
        names = self.chance.some(self.names, 4)
        forces, torques = zip(*map(self._wrench, names), strict=True)
        return ['wrenches', names, self.chance.stamp(), list(forces), list(torques)]

    def rotors(self) -> list:
        name = self.name()
        model = self.models.get(name, worlds.MODEL)
        count = len(model.rotors) if self.chance.happens(0.9) else self.chance.whole(0, 6)
        speeds = np.abs(self.chance.vector(500.0, 1e4 if not self.chance.gentle else 1e3, n=max(count, 1)))
        return ['rotors', name, self.chance.stamp(), speeds.tolist()[:count]]

    def hand(self) -> list:
        c = self.chance
        name = c.one(self.spec['hands']) if c.happens(0.97) else 'nobodys-hand'
        joints = c.one(JOINTS)
        base = np.array(c.one(SPOTS)) + 0.05 * c.rng.normal(size=3)
        positions = base + 0.03 * c.rng.normal(size=(joints, 3))
        if c.happens(0.1) and joints:
            positions[c.whole(0, joints), c.whole(0, 3)] = c.one((*values.ODD, 1e5, 1e6))
        turned = [c.quaternion() for _ in range(joints)] if c.happens(0.5) else None
        radii = np.abs(c.vector(0.01, 1.0, 0.2, n=max(joints, 1))).tolist()[:joints] if c.happens(0.3) else None
        valid = [c.happens(0.9) for _ in range(joints)] if c.happens(0.3) else None
        return ['hand', name, c.stamp(), positions.tolist(), turned, radii, valid]

    def wrong(self) -> list:
        """An input of another size or type."""
        c = self.chance
        call = c.one(('pose', 'wrench') if c.gentle else ('pose', 'wrench', 'rotors', 'hand', 'fleet', 'wrenches'))
        if call == 'hand' and not self.spec['hands']:
            call = 'pose'
        op = getattr(self, call)()
        op[c.whole(3, len(op))] = c.one(WRONG)
        return op

    # control

    def authority(self) -> list:
        name = self.chance.one(self.names)
        modes = ['observe', 'correct', 'simulate']
        if self.chance.gentle and self.modes[name] == 'observe':
            modes.remove('simulate')
        self.modes[name] = self.chance.one(modes)
        return ['authority', name, self.modes[name]]

    def impacts(self) -> list:
        return ['impacts', [name for name in self.names if self.chance.happens(0.5)]]

    def save(self) -> list:
        return ['save']

    def touches(self) -> list:
        return ['touches', self.chance.one((0, -10 * MS, 10 * MS))]

    def clear(self) -> list:
        return ['clear', self.chance.one((1e-9, 0.1, 1.0, 100.0))]

    def enable(self) -> list:
        return ['enable', self.chance.happens(0.7)]

    def reset(self) -> list:
        return ['reset']

    def release(self) -> list:
        return ['release']

    def attach(self) -> list:
        c, kind, settings = self.chance, self.chance.one(CONSTRAINTS), {}
        bodies = [*self.names, *self.names, *self.spec['objects'], *self.spec['walls'], *self.spec['hands']]
        for key, (share, size) in LOADS.items():
            if c.happens(share if kind in ONLY.get(key, CONSTRAINTS) else 0.01):
                settings[key] = abs(c.vector(size, values.MOST_LOAD, n=1)[0])
        for key, share in (('anchor_a', 0.5), ('anchor_b', 0.5), ('axis', kind == 'hinge')):
            if c.happens(share):
                settings[key] = c.vector(0.1, values.POSITION, 0.03)
        if c.happens(0.7):
            settings['gap'] = 1.0
        if c.happens(0.3):
            settings['collide'] = c.happens(0.5)
        return ['attach', kind, c.one(bodies), c.one(bodies), f'c{c.whole(0, TANGLE)}', settings]

    def detach(self) -> list:
        return ['detach', f'c{self.chance.whole(0, TANGLE)}']

    def hold(self) -> list:
        return ['hold', self.chance.one(PERIODS)]

    def jump(self) -> list:
        if self.chance.happens(0.3) and not self.chance.gentle:
            return ['jump', [self.chance.one((0, values.INT64, values.INT64 - 10**9, -values.INT64, 10**18))]]
        return ['jump', self.chance.one(JUMPS)]
