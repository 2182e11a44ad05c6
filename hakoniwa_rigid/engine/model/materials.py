# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Materials of bodies and of pairs of bodies: checks, and the tables that the kernels read (`material`, `curve`)."""
from dataclasses import dataclass

import numpy as np

from ...brief import brief
from ..checks import number
from ..errors import EngineError
from . import layout as L

# lengths (m) of rolling and torsional friction beyond this are no contact's
LONGEST = 1e3


@dataclass(frozen=True)
class Material:
    """Coefficients of a material; None where a pair has none of its own.

    restitution: e in [0, 1], or a tuple of (speed m/s, e) with ascending speeds: linear in between, constant beyond.
    friction: Coulomb's mu.  rolling_friction, torsional_friction (m): the moments across and about the normal that the
    contact takes are at most these times the normal force.
    """

    restitution: float | tuple | None = None
    friction: float | None = None
    rolling_friction: float | None = None
    torsional_friction: float | None = None

    @classmethod
    def checked(cls, key, restitution=None, friction=None, rolling_friction=None, torsional_friction=None):
        """From what a user gives; EngineError with the key of the value."""
        return cls(_restitution(f'{key}: restitution', restitution), _or_none(f'{key}: friction', friction, 1e3),
                   _or_none(f'{key}: rolling_friction', rolling_friction, LONGEST),
                   _or_none(f'{key}: torsional_friction', torsional_friction, LONGEST))

    def row(self, curve):
        """Row of `material`; the table of e, if there is one, is put to the end of the list `curve`."""
        out = np.full(L.MATERIAL, np.nan)
        out[L.S_TABLE] = out[L.S_POINTS] = 0.0
        for column, value in ((L.S_MU, self.friction), (L.S_ROLL, self.rolling_friction),
                              (L.S_TORSION, self.torsional_friction)):
            out[column] = np.nan if value is None else value
        if isinstance(self.restitution, tuple):
            out[L.S_E], out[L.S_TABLE], out[L.S_POINTS] = self.restitution[0][1], len(curve), len(self.restitution)
            curve += self.restitution
        elif self.restitution is not None:
            out[L.S_E] = self.restitution
        return out


def _or_none(key, value, high):
    return None if value is None else number(key, value, 0.0, high)


def _restitution(key, value):
    if value is None or isinstance(value, (str, bytes)) or not np.iterable(value):
        return _or_none(key, value, 1.0)
    try:
        points = [(speed, e) for speed, e in value if not isinstance(speed, (str, bytes))]
    except (TypeError, ValueError):
        points = []
    if not points or len(points) != len(value):
        raise EngineError(f'{key}: must be a number or pairs of speed (m/s) and e, got {brief(value)}')
    points = tuple((number(f'{key}[{k}]: speed', speed, 0.0), number(f'{key}[{k}]', e, 0.0, 1.0))
                   for k, (speed, e) in enumerate(points))
    speeds = [speed for speed, _ in points]
    if any(b <= a for a, b in zip(speeds, speeds[1:], strict=False)):
        raise EngineError(f'{key}: speeds must ascend, got {brief(speeds)}')
    return points


def material_tables(materials, rules):
    """(material (N + E, MATERIAL), curve (C, 2), classes (N,), special (E,)) of the bodies' Materials and of rules
    [(bodies, bodies, Material)], of which the later wins.

    Bodies that all rules treat alike share a class; `special` has the sorted keys of the class pairs with values of
    their own.
    """
    n = len(materials)
    sides = [[] for _ in range(n)]
    for k, (a, b, _) in enumerate(rules):
        for i in a:
            sides[i].append(2 * k)
        for i in b:
            sides[i].append(2 * k + 1)
    numbers = {}
    classes = np.array([numbers.setdefault(tuple(side), len(numbers)) for side in sides], np.int64)
    own = {}
    for a, b, material in rules:
        for p in dict.fromkeys(classes[list(a)].tolist()):
            for q in dict.fromkeys(classes[list(b)].tolist()):
                key = min(p, q) * n + max(p, q)
                own[key] = _over(own.get(key, Material()), material)
    curve = []
    rows = [x.row(curve) for x in materials] + [own[key].row(curve) for key in sorted(own)]
    return (np.array(rows).reshape(-1, L.MATERIAL), np.array(curve, np.float64).reshape(-1, 2), classes,
            np.array(sorted(own), np.int64))


def _over(old, new):
    """`old` with what `new` gives."""
    return Material(*(b if b is not None else a for a, b in (
        (old.restitution, new.restitution), (old.friction, new.friction),
        (old.rolling_friction, new.rolling_friction), (old.torsional_friction, new.torsional_friction))))
