# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Signed distance and normal of shape pairs from closed forms, separating axes, a bounded quadratic search and MuJoCo.

A shape is ('sphere', radius) | ('box', (x, y, z) full sides) | ('capsule', radius, length); its pose is (pos, quat).
A capsule's axis is its own z and `length` is that of the cylinder between the cap centres.
Every function returns (distance, normal): distance < 0 is the penetration depth, normal is unit, from a to b.
"""

import numpy as np
import pytest
from scipy.optimize import minimize

from oracles.rotations import matrix, random_quat

mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed: no rosdep key has it, pip does')

SHAPES = {'sphere': ('sphere', 0.2), 'box': ('box', (0.4, 0.3, 0.2)), 'capsule': ('capsule', 0.1, 0.3)}  # m


def box_corners(sides, pos, quat):
    """World corners (8, 3) of a box with full sides."""
    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
    return pos + (signs * np.asarray(sides) / 2.0) @ matrix(quat).T


def segment_ends(length, pos, quat):
    """Cap centres (2, 3) of a capsule."""
    axis = matrix(quat)[:, 2] * length / 2.0
    return np.array([pos - axis, pos + axis])


def point_box(point, sides, pos, quat):
    """Signed distance of a point to a box surface and the outward normal there."""
    local = matrix(quat).T @ (point - pos)
    half = np.asarray(sides) / 2.0
    outside = local - np.clip(local, -half, half)
    gap = np.linalg.norm(outside)
    if gap > 0.0:
        return gap, matrix(quat) @ (outside / gap)
    k = np.argmin(half - np.abs(local))
    return np.abs(local[k]) - half[k], matrix(quat)[:, k] * np.sign(local[k])


def segment_segment(p, q):
    """Distance of two segments (2, 3) and the unit vector from the nearest point of p to that of q, by bounded
    search.
    """

    def square(s):
        d = q[0] + s[1] * (q[1] - q[0]) - p[0] - s[0] * (p[1] - p[0])
        return d @ d, np.array([-2.0 * d @ (p[1] - p[0]), 2.0 * d @ (q[1] - q[0])])

    starts = [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9)]
    best = min(
        (
            minimize(
                square, s, jac=True, bounds=[(0, 1), (0, 1)], method='L-BFGS-B', options={'ftol': 1e-18, 'gtol': 1e-14}
            )
            for s in starts
        ),
        key=lambda r: r.fun,
    )
    d = q[0] + best.x[1] * (q[1] - q[0]) - p[0] - best.x[0] * (p[1] - p[0])
    gap = np.linalg.norm(d)
    return gap, d / gap


def separating_axes(points_a, points_b, axes):
    """Largest separation of two convex polytopes over given axes: (separation < 0 if they overlap, unit axis from a
    to b, margin).

    Exact depth where they overlap and `axes` hold every face normal of the Minkowski difference; margin is the lead
    over the next
    different axis, to leave ties out of tests.
    """
    found = []
    for axis in axes:
        size = np.linalg.norm(axis)
        if size < 1e-9:
            continue
        for n in (axis / size, -axis / size):
            found.append(((points_b @ n).min() - (points_a @ n).max(), n))
    found.sort(key=lambda row: -row[0])
    gap, normal = found[0]
    margin = next((gap - g for g, n in found if n @ normal < 1.0 - 1e-9), np.inf)
    return gap, normal, margin


def box_box(sides_a, pose_a, sides_b, pose_b):
    """Separation over the 15 axes of two boxes: exact depth where they overlap. Returns (distance, normal, margin)."""
    ra, rb = matrix(pose_a[1]), matrix(pose_b[1])
    axes = list(ra.T) + list(rb.T) + [np.cross(x, y) for x in ra.T for y in rb.T]
    return separating_axes(box_corners(sides_a, *pose_a), box_corners(sides_b, *pose_b), axes)


def box_capsule(sides, pose_box, radius, length, pose_capsule):
    """Box a, capsule b: search along the segment outside the box, separating axes where the segment pierces it."""
    ends = segment_ends(length, *pose_capsule)

    def gap(s):
        return point_box(ends[0] + s * (ends[1] - ends[0]), sides, *pose_box)

    # the distance to a convex set is convex along a line, so golden section finds it
    low, high = 0.0, 1.0
    ratio = (np.sqrt(5.0) - 1.0) / 2.0
    for _ in range(90):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if gap(a)[0] <= gap(b)[0]:
            high = b
        else:
            low = a
    distance, normal = gap(0.5 * (low + high))
    if distance > 1e-9:
        return distance - radius, normal
    r = matrix(pose_box[1])
    axes = list(r.T) + [np.cross(x, ends[1] - ends[0]) for x in r.T]
    depth, normal, _ = separating_axes(box_corners(sides, *pose_box), ends, axes)
    return depth - radius, normal


def mujoco_distance(shape_a, pose_a, shape_b, pose_b, reach=1.0):
    """mj_geomDistance of two shapes: (distance, normal)."""

    def geom(shape, pose, name):
        kind = shape[0]
        size = {
            'sphere': lambda: f'{shape[1]!r}',
            'capsule': lambda: f'{shape[1]!r} {shape[2] / 2!r}',
            'box': lambda: ' '.join(repr(float(s) / 2) for s in shape[1]),
        }[kind]()
        pos, quat = (' '.join(repr(float(x)) for x in row) for row in pose)
        return f'<body pos="{pos}" quat="{quat}"><geom name="{name}" type="{kind}" size="{size}"/></body>'

    xml = (
        '<mujoco><option ccd_tolerance="1e-12" ccd_iterations="200"/><worldbody>'
        f'{geom(shape_a, pose_a, "a")}{geom(shape_b, pose_b, "b")}</worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    line = np.full(6, np.nan)
    distance = mujoco.mj_geomDistance(model, data, 0, 1, reach, line)
    direction = line[3:] - line[:3]
    if distance < 0:
        direction = -direction
    return distance, direction / np.linalg.norm(direction)


def signed_distance(shape_a, pose_a, shape_b, pose_b):
    """(distance, normal a -> b) of any two of sphere, box, capsule; box-box only where they overlap."""
    kinds = shape_a[0], shape_b[0]
    if kinds in {('capsule', 'box'), ('sphere', 'box'), ('sphere', 'capsule')}:
        distance, normal = signed_distance(shape_b, pose_b, shape_a, pose_a)
        return distance, -normal
    if kinds == ('sphere', 'sphere'):
        d = pose_b[0] - pose_a[0]
        return np.linalg.norm(d) - shape_a[1] - shape_b[1], d / np.linalg.norm(d)
    if kinds == ('box', 'sphere'):
        distance, normal = point_box(pose_b[0], shape_a[1], *pose_a)
        return distance - shape_b[1], normal
    if kinds == ('capsule', 'sphere'):
        ends = segment_ends(shape_a[2], *pose_a)
        axis = ends[1] - ends[0]
        s = np.clip((pose_b[0] - ends[0]) @ axis / (axis @ axis), 0.0, 1.0)
        d = pose_b[0] - ends[0] - s * axis
        return np.linalg.norm(d) - shape_a[1] - shape_b[1], d / np.linalg.norm(d)
    if kinds == ('capsule', 'capsule'):
        gap, normal = segment_segment(segment_ends(shape_a[2], *pose_a), segment_ends(shape_b[2], *pose_b))
        return gap - shape_a[1] - shape_b[1], normal
    if kinds == ('box', 'capsule'):
        return box_capsule(shape_a[1], pose_a, shape_b[1], shape_b[2], pose_b)
    distance, normal, _ = box_box(shape_a[1], pose_a, shape_b[1], pose_b)
    return distance, normal


def touching_pose(rng, a, b, depth):
    """Random poses of a (at the origin, turned) and b that overlap by `depth` m, found by moving b along the normal."""
    pose_a = np.zeros(3), random_quat(rng)
    start, quat = rng.normal(size=3), random_quat(rng)
    pose_b = 0.25 * start / np.linalg.norm(start), quat
    for _ in range(60):
        distance, normal = signed_distance(a, pose_a, b, pose_b)
        if abs(distance + depth) < 1e-13:
            break
        pose_b = pose_b[0] - (distance + depth) * normal, quat
    return pose_a, pose_b
