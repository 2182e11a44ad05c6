# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints that have given their limit and slipped hold on where they are: they never pull bodies back."""
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import sub
from ..model import layout as L
from .rows import anchors, is_line, line


@kernel
def anchor_anew(s, k):
    """Constraint k holds where its bodies are now, as far as it slips.  Writes: s.joint."""
    f, p = s.joint[k], s.joint_i[k]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    if p.kind == L.SPRING:
        return
    if p.slips & L.SLIPS != 0:
        if is_line(p.kind):
            length = line(s, k, ra.position, ra.attitude, rb.position, rb.attitude)[1]
            f.length = max(f.length, length) if p.kind == L.CABLE else length
        else:
            _, pb = anchors(s, k, ra.position, ra.attitude, rb.position, rb.attitude)
            f.anchor_a = quat.rotate_back(ra.attitude, sub(pb, ra.position))
    if p.slips & L.TURNS != 0:
        if p.kind == L.FIXED:
            f.relative_attitude = quat.mul(quat.conj(ra.attitude), rb.attitude)
        elif p.kind == L.HINGE:
            f.axis_b = quat.rotate_back(rb.attitude, quat.rotate(ra.attitude, f.axis_a))
