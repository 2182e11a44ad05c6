"""Bodies that touch, directly or through others, are solved together; far-apart drones never share a sweep."""
from ..maths.jit import kernel
from ..maths.search import sort_small
from ..model import layout as L


@kernel
def collect(s, seed, stamp, until):
    """Pairs and bodies connected to near pair `seed` through touching pairs.

    Pairs that are about to touch at a time up to `until` (s in the step) count as touching from now on.

    Returns views (pairs, bodies) of s.island, pairs ascending.  Static and kinematic bodies end an island; they are
    listed with the bodies, so that they move with local time, but nothing spreads across them.
    """
    m = len(s.pair_i)
    pairs, bodies = s.island[:m], s.island[m:]
    n, b = 0, 0
    s.pair_i[seed, L.P_SEEN] = stamp
    pairs[n] = seed
    n += 1
    done = 0
    while done < n:
        k = pairs[done]
        done += 1
        for f in range(L.P_A, L.P_B + 1):
            i = s.pair_i[k, f]
            if s.body[i, L.B_SEEN] == stamp:
                continue
            s.body[i, L.B_SEEN] = stamp
            bodies[b] = i
            b += 1
            if s.body[i, L.B_KIND] != L.DYNAMIC:
                continue
            for a in range(s.body[i, L.B_ADJ], s.body[i, L.B_ADJ] + s.body[i, L.B_NADJ]):
                other = s.adjacent[a]
                if s.pair_i[other, L.P_TOUCH] == 0 and s.pair_f[other, L.PF_TOI] <= until:
                    begin_touch(s, other)
                if s.pair_i[other, L.P_TOUCH] == 1 and s.pair_i[other, L.P_SEEN] != stamp:
                    s.pair_i[other, L.P_SEEN] = stamp
                    pairs[n] = other
                    n += 1
    found = pairs[:n]
    sort_small(found)
    return found, bodies[:b]


@kernel
def begin_touch(s, m):
    """Near pair m touches from now on; its rows are not there yet."""
    s.pair_i[m, L.P_TOUCH], s.pair_i[m, L.P_N] = 1, 0
    s.pair_f[m, L.PF_SPAN] = 0.0


@kernel
def next_stamp(s):
    s.count[L.N_STAMP] += 1
    return s.count[L.N_STAMP]
