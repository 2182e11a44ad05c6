# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Joints of a tracked hand from samples to ticks, compiled: the filter of hand_tracking and its prediction.

Per joint 9 numbers: position, velocity, acceleration (world).  Per mode and model the covariance of one coordinate of
them, symmetric, as (pp, pv, pa, vv, va, aa).
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...codec.message_fields import NANOSECONDS
from ...engine.maths import elementary
from ...engine.maths.entries import entry
from ...engine.maths.jit import kernel
from ...engine.maths.vec3 import add, cross, dot, load3, madd, norm, scale, store3, sub
from ..drones.rows import bounded
from .rigid_kernels import rigid, rigid_of_most

# of a missing joint
NOWHERE = (math.nan, math.nan, math.nan)
# the two modes of a hand's motion, and the two models of a mode
WHOLE, OWN = 0, 1
CONSTANT_VELOCITY, SINGER = 0, 1
POS, VEL, ACC, JOINT = 0, 3, 6, 9
# s: how long a hand's acceleration lasts.  Longer, and a hand that stops is seen overshooting; shorter, and strokes are
# followed no better than by even motion.
CORRELATION_TIME = 0.1
# s: the same of what disturbs an even motion
DISTURBED = 0.05
# m/s^2: how strongly a hand may be accelerating, from still to a fist that strikes, and how likely a change to each is.
# Larger, and the noise of a still hand shakes what lies on it; smaller, and strokes are seen later.
STRENGTHS = (0.05, 5.0, 40.0, 200.0)
CHANCES = (1.0 - 9e-6, 3e-6, 3e-6, 3e-6)
# share of its likelihood that a strength keeps from sample to sample, and that of what a model has shown so far
STAYS, REMEMBERED = 0.3, 0.5
# m/s by mode, m/s^2: spread of the first velocity and acceleration
FIRST_SPEED, FIRST_ACCELERATION = (3.0, 1.0), 0.3
# samples that the first guess of the noise counts for; samples over which it is learnt; m^2, least noise
GUESSED, LEARNT, LEAST_NOISE = 4, 60, 1e-10
# how much less or more one sample may tell of it; by mode, the mean of a square over the exponential of the mean of its
# logarithm: of three numbers (chi-square: exp(-psi(3/2)) 3/2), and of those of all joints
LEAST_SURPRISE, MOST_SURPRISE, UNBIASED = 0.01, 100.0, (1.4461, 1.0)
# spreads of the noise by which a joint goes along with the hand
ALONG = 3.0
# s, and s per s of extrapolation: within this a joint closes what is within the uncertainty of its target; a larger
# distance within one interval.  Shorter, and the tracker's noise moves the joints by itself.
CLOSING, CLOSING_PER_LEAD, CERTAIN = 0.1, 1.0, 3.0
# near bodies a joint is no faster than so many times what its samples have shown and so many m/s more, whatever it has
# to catch up: it would strike with that.  Less, and a hand that speeds up strikes too gently.  And the m/s at which any
# hand may catch up: less, and one that has stopped is late for seconds
SEEN_GAIN, SEEN_ROOM, SEEN_LEAST = 1.15, 0.05, 0.2
# s in which a speed that was seen fades.  Shorter, and a hand that has stopped comes late to where it is; longer, and
# it strikes harder than it goes
SEEN_FADES = 0.1
# spreads of the noise by which a joint's motion in the hand has to exceed it to be seen
SEEN_NOISE = 2.0
# s: samples that a network has bunched are no measure of a speed: intervals that are shorter, and shorter than others,
# go with those before them
SEEN_OVER = 0.008


class Track(NamedTuple):
    """The filter of one hand of J joints: joints (2,J,9) by model; known (J,) bool: joints that it has; covariance
    (2,2,6) and strengths (2,2,4) by mode and model; evidence (2,) by model; noise (2,) m^2 by mode; count (1,) samples
    that reported it; history (4,J,3) m and stamps (4,) ns of the last samples, NaN where missing; speeds (J,) m/s that
    these have shown."""

    joints: np.ndarray
    known: np.ndarray
    covariance: np.ndarray
    strengths: np.ndarray
    evidence: np.ndarray
    noise: np.ndarray
    count: np.ndarray
    history: np.ndarray
    stamps: np.ndarray
    speeds: np.ndarray


@kernel
def _ahead(h, model):
    """Shares of the velocity and of the acceleration in the position, and of the acceleration in the velocity and in
    itself, h s later (Singer 1970: an acceleration that fades)."""
    if model == CONSTANT_VELOCITY:
        return h, 0.0, 0.0, 0.0
    kept = elementary.exp(-h / CORRELATION_TIME)
    gained = CORRELATION_TIME * (1.0 - kept)
    return h, CORRELATION_TIME * (h - gained), gained, kept


@kernel
def _spread(c, f):
    """Covariance c after the transition f."""
    h, ap, av, kept = f
    pp, pv, pa, vv, va, aa = c[0], c[1], c[2], c[3], c[4], c[5]
    pa1, va1 = pa + h * va + ap * aa, va + av * aa
    return (pp + h * (2.0 * pv + h * vv + 2.0 * ap * va) + ap * (2.0 * pa + ap * aa),
            pv + h * vv + ap * va + av * pa1, kept * pa1, vv + av * (2.0 * va + av * aa), kept * va1, kept * kept * aa)


@kernel
def _driven(c, strength, h, model):
    """Covariance c with what an acceleration of a strength (m/s^2 rms) adds in h s: white, or white in its
    derivative."""
    if model == CONSTANT_VELOCITY:
        s = strength * strength * DISTURBED
        return c[0] + s * (h * h * h) / 3.0, c[1] + s * h * h / 2.0, c[2], c[3] + s * h, c[4], c[5]
    s = 2.0 * strength * strength / CORRELATION_TIME
    square = h * h
    cube, fourth = square * h, square * square
    return (c[0] + s * (h * fourth) / 20.0, c[1] + s * fourth / 8.0, c[2] + s * cube / 6.0, c[3] + s * cube / 3.0,
            c[4] + s * h * h / 2.0, c[5] + s * h)


@kernel
def _weigh(c, weights, f, model, size, noise):
    """Judge an innovation of squared size (m^2, three coordinates) by every strength; returns the gains of position,
    velocity and acceleration, mixed by likelihood, and the log of the likelihood.  c and weights are changed.
    Writes: c, weights."""
    before, chance, top = _spread(c, f), np.empty(4), -math.inf
    for k in range(4):
        s = _driven(before, STRENGTHS[k], f[0], model)[0] + noise
        prior = STAYS * weights[k] + (1.0 - STAYS) * CHANCES[k]
        chance[k] = elementary.log(prior) - 1.5 * elementary.log(s) - 0.5 * size / s
        top = max(top, chance[k])
    total = 0.0
    for k in range(4):
        weights[k] = elementary.exp(chance[k] - top)
        total += weights[k]
    gp = gv = ga = 0.0
    for k in range(4):
        weights[k] /= total
        p = _driven(before, STRENGTHS[k], f[0], model)
        share = weights[k] / (p[0] + noise)
        gp, gv, ga = gp + share * p[0], gv + share * p[1], ga + share * p[2]
    # the covariance of the mixture: those of the strengths, and how far their estimates lie apart
    c[:] = 0.0
    for k in range(4):
        p = _driven(before, STRENGTHS[k], f[0], model)
        s = p[0] + noise
        kp, kv, ka = p[0] / s, p[1] / s, p[2] / s
        dp, dv, da, apart = kp - gp, kv - gv, ka - ga, size / 3.0
        c[0] += weights[k] * (p[0] - kp * p[0] + apart * dp * dp)
        c[1] += weights[k] * (p[1] - kp * p[1] + apart * dp * dv)
        c[2] += weights[k] * (p[2] - kp * p[2] + apart * dp * da)
        c[3] += weights[k] * (p[3] - kv * p[1] + apart * dv * dv)
        c[4] += weights[k] * (p[4] - kv * p[2] + apart * dv * da)
        c[5] += weights[k] * (p[5] - ka * p[2] + apart * da * da)
    return (gp, gv, ga), top + elementary.log(total)


@kernel
def _turning(x, model, known):
    """Rate at which the hand of joints x (J,9) turns, for the model of even motion: hands swing about wrist and elbow,
    so that their velocity turns with them.  The other has its acceleration."""
    if model != CONSTANT_VELOCITY:
        return 0.0, 0.0, 0.0
    _, _, turn = rigid(x, x[:, VEL:ACC], known)
    return turn


@kernel
def _carried(row, f, turn):
    """Position and velocity of a joint after the transition f, of a hand that turns."""
    p, v, a = load3(row, POS), load3(row, VEL), load3(row, ACC)
    bend = cross(turn, v)
    return (madd(madd(madd(p, v, f[0]), a, f[1]), bend, 0.5 * f[0] * f[0]), madd(madd(v, a, f[2]), bend, f[0]))


@kernel
def _learn_noise(t, sample, stamp, valid):
    """The tracker's noise from third differences of samples, in which a smooth motion leaves next to nothing.
    Writes: t.count, t.history, t.noise, t.stamps."""
    for k in range(3):
        t.history[k] = t.history[k + 1]
        t.stamps[k] = t.stamps[k + 1]
    t.stamps[3] = stamp
    for j in range(len(valid)):
        store3(t.history[3, j], 0, load3(sample[j], 0) if valid[j] else NOWHERE)
    if t.stamps[0] < 0:
        return
    share, total = np.ones(4), 0.0
    for a in range(4):
        for b in range(4):
            if a != b:
                share[a] *= NANOSECONDS / (t.stamps[a] - t.stamps[b])
        total += share[a] * share[a]
    share /= math.sqrt(total)
    count, mean, squares = 0, (0.0, 0.0, 0.0), 0.0
    for j in range(len(valid)):
        d = (0.0, 0.0, 0.0)
        for k in range(4):
            d = madd(d, load3(t.history[k, j], 0), share[k])
        if math.isfinite(d[0]):
            count, mean, squares = count + 1, add(mean, d), squares + dot(d, d)
    if count == 0:
        return
    mean = scale(mean, 1.0 / count)
    t.count[0] = min(t.count[0] + 1, LEARNT)
    variances = dot(mean, mean) / 3.0, max(squares / count - dot(mean, mean), 0.0) / 3.0 * count / max(count - 1, 1)
    for mode in range(2 if count > 1 else 1):
        # the mean of logarithms: an impact is no noise, and a tracker without noise is known within a few samples
        news = min(max(variances[mode] * UNBIASED[mode] / t.noise[mode], LEAST_SURPRISE), MOST_SURPRISE)
        t.noise[mode] = max(t.noise[mode] * elementary.exp(elementary.log(news) / t.count[0]), LEAST_NOISE)


@kernel
def _see_speeds(t, h, most):
    """Speeds that the last samples show, at most `most` m/s: of the rigid motion of the hand, and of what a joint moves
    in it beyond the noise; or those seen before, faded over h s.  From sample to sample, or over as many as take
    SEEN_OVER.  Writes: t.speeds."""
    n, first, span, least = len(t.speeds), 2, h, h
    for k in range(2):
        if t.stamps[k] >= 0:
            least = max(least, (t.stamps[k + 1] - t.stamps[k]) / NANOSECONDS)
    least = min(least, SEEN_OVER)
    while span < least and first > 0 and t.stamps[first - 1] >= 0:
        first -= 1
        span += (t.stamps[first + 1] - t.stamps[first]) / NANOSECONDS
    span = max(span, least)
    moved, both = np.empty((n, 3)), np.empty(n, dtype=np.bool_)
    for j in range(n):
        store3(moved[j], 0, sub(load3(t.history[3, j], 0), load3(t.history[first, j], 0)))
        both[j] = math.isfinite(moved[j, 0])
    centre, mean, turn = rigid(t.history[3], moved, both)
    noise, kept = SEEN_NOISE * math.sqrt(6.0 * t.noise[OWN]), elementary.exp(-h / SEEN_FADES)
    for j in range(n):
        whole, own = mean, 0.0
        if both[j]:
            whole = add(mean, cross(turn, sub(load3(t.history[3, j], 0), centre)))
            own = max(norm(sub(load3(moved[j], 0), whole)) - noise, 0.0)
        seen = (norm(whole) + own) / span
        if n == 1:
            seen = _one_joint(t, norm(whole), span, h, least)
        t.speeds[j] = max(kept * t.speeds[j], min(seen, most))


@kernel
def _one_joint(t, moved, span, h, least):
    """Speed of a hand of one joint, which has no others to average its noise with, that moved so many m in span s: what
    is beyond the noise, or what all the samples that are remembered show; h: s between the last two; least: s over
    which samples are a measure."""
    seen = max(moved - SEEN_NOISE * math.sqrt(6.0 * t.noise[WHOLE]), 0.0) / span
    for k in range(3):
        d = sub(load3(t.history[3, 0], 0), load3(t.history[k, 0], 0))
        if t.stamps[k] >= 0 and math.isfinite(d[0]):
            return max(seen, norm(d) / max(h + (t.stamps[2] - t.stamps[k]) / NANOSECONDS, least))
    return seen


@entry
def begin(t, sample, valid, stamp, guess):
    """Start a track at rest on a sample (J,3); guess: first guess of its noise, m.  Writes: t."""
    t = Track(*t)
    t.joints[:] = 0.0
    t.evidence[:] = 0.0
    t.history[:] = math.nan
    t.stamps[:] = -1
    t.speeds[:] = 0.0
    t.noise[:] = guess * guess
    t.count[0] = GUESSED
    for j in range(len(valid)):
        t.known[j] = valid[j]
        for model in range(2):
            store3(t.joints[model, j], POS, load3(sample[j], 0))
    for mode in range(2):
        for model in range(2):
            c = t.covariance[mode, model]
            c[:] = 0.0
            c[0], c[3] = guess * guess, FIRST_SPEED[mode] * FIRST_SPEED[mode]
            c[5] = FIRST_ACCELERATION * FIRST_ACCELERATION if model == SINGER else 0.0
            for k in range(4):
                t.strengths[mode, model, k] = CHANCES[k]
    _learn_noise(t, sample, stamp, valid)


@entry
def rest(t):
    """The hand has stood still up to now, to the bit: no noisy tracker says that.  Writes: t."""
    t = Track(*t)
    t.speeds[:] = 0.0
    t.noise[:] = LEAST_NOISE
    t.count[0] = GUESSED
    t.joints[:, :, VEL:] = 0.0
    for mode in range(2):
        for model in range(2):
            c = t.covariance[mode, model]
            c[1] = c[2] = c[4] = 0.0


@entry
def absorb(t, sample, valid, stamp, h, most):
    """Take in a sample (J,3) of joints valid (J,) that was captured h s after the last; most: m/s, no hand is seen
    faster.  Writes: t."""
    t = Track(*t)
    n, both, count = len(valid), valid & t.known, 0
    innovation, own = np.empty((n, 3)), np.empty((n, 3))
    for j in range(n):
        count += both[j]
    for model in range(2):
        f, x = _ahead(h, model), t.joints[model]
        rate = _turning(x, model, t.known)
        for j in range(n):
            if t.known[j]:
                p, v = _carried(x[j], f, rate)
                store3(x[j], POS, p)
                store3(x[j], VEL, v)
                store3(x[j], ACC, scale(load3(x[j], ACC), f[3]))
            if both[j]:
                store3(innovation[j], 0, sub(load3(sample[j], 0), load3(x[j], POS)))
        centre, mean, turn = rigid_of_most(x, innovation, both, ALONG * math.sqrt(3.0 * t.noise[OWN]))
        whole_size, own_size = dot(mean, mean), 0.0
        for j in range(n):
            if both[j]:
                swung = cross(turn, sub(load3(x[j], POS), centre))
                rest_of = sub(sub(load3(innovation[j], 0), mean), swung)
                whole_size += dot(swung, swung) / count
                own_size += dot(rest_of, rest_of) / max(count - 2, 1)
                store3(own[j], 0, rest_of)
        if count == 0:
            continue
        noise = t.noise[WHOLE] + (t.noise[OWN] / count if count > 1 else 0.0)
        whole, likelihood = _weigh(t.covariance[WHOLE, model], t.strengths[WHOLE, model], f, model, whole_size, noise)
        part, own_likelihood = _weigh(t.covariance[OWN, model], t.strengths[OWN, model], f, model, own_size,
                                      t.noise[OWN])
        t.evidence[model] = REMEMBERED * t.evidence[model] + likelihood + (own_likelihood if count > 2 else 0.0)
        for j in range(n):
            if t.known[j]:
                moved = add(mean, cross(turn, sub(load3(x[j], POS), centre)))
                for k in range(3):
                    d = scale(moved, whole[k])
                    if both[j]:
                        d = madd(d, load3(own[j], 0), part[k])
                    store3(x[j], 3 * k, add(load3(x[j], 3 * k), d))
    _enter(t, sample, valid)
    _learn_noise(t, sample, stamp, valid)
    _see_speeds(t, h, most)


@kernel
def _enter(t, sample, valid):
    """Joints that come in move with the hand; those that are missing have left.  Writes: t.joints, t.known."""
    for model in range(2):
        x = t.joints[model]
        centre, v, w = rigid(x, x[:, VEL:ACC], t.known)
        for j in range(len(valid)):
            if valid[j] and not t.known[j]:
                store3(x[j], POS, load3(sample[j], 0))
                store3(x[j], VEL, add(v, cross(w, sub(load3(sample[j], 0), centre))))
                store3(x[j], ACC, (0.0, 0.0, 0.0))
    for j in range(len(valid)):
        t.known[j] = valid[j]


@kernel
def _trust(t):
    """Share of the manoeuvre model in what is shown."""
    lead = t.evidence[SINGER] - t.evidence[CONSTANT_VELOCITY]
    return 1.0 / (1.0 + elementary.exp(-min(max(lead, -50.0), 50.0)))


@kernel
def _mixed(t, j, share, f0, f1, rate):
    """Position and velocity of joint j by both models after their transitions."""
    x0, v0 = _carried(t.joints[CONSTANT_VELOCITY, j], f0, rate)
    x1, v1 = _carried(t.joints[SINGER, j], f1, (0.0, 0.0, 0.0))
    return add(scale(x0, 1.0 - share), scale(x1, share)), add(scale(v0, 1.0 - share), scale(v1, share))


@entry
def predict(t, s, positions):
    """Positions (J,3) m of the joints s s after the last sample.  Writes: positions."""
    t = Track(*t)
    share, f0, f1 = _trust(t), _ahead(s, CONSTANT_VELOCITY), _ahead(s, SINGER)
    rate = _turning(t.joints[CONSTANT_VELOCITY], CONSTANT_VELOCITY, t.known)
    for j in range(len(positions)):
        x, _ = _mixed(t, j, share, f0, f1, rate)
        store3(positions[j], 0, x if t.known[j] else NOWHERE)


@entry
def move_joints(t, placed, joints, speed, ahead, moving, still, paused, h, gap, most, free):
    """Speeds (J,3) of the tracked joints for the next h s: the track's velocity `ahead` s on, if moving, plus what
    closes the distance to its position there, at most `most` m/s, and what samples show where it is not free of other
    bodies; still: its position without the velocity; paused: s since it moved.  gap: the interval of the samples, s.
    Joints new to the scene are put there.  Returns how far (m) those are behind that this is too slow for.
    Writes: placed, joints, speed."""
    t = Track(*t)
    share, lead = _trust(t), 0.0 if still else ahead
    f0, f1 = _ahead(lead, CONSTANT_VELOCITY), _ahead(lead, SINGER)
    rate = _turning(t.joints[CONSTANT_VELOCITY], CONSTANT_VELOCITY, t.known)
    spread = 0.0
    for mode in range(2 if len(joints) > 1 else 1):
        spread += (1.0 - share) * _spread(t.covariance[mode, CONSTANT_VELOCITY], f0)[0]
        spread += share * _spread(t.covariance[mode, SINGER], f1)[0]
    certain, fast = CERTAIN * math.sqrt(spread), max(h, gap)
    slow, behind = max(fast, CLOSING + CLOSING_PER_LEAD * max(lead, 0.0)), 0.0
    if still:
        fast = slow     # it was expected to go on: back, but not as fast as it came
    kept = elementary.exp(-paused / SEEN_FADES)
    for j in range(len(joints)):
        if not t.known[j]:
            store3(joints[j], 0, NOWHERE)
            store3(speed[j], 0, NOWHERE)
            continue
        x, v = _mixed(t, j, share, f0, f1, rate)
        if not placed[j]:
            store3(joints[j], 0, x)
            placed[j] = True
        away = sub(x, load3(joints[j], 0))
        length = norm(away)
        within = 1.0 if length <= certain else certain / length
        closing = scale(away, within / slow + (1.0 - within) / fast)
        wanted = add(v, closing) if moving and not still else closing
        limit = most if free else min(most, max(SEEN_GAIN * kept * t.speeds[j] + SEEN_ROOM, SEEN_LEAST))
        if norm(wanted) > limit:
            behind = max(behind, length)
        store3(speed[j], 0, bounded(wanted, limit))
    return behind
