# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Functions that kernels call: IEEE division, no fast maths, so that equal inputs give equal bits.

``NUMBA_DISABLE_JIT=1`` runs the same functions as plain Python; results then agree to rounding.  numba comes with the
first of the `entries`: what stands beside kernels, tables and checks, can be had without it.
"""
import os
from functools import cached_property, update_wrapper

# as numba reads it
IS_PYTHON = os.environ.get('NUMBA_DISABLE_JIT', '0') not in ('', '0')


class Kernel:
    """A function that kernels call, made numba's when the first of them is compiled.

    Where all machine code comes from the cache that is never: 1,000 dispatchers of numba's take 0.15 s.  From Python,
    use ``.py_func``.
    """

    def __init__(self, function, options):
        self.py_func, self._options = function, options
        update_wrapper(self, function)

    @property
    def is_inlined(self):
        """Whether numba puts its text where it is called."""
        return self._options.get('inline') == 'always'

    @cached_property
    def dispatcher(self):
        """Numba's."""
        from .entries import dispatcher
        return dispatcher(self.py_func, **self._options)

    def __getattr__(self, name):
        return getattr(self.dispatcher, name)


def _decorator(**options):
    """Decorator for functions that kernels call."""
    return lambda function: function if IS_PYTHON else Kernel(function, options)


kernel = _decorator()
# As `kernel`, and always inlined: the arithmetic of the vectorised pass, where a call would keep the loop scalar.
always_inline = _decorator(forceinline=True)
# As `kernel`, for what one place only calls: numba puts its text there, and the machine code is optimised once less.
inline = _decorator(inline='always')
