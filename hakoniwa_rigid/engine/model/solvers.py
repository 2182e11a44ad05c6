# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The solvers of contacts: their names, the numbers that kernels know them by, and what each of them does.

WorldBuilder and world files take the names from here.  Kernels ask here what the solver of their world does; the
solvers themselves are in `solve`.
"""
from typing import NamedTuple

from ..maths.jit import kernel


class Solver(NamedTuple):
    """number: in SETTINGS.  has_friction: coefficients of friction count.  has_springs: forces of springs over a whole
    step, `solve/penalty`, which need a stiffness and a stable step, and make no impacts.  is_pairwise: impacts of one
    pair of bodies after the other, `solve/pair_by_pair`, not of an island together.
    holds_constraints: bodies may be held together, `solve/joined`.  follows_turns: contacts of bodies that turn are
    taken where they are in mid-interval, and carried round.  sleeps: islands at rest may stand still."""

    number: int
    has_friction: bool = True
    has_springs: bool = False
    is_pairwise: bool = False
    holds_constraints: bool = False
    follows_turns: bool = False
    sleeps: bool = False


SOLVERS = {
    'sequential': Solver(0, follows_turns=True, sleeps=True, holds_constraints=True),
    'impulse': Solver(1, has_friction=False, is_pairwise=True),
    'penalty': Solver(2, has_springs=True),
}


def solvers_with(springs):
    """Names of the solvers that have springs, or of those that have none."""
    return [name for name, solver in SOLVERS.items() if solver.has_springs == springs]


def solvers_with_constraints():
    """Names of the solvers that hold bodies together."""
    return [name for name, solver in SOLVERS.items() if solver.holds_constraints]


def _by_number(field):
    return tuple(getattr(solver, field) for solver in sorted(SOLVERS.values()))


_FRICTION, _SPRINGS, _PAIRWISE, _, _TURNS, _SLEEPS = map(_by_number, Solver._fields[1:])


@kernel
def has_friction(s):
    return _FRICTION[int(s.par.solver)]


@kernel
def has_springs(s):
    return _SPRINGS[int(s.par.solver)]


@kernel
def is_pairwise(s):
    return _PAIRWISE[int(s.par.solver)]


@kernel
def follows_turns(s):
    return _TURNS[int(s.par.solver)]


@kernel
def sleeps(s):
    return _SLEEPS[int(s.par.solver)]
