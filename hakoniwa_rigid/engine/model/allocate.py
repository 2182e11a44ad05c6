# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Fill the engine's arrays from a validated WorldSpec."""
import numpy as np

from ..constants import LANES
from ..maths.lanes import HALF
from ..maths.quat import mul_rows
from . import layout as L
from .arrays import LEVELS, Arrays, blocks_for, in_lines, joint_buffers, near_buffers
from .choices import INTEGRATORS, PROFILES, STORAGES
from .geometry import build_geometry
from .materials import material_tables
from .mixing import RULES
from .seams import find_seams
from .solvers import SOLVERS

FIRST_PAIRS, FIRST_NEAR, FIRST_LOG, FIRST_PROFILES = 64, 16, 1024, 16
# and more of the former for each body; more contact pairs for each shape that moves, up to so many, and rows of the log
# for each of these: where buffers are too small for a step they grow, and the step costs 0.3 ms more.  Less, and heaps
# do that when most hits; more, and what is kept of a small world is large.
PAIRS_A_BODY, NEAR_A_SHAPE, MOST_NEAR, LOG_A_PAIR = 8, 2, 256, 32


def _first_near(bodies, counts):
    """Contact pairs to begin with; counts (N,): shapes of the bodies."""
    moving = sum(int(n) for b, n in zip(bodies, counts, strict=True) if b.kind == L.DYNAMIC)
    return FIRST_NEAR + min(NEAR_A_SHAPE * moving, MOST_NEAR)


def _blocks(bodies):
    """(blocks, BLOCK x 8) array of all bodies."""
    out = np.zeros((blocks_for(len(bodies)), L.BLOCK, LANES))
    for i, b in enumerate(bodies):
        out[i // LANES, :, i % LANES] = body_column(b)
    return out.reshape(len(out), L.BLOCK * LANES)


def _constants(b):
    if b.kind != L.DYNAMIC:
        return np.zeros(8)
    i1, i2, i3 = b.moments
    return np.array([1.0 / b.mass, 1.0 / i1, 1.0 / i2, 1.0 / i3, (i2 - i3) / i1, (i3 - i1) / i2, (i1 - i2) / i3, 1.0])


def body_column(b):
    """All columns of `block` of one body."""
    q = mul_rows(b.quat, b.axes) if b.axes[0] != 1.0 else b.quat
    return np.concatenate([b.pos, q, b.linvel, b.angvel, _constants(b), np.zeros(L.BLOCK - L.H_F)])


def _tensors(spec):
    """(N, TENSOR) inertia and inverse of dynamic bodies, zeros for the others; no rows in principal axes."""
    if spec.inertia_storage == 'principal':
        return np.zeros((0, L.TENSOR))
    return np.array([tensor_row(b) for b in spec.bodies]).reshape(-1, L.TENSOR)


def tensor_row(b):
    """Row of `tensor` of one body."""
    upper = np.triu_indices(3)
    return np.concatenate([b.tensor[upper], b.inverse_tensor[upper]]) if b.kind == L.DYNAMIC else np.zeros(L.TENSOR)


def allocate(spec):
    """Arrays of a new world."""
    bodies, n = spec.bodies, len(spec.bodies)
    geometry = build_geometry(bodies)
    body, anchor = np.zeros((n, L.BODY), np.int64), np.zeros((n, L.ANCHOR))
    counts = np.bincount(geometry.geom_i[:, L.GI_BODY], minlength=n)
    body[:, L.B_GEOMS] = np.cumsum(counts)
    body[:, L.B_GEOM] = body[:, L.B_GEOMS] - counts
    for i, b in enumerate(bodies):
        body[i, [L.B_KIND, L.B_GROUP, L.B_MASK, L.B_ENABLED]] = b.kind, b.group, b.mask, b.enabled
        anchor[i, L.A_RADIUS] = geometry.geom[body[i, L.B_GEOM]:body[i, L.B_GEOMS], L.G_RADIUS].max()
    block = _blocks(bodies)
    # lanes beyond the last body hold a unit quaternion, so that the free-flight pass never divides by zero
    for i in range(n, len(block) * LANES):
        block[i // LANES, L.H_Q * LANES + i % LANES] = 1.0
    par, count = np.zeros(L.PARAMETERS), np.zeros(L.COUNTERS, np.int64)
    par[L.F_H], par[L.F_THRESHOLD] = spec.dt, spec.restitution_threshold
    par[L.F_GX:L.F_GZ + 1] = spec.gravity
    par[L.F_CAP] = np.inf
    par[L.F_SCHEME], par[L.F_STORAGE] = INTEGRATORS[spec.integrator], STORAGES[spec.inertia_storage]
    par[L.F_SOLVER], par[L.F_PROFILE] = SOLVERS[spec.solver].number, PROFILES.get(spec.contact_profile, L.NO_PROFILE)
    par[L.F_COMBINE_E], par[L.F_COMBINE_MU] = RULES[spec.combine_restitution], RULES[spec.combine_friction]
    par[L.F_CONTACT_TIME], par[L.F_STIFFNESS] = spec.contact_time or 0.0, spec.contact_stiffness or 0.0
    par[L.F_PENALTY] = spec.penalty_stiffness or 0.0
    par[L.F_MAX_V], par[L.F_MAX_W] = spec.max_linear_velocity, spec.max_angular_velocity
    par[L.F_SLEEP] = spec.sleep
    count[L.N_STALE_LIST] = 1
    material, curve, body[:, L.B_CLASS], special = material_tables([b.material for b in bodies], spec.pair_materials)
    near = _first_near(bodies, counts)
    pairs = FIRST_PAIRS + PAIRS_A_BODY * n
    excluded = np.array(sorted(a * n + b for a, b in spec.excluded), np.int64)
    return Arrays(
        block=in_lines(block), todo=np.zeros((L.TODO, len(block)), np.int64), body=body,
        travel=in_lines(np.zeros((L.TRAVEL, len(block) * LANES))), close=np.zeros(n, np.int64),
        load=np.zeros((L.LOADS, n, 3)), tensor=_tensors(spec),
        geom=geometry.geom, geom_i=geometry.geom_i, convex=geometry.convex,
        beside=find_seams(block, body, geometry.geom, geometry.geom_i), excluded=excluded, anchor=anchor,
        material=material, curve=curve, special=special, pending=np.zeros((n, L.PENDING)),
        profile=np.zeros((FIRST_PROFILES, L.PROFILE)),
        bucket=np.zeros((2 << n.bit_length()) + 1 + 2 * LEVELS, np.int64),
        ball=np.zeros((L.BALL, n + HALF)), cell=np.zeros((n, L.CELL), np.int64),
        pairs=np.zeros((2, pairs, 2), np.int64), clear=np.zeros((pairs, L.CLEAR)),
        work=np.zeros((n, L.WORK)), cache=np.zeros((2, near, L.CACHE)),
        last=np.zeros((L.POINTS * near, L.LAST)), still=np.zeros((n, L.STILL)),
        rest=np.zeros((2 * L.POINTS * near, L.REST)), manifold=np.zeros((16, L.MANIFOLD)),
        clip=np.zeros((2, 16, 4)), out=np.zeros((FIRST_LOG + LOG_A_PAIR * near, L.OUT)), count=count, par=par,
        joint_log=np.zeros((0, L.JOINT_LOG)), **joint_buffers(0), **near_buffers(near, n))
