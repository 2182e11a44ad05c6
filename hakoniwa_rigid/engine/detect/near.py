"""From candidate pairs to near pairs: those whose shapes may touch within this step, with their contact rows."""
import math

import numpy as np

from ..constants import CROWD_SPEED, HELD_STEPS, LANES, LEAST_DRIFT, MOST_DRIFT, TOUCH, WIDEST_TOUCH
from ..integrate.bodies import gather
from ..maths import quat
from ..maths.jit import kernel, once
from ..maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub, sym_mul
from ..model import layout as at
from ..solve.profiles import normal_now
from ..solve.sleep import is_idle, wake, wake_all
from ..surface import frictions
from .balls import balls_apart, beyond, body_spin, centre, spin, swing, turning
from .broadphase import attitude, may_fly, position, reach, used
from .clusters import find_clusters
from .crowding import in_crowd
from .manifold import least_gap
from .mesh_query import next_near, probe_of
from .narrowphase import collide
from .pairs_box_box import best_axis
from .parting_plane import gap_along, pose_of, widest_gap
from .row_geometry import prepare
from .slabs import over, parted

# m^2, and squared chord of the angle between normals: contact rows closer than this are one
SAME_POINT, SAME_NORMAL = 1e-16, 1e-14
# 0 as a number of a type, not as a literal, for which the kernels below would be compiled once more
NONE = np.int64(0)
NOTHING = (0.0, 0.0, 0.0)
# times that near pairs are found anew in a step because islands wake, before all of them do
WAKE_ROUNDS = 4


@kernel
def spin_speed(s, g, r):
    """Bound (m/s) on the speed of the shape's surface by rotation; none for a sphere about the centre of mass."""
    centred = s.geom[g, at.G_X] == s.geom[g, at.G_X + 1] == s.geom[g, at.G_X + 2] == 0.0
    if centred and s.geom_i[g, at.GI_TYPE] == at.SPHERE:
        return 0.0
    if s.geom[g, at.G_RADIUS] >= at.UNBOUNDED:
        return 0.0
    return norm(load3(r, at.W_W)) * s.geom[g, at.G_RADIUS]


@kernel
def on_mesh(s, m):
    """True for near pairs with a mesh.

    Its other triangles may close faster than the nearest: the speed along the nearest normal bounds nothing there.
    """
    p = s.pair_i[m]
    return s.geom_i[p[at.P_GA], at.GI_TYPE] == at.MESH or s.geom_i[p[at.P_GB], at.GI_TYPE] == at.MESH


@kernel
def turner(s, m):
    """Rate (rad/s, world) of the body of near pair m that nothing stops; 0 where there is none, and for meshes.

    What lies on such a body is carried round: its surface moves, but hardly as seen from there.
    """
    w = (0.0, 0.0, 0.0)
    if s.par[at.F_SOLVER] != at.SEQUENTIAL or s.par[at.F_PROFILE] != at.NO_PROFILE or on_mesh(s, m):
        return w
    for f in range(at.P_A, at.P_B + 1):
        r = s.work[s.pair_i[m, f]]
        if r[at.W_IM] == 0.0:
            w = add(w, load3(r, at.W_W))
    return w


@kernel
def seen_from(s, m, w):
    """Centre of mass (m) and velocity (m/s) of body b of near pair m against those of a, seen turning at rate w."""
    ra, rb = s.work[s.pair_i[m, at.P_A]], s.work[s.pair_i[m, at.P_B]]
    d = sub(load3(rb, at.W_X), load3(ra, at.W_X))
    return d, sub(sub(load3(rb, at.W_V), load3(ra, at.W_V)), cross(w, d))


@kernel
def _set_touch(s, m, n):
    """How far apart surfaces with normal n count as touching, by how the bodies of near pair m are carried round."""
    h, w, drift = s.par[at.F_H], turner(s, m), 0.0
    if w[0] != 0.0 or w[1] != 0.0 or w[2] != 0.0:
        apart, v = seen_from(s, m, w)
        tilt = norm(madd(w, n, -dot(w, n)))
        # centripetal and Coriolis accelerations
        drift = min(max(tilt * (tilt * norm(apart) + 2.0 * norm(v)) * h, LEAST_DRIFT), MOST_DRIFT)
    s.pair_f[m, at.PF_DRIFT] = drift
    s.pair_f[m, at.PF_TOUCH] = TOUCH + min(0.5 * HELD_STEPS * HELD_STEPS * drift * h, WIDEST_TOUCH)


@kernel
def slow(s, m):
    """Speed (m/s) at which touching surfaces that are carried round may approach or slip."""
    return HELD_STEPS * s.pair_f[m, at.PF_DRIFT]


@kernel
def spin_growth(s, g, r):
    """Bound (m/s^2) on how fast spin_speed of the shape may grow, by torque and by precession.

    Moments of inertia differ by no more than the third one, so that a body turns its own rate by its square at most.
    """
    rate, w = spin_speed(s, g, r), load3(r, at.W_W)
    if rate == 0.0 and (s.geom_i[g, at.GI_TYPE] == at.SPHERE or s.geom[g, at.G_RADIUS] >= at.UNBOUNDED):
        return 0.0
    iw = (r[at.W_IW], r[at.W_IW + 1], r[at.W_IW + 2], r[at.W_IW + 3], r[at.W_IW + 4], r[at.W_IW + 5])
    return rate * norm(w) + norm(sym_mul(iw, load3(r, at.W_T))) * s.geom[g, at.G_RADIUS]


@kernel
def spin_reach(s, g, r, h):
    """Bound (m) on the travel of the shape's surface by rotation within h seconds: never more than its diameter."""
    return min(spin_speed(s, g, r) * h, 2.0 * s.geom[g, at.G_RADIUS])


@kernel
def surface_reach(s, m, h):
    """Bound (m) on the relative travel of the two surfaces of near pair m within h seconds."""
    p = s.pair_i[m]
    a, b = s.work[p[at.P_A]], s.work[p[at.P_B]]
    return a[at.W_REACH] + b[at.W_REACH] + spin_reach(s, p[at.P_GA], a, h) + spin_reach(s, p[at.P_GB], b, h)


@kernel
def _wake(s, i):
    if s.body[i, at.B_NEAR] == 0:
        s.body[i, at.B_NEAR] = at.GATHERED
        s.todo[at.DO_NEAR, i // LANES] |= 1 << i % LANES
        gather(s, i)
        s.work[i, at.W_REACH] = s.anchor[i, at.A_SPREAD]


@kernel
def _forget(s):
    """No body is near a contact any more."""
    for block in range(s.todo.shape[1]):
        lanes, s.todo[at.DO_NEAR, block] = s.todo[at.DO_NEAR, block], 0
        for k in range(LANES if lanes != 0 else 0):
            i = block * LANES + k
            if lanes >> k & 1:
                s.body[i, at.B_NEAR] = 0
                s.block[block, at.H_FREE * LANES + k] = 1.0 if may_fly(s, i) else 0.0


@kernel
def _list_close(s):
    """Bodies with a near pair into `close`, ascending."""
    n = 0
    for block in range(s.todo.shape[1]):
        lanes = s.todo[at.DO_NEAR, block]
        for k in range(LANES if lanes != 0 else 0):
            i = block * LANES + k
            if lanes >> k & 1 and s.body[i, at.B_NEAR] == at.IN_CONTACT:
                s.close[n] = i
                n += 1
    s.count[at.N_CLOSE] = n


@kernel
def _wake_pairs(s, far):
    """Candidate pairs that may touch in this step, `far` m being the most that a body travels without being hit.

    Their numbers into pairs[1, :, 0].  They have used up the clearance that they had, but for what both may travel now,
    each at twice the speed of what hits it.  Returns how many.
    """
    room = CROWD_SPEED * s.par[at.F_H] if s.count[at.N_CROWDED] > s.count[at.N_STEPS] else 0.0
    way = 4.0 * far + room + 2.0 * TOUCH
    n, pairs, awake, used, clear = 0, s.pairs[0], s.pairs[1], s.travel[at.V_USED], s.clear
    for k in range(s.count[at.N_PAIRS]):
        awake[n, 0] = k
        n += not used[pairs[k, 0]] + used[pairs[k, 1]] + way < clear[k, at.C_GAP]
    return n


@kernel
def spread_reach(s, awake):
    """Reach (m) of every body in a pair that is awake, raised to twice that of whatever may hit it.

    A ball at rest that is hit by a heavy body leaves at up to twice its speed.
    """
    for j in range(awake):
        for side in range(2):
            i = s.pairs[0, s.pairs[1, j, 0], side]
            s.anchor[i, at.A_REACH] = s.anchor[i, at.A_SPREAD] = reach(s, i)
    for j in range(awake):
        a, b = s.pairs[0, s.pairs[1, j, 0], 0], s.pairs[0, s.pairs[1, j, 0], 1]
        if s.body[a, at.B_KIND] == at.DYNAMIC:
            s.anchor[a, at.A_SPREAD] = max(s.anchor[a, at.A_SPREAD], 2.0 * s.anchor[b, at.A_REACH])
        if s.body[b, at.B_KIND] == at.DYNAMIC:
            s.anchor[b, at.A_SPREAD] = max(s.anchor[b, at.A_SPREAD], 2.0 * s.anchor[a, at.A_REACH])


@once
def find_near_pairs(s, h, far):
    """Fill pair_i and row for every pair that may touch in this step; gather their bodies.

    far: m that the fastest body may travel.  Returns the number wanted.
    """
    awake = _wake_pairs(s, far)
    spread_reach(s, awake)
    find_clusters(s, awake)
    for _ in range(WAKE_ROUNDS):
        m, woken = _find(s, h, awake)
        if not woken:
            return m
    wake_all(s, at.BY_CONTACT)
    return _find(s, h, awake)[0]


@kernel
def _find(s, h, awake):
    """find_near_pairs among the candidate pairs that are awake.

    Returns also whether an island has been met that slept: it is awake now, and they have to be found anew.
    """
    _forget(s)
    m, woken = NONE, False
    for j in range(awake):
        k = s.pairs[1, j, 0]
        a, b = s.pairs[0, k, 0], s.pairs[0, k, 1]
        if is_idle(s, a) and is_idle(s, b):
            continue
        way = s.anchor[a, at.A_SPREAD] + s.anchor[b, at.A_SPREAD] + 2.0 * TOUCH
        if in_crowd(s, a) + in_crowd(s, b) > 0:
            way += _farther(s, a, b, h) + 2.0 * (body_spin(s, a, h) + body_spin(s, b, h))
        # what is left of their clearance is more than they can travel
        if used(s, a) + used(s, b) + way < s.clear[k, at.C_GAP]:
            continue
        if not beyond(s, position(s, a), s.anchor[a, at.A_RADIUS], b, way) and not parted(
                s, _all_of(s, a), _all_of(s, b), load3(s.clear[k], at.C_N),
                way + body_spin(s, a, h) + body_spin(s, b, h)):
            found = _near_shapes(s, m, k, way, h)
            for i in (a, b):
                if found > m and s.body[i, at.B_SLEEP] > 0:
                    wake(s, s.body[i, at.B_SLEEP], at.BY_CONTACT)
                    woken = True
            m = found
    s.count[at.N_NEAR] = min(m, len(s.pair_i))
    _list_close(s)
    return m, woken


@kernel
def _all_of(s, b):
    """Body b with all its shapes, as `parted` takes them."""
    return b, s.body[b, at.B_GEOM], s.body[b, at.B_GEOMS]


@kernel
def _near_shapes(s, m, k, way, h):
    """The shapes of candidate pair k that may touch in this step, as near pairs; way (m): bound on their relative
    motion but for rotations.  Returns the number of near pairs wanted."""
    a, b = s.pairs[0, k, 0], s.pairs[0, k, 1]
    (_, a0, a1), (_, b0, b1) = _all_of(s, a), _all_of(s, b)
    several = a1 - a0 > 1 or b1 - b0 > 1
    for ga in range(a0, a1):
        sway = way + swing(s, ga, h)
        if several and beyond(s, centre(s, ga), s.geom[ga, at.G_EXTENT], b, sway):
            continue
        for gb in range(b0, b1):
            travel = sway + swing(s, gb, h)
            if balls_apart(s, ga, gb, a, b, travel) or several and parted(
                    s, (a, ga, ga + 1), (b, gb, gb + 1), load3(s.clear[k], at.C_N),
                    way + spin(s, ga, a, h) + spin(s, gb, b, h)):
                continue
            if s.geom_i[ga, at.GI_TYPE] == at.MESH:
                m = _near_patches(s, m, ga, gb, ga, gb, travel, h)
            elif s.geom_i[gb, at.GI_TYPE] == at.MESH:
                m = _near_patches(s, m, ga, gb, gb, ga, travel, h)
            else:
                found = _near(s, m, ga, gb, NONE, travel, h)
                if found == m:
                    store3(s.clear[k], at.C_N, load3(s.pair_f[m], at.PF_N))
                m = found
    return m


@kernel
def _near_patches(s, m, ga, gb, mesh, other, travel, h):
    """The patches of shape `mesh` that shape `other` may touch, as near pairs of ga and gb."""
    body = s.geom_i[mesh, at.GI_BODY]
    origin = add(position(s, body), quat.rotate(attitude(s, body), load3(s.geom[mesh], at.G_X)))
    q = quat.mul(attitude(s, body), quat.load4(s.geom[mesh], at.G_Q))
    b = s.geom_i[other, at.GI_BODY]
    turn = quat.mul(attitude(s, b), quat.load4(s.geom[other], at.G_Q))
    half, reach = load3(s.geom[other], at.G_HALF), travel + turning(s, other, h)
    probe = probe_of(origin, q, centre(s, other), turn, half, reach)
    vertex, row = s.convex.vertex, s.geom_i[mesh]
    triangle = next_near(vertex, row, probe, 0)
    while triangle >= 0:
        patch = vertex[row[at.GI_FIRST] + at.TRIANGLE_ROWS * triangle + at.TRI_PATCH]
        m = _near(s, m, ga, gb, int(patch[0]), reach, h)
        triangle = next_near(vertex, row, probe, int(patch[1]))
    return m


@kernel
def _near(s, m, ga, gb, patch, within, h):
    """Make shapes ga and gb near pair m, if they may touch in this step; returns the number of near pairs wanted.

    patch: of a mesh; within (m): bound on the relative motion of the surface of a patch and that of a shape.
    """
    if m >= len(s.pair_i):
        return m + 1
    a, b = s.geom_i[ga, at.GI_BODY], s.geom_i[gb, at.GI_BODY]
    _wake(s, a)
    _wake(s, b)
    p = s.pair_i[m]
    p[at.P_GA], p[at.P_GB], p[at.P_A], p[at.P_B], p[at.P_SUB] = ga, gb, a, b, patch
    p[at.P_HIT] = p[at.P_SEEN] = p[at.P_TOUCH] = p[at.P_N] = p[at.P_UNSOLVED] = p[at.P_STOPS] = p[at.P_AHEAD] = 0
    s.pair_f[m, at.PF_SINCE] = s.pair_f[m, at.PF_SPAN] = 0.0
    s.pair_f[m, at.PF_TOI], s.pair_f[m, at.PF_REACH] = math.inf, within
    far = surface_reach(s, m, h) + 2.0 * TOUCH
    gap, normal = _glance(s, m, far)
    crowded = in_crowd(s, a) + in_crowd(s, b) > 0
    far = crowd_reach(s, m, h) if crowded else far
    if gap <= far and crowded:
        gap = look_ahead(s, m, far)
    elif gap > 2.0 * WIDEST_TOUCH:
        _note(s, m, gap, normal)
    else:
        gap = evaluate(s, m)
    if not (gap < within if on_mesh(s, m) else gap <= far):
        return m
    s.body[a, at.B_NEAR] = s.body[b, at.B_NEAR] = at.IN_CONTACT
    return m + 1


@kernel
def _glance(s, m, far):
    """Gap (m) of near pair m, at least, and its direction (unit, a -> b), where both cost little; -inf elsewhere.

    far (m): where they are farther apart than that, how much farther does not matter.
    """
    ga, gb = s.pair_i[m, at.P_GA], s.pair_i[m, at.P_GB]
    ta, tb = s.geom_i[ga, at.GI_TYPE], s.geom_i[gb, at.GI_TYPE]
    if on_mesh(s, m):
        return -math.inf, NOTHING
    if (ta > at.HALFSPACE or tb > at.HALFSPACE) and ta != at.HALFSPACE and tb != at.HALFSPACE:
        return widest_gap(s, m, far)
    if ta == at.HALFSPACE or tb == at.HALFSPACE:
        return _over_plane(s, m)
    (xa, qa), (xb, qb) = pose_of(s, ga, s.work[s.pair_i[m, at.P_A]]), pose_of(s, gb, s.work[s.pair_i[m, at.P_B]])
    if ta == tb == at.BOX:
        gap, _, n = best_axis(sub(xb, xa), quat.axes(qa), load3(s.geom[ga], at.G_SIZE),
                              quat.axes(qb), load3(s.geom[gb], at.G_SIZE))
        return gap, n
    return -math.inf, NOTHING


@kernel
def _over_plane(s, m):
    """As _glance, for near pair m with a half-space, at the start of the step."""
    p = s.pair_i[m]
    side = 0 if s.geom_i[p[at.P_GA], at.GI_TYPE] == at.HALFSPACE else 1
    plane, g, sign = p[at.P_GA + side], p[at.P_GB - side], 1.0 - 2.0 * side
    n = scale(quat.rotate(pose_of(s, plane, s.work[p[at.P_A + side]])[1], load3(s.geom[plane], at.G_SIZE)), sign)
    kind = s.geom_i[g, at.GI_TYPE]
    if kind == at.SPHERE or kind == at.BOX or kind == at.CYLINDER:
        return over(s, plane, p[at.P_B - side], g, g + 1), n
    return gap_along(s, m, n), n


@kernel
def _note(s, m, gap, normal):
    """Keep the least gap (m) of near pair m at its bodies' present work rows, and its normal."""
    f = s.pair_f[m]
    store3(f, at.PF_N, normal)
    f[at.PF_CLEAR], f[at.PF_SPEED], f[at.PF_AT] = gap, 0.0, s.work[s.pair_i[m, at.P_B], at.W_TIME]
    _set_touch(s, m, normal)


@kernel
def _meet(s, m, reach):
    """Manifold of near pair m at its bodies' present work rows, into the scratch; notes the least gap and its normal.

    reach (m): of a mesh, what is farther apart is left out.  Returns the number of its rows.
    """
    p = s.pair_i[m]
    ra, rb = s.work[p[at.P_A]], s.work[p[at.P_B]]
    n = collide(s, p[at.P_GA], load3(ra, at.W_X), quat.load4(ra, at.W_Q),
                p[at.P_GB], load3(rb, at.W_X), quat.load4(rb, at.W_Q), p[at.P_SUB], reach)
    row = s.manifold[least_gap(s.manifold, n)]
    _note(s, m, row[at.M_GAP], load3(row, at.M_N))
    return n


@kernel
def evaluate(s, m):
    """Manifold of near pair m at its bodies' present work rows, into the scratch and then the touching rows.

    Returns the least gap (m).  Rows with gap <= PF_TOUCH become contact rows; impulses of rows with the same feature
    stay.
    """
    n, f = _meet(s, m, s.pair_f[m, at.PF_REACH]), s.pair_f[m]
    if on_mesh(s, m):
        for side in range(2):
            q = quat.load4(s.work[s.pair_i[m, at.P_A + side]], at.W_Q)
            store3(f, at.PF_NA + 3 * side, quat.rotate_back(q, load3(f, at.PF_N)))
    fill_rows(s, m, n, f[at.PF_TOUCH])
    return f[at.PF_CLEAR]


@kernel
def _farther(s, a, b, h):
    """m by which a crowd looks farther than bodies a and b may travel."""
    return 2.0 * (s.anchor[a, at.A_REACH] + s.anchor[b, at.A_REACH]) + CROWD_SPEED * h


@kernel
def crowd_reach(s, m, h):
    """Gap (m) up to which the surfaces of near pair m are in a crowd's problem over h seconds.  What these two bodies
    do decides it, not what else there is."""
    p = s.pair_i[m]
    spin = spin_reach(s, p[at.P_GA], s.work[p[at.P_A]], h) + spin_reach(s, p[at.P_GB], s.work[p[at.P_B]], h)
    return _farther(s, p[at.P_A], p[at.P_B], h) + 2.0 * spin


@kernel
def look_ahead(s, m, far):
    """As evaluate, with all rows whose gap is no more than far (m): those that may be closed within the step.

    The pair does not count as touching by that.
    """
    s.count[at.N_AHEAD] = 1
    n = _meet(s, m, far)
    s.count[at.N_AHEAD] = 0
    fill_rows(s, m, n, max(far, s.pair_f[m, at.PF_TOUCH]))
    s.pair_i[m, at.P_TOUCH], s.pair_i[m, at.P_AHEAD] = 0, 1
    return s.pair_f[m, at.PF_CLEAR]


@kernel
def fill_rows(s, m, n, touch):
    """Contact rows of near pair m from n manifold rows with gap <= touch (m); prepares their geometry."""
    p = s.pair_i[m]
    kept, mesh, running = 0, on_mesh(s, m), s.count[at.N_PROFILES] > 0
    for k in range(n):
        if not s.manifold[k, at.M_GAP] <= touch or kept == at.POINTS:
            continue
        r = s.row[at.POINTS * m + kept]
        store3(r, at.R_X, load3(s.manifold[k], at.M_X))
        normal = load3(s.manifold[k], at.M_N)
        store3(r, at.R_N, normal_now(s, m, normal) if running else normal)
        r[at.R_GAP], r[at.R_FEATURE] = s.manifold[k, at.M_GAP], s.manifold[k, at.M_FEATURE]
        r[at.R_DEPTH] = max(0.0, -r[at.R_GAP])
        r[at.R_ROOM] = slow(s, m) + (r[at.R_GAP] / s.par[at.F_H] if r[at.R_GAP] > TOUCH else 0.0)
        for f in range(3):
            r[at.R_J + f] = r[at.R_M + f] = r[at.R_KEEP + f] = r[at.R_KEEP_M + f] = 0.0
        prepare(s.work[p[at.P_A]], s.work[p[at.P_B]], r)
        r[at.R_TWIN] = 1.0 if mesh and _is_twin(s, m, r) else 0.0
        kept += 1
    if kept > 0:
        mu, roll, torsion = frictions(s, p[at.P_A], p[at.P_B])
        for k in range(at.POINTS * m, at.POINTS * m + kept):
            s.row[k, at.R_MU], s.row[k, at.R_ROLL], s.row[k, at.R_TORSION] = mu, roll, torsion
    p[at.P_N], p[at.P_ROWS] = kept, n
    p[at.P_TOUCH] = 1 if kept > 0 else 0


@kernel
def _is_twin(s, m, r):
    """Whether an earlier patch met by the shapes of near pair m has row r too: a corner that several triangles share.

    Earlier pairs are as of the same time: those of the same bodies that touch are always evaluated together.
    """
    p, k = s.pair_i[m], m - 1
    while k >= 0 and s.pair_i[k, at.P_GA] == p[at.P_GA] and s.pair_i[k, at.P_GB] == p[at.P_GB]:
        for c in range(s.pair_i[k, at.P_N] if s.pair_i[k, at.P_TOUCH] == 1 else 0):
            other = s.row[at.POINTS * k + c]
            d, n = sub(load3(other, at.R_X), load3(r, at.R_X)), sub(load3(other, at.R_N), load3(r, at.R_N))
            if other[at.R_TWIN] == 0.0 and dot(d, d) <= SAME_POINT and dot(n, n) <= SAME_NORMAL:
                return True
        k -= 1
    return False


@kernel
def link_bodies(s):
    """Adjacency: B_ADJ, B_NADJ of each near body index the near pairs in `adjacent`, ascending."""
    m, close = s.count[at.N_NEAR], s.close[:s.count[at.N_CLOSE]]
    for i in close:
        s.body[i, at.B_NADJ] = 0
    for k in range(m):
        s.body[s.pair_i[k, at.P_A], at.B_NADJ] += 1
        s.body[s.pair_i[k, at.P_B], at.B_NADJ] += 1
    start = 0
    for i in close:
        s.body[i, at.B_ADJ] = start
        start += s.body[i, at.B_NADJ]
        s.body[i, at.B_NADJ] = 0
    for k in range(m):
        for f in range(at.P_A, at.P_B + 1):
            i = s.pair_i[k, f]
            s.adjacent[s.body[i, at.B_ADJ] + s.body[i, at.B_NADJ]] = k
            s.body[i, at.B_NADJ] += 1


