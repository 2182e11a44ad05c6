# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a user chooses by a word, and its number in the arrays; solvers and rules of combination have more to them."""
from . import layout as L

INTEGRATORS = {'exact': L.EXACT, 'semi_implicit_euler': L.SEMI_IMPLICIT_EULER, 'rk4': L.RK4,
               'implicit_midpoint': L.IMPLICIT_MIDPOINT}
PROFILES = {'rectangle': L.RECTANGLE, 'half_sine': L.HALF_SINE, 'hertz': L.HERTZ}
STORAGES = {'principal': L.PRINCIPAL, 'tensor': L.FULL}
