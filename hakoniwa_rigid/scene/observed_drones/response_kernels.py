# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the samples of observed drones show of the impulses reported to them, compiled: one row per drone."""
from __future__ import annotations

from ...codec.message_fields import NANOSECONDS
from ...engine.maths.entries import entry
from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, dot, load3, madd, norm, scale, store3, sub
from ..drones.rows import NEVER, bounded, load_motion, to_com

# columns of the numbers of a drone, m and s, of its centre of mass in the world.  At the newest sample: velocity,
# place, and the place at the one before; its own acceleration; the change of velocity that was reported to it and that
# it has not shown yet, and its velocity at the sample by which that was found; how far it is trusted to follow, or
# UNKNOWN; s from such a sample to the one that shows the change; s between the last two samples; shares of that change
# from one sample to the next since: the most, and all together
V, X, LAST_X, OWN, REPORTED, BASE, TRUST, LAG, STEP, MOST, SUM, NUMBERS = 0, 3, 6, 9, 12, 15, 18, 19, 20, 21, 22, 23
# columns of its whole numbers: stamps (ns) of the newest sample, of that of BASE, and of the end of the tick that
# reported it; samples since then; whether it is waited for; whether this call took a sample, and gave up waiting
NEWEST, BASE_NS, REPORTED_NS, WAITED, WAITING, FRESH, MISSED, WHOLES = 0, 1, 2, 3, 4, 5, 6, 7

# share of a change of velocity by which a sample shows it.  Less, and a simulator that ignores us and brakes by itself
# is taken for one that follows; more, and one whose controller pushes again within the sample is not seen to
SHOWN = 0.75
# m/s: smaller changes show nothing
LEAST = 0.02
# m/s^2: a drone of this kind does not push harder (1.5 g).  What is taken for more is not its own push, and an impulse
# that is larger than this makes of the time says nothing of it
MOST_OWN = 15.0
# of a drone that has not followed yet: samples, and ns, that it is given.  Simulators and bridges take 1 to 3 samples
SAMPLES, PATIENCE = 4, NANOSECONDS // 10
# one that has followed gets so many of its own lags; what was reported to it is due after so much of one
LAGS, DUE = 2.0, 0.9
# share of what is new in the running means; m/s^3: no push changes faster
NEWS, JERK = 0.5, 200.0
# a drone is trusted above; from 1 it takes five impulses without an answer to lose that
TRUSTED, FORGETS, UNKNOWN = 0.3, 0.25, -1.0
# ns: a sample that comes later than this after the last is a first one
GAP = NANOSECONDS // 2


@kernel
def _begin(f, n, i, stamp, x, v):
    """A first sample: what is known of how it follows stays.  Writes: f, n."""
    store3(f[i], V, v)
    store3(f[i], X, x)
    store3(f[i], LAST_X, x)
    store3(f[i], OWN, (0.0, 0.0, 0.0))
    store3(f[i], REPORTED, (0.0, 0.0, 0.0))
    n[i, NEWEST], n[i, WAITING] = stamp, 0


@kernel
def _learn(f, i, change, seconds):
    """Its own acceleration from a change of velocity that nothing else explains.  One jump is no push.  Writes: f."""
    own = load3(f[i], OWN)
    news = bounded(scale(sub(scale(change, 1.0 / seconds), own), NEWS), JERK * seconds)
    store3(f[i], OWN, bounded(add(own, news), MOST_OWN))


@kernel
def _stands_out(f, n, i, jump, size):
    """Whether one change from sample to sample since the report stands out from the others by what was reported: so it
    follows, whatever it does besides.  Writes: f."""
    share = dot(jump, load3(f[i], REPORTED)) / (size * size)
    f[i, MOST] = share if n[i, WAITED] == 1 else max(f[i, MOST], share)
    f[i, SUM] += share
    others = n[i, WAITED] - 1
    return others > 0 and f[i, MOST] - (f[i, SUM] - f[i, MOST]) / others >= SHOWN


@kernel
def _judge(f, n, i, stamp, v):
    """Whether a sample shows what was reported to the drone, or is later than it was given for that.  Writes: f, n."""
    reported, since = load3(f[i], REPORTED), (stamp - n[i, BASE_NS]) / NANOSECONDS
    change, size = sub(v, load3(f[i], BASE)), norm(reported)
    n[i, WAITED] += 1
    trusted = f[i, TRUST] > TRUSTED
    if size < LEAST or (trusted and size < MOST_OWN * since):
        # it could be its own push: taken for shown when it is due
        if since >= DUE * f[i, LAG]:
            n[i, WAITING] = 0
            _learn(f, i, sub(change, reported) if trusted else change, since)
        return
    share = dot(madd(change, load3(f[i], OWN), -since), reported) / (size * size)
    # over longer times its own acceleration is another
    soon = n[i, WAITED] <= SAMPLES and share >= SHOWN
    if _stands_out(f, n, i, sub(v, load3(f[i], V)), size) or soon:
        n[i, WAITING] = 0
        f[i, LAG] += (since - f[i, LAG]) * (NEWS if trusted else 1.0)
        f[i, TRUST] = f[i, TRUST] + FORGETS * (1.0 - f[i, TRUST]) if trusted else 1.0
        return
    late = since > LAGS * f[i, LAG]
    if not trusted:
        late = n[i, WAITED] >= SAMPLES and stamp - n[i, REPORTED_NS] > PATIENCE
    if late:
        n[i, WAITING], n[i, MISSED] = 0, 1
        f[i, TRUST] = max(f[i, TRUST], 0.0)
        f[i, TRUST] -= FORGETS * f[i, TRUST] * (1.0 - min(max(share, 0.0), 1.0))


@entry
def note_samples(f, n, on, reference, stamps, com, bound):
    """Take the newest samples of drones: f (N,NUMBERS), n (N,WHOLES), changed; on (N,) bool, those that are observed;
    reference (N,13) of base_link with stamps (N,) ns; com (N,3).  A jump beyond `bound` (m) is a new beginning. Returns
    how many came.  Writes: f, n."""
    count = 0
    for i in range(len(n)):
        n[i, FRESH] = n[i, MISSED] = 0
        if not on[i]:
            n[i, NEWEST] = NEVER
            n[i, WAITING] = 0
            continue
        stamp, before = stamps[i], n[i, NEWEST]
        if stamp == before:
            continue
        x, _, v, _ = to_com(load_motion(reference[i]), load3(com[i], 0))
        count += 1
        n[i, FRESH] = 1
        if before == NEVER or not 0 < stamp - before < GAP or norm(sub(x, load3(f[i], X))) > bound:
            _begin(f, n, i, stamp, x, v)
            continue
        f[i, STEP] = (stamp - before) / NANOSECONDS
        if n[i, WAITING] == 1:
            _judge(f, n, i, stamp, v)
        else:
            _learn(f, i, sub(v, load3(f[i], V)), f[i, STEP])
        store3(f[i], LAST_X, load3(f[i], X))
        store3(f[i], X, x)
        store3(f[i], V, v)
        n[i, NEWEST] = stamp
    return count
