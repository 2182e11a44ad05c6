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
    """Rotate a (3,) vector by a (4,) wxyz quaternion."""
    u = q[1:]
    t = 2.0 * np.cross(u, a)
    return a + q[0] * t + np.cross(u, t)


def rotate_all(q, a):
    """Rotate (N, 3) vectors by (N, 4) wxyz quaternions."""
    t = 2.0 * np.cross(q[:, 1:], a)
    return a + q[:, :1] * t + np.cross(q[:, 1:], t)
