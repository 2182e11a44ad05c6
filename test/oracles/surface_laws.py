# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The laws that any body on a floor obeys, measured along a run: Newton, Euler, contact, friction."""

import numpy as np
from scipy.interpolate import make_interp_spline

from oracles import floors
from oracles.rotations import matrix, multiply

G = 9.81


def laws(run, floor, body, *, mass, inertia, mode, com=(0, 0, 0), gravity=(0, 0, -G)):
    """Worst residual of every law along a trace at equal steps, by the oracles' floor and body: {name: residual}.

    The laws are integrals over splines of degree 7 through the samples, in units of mass · m/s and so on.
    """
    t, pos, quat, linvel, angvel, contact, force = (
        np.asarray(run[k]) for k in ('time', 'pos', 'quat', 'linvel', 'angvel', 'contact_point', 'contact_force'))
    rot = np.array([matrix(q) for q in quat])
    spin = np.array([r @ inertia @ r.T @ w for r, w in zip(rot, angvel, strict=True)])
    arm = contact - pos
    n = np.array([floors.normal(floor, s, x) for s, x in zip(t, contact, strict=True)])
    material = np.array([floor.velocity(s, x) for s, x in zip(t, contact, strict=True)])
    extreme = np.array([p + r @ (body.extreme(-r.T @ d) - np.asarray(com))
                        for p, r, d in zip(pos, rot, n, strict=True)])
    slip = linvel + np.cross(angvel, arm) - material
    rates = [0.5 * multiply(np.append(0.0, w), q) for w, q in zip(angvel, quat, strict=True)]
    found = {
        'velocity': grown(t, pos) - summed(t, linvel),
        'attitude': grown(t, quat) - summed(t, np.array(rates)),
        'momentum': grown(t, linvel) - summed(t, force / mass + gravity),
        'angular momentum': (grown(t, spin) - summed(t, np.cross(arm, force))) / np.linalg.norm(inertia),
        'contact on the floor': np.array([floor.value(s, x) for s, x in zip(t, contact, strict=True)]),
        'contact on the body': extreme - contact,
        'normal slip': np.sum(slip * n, axis=1),
    }
    if mode == 'roll':
        found['slip'] = slip
    else:
        found['friction'] = np.cross(force, n) / mass
    return {name: np.abs(value).max() for name, value in found.items()}


def grown(t, values):
    return values - values[0]


def summed(t, values):
    return make_interp_spline(t, values, k=7).antiderivative()(t)


def slopes(t, values):
    """d/dt of samples at equal steps, by a spline of degree 7."""
    return make_interp_spline(t, values, k=7).derivative()(t)
