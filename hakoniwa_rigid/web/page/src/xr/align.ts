// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Two headsets in one real room: the room of the one is put where the other has it, by three spots that both touch.
 * Both know which way is up, so what is looked for is a turn about the vertical and a shift.
 */
import { Matrix4, Quaternion, Vector3 } from 'three';

export const POINTS = 3;
/** m: least height of a triangle, and level distance of two corners; a smaller one says little of the turn */
export const LEAST_HEIGHT = 0.15;
export const LEAST_SPREAD = 0.4;
/** m: a spot that is farther off after the best turn and shift was another one, or touched in another order */
export const MOST_ERROR = 0.05;

export interface Alignment {
  /** of the world's origin in WebXR axes */
  pose: Matrix4;
  /** m, of each spot after the alignment */
  errors: number[];
  worst: number;
}

/** Why three spots (any axes with that index up) are no triangle to align by; '' where they are one. */
export function faultOf(points: readonly Vector3[], up: 'y' | 'z'): string {
  const sides = points.map((p, i) => points[(i + 1) % POINTS]!.clone().sub(p));
  const area = sides[0]!.clone().cross(sides[1]!).length() / 2;
  const longest = Math.max(...sides.map((side) => side.length()));
  if (!(longest > 0) || (2 * area) / longest < LEAST_HEIGHT) return 'The spots lie on a line: take a wider triangle.';
  const level = sides.map(({ x, y, z }) => (up === 'y' ? Math.hypot(x, z) : Math.hypot(x, y)));
  return Math.max(...level) < LEAST_SPREAD ? 'The spots lie above each other: take a wider triangle.' : '';
}

/**
 * The upright pose that takes spots of the world (ROS axes) to the touched ones (WebXR axes) with the least sum of
 * squares (Horn 1987, for a turn about a given axis: the angle of two sums).
 */
export function align(world: readonly Vector3[], touched: readonly Vector3[]): Alignment {
  const known = world.map(({ x, y, z }) => new Vector3(-y, z, -x));
  const [from, to] = [centreOf(known), centreOf(touched)];
  let [along, across] = [0, 0];
  known.forEach((point, i) => {
    const [a, b] = [point.clone().sub(from), touched[i]!.clone().sub(to)];
    along += b.x * a.x + b.z * a.z;
    across += b.x * a.z - b.z * a.x;
  });
  const turn = new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), Math.atan2(across, along));
  const shift = to.clone().sub(from.clone().applyQuaternion(turn));
  const errors = known.map((point, i) => point.clone().applyQuaternion(turn).add(shift).distanceTo(touched[i]!));
  const pose = new Matrix4().makeRotationFromQuaternion(turn).setPosition(shift);
  return { pose, errors, worst: Math.max(...errors) };
}

function centreOf(points: readonly Vector3[]): Vector3 {
  return points.reduce((sum, point) => sum.add(point), new Vector3()).divideScalar(points.length);
}
