"""Tables of addresses: entries see the very arrays, of every type, and arrays with gaps are refused."""
import numpy as np
import pytest
from numba import config, njit

from hakoniwa_rigid.engine.maths.jit import kernel
from hakoniwa_rigid.scene.addresses import bytes_at, flags_at, floats_at, table_of, wholes_at


@kernel
def _write(t, n):
    floats_at(t, 0, (n, 3))[n - 1, 2] = 0.5
    wholes_at(t, 1, (n,))[n - 1] = -7
    flags_at(t, 2, (n,))[0] = True
    bytes_at(t, 3, (n,))[0] = 255


@pytest.mark.skipif(config.DISABLE_JIT, reason='a table holds the arrays themselves there')
def test_arrays_with_gaps_are_refused():
    with pytest.raises(ValueError, match='arrays: must be contiguous'):
        table_of([np.zeros((4, 3))[:, :2]])


def test_what_is_written_by_address_is_in_the_arrays():
    arrays = np.zeros((4, 3)), np.zeros(4, dtype=np.int64), np.zeros(4, dtype=bool), np.zeros(4, dtype=np.uint8)
    njit(lambda t, n: _write(t, n))(table_of(arrays), 4)
    assert arrays[0][3, 2] == 0.5 and np.count_nonzero(arrays[0]) == 1
    assert arrays[1].tolist() == [0, 0, 0, -7]
    assert arrays[2].tolist() == [True, False, False, False]
    assert arrays[3].tolist() == [255, 0, 0, 0]
