"""Clusters: dynamic bodies whose bounding balls overlap, and theirs, and so on.

What the contacts of an island may cost depends on how many bodies are close to it: of a heap that falls each island is
small, and there are many.  Found from the poses at the start of the step alone.
"""
from ..maths.jit import kernel
from ..maths.vec3 import dot, sub
from ..model import layout as L
from ..motion.states import position


@kernel
def cluster_of(s, i):
    """First body of the cluster of dynamic body i of a near pair."""
    while s.body[i, L.B_CLUSTER] != i:
        s.body[i, L.B_CLUSTER] = s.body[s.body[i, L.B_CLUSTER], L.B_CLUSTER]
        i = s.body[i, L.B_CLUSTER]
    return i


@kernel
def find_clusters(s, awake):
    """Number the clusters among the candidate pairs that are awake.

    B_CLUSTER leads from body to body to the first of its cluster, and B_MEMBERS of that is the number of its bodies.
    """
    for j in range(awake):
        for side in range(2):
            i = s.pairs[0, s.pairs[1, j, 0], side]
            s.body[i, L.B_CLUSTER], s.body[i, L.B_MEMBERS] = i, 1
            s.body[i, L.B_MEETINGS] = s.body[i, L.B_SPENT] = 0
    for j in range(awake):
        a, b = s.pairs[0, s.pairs[1, j, 0], 0], s.pairs[0, s.pairs[1, j, 0], 1]
        if s.body[a, L.B_KIND] == L.DYNAMIC and s.body[b, L.B_KIND] == L.DYNAMIC:
            apart, near = sub(position(s, b), position(s, a)), s.anchor[a, L.A_RADIUS] + s.anchor[b, L.A_RADIUS]
            if dot(apart, apart) < near * near:
                _unite(s, cluster_of(s, a), cluster_of(s, b))


@kernel
def _unite(s, a, b):
    if a != b:
        first, second = min(a, b), max(a, b)
        s.body[second, L.B_CLUSTER] = first
        s.body[first, L.B_MEMBERS] += s.body[second, L.B_MEMBERS]


@kernel
def count_meetings(s):
    """B_MEETINGS of the first body of each cluster: the number of near pairs between bodies of it."""
    for m in range(s.count[L.N_NEAR]):
        a, b = s.pair_i[m, L.P_A], s.pair_i[m, L.P_B]
        if s.body[a, L.B_KIND] == L.DYNAMIC and s.body[b, L.B_KIND] == L.DYNAMIC:
            s.body[cluster_of(s, a), L.B_MEETINGS] += 1


@kernel
def cluster_size(s, i):
    """Number of bodies in the cluster of dynamic body i of a near pair; no more than can hang together by near pairs:
    the segments of a hand are close to a drone on its palm, and meet neither it nor each other."""
    root = cluster_of(s, i)
    return min(s.body[root, L.B_MEMBERS], 1 + s.body[root, L.B_MEETINGS])
