# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""New sizes of capsules and boxes that are there already: bones and palms of tracked hands."""

from ..errors import EngineError
from ..maths.matrices import length
from ..model import layout as L
from ..model.geometry import shape_geometry
from ..model.seams import with_seams


def resize(world, i, shape):
    """Body i, whose shape is of the same type and about its centre of mass, gets `shape`; its mass and inertia stay.

    The list of candidates is made anew where the body has grown.
    """
    old = world.shapes[i]
    if type(old) is not type(shape):
        word = type(shape).__name__
        raise EngineError(f'{world.names[i]}: set_{word.lower()}: must be a {word}, is a {type(old).__name__}')
    s = world._s
    geom = s.geom[s.body[i, L.B_GEOM]]
    geom[L.G_SIZE:L.G_SIZE + 3], geom[L.G_EXTENT], geom[L.G_HALF:L.G_HALF + 3] = shape_geometry(shape)
    grown = geom[L.G_EXTENT] + length(geom[L.G_X:L.G_X + 3])
    s.count[L.N_STALE_LIST] |= int(grown > geom[L.G_RADIUS])
    s.anchor[i, L.A_RADIUS] = geom[L.G_RADIUS] = grown
    world.shapes[i] = shape
    if s.body[i, L.B_KIND] != L.KINEMATIC:    # nothing sleeps on what is kinematic
        s.count[L.N_CHANGED] = 1
        s.count[L.N_CACHED] = 0
    if s.body[i, L.B_KIND] == L.STATIC:
        world._s = with_seams(s)
