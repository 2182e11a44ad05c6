# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What kernels are made of: vectors, quaternions and small matrices as tuples of floats, elementary functions with the
same bits everywhere, vector lanes, sorting; and how kernels are compiled, kept on disk and handed arrays.

Not here: bodies, shapes, contacts, layouts of a world's arrays (model); no physics and no state.
"""
