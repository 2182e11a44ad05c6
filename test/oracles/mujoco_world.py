# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The same scene in MuJoCo: bodies, masses, attitudes, velocities and forces of a World, one friction for all.

MuJoCo's contacts are soft and its friction creeps; both are made small here: a constraint time constant of 4 steps
(4e-4 s), impedance 0.9999, elliptic cones, Newton's solver to 1e-14 and 50 sweeps without slip. What is left is said by
the tests that use it.
"""

import numpy as np
import pytest

mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed: no rosdep key has it, pip does')

STEP = 1e-4  # s
SLIP_TIME = 0.02  # s


def _numbers(values):
    return ' '.join(repr(float(x)) for x in np.ravel(values))


def _geom(shape):
    """XML attributes of a shape of ours, in the shape's frame."""
    kind = type(shape).__name__
    if kind == 'HalfSpace':
        n = np.array(shape.normal)
        return f'type="plane" size="0 0 1" pos="{_numbers(n * shape.offset)}" zaxis="{_numbers(n)}"'
    sizes = {'Sphere': lambda: [shape.radius], 'Box': lambda: np.array(shape.size) / 2,
             'Capsule': lambda: [shape.radius, shape.length / 2]}[kind]()  # fmt: skip
    return f'type="{kind.lower()}" size="{_numbers(sizes)}"'


def _pairs(world, mu, step):
    """Every pair with a body that moves. The slip's own time constant is long: MuJoCo's cone is a convex one, in which
    damping of a slip pushes the surfaces apart (mu times what damps it), and a box that slides would hop.
    """
    geom = f'friction="{mu!r} {mu!r} 0 0 0" condim="3" solref="{4 * step!r} 1" solimp="0.9999 0.9999 0.001 0.5 2"'
    return ''.join(f'<pair geom1="g{i}" geom2="g{j}" {geom} solreffriction="{SLIP_TIME!r} 1"/>'
                   for j in range(world.n) for i in range(j)
                   if 'dynamic' in (world.kinds[i], world.kinds[j]))  # fmt: skip


def _body(world, i):
    geom = f'<geom name="g{i}" {_geom(world.shapes[i])} contype="0" conaffinity="0"/>'
    if world.kinds[i] != 'dynamic':
        return f'<body name="b{i}" pos="{_numbers(world.pos[i])}" quat="{_numbers(world.quat[i])}">{geom}</body>'
    inertia = world.inertia[i]
    full = [inertia[k] for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return (f'<body name="b{i}" pos="{_numbers(world.pos[i])}" quat="{_numbers(world.quat[i])}"><freejoint/>'
            f'<inertial pos="0 0 0" mass="{float(world.mass[i])!r}" fullinertia="{_numbers(full)}"/>{geom}</body>')


class Twin:
    """MuJoCo's copy of `world` as it is now; mu the friction of every pair."""

    def __init__(self, world, mu, step=STEP):
        self.world = world
        bodies = ''.join(_body(world, i) for i in range(world.n))
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><compiler boundmass="0"/><option timestep="{step!r}" gravity="{_numbers(world.gravity)}" '
            'cone="elliptic" solver="Newton" tolerance="1e-14" iterations="200" ls_tolerance="1e-4" impratio="1" '
            'noslip_iterations="50" noslip_tolerance="1e-14" ccd_tolerance="1e-12" ccd_iterations="200"/>'
            f'<worldbody>{bodies}</worldbody><contact>{_pairs(world, mu, step)}</contact></mujoco>')
        self.data = mujoco.MjData(self.model)
        self.moving = [i for i in range(world.n) if world.kinds[i] == 'dynamic']
        for k, i in enumerate(self.moving):
            # a free joint's velocities: linear in the world, angular in the body
            mujoco.mju_rotVecQuat(self.data.qvel[6 * k + 3:6 * k + 6], world.angvel[i], world.quat[i] * [1, -1, -1, -1])
            self.data.qvel[6 * k:6 * k + 3] = world.linvel[i]
            self.data.xfrc_applied[i + 1] = np.concatenate([world.force[i], world.torque[i]])

    def run(self, seconds):
        for _ in range(round(seconds / self.model.opt.timestep)):
            mujoco.mj_step(self.model, self.data)

    def mean_wrenches(self, seconds, about=(0.0, 0.0, 0.0)):
        """`wrenches`, the mean over a run."""
        total, steps = {}, round(seconds / self.model.opt.timestep)
        for _ in range(steps):
            self.run(self.model.opt.timestep)
            for key, wrench in self.wrenches(about).items():
                total[key] = total.get(key, np.zeros(6)) + wrench / steps
        return total

    def velocities(self):
        """(n, 6): linear, angular, world frame; zero for bodies that do not move."""
        out = np.zeros((self.world.n, 6))
        for k, i in enumerate(self.moving):
            out[i, :3] = self.data.qvel[6 * k:6 * k + 3]
            mujoco.mju_rotVecQuat(out[i, 3:], self.data.qvel[6 * k + 3:6 * k + 6], self.data.xquat[i + 1])
        return out

    def wrenches(self, about=(0.0, 0.0, 0.0)):
        """{(a, b): (6,) force and moment on b about a common point}, a < b, of the state as it is."""
        mujoco.mj_forward(self.model, self.data)
        total, force = {}, np.zeros(6)
        for k in range(self.data.ncon):
            contact = self.data.contact[k]
            mujoco.mj_contactForce(self.model, self.data, k, force)
            a, b = (int(self.model.geom_bodyid[g]) - 1 for g in contact.geom)
            on_b = contact.frame.reshape(3, 3).T @ force[:3] * (1 if a < b else -1)
            wrench = np.concatenate([on_b, np.cross(contact.pos - np.asarray(about), on_b)])
            key = min(a, b), max(a, b)
            total[key] = total.get(key, np.zeros(6)) + wrench
        return total
