"""Fill the engine's arrays from a validated WorldSpec."""
import numpy as np

from ..constants import LANES
from ..maths.lanes import HALF
from . import layout as at
from .arrays import LEVELS, Arrays, blocks_for, in_lines, near_buffers
from .geometry import build_geometry
from .materials import RULES, surface_tables
from .seams import find_seams
from .turns import quat_mul

FIRST_PAIRS, FIRST_NEAR, FIRST_LOG, FIRST_PROFILES = 64, 16, 1024, 16

INTEGRATORS = {'exact': at.EXACT, 'semi_implicit_euler': at.SEMI_IMPLICIT_EULER, 'rk4': at.RK4,
               'implicit_midpoint': at.IMPLICIT_MIDPOINT}
SOLVERS = {'sequential': at.SEQUENTIAL, 'impulse': at.IMPULSE, 'penalty': at.PENALTY}
PROFILES = {'rectangle': at.RECTANGLE, 'half_sine': at.HALF_SINE, 'hertz': at.HERTZ}
STORAGES = {'principal': at.PRINCIPAL, 'tensor': at.FULL}


def _blocks(bodies):
    """(blocks, BLOCK x 8) array of all bodies."""
    out = np.zeros((blocks_for(len(bodies)), at.BLOCK, LANES))
    for i, b in enumerate(bodies):
        out[i // LANES, :, i % LANES] = _column(b)
    return out.reshape(len(out), at.BLOCK * LANES)


def _constants(b):
    if b.kind != at.DYNAMIC:
        return np.zeros(8)
    i1, i2, i3 = b.moments
    return np.array([1.0 / b.mass, 1.0 / i1, 1.0 / i2, 1.0 / i3, (i2 - i3) / i1, (i3 - i1) / i2, (i1 - i2) / i3, 1.0])


def _column(b):
    """All columns of one body."""
    q = quat_mul(b.quat, b.axes) if b.axes[0] != 1.0 else b.quat
    return np.concatenate([b.pos, q, b.linvel, b.angvel, _constants(b), np.zeros(at.BLOCK - at.H_F)])


def _tensors(spec):
    """(N, TENSOR) inertia and inverse of dynamic bodies, zeros for the others; no rows in principal axes."""
    if spec.inertia_storage == 'principal':
        return np.zeros((0, at.TENSOR))
    out = np.zeros((len(spec.bodies), at.TENSOR))
    upper = np.triu_indices(3)
    for i, b in enumerate(spec.bodies):
        if b.kind == at.DYNAMIC:
            out[i] = *b.tensor[upper], *np.linalg.inv(b.tensor)[upper]
    return out


def allocate(spec):
    """Arrays of a new world."""
    bodies, n = spec.bodies, len(spec.bodies)
    geometry = build_geometry(bodies)
    body, anchor = np.zeros((n, at.BODY), np.int64), np.zeros((n, at.ANCHOR))
    counts = np.bincount(geometry.geom_i[:, at.GI_BODY], minlength=n)
    body[:, at.B_GEOMS] = np.cumsum(counts)
    body[:, at.B_GEOM] = body[:, at.B_GEOMS] - counts
    for i, b in enumerate(bodies):
        body[i, [at.B_KIND, at.B_GROUP, at.B_MASK, at.B_ENABLED]] = b.kind, b.group, b.mask, b.enabled
        anchor[i, at.A_RADIUS] = geometry.geom[body[i, at.B_GEOM]:body[i, at.B_GEOMS], at.G_RADIUS].max()
    block = _blocks(bodies)
    # lanes beyond the last body hold a unit quaternion, so that the free-flight pass never divides by zero
    for i in range(n, len(block) * LANES):
        block[i // LANES, at.H_Q * LANES + i % LANES] = 1.0
    par, count = np.zeros(at.PARAMETERS), np.zeros(at.COUNTERS, np.int64)
    par[at.F_H], par[at.F_THRESHOLD] = spec.dt, spec.restitution_threshold
    par[at.F_GX:at.F_GZ + 1] = spec.gravity
    par[at.F_CAP] = np.inf
    par[at.F_SCHEME], par[at.F_STORAGE] = INTEGRATORS[spec.integrator], STORAGES[spec.inertia_storage]
    par[at.F_SOLVER], par[at.F_PROFILE] = SOLVERS[spec.solver], PROFILES.get(spec.contact_profile, at.NO_PROFILE)
    par[at.F_COMBINE_E], par[at.F_COMBINE_MU] = RULES[spec.combine_restitution], RULES[spec.combine_friction]
    par[at.F_CONTACT_TIME], par[at.F_STIFFNESS] = spec.contact_time or 0.0, spec.contact_stiffness or 0.0
    par[at.F_PENALTY] = spec.penalty_stiffness or 0.0
    par[at.F_MAX_V], par[at.F_MAX_W] = spec.max_linear_velocity, spec.max_angular_velocity
    par[at.F_SLEEP] = spec.sleep
    count[at.N_STALE_LIST] = 1
    surface, curve, body[:, at.B_CLASS], special = surface_tables([b.surface for b in bodies], spec.pair_surfaces)
    excluded = np.array(sorted(a * n + b for a, b in spec.excluded), np.int64)
    return Arrays(
        block=in_lines(block), todo=np.zeros((at.TODO, len(block)), np.int64), body=body,
        travel=in_lines(np.zeros((at.TRAVEL, len(block) * LANES))), close=np.zeros(n, np.int64),
        load=np.zeros((at.LOADS, n, 3)), tensor=_tensors(spec),
        geom=geometry.geom, geom_i=geometry.geom_i, convex=geometry.convex,
        beside=find_seams(block, body, geometry.geom, geometry.geom_i), excluded=excluded, anchor=anchor,
        surface=surface, curve=curve, special=special, pending=np.zeros((n, at.PENDING)),
        profile=np.zeros((FIRST_PROFILES, at.PROFILE)),
        bucket=np.zeros((2 << n.bit_length()) + 1 + 2 * LEVELS, np.int64),
        ball=np.zeros((at.BALL, n + HALF)), cell=np.zeros((n, at.CELL), np.int64),
        pairs=np.zeros((2, FIRST_PAIRS + n, 2), np.int64), clear=np.zeros((FIRST_PAIRS + n, at.CLEAR)),
        work=np.zeros((n, at.WORK)), cache=np.zeros((2, FIRST_NEAR, at.CACHE)),
        last=np.zeros((at.POINTS * FIRST_NEAR, at.LAST)), still=np.zeros((n, at.STILL)),
        rest=np.zeros((2 * at.POINTS * FIRST_NEAR, at.REST)), manifold=np.zeros((16, at.MANIFOLD)),
        clip=np.zeros((2, 16, 4)), out=np.zeros((FIRST_LOG, at.OUT)), count=count, par=par,
        **near_buffers(FIRST_NEAR, n))
