// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What is between a camera and what it looks at. */
import { Box3, Ray, Vector3 } from 'three';

import type { HalfSpace } from './plane_patch';

/** share of the way to the target that is asked: what the target stands on, or touches, is not in the way */
const SHARE = 0.9;

const ray = new Ray();
const hit = new Vector3();

/** m, of a spot before a plane; negative behind it. */
export function distanceTo({ normal, offset }: HalfSpace, spot: Vector3): number {
  return normal.dot(spot) - offset;
}

/** Whether a box is met on the way from one spot to another. */
export function isBetween(box: Box3, from: Vector3, to: Vector3): boolean {
  if (box.containsPoint(to)) return false;
  const way = ray.direction.copy(to).sub(from).length();
  ray.origin.copy(from);
  ray.direction.normalize();
  return ray.intersectBox(box, hit) !== null && hit.distanceTo(from) < SHARE * way;
}
