"""Fill the engine's arrays from a validated WorldSpec."""
import numpy as np

from ..constants import LANES
from ..errors import EngineError
from ..shapes import Box, Capsule, HalfSpace, Sphere
from . import layout as at
from .arrays import Arrays, blocks_for, near_buffers

FIRST_PAIRS, FIRST_NEAR, FIRST_LOG = 64, 16, 1024

INTEGRATORS = {'exact': at.EXACT, 'semi_implicit_euler': at.SEMI_IMPLICIT_EULER, 'rk4': at.RK4,
               'implicit_midpoint': at.IMPLICIT_MIDPOINT}
STORAGES = {'principal': at.PRINCIPAL, 'tensor': at.FULL}


def shape_row(shape):
    """(type, size (3,), origin offset (3,)) of a shape in its own frame."""
    if isinstance(shape, Sphere):
        return at.SPHERE, (shape.radius, 0.0, 0.0), (0.0, 0.0, 0.0)
    if isinstance(shape, Capsule):
        return at.CAPSULE, (shape.radius, 0.5 * shape.length, 0.0), (0.0, 0.0, 0.0)
    if isinstance(shape, Box):
        return at.BOX, tuple(0.5 * s for s in shape.size), (0.0, 0.0, 0.0)
    if isinstance(shape, HalfSpace):
        return at.HALFSPACE, shape.normal, tuple(shape.offset * n for n in shape.normal)
    raise EngineError(f'shape: a {type(shape).__name__} has mass properties but no contacts; '
                      'give a Sphere, Box, Capsule or HalfSpace and its mass, inertia and com')


def quat_mul(p, q):
    """Product of (..., 4) wxyz quaternions."""
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack([pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
                     pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw], axis=-1)


def quat_conj(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q, a):
    """Rotate (3,) vectors by a (4,) wxyz quaternion."""
    u = q[1:]
    t = 2.0 * np.cross(u, a)
    return a + q[0] * t + np.cross(u, t)


def rotate_all(q, a):
    """Rotate (N, 3) vectors by (N, 4) wxyz quaternions."""
    t = 2.0 * np.cross(q[:, 1:], a)
    return a + q[:, :1] * t + np.cross(q[:, 1:], t)


def _geometry(bodies):
    geom, geom_i = np.zeros((len(bodies), at.GEOM)), np.zeros((len(bodies), at.GEOM_I), np.int64)
    for i, b in enumerate(bodies):
        kind, size, origin = shape_row(b.shape)
        back = quat_conj(b.axes)
        where = rotate(back, np.asarray(origin) - b.com)
        size = rotate(back, np.asarray(size)) if kind == at.HALFSPACE else size
        geom[i, at.G_SIZE:at.G_SIZE + 3] = size
        geom[i, at.G_X:at.G_X + 3] = where
        geom[i, at.G_Q:at.G_Q + 4] = (1.0, 0.0, 0.0, 0.0) if kind == at.HALFSPACE else back
        extent = b.shape.bounding_radius() if b.shape.bounded else at.UNBOUNDED
        geom[i, at.G_EXTENT] = extent
        geom[i, at.G_RADIUS] = extent + np.linalg.norm(where) if b.shape.bounded else at.UNBOUNDED
        geom[i, at.G_MU], geom[i, at.G_E] = b.friction, b.restitution
        geom_i[i] = kind, i, 0
    return geom, geom_i


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
    body = np.zeros((n, at.BODY), np.int64)
    for i, b in enumerate(bodies):
        body[i, [at.B_KIND, at.B_GROUP, at.B_MASK, at.B_ENABLED]] = b.kind, b.group, b.mask, b.enabled
    block = _blocks(bodies)
    # lanes beyond the last body hold a unit quaternion, so that the free-flight pass never divides by zero
    for i in range(n, len(block) * LANES):
        block[i // LANES, at.H_Q * LANES + i % LANES] = 1.0
    geom, geom_i = _geometry(bodies)
    par, count = np.zeros(at.PARAMETERS), np.zeros(at.COUNTERS, np.int64)
    par[at.F_H], par[at.F_THRESHOLD] = spec.dt, spec.restitution_threshold
    par[at.F_GX:at.F_GZ + 1] = spec.gravity
    par[at.F_CAP] = np.inf
    par[at.F_SCHEME], par[at.F_STORAGE] = INTEGRATORS[spec.integrator], STORAGES[spec.inertia_storage]
    count[at.N_STALE_LIST] = 1
    excluded = np.array(sorted(a * n + b for a, b in spec.excluded), np.int64)
    return Arrays(
        block=block, body=body, load=np.zeros((at.LOADS, n, 3)), tensor=_tensors(spec),
        geom=geom, geom_i=geom_i, excluded=excluded, anchor=np.zeros((n, at.ANCHOR)),
        pairs=np.zeros((FIRST_PAIRS, 2), np.int64), work=np.zeros((n, at.WORK)),
        last=np.zeros((at.POINTS * FIRST_NEAR, at.LAST)), manifold=np.zeros((16, at.MANIFOLD)),
        clip=np.zeros((2, 16, 4)), out=np.zeros((FIRST_LOG, at.OUT)), count=count, par=par,
        **near_buffers(FIRST_NEAR, n))
