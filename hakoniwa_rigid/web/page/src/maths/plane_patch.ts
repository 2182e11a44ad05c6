// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The visible part of an infinite plane: what the other planes of the room leave of it. */
import { Vector3 } from 'three';

/** A half-space: solid where normal.x <= offset. */
export interface HalfSpace {
  normal: Vector3;
  offset: number;
}

/** m: half side of a plane that nothing bounds */
const SIDE = 25;

/** Two unit vectors that with n form a right-handed frame. */
export function frameOf(n: Vector3): [Vector3, Vector3] {
  const axis = Math.abs(n.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
  const u = axis.addScaledVector(n, -axis.dot(n)).normalize();
  return [u, new Vector3().crossVectors(n, u)];
}

/** Keeps the part of a convex polygon that is outside a half-space (Sutherland and Hodgman 1974). */
function clip(polygon: Vector3[], { normal, offset }: HalfSpace): Vector3[] {
  const kept: Vector3[] = [];
  polygon.forEach((from, i) => {
    const to = polygon[(i + 1) % polygon.length] as Vector3;
    const a = normal.dot(from) - offset;
    const b = normal.dot(to) - offset;
    if (a >= 0) kept.push(from);
    if (a >= 0 !== b >= 0) kept.push(from.clone().lerp(to, a / (a - b)));
  });
  return kept;
}

/** Corners of plane `i`, counter-clockwise seen from its free side; empty when other planes cover it. */
export function planePatch(planes: HalfSpace[], i: number): Vector3[] {
  const { normal, offset } = planes[i] as HalfSpace;
  const [u, v] = frameOf(normal);
  const centre = normal.clone().multiplyScalar(offset);
  const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a = 0, b = 0]) =>
    centre.clone().addScaledVector(u, a * SIDE).addScaledVector(v, b * SIDE),
  );
  return planes.reduce((polygon, other, j) => (j === i ? polygon : clip(polygon, other)), corners);
}
