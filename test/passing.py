# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Whether a hand passed through a drone, by geometry alone: the parts of the drone's model as boxes and cylinders, the
points of the hand in the drone's frame, and on which side they went in and out.  m."""
import numpy as np
from scipy.spatial.transform import Rotation


def solids(model):
    """Parts of a drone: (kind, half sizes or (radius, half height), centre)."""
    parts = model['shape'].get('parts', [model['shape']])
    return [('box', np.array(p['size']) / 2, np.array(p.get('position', (0, 0, 0)))) if p['type'] == 'box' else
            ('cylinder', np.array([p['radius'], p['height'] / 2]), np.array(p['position'])) for p in parts]


def inside(part, points):
    """Of points (...,3) in the drone's frame."""
    kind, size, centre = part
    x = points - centre
    if kind == 'box':
        return (np.abs(x) < size).all(axis=-1)
    return (np.hypot(x[..., 0], x[..., 1]) < size[0]) & (np.abs(x[..., 2]) < size[1])


def passed(seen, drone, points, model, until):
    """Points of a hand (T,P,3) that went in on one side of a part and out on the other before `until` s."""
    now = seen.t <= until
    turn = Rotation.from_quat(seen.q[now, drone]).as_matrix()
    own = np.einsum('tji,tpj->tpi', turn, points[now] - seen.x[now, drone][:, None])
    fine = np.concatenate([own[:-1] + (own[1:] - own[:-1]) * f for f in np.linspace(0, 1, 20, endpoint=False)], axis=1)
    own = fine.reshape(len(own) - 1, 20, -1, 3).reshape(-1, own.shape[1], 3)
    found = []
    for part in solids(model):
        within = inside(part, own)
        for p in np.flatnonzero(within.any(axis=0)):
            came, went = (np.flatnonzero(np.diff(within[:, p].astype(int)) == s) for s in (1, -1))
            for a in came:
                b = next((b for b in went if b > a), None)
                side = [(own[k, p] - part[2]) @ (own[a + 1, p] - own[a, p]) for k in (a, b + 1)] if b else (1, 1)
                found += [p] * bool(side[0] < 0 < side[1])
    return found


def shown(seen, k):
    """Middles and ends of the bones of hand k (T,P,3), NaN where a bone is not there."""
    names = sorted({part for tick in seen.hands for part in tick[k].parts})
    out = np.full((len(seen.hands), 3, len(names), 3), np.nan)
    for row, tick in zip(out, seen.hands, strict=True):
        h = tick[k]
        if h.enabled.any():
            along = Rotation.from_quat(h.orientations_xyzw[h.enabled]).apply((0, 0, 1))
            at = [names.index(part) for part, on in zip(h.parts, h.enabled, strict=True) if on]
            for row_end, share in zip(row, (-0.5, 0.0, 0.5), strict=True):
                row_end[at] = h.positions[h.enabled] + share * h.lengths[h.enabled, None] * along
    return out.reshape(len(out), -1, 3)
