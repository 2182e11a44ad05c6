"""Quaternions (w, x, y, z) as numpy arrays, for what happens outside the kernels."""
import numpy as np

NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def quat_mul(p, q):
    """Product of (..., 4) wxyz quaternions."""
    pw, px, py, pz = np.moveaxis(p, -1, 0)
    qw, qx, qy, qz = np.moveaxis(q, -1, 0)
    return np.stack([pw * qw - px * qx - py * qy - pz * qz, pw * qx + px * qw + py * qz - pz * qy,
                     pw * qy - px * qz + py * qw + pz * qx, pw * qz + px * qy - py * qx + pz * qw], axis=-1)


def quat_conj(q):
    return q * np.array([1.0, -1.0, -1.0, -1.0])


def rotate(q, a):
    """Rotate a (3,) vector by a (4,) wxyz quaternion; plain arithmetic, which for one vector is faster than arrays."""
    (w, x, y, z), (a0, a1, a2) = np.asarray(q).tolist(), np.asarray(a).tolist()
    t0, t1, t2 = 2.0 * (y * a2 - z * a1), 2.0 * (z * a0 - x * a2), 2.0 * (x * a1 - y * a0)
    return np.array([a0 + w * t0 + (y * t2 - z * t1), a1 + w * t1 + (z * t0 - x * t2), a2 + w * t2 + (x * t1 - y * t0)])


def rotate_all(q, a):
    """Rotate (N, 3) vectors by (N, 4) wxyz quaternions."""
    t = 2.0 * np.cross(q[:, 1:], a)
    return a + q[:, :1] * t + np.cross(q[:, 1:], t)
