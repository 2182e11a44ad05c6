# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact points of a contact pair: those that touch, or for a crowd, those that may within the step."""
from ..constants import CROWD_SLOP, CROWD_SPEED, LOOK_WORK, MANIFOLD_WORK, RECOVERY_RATE, TOUCH
from ..contact.effective_mass import prepare
from ..contact.frame import relative_rate, relative_velocity
from ..contact.material import frictions
from ..contact.pending_impulses import normal_now
from ..maths import quat
from ..maths.jit import kernel
from ..maths.vec3 import dot, load3, madd, norm, store3, sub
from ..model import layout as L
from ..model.convex import OLD_NORMAL
from ..shapes.kinds import UNBOUNDED
from .manifold import least_gap
from .manifold_cache import keep, recall
from .narrowphase import collide
from .pairs_mesh import NO_CONTACT
from .separating_plane import gap_between
from .travel import on_mesh, reach_of_pair, set_touch, slow, spin_reach, thickness, turned

# m^2, and squared chord of the angle between normals: contact points closer than this are one
SAME_POINT_SQUARED, SAME_NORMAL_SQUARED = 1e-16, 1e-14
# m: travel of surfaces in a step of a crowd from which on its end is looked at, and overlap there that counts; share of
# the thinnest half side beyond which it does not, and least cosine between the normals of both times
FAST, LATE, DEEPEST, SAME_SIDE = 5e-4, 2e-4, 0.5, 0.7


@kernel
def note(s, m, gap, normal):
    """Keep the least gap (m) of contact pair m at its bodies' present work rows, and its normal.  Writes: s.pair_f."""
    f = s.pair_f[m]
    f.normal = normal
    f.least_gap, f.closing_speed, f.least_gap_time = gap, 0.0, s.work[s.pair_i[m].body_b].time
    set_touch(s, m, normal)


@kernel
def _note_least(s, m, n):
    """As note, of the n rows of the scratch.  Writes: s.pair_f."""
    row = s.manifold[least_gap(s.manifold, n)]
    note(s, m, row[L.M_GAP], load3(row, L.M_N))


@kernel
def _now(s, i):
    """Position and attitude of body i at its present work row."""
    return s.work[i].position, s.work[i].attitude


@kernel
def _collide(s, m, pose_a, pose_b, reach):
    """Manifold of contact pair m with its bodies at two poses, into the scratch; returns the number of its rows.

    reach (m): of a mesh, what is farther apart is left out.  Writes: s.clip, s.convex, s.count, s.manifold."""
    p = s.pair_i[m]
    return collide(s, p.shape_a, pose_a[0], pose_a[1], p.shape_b, pose_b[0], pose_b[1], p.patch, reach)


@kernel
def _collide_roughly(s, m, pose_a, pose_b, reach, near):
    """As _collide, as a crowd finds it; near: unit normal (a -> b) near which that of the least gap is looked for, or
    zeros.  Writes: s.clip, s.convex, s.count, s.manifold."""
    s.count.looks_ahead = 1
    store3(s.convex.work[OLD_NORMAL], 0, near)
    n = _collide(s, m, pose_a, pose_b, reach)
    s.count.looks_ahead = 0
    return n


@kernel
def evaluate(s, m):
    """Manifold of contact pair m at its bodies' present work rows, into the scratch and then the touching rows.

    Returns the least gap (m).  Rows with gap <= PF_TOUCH become contact points; impulses of rows with the same feature
    stay.  Writes: s."""
    f = s.pair_f[m]
    n = _collide(s, m, _now(s, s.pair_i[m].body_a), _now(s, s.pair_i[m].body_b), f.reach)
    _note_least(s, m, n)
    if on_mesh(s, m):
        for side in range(2):
            q = s.work[s.pair_i[m, L.P_A + side]].attitude
            store3(f, L.PF_NA + 3 * side, quat.rotate_back(q, f.normal))
    fill_points(s, m, n, f.touch_gap)
    return f.least_gap


@kernel
def farther(s, a, b, h):
    """m by which a crowd looks farther than bodies a and b may travel."""
    return 2.0 * (s.anchor[a].reach + s.anchor[b].reach) + CROWD_SPEED * h


@kernel
def crowd_reach(s, m, h):
    """Gap (m) up to which the surfaces of contact pair m are in a crowd's problem over h seconds.  What these two
    bodies do decides it, and what may hit them, not what else there is."""
    p = s.pair_i[m]
    a, b = s.anchor[p.body_a], s.anchor[p.body_b]
    spin = spin_reach(s, p.shape_a, s.work[p.body_a], h) + spin_reach(s, p.shape_b, s.work[p.body_b], h)
    hit = reach_of_pair(s, p.body_a, p.body_b) - 2.0 * (a.reach + b.reach)
    return farther(s, p.body_a, p.body_b, h) + 2.0 * spin + max(0.0, hit)


@kernel
def look_again(s, m, far):
    """As look_ahead, by the manifold that was kept of the step before; False if there is none that still holds.
    Writes: s."""
    n = recall(s, m)
    if n == 0:
        return False
    _note_least(s, m, n)
    s.count.work += MANIFOLD_WORK
    _fill_ahead(s, m, n, far)
    return True


@kernel
def look_ahead(s, m, far, keeps, near):
    """As evaluate, with all rows whose gap is no more than far (m): those that may be closed within the step.

    The pair does not count as touching by that.  keeps: the manifold is kept for the next step; near: unit normal (a ->
    b) near which that of the least gap is looked for, or zeros.  Writes: s."""
    n = _collide_roughly(s, m, _now(s, s.pair_i[m].body_a), _now(s, s.pair_i[m].body_b), far, near)
    _note_least(s, m, n)
    if keeps:
        keep(s, m, n)
    _fill_ahead(s, m, n, far)
    return s.pair_f[m].least_gap


@kernel
def _fill_ahead(s, m, n, far):
    """Writes: s.pair_i, s.row."""
    fill_points(s, m, n, max(far, s.pair_f[m].touch_gap))
    s.pair_i[m].touches, s.pair_i[m].looks_ahead = 0, 1


@kernel
def open_point(ra, rb, r, h):
    """A row of a crowd before it is solved: velocities now, and with the loads of the h seconds; what it may close.
    Writes: r."""
    r.velocity_before = relative_velocity(ra, rb, r, L.W_V, L.W_W)
    r.rate_before = relative_rate(ra, rb, r, L.W_W)
    r.first_velocity = relative_velocity(ra, rb, r, L.W_BACK, L.W_BACK + 3)
    r.impulse_sum = relative_rate(ra, rb, r, L.W_BACK + 3)
    gap = max(r.gap, 0.0)
    # small gaps, such as recovery leaves elsewhere, close as slowly as it parts: else both go on for ever
    r.target_velocity = -(gap - (1.0 - RECOVERY_RATE) * min(gap, CROWD_SLOP)) / h
    r.duration = r.restitution = 0.0
    across = max(r[L.R_K + 3], r[L.R_K + 5]) + abs(r[L.R_K + 4])
    r.normal_mass, r.tangent_mass, r.tangent_inverse_mass = 1.0 / r.normal_inverse_mass, 1.0 / across, across


@kernel
def _moved(r, h):
    """Position (m) and attitude of work row r after h seconds at the velocities of its crowd."""
    return madd(r.position, r.predicted_velocity, h), turned(r.attitude, r.predicted_angular_velocity, h)


@kernel
def _goes_in(s, m, n):
    """True if the n rows of the scratch say that contact pair m is in itself by more than a little, from the side that
    it comes from, and not by so much that it may leave on the other."""
    row = s.manifold[least_gap(s.manifold, n)]
    same_side = dot(load3(row, L.M_N), s.pair_f[m].normal) > SAME_SIDE
    return same_side and -DEEPEST * thickness(s, m) < row[L.M_GAP] < -LATE


@kernel
def _is_new(s, m, k, away):
    """True if row k of the scratch is farther than `away` (m) from all contact points of contact pair m."""
    for c in range(s.pair_i[m].point_count):
        d = sub(s.row[L.POINTS * m + c].position, load3(s.manifold[k], L.M_X))
        if dot(d, d) <= away * away:
            return False
    return True


@kernel
def _room(s, m):
    """Index of a contact point of contact pair m for one more: a new one, or the one least needed; -1 if all are.
    Writes: s.pair_i."""
    p = s.pair_i[m]
    if p.point_count < L.POINTS:
        p.point_count += 1
        return L.POINTS * m + p.point_count - 1
    best = -1
    for k in range(L.POINTS * m, L.POINTS * m + L.POINTS):
        if s.row[k].normal_impulse == 0.0 and (best < 0 or s.row[k].gap > s.row[best].gap):
            best = k
    return best


@kernel
def add_late_points(s, m, h):
    """Contact points of contact pair m for what its surfaces are in after h seconds at the velocities of their crowd,
    where there are none yet; True if there are any.

    Which corners meet is decided by how bodies turn within the step.  A gap is what would close to what it is then.
    Writes: s."""
    p = s.pair_i[m]
    ra, rb = s.work[p.body_a], s.work[p.body_b]
    travel = h * norm(sub(rb.predicted_velocity, ra.predicted_velocity))
    for side in range(2):
        radius = s.geom[p[L.P_GA + side]].radius
        rate = norm(s.work[p[L.P_A + side]].predicted_angular_velocity)
        travel += h * rate * (radius if radius < UNBOUNDED else 0.0)
    if not travel > FAST or on_mesh(s, m):
        return False
    pose_a, pose_b, normal, more = _moved(ra, h), _moved(rb, h), s.pair_f[m].normal, False
    s.count.work += LOOK_WORK
    if gap_between(s, m, pose_a[0], pose_a[1], pose_b[0], pose_b[1], normal) >= -LATE:
        return False
    n = _collide_roughly(s, m, pose_a, pose_b, 0.0, normal)
    for k in range(n if _goes_in(s, m, n) else 0):
        if s.manifold[k, L.M_GAP] < -LATE and _is_new(s, m, k, 2.0 * travel):
            c = _room(s, m)
            if c < 0:
                continue
            r, more = s.row[c], True
            _fill_point(s, m, k, r)
            r.gap = max(r.gap - h * relative_velocity(ra, rb, r, L.W_V1, L.W_W1)[0], 0.0)
            r.depth = 0.0
            open_point(ra, rb, r, h)
    if more:
        _set_friction(s, m)
    return more


@kernel
def _fill_point(s, m, k, r):
    """Contact point r of contact pair m from row k of the scratch; prepares its geometry.  Writes: r."""
    p, normal = s.pair_i[m], load3(s.manifold[k], L.M_N)
    r.position = load3(s.manifold[k], L.M_X)
    r.normal = normal_now(s, m, normal) if s.count.profiles > 0 else normal
    r.gap, r.feature = s.manifold[k, L.M_GAP], s.manifold[k, L.M_FEATURE]
    r.depth = max(0.0, -r.gap)
    r.velocity_slop = slow(s, m) + (r.gap / s.par.dt if r.gap > TOUCH else 0.0)
    for f in range(3):
        r[L.R_J + f] = r[L.R_M + f] = r[L.R_WARM + f] = r[L.R_WARM_M + f] = r[L.R_BIAS + f] = 0.0
    r.is_midway = 0.0
    prepare(s.work[p.body_a], s.work[p.body_b], r)
    r.is_twin = 1.0 if on_mesh(s, m) and _is_twin(s, m, r) else 0.0


@kernel
def _set_friction(s, m):
    """Writes: s.row."""
    p = s.pair_i[m]
    mu, roll, torsion = frictions(s, p.body_a, p.body_b)
    for k in range(L.POINTS * m, L.POINTS * m + p.point_count):
        s.row[k].friction, s.row[k].rolling_length, s.row[k].torsion_length = mu, roll, torsion


@kernel
def fill_points(s, m, n, touch):
    """Contact points of contact pair m from n manifold points with gap <= touch (m); prepares their geometry.
    Writes: s.pair_i, s.row."""
    p, kept = s.pair_i[m], 0
    for k in range(n):
        # what a seam hides is no contact, however far a crowd looks ahead
        seen = s.manifold[k, L.M_FEATURE] != NO_CONTACT or on_mesh(s, m)
        if s.manifold[k, L.M_GAP] <= touch and kept < L.POINTS and seen:
            _fill_point(s, m, k, s.row[L.POINTS * m + kept])
            kept += 1
    p.point_count, p.manifold_count = kept, n
    p.touches = 1 if kept > 0 else 0
    if kept > 0:
        _set_friction(s, m)


@kernel
def _is_twin(s, m, r):
    """Whether an earlier patch met by the shapes of contact pair m has row r too: a corner that several triangles
    share.

    Earlier pairs are as of the same time: those of the same bodies that touch are always evaluated together.
    """
    p, k = s.pair_i[m], m - 1
    while k >= 0 and s.pair_i[k].shape_a == p.shape_a and s.pair_i[k].shape_b == p.shape_b:
        for c in range(s.pair_i[k].point_count if s.pair_i[k].touches == 1 else 0):
            other = s.row[L.POINTS * k + c]
            d, n = sub(other.position, r.position), sub(other.normal, r.normal)
            if other.is_twin == 0.0 and dot(d, d) <= SAME_POINT_SQUARED and dot(n, n) <= SAME_NORMAL_SQUARED:
                return True
        k -= 1
    return False
