"""Principal axes of an inertia tensor, and the checks that make it one."""
import numpy as np
from scipy.spatial.transform import Rotation

from ..checks import array
from ..constants import INERTIA_TOLERANCE
from ..errors import EngineError


def principal_axes(key, inertia):
    """Principal moments and axes of a (3,) diagonal or (3, 3) tensor (kg m^2, body frame).

    Returns (moments (3,), quaternion (4,) wxyz of the principal frame in the body frame).  A diagonal tensor keeps its
    order and the identity quaternion, so that nothing is rounded.  Errors: not finite, not symmetric, not positive,
    moments that break the triangle inequality I1 + I2 >= I3 (no mass distribution has them).
    """
    shape = np.shape(inertia)
    if shape == (3,):
        moments, q = array(key, inertia, (3,)), np.array([1.0, 0.0, 0.0, 0.0])
    else:
        tensor = array(key, inertia, (3, 3))
        size = np.abs(tensor).max()
        if np.abs(tensor - tensor.T).max() > INERTIA_TOLERANCE * size:
            raise EngineError(f'{key}: must be symmetric, got {tensor.tolist()}')
        if np.count_nonzero(tensor - np.diag(np.diagonal(tensor))) == 0:
            moments, q = np.diagonal(tensor).copy(), np.array([1.0, 0.0, 0.0, 0.0])
        else:
            moments, axes = np.linalg.eigh(0.5 * (tensor + tensor.T))
            if np.linalg.det(axes) < 0.0:
                axes[:, 0] = -axes[:, 0]
            q = Rotation.from_matrix(axes).as_quat()[[3, 0, 1, 2]]
    if moments.min() <= 0.0:
        raise EngineError(f'{key}: principal moments must be > 0, got {moments.tolist()}')
    low, middle, high = np.sort(moments)
    if high > (low + middle) * (1.0 + INERTIA_TOLERANCE):
        raise EngineError(f'{key}: breaks the triangle inequality I1 + I2 >= I3, '
                          f'got principal moments {[low, middle, high]}')
    return moments, q
