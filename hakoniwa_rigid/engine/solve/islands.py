# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies that touch, directly or through others, are solved together; far-apart drones never share a sweep."""
from ..constraints.bodies import is_active, next_joint
from ..maths.jit import kernel
from ..maths.search import sort_small
from ..model import layout as L


@kernel
def collect(s, seed, stamp, until):
    """Pairs and bodies connected to contact pair `seed` through touching pairs.

    Pairs that are about to touch at a time up to `until` (s in the step) count as touching from now on.

    Returns views (pairs, bodies) of s.island, pairs ascending.  Static and kinematic bodies end an island; they are
    listed with the bodies, so that they move with local time, but nothing spreads across them.  Writes: s."""
    if s.count.joints > 0:
        return collect_joined(s, seed, -1, stamp, until)
    m = len(s.pair_i)
    pairs, bodies = s.island[:m], s.island[m:]
    n, b = 0, 0
    s.pair_i[seed].stamp = stamp
    pairs[n] = seed
    n += 1
    done = 0
    while done < n:
        k = pairs[done]
        done += 1
        for f in range(L.P_A, L.P_B + 1):
            i = s.pair_i[k, f]
            if s.body[i].stamp == stamp:
                continue
            s.body[i].stamp = stamp
            bodies[b] = i
            b += 1
            if s.body[i].kind != L.DYNAMIC:
                continue
            n = _add_touching(s, i, stamp, until, n)
    found = pairs[:n]
    sort_small(found)
    return found, bodies[:b]


@kernel
def _add_touching(s, i, stamp, until, n):
    """Pairs of body i that touch, or will by `until`, into the list of n pairs that begins s.island, if they are not in
    it; returns how many there are.  Writes: s.island, s.pair_f, s.pair_i."""
    for a in range(s.body[i].first_adjacent, s.body[i].first_adjacent + s.body[i].adjacent_count):
        other = s.adjacent[a]
        if s.pair_i[other].touches == 0 and s.pair_f[other].time_of_impact <= until:
            begin_touch(s, other)
        if s.pair_i[other].touches == 1 and s.pair_i[other].stamp != stamp:
            s.pair_i[other].stamp = stamp
            s.island[n] = other
            n += 1
    return n


@kernel
def _add_body(s, i, stamp, bodies, b):
    """Body i into the list of b bodies, if it is not there; returns how many there are.  Writes: s.body, bodies."""
    if s.body[i].stamp == stamp:
        return b
    s.body[i].stamp = stamp
    bodies[b] = i
    return b + 1


@kernel
def collect_joined(s, pair, joint, stamp, until):
    """As collect, through constraints too, from a contact pair or (pair -1) a constraint; slack cables count.

    Constraints into s.joint_island, in the order in which they are met.  Writes: s."""
    m = len(s.pair_i)
    pairs, bodies = s.island[:m], s.island[m:]
    n, b, done = 0, 0, 0
    s.count.island_joints = 0
    if pair >= 0:
        pairs[0], n, s.pair_i[pair].stamp = pair, 1, stamp
        b = _add_body(s, s.pair_i[pair].body_a, stamp, bodies, b)
        b = _add_body(s, s.pair_i[pair].body_b, stamp, bodies, b)
    else:
        b = _add_body(s, s.joint_i[joint].body_a, stamp, bodies, b)
        b = _add_body(s, s.joint_i[joint].body_b, stamp, bodies, b)
    while done < b:
        i = bodies[done]
        done += 1
        if s.body[i].kind != L.DYNAMIC:
            continue
        known, n = n, _add_touching(s, i, stamp, until, n)
        for new in range(known, n):
            b = _add_body(s, s.pair_i[pairs[new]].body_a, stamp, bodies, b)
            b = _add_body(s, s.pair_i[pairs[new]].body_b, stamp, bodies, b)
        link = s.body[i].first_joint
        while link > 0:
            k, other, link = next_joint(s, link)
            if s.joint_i[k].stamp != stamp and is_active(s, k):
                s.joint_i[k].stamp = stamp
                s.joint_island[s.count.island_joints] = k
                s.count.island_joints += 1
                b = _add_body(s, other, stamp, bodies, b)
    found = pairs[:n]
    sort_small(found)
    return found, bodies[:b]


@kernel
def begin_touch(s, m):
    """Contact pair m touches from now on; its rows are not there yet.  Writes: s.pair_f, s.pair_i."""
    s.pair_i[m].touches, s.pair_i[m].point_count = 1, 0
    s.pair_f[m].rest_span = 0.0


@kernel
def next_stamp(s):
    """Writes: s.count."""
    s.count.stamp += 1
    return s.count.stamp
