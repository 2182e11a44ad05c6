"""Joints of a tracked hand from samples to ticks, compiled."""
from __future__ import annotations

import math

from ..engine.maths.jit import entry
from ..engine.maths.vec3 import add, load3, madd, scale, store3, sub
from .rows import bounded

# of a missing joint
NOWHERE = (math.nan, math.nan, math.nan)


@entry
def move_joints(sample, velocity, valid, placed, joints, speed, ahead, moving, gap, most):
    """Speeds (J,3) of the tracked joints for the next steps: the sample's velocity, if moving, plus what closes the
    distance to the sample `ahead` s on within `gap` s, at most `most` m/s.  Joints new to the scene are put there."""
    for j in range(len(sample)):
        if not valid[j]:
            store3(joints[j], 0, NOWHERE)
            store3(speed[j], 0, NOWHERE)
            continue
        v = load3(velocity[j], 0)
        target = madd(load3(sample[j], 0), v, ahead)
        if not placed[j]:
            store3(joints[j], 0, target)
            placed[j] = True
        closing = scale(sub(target, load3(joints[j], 0)), 1.0 / gap)
        store3(speed[j], 0, bounded(add(v, closing) if moving else closing, most))
