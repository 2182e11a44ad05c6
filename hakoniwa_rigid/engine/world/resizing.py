"""New sizes of capsules and boxes that are there already: bones and palms of tracked hands."""
import numpy as np

from ..errors import EngineError
from ..model import layout as at
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
    geom = s.geom[s.body[i, at.B_GEOM]]
    geom[at.G_SIZE:at.G_SIZE + 3], geom[at.G_EXTENT], geom[at.G_HALF:at.G_HALF + 3] = shape_geometry(shape)
    grown = geom[at.G_EXTENT] + float(np.linalg.norm(geom[at.G_X:at.G_X + 3]))
    s.count[at.N_STALE_LIST] |= int(grown > geom[at.G_RADIUS])
    s.anchor[i, at.A_RADIUS] = geom[at.G_RADIUS] = grown
    world.shapes[i] = shape
    if s.body[i, at.B_KIND] != at.KINEMATIC:    # nothing sleeps on what is kinematic
        s.count[at.N_CHANGED] = 1
        s.count[at.N_CACHED] = 0
    if s.body[i, at.B_KIND] == at.STATIC:
        world._s = with_seams(s)
