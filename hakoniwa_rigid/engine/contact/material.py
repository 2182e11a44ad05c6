# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What two surfaces do to each other: friction and restitution of a pair of bodies (interfaces.md, materials).

Every body has a row of `s.material`; pairs of bodies that were given values of their own have one too, found by the
classes of the two bodies.  There NaN stands for what is combined from the bodies' rows.
"""
import math

from ..constants import IMPACTS_BEFORE_INELASTIC
from ..maths.jit import kernel
from ..maths.search import find
from ..maths.vec3 import dot, sub
from ..model import layout as L
from ..model.mixing import MAX, combine
from ..model.solvers import has_friction


@kernel
def own_material(s, a, b):
    """Row of the material that the pair of bodies a, b has of its own, or -1."""
    if len(s.special) == 0:
        return -1
    one, other = s.body[a].material_class, s.body[b].material_class
    k = find(s.special, min(one, other) * len(s.body) + max(one, other))
    return len(s.body) + k if k >= 0 else -1


@kernel
def frictions(s, a, b):
    """(mu, rolling friction m, torsional friction m) of bodies a and b."""
    if not has_friction(s):
        return 0.0, 0.0, 0.0
    fa, fb, own = s.material[a], s.material[b], own_material(s, a, b)
    mu = combine(s.par.combine_friction, fa[L.S_MU], fb[L.S_MU])
    roll, torsion = combine(MAX, fa[L.S_ROLL], fb[L.S_ROLL]), combine(MAX, fa[L.S_TORSION], fb[L.S_TORSION])
    if own >= 0:
        f = s.material[own]
        mu = mu if math.isnan(f[L.S_MU]) else f[L.S_MU]
        roll = roll if math.isnan(f[L.S_ROLL]) else f[L.S_ROLL]
        torsion = torsion if math.isnan(f[L.S_TORSION]) else f[L.S_TORSION]
    return mu, roll, torsion


@kernel
def _at_speed(s, row, speed):
    """e of one row of `material` at an approach speed (m/s): linear between the points of its table, if it has one."""
    first, n = int(s.material[row, L.S_TABLE]), int(s.material[row, L.S_POINTS])
    if n == 0:
        return s.material[row, L.S_E]
    if speed <= s.curve[first, 0]:
        return s.curve[first, 1]
    for k in range(first + 1, first + n):
        v0, v1 = s.curve[k - 1, 0], s.curve[k, 0]
        if speed <= v1:
            share = (speed - v0) / (v1 - v0)
            return (1.0 - share) * s.curve[k - 1, 1] + share * s.curve[k, 1]
    return s.curve[first + n - 1, 1]


@kernel
def restitution(s, a, b, speed):
    """e of bodies a and b that approach with `speed` (m/s)."""
    own = own_material(s, a, b)
    if own >= 0 and not math.isnan(s.material[own, L.S_E]):
        return _at_speed(s, own, speed)
    return combine(s.par.combine_restitution, _at_speed(s, a, speed), _at_speed(s, b, speed))


@kernel
def slowest_bounce(s, ra, rb, r):
    """Approach speed (m/s) below which a row does not bounce: the threshold, or what the loads give it in a step.

    A slower bounce would be back within the step, which cannot show it: the body would hover on one impact per step.
    """
    loads = dot(r.normal, sub(ra.external_acceleration, rb.external_acceleration))
    return max(s.par.restitution_threshold, loads * s.par.dt)


@kernel
def elasticity(s, p, r, speed):
    """e of row r of contact pair p that approaches with `speed` (m/s), 0 where it is too slow or the bodies too
    busy."""
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    capped = max(ra.impacts, rb.impacts) >= IMPACTS_BEFORE_INELASTIC
    if speed <= 0.0 or speed < slowest_bounce(s, ra, rb, r) or capped:
        return 0.0
    return restitution(s, p.body_a, p.body_b, speed)
