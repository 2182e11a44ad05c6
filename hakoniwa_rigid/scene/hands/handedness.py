# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Left or right, from the shape of a hand alone: fingers bend one way only.

Seen along the knuckles from the index to the little finger, the fingers of a right hand curl one way and those of a
left hand, or of a right hand in a mirrored frame, the other.  So the sign of a triple product tells them apart in any
pose but a flat one.
"""
from __future__ import annotations

from ...engine.maths.entries import entry
from ...engine.maths.vec3 import cross, dot, load3, norm, sub
from ..world_files.world_types import HandConfig

LEFT, UNKNOWN, RIGHT = -1, 0, 1
WORDS = {LEFT: 'left', UNKNOWN: '', RIGHT: 'right'}
# sine of the bend from which a finger tells: a stretched finger under 5 mm of noise seldom reaches 17 degrees, and
# hardly one that bends backwards
TELLING = 0.3
# fingers that must tell, all the same; m, shorter bones and knuckles closer together say nothing
FINGERS, SHORTEST = 3, 0.01


def expected(config: HandConfig) -> int:
    """LEFT, RIGHT or UNKNOWN: as configured, or else as the hand's name says."""
    word = config.handedness
    if word is None:
        sides = [side for side in ('left', 'right') if side in config.name.lower()]
        word = sides[0] if len(sides) == 1 else ''
    return next(side for side, name in WORDS.items() if name == word)


@entry
def side_of(joints, valid, bends):
    """LEFT, RIGHT, or UNKNOWN where the shape does not tell; joints (J,3) m of a right-handed frame; bends: of their
    layout."""
    if len(bends) == 0 or not (valid[bends[0, 0]] and valid[bends[3, 0]]):
        return UNKNOWN
    across = sub(load3(joints[bends[3, 0]], 0), load3(joints[bends[0, 0]], 0))
    width, left, right = norm(across), 0, 0
    if width < SHORTEST:
        return UNKNOWN
    for k in range(len(bends)):
        a, b, c = bends[k, 0], bends[k, 1], bends[k, 2]
        if not (valid[a] and valid[b] and valid[c]):
            continue
        inner, outer = sub(load3(joints[b], 0), load3(joints[a], 0)), sub(load3(joints[c], 0), load3(joints[b], 0))
        size = norm(inner) * norm(outer)
        if size < SHORTEST * SHORTEST:
            continue
        bend = dot(cross(inner, outer), across) / (size * width)
        left += bend > TELLING
        right += bend < -TELLING
    if left >= FINGERS and right == 0:
        return LEFT
    return RIGHT if right >= FINGERS and left == 0 else UNKNOWN


@entry
def flipped(before, after, valid, bends):
    """Whether the knuckles, from index to little finger, have turned by more than 90 degrees."""
    if len(bends) == 0 or not (valid[bends[0, 0]] and valid[bends[3, 0]]):
        return False
    first, last = bends[0, 0], bends[3, 0]
    a = sub(load3(before[last], 0), load3(before[first], 0))
    b = sub(load3(after[last], 0), load3(after[first], 0))
    return norm(a) > 2.0 * SHORTEST and norm(b) > 2.0 * SHORTEST and dot(a, b) < 0.0
