# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
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
    """First body of the cluster of dynamic body i of a contact pair.  Writes: s.body."""
    while s.body[i].cluster != i:
        s.body[i].cluster = s.body[s.body[i].cluster].cluster
        i = s.body[i].cluster
    return i


@kernel
def find_clusters(s, awake):
    """Number the clusters among the candidate pairs that are awake.

    B_CLUSTER leads from body to body to the first of its cluster, and B_MEMBERS of that is the number of its bodies.
    Writes: s.body."""
    for j in range(awake):
        for side in range(2):
            i = s.pairs[0, s.pairs[1, j, 0], side]
            s.body[i].cluster, s.body[i].cluster_bodies = i, 1
            s.body[i].cluster_pairs = s.body[i].work_spent = 0
    for j in range(awake):
        a, b = s.pairs[0, s.pairs[1, j, 0], 0], s.pairs[0, s.pairs[1, j, 0], 1]
        if s.body[a].kind == L.DYNAMIC and s.body[b].kind == L.DYNAMIC:
            apart, near = sub(position(s, b), position(s, a)), s.anchor[a].radius + s.anchor[b].radius
            if dot(apart, apart) < near * near:
                _unite(s, cluster_of(s, a), cluster_of(s, b))


@kernel
def _unite(s, a, b):
    """Writes: s.body."""
    if a != b:
        first, second = min(a, b), max(a, b)
        s.body[second].cluster = first
        s.body[first].cluster_bodies += s.body[second].cluster_bodies


@kernel
def count_cluster_pairs(s):
    """B_CLUSTER_PAIRS of the first body of each cluster: the number of contact pairs between bodies of it.
    Writes: s.body."""
    for m in range(s.count.contact_pairs):
        a, b = s.pair_i[m].body_a, s.pair_i[m].body_b
        if s.body[a].kind == L.DYNAMIC and s.body[b].kind == L.DYNAMIC:
            s.body[cluster_of(s, a)].cluster_pairs += 1


@kernel
def cluster_size(s, i):
    """Number of bodies in the cluster of dynamic body i of a contact pair; no more than can hang together by contact
    pairs: the segments of a hand are close to a drone on its palm, and meet neither it nor each other.
    Writes: s.body."""
    root = cluster_of(s, i)
    return min(s.body[root].cluster_bodies, 1 + s.body[root].cluster_pairs)
