# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Arrays without reference counts, for the inside of one call.

numba counts a reference to every array of a tuple whenever the tuple is handed to a kernel that is not inlined, by
atomic operations.  The World holds its arrays for the whole call; inside, no counting is needed.
"""
from numba import config
from numba.core import cgutils, types
from numba.extending import intrinsic


def _uncounted(_context, array):
    """The same array, owner unknown: counting becomes a test for null."""
    def codegen(context, builder, signature, values):
        struct = context.make_array(signature.args[0])(context, builder, value=values[0])
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)
        struct.parent = cgutils.get_null_value(struct.parent.type)
        return struct._getvalue()
    return (array(array), codegen) if isinstance(array, types.Array) else None


if config.DISABLE_JIT:
    def borrowed(array):
        """The array itself."""
        return array
else:
    borrowed = intrinsic(_uncounted)
