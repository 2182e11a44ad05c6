# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One door to the pair functions: shape types in ascending order, rows always a -> b.

Spheres, capsules, boxes and half-spaces among themselves have closed forms; all other convex pairs go
through `pairs_convex`, static meshes patch by patch through `pairs_mesh`.
"""
from ..constants import GENERAL_WORK, MANIFOLD_WORK, PATCH_WORK
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import add
from ..model.convex import HURRY
from ..shapes.kinds import BOX, CAPSULE, HALFSPACE, MESH, SPHERE
from .general import collide_general
from .manifold import flip
from .pairs_box import box_halfspace, capsule_box, sphere_box
from .pairs_box_box import box_box
from .pairs_mesh import collide_patch
from .pairs_round import capsule_capsule, capsule_halfspace, sphere_capsule, sphere_halfspace, sphere_sphere
from .seams import leave_out_hidden


@kernel
def _ordered(m, clip, ta, xa, qa, sa, tb, xb, qb, sb, flat):
    """Writes: m, clip."""
    if ta == SPHERE:
        if tb == SPHERE:
            return sphere_sphere(m, xa, qa, sa, xb, qb, sb)
        if tb == CAPSULE:
            return sphere_capsule(m, xa, qa, sa, xb, qb, sb)
        if tb == BOX:
            return sphere_box(m, xa, qa, sa, xb, qb, sb)
        return sphere_halfspace(m, xa, qa, sa, xb, qb, sb)
    if ta == CAPSULE:
        if tb == CAPSULE:
            return capsule_capsule(m, xa, qa, sa, xb, qb, sb)
        if tb == BOX:
            return capsule_box(m, xa, qa, sa, xb, qb, sb)
        return capsule_halfspace(m, xa, qa, sa, xb, qb, sb)
    if tb == BOX:
        return box_box(m, clip, xa, qa, sa, xb, qb, sb, flat)
    return box_halfspace(m, xa, qa, sa, xb, qb, sb)


@kernel
def core(s, g):
    """Convex core of shape g."""
    return s.geom_i[g].kind, s.geom[g].dimensions, s.geom_i[g].first_vertex, s.geom_i[g].vertex_count


@kernel
def collide(s, ga, xa, qa, gb, xb, qb, patch, reach):
    """Manifold of shapes ga, gb whose bodies have positions xa, xb (m) and principal-frame attitudes qa, qb.

    Rows go to s.manifold, normals from ga to gb.  patch: first triangle of which one, where one of them is a mesh;
    reach (m): of a mesh, what is farther apart is left out.  Returns their number, at least 1.  Two half-spaces or
    meshes never meet here.  Writes: s.clip, s.convex, s.count, s.manifold."""
    fa, fb = s.geom[ga], s.geom[gb]
    xa, xb = add(xa, quat.rotate(qa, fa.position)), add(xb, quat.rotate(qb, fb.position))
    qa, qb = quat.mul(qa, fa.attitude), quat.mul(qb, fb.attitude)
    ta, tb = s.geom_i[ga].kind, s.geom_i[gb].kind
    s.count.work += (PATCH_WORK if ta == MESH or tb == MESH else
                           GENERAL_WORK if ta > HALFSPACE or tb > HALFSPACE else MANIFOLD_WORK)
    if ta == MESH:
        return collide_patch(s.convex, s.manifold, s.geom_i[ga], patch, xa, qa,
                             fb.half_sides, core(s, gb), xb, qb, reach)
    if tb == MESH:
        n = collide_patch(s.convex, s.manifold, s.geom_i[gb], patch, xb, qb,
                          fa.half_sides, core(s, ga), xa, qa, reach)
        flip(s.manifold, n)
        return n
    if ta > HALFSPACE or tb > HALFSPACE:
        s.convex.index[HURRY, 0] = s.count.looks_ahead
        n = collide_general(s.convex, s.manifold, core(s, ga), xa, qa, core(s, gb), xb, qb)
        s.convex.index[HURRY, 0] = 0
        return leave_out_hidden(s, ga, xa, qa, gb, xb, qb, n)
    flat = s.count.looks_ahead == 1
    if ta <= tb:
        n = _ordered(s.manifold, s.clip, ta, xa, qa, fa.dimensions, tb, xb, qb, fb.dimensions, flat)
        return leave_out_hidden(s, ga, xa, qa, gb, xb, qb, n)
    n = _ordered(s.manifold, s.clip, tb, xb, qb, fb.dimensions, ta, xa, qa, fa.dimensions, flat)
    flip(s.manifold, n)
    return leave_out_hidden(s, ga, xa, qa, gb, xb, qb, n)
