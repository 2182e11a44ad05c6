"""Bodies that touch, directly or through others, are solved together; far-apart drones never share a sweep."""
from ..maths.jit import kernel
from ..maths.search import sort_small
from ..model import layout as L


@kernel
def collect(s, seed, stamp, until):
    """Pairs and bodies connected to contact pair `seed` through touching pairs.

    Pairs that are about to touch at a time up to `until` (s in the step) count as touching from now on.

    Returns views (pairs, bodies) of s.island, pairs ascending.  Static and kinematic bodies end an island; they are
    listed with the bodies, so that they move with local time, but nothing spreads across them.
    Writes: s.body, s.island, s.pair_f, s.pair_i."""
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
            for a in range(s.body[i].first_adjacent, s.body[i].first_adjacent + s.body[i].adjacent_count):
                other = s.adjacent[a]
                if s.pair_i[other].touches == 0 and s.pair_f[other].time_of_impact <= until:
                    begin_touch(s, other)
                if s.pair_i[other].touches == 1 and s.pair_i[other].stamp != stamp:
                    s.pair_i[other].stamp = stamp
                    pairs[n] = other
                    n += 1
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
