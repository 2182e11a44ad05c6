# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The three kinds of authority over a drone's motion.  The arithmetic is in tick_kernels.

`observe`: the sim is the truth; the body is put on the (extrapolated) sample before every tick.
`correct`: the sim's pose is the reference (trajectory); the drone has an offset from it: x = x_ref + dx, q = exp(phi)
q_ref, v = v_ref + dv, omega = omega_ref + dw, all in the world, at the centre of mass.
`simulate`: the engine owns the motion; inputs are forces.

An offset d decays critically damped: d'' = -d/tau^2 - 2 d'/tau.  The pull is the constant acceleration that brings
d' over one tick exactly to the closed solution; d itself is then second order in tick/tau (1e-5 of d for 5 ms and 0.3
s).  It is bounded: a drone cannot pull harder than its thrust.
"""
from __future__ import annotations

__all__ = ['CODES', 'CORRECT', 'OBSERVE', 'SIMULATE']

OBSERVE, CORRECT, SIMULATE = range(3)
CODES = {'observe': OBSERVE, 'correct': CORRECT, 'simulate': SIMULATE}
