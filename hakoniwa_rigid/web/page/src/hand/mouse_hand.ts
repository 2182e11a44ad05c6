// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** How an open hand lies at a cursor and follows it. */
import { Matrix4, Vector3, type PerspectiveCamera } from 'three';

import { PALM } from './open_hand';

/** m/s, at most: the hand flies after a jumping cursor, as the node refuses jumps, and a late event is no impact */
const FASTEST = 2.5;
/** ms in which the hand's gap to the cursor falls to 1/e: a cursor goes in pixels, and a pixel at once is a jab */
const FOLLOW = 25;
/** ms, between two samples: at most to move in */
const MOST_BASE = 50;
/** rad by which the palm looks away from the camera instead of sideways, so that the hand is seen as a hand */
const TILT = 0.5;

/** Pose of the wrist in camera axes whose palm lies at a point and faces right (side 1) or left (-1). */
export function wristPose(palm: Vector3, side: 1 | -1, out: Matrix4): Matrix4 {
  const [s, c] = [Math.sin(TILT), Math.cos(TILT)];
  const back = new Vector3(-side * c, 0, s);
  out.makeBasis(new Vector3(s, 0, side * c), back, new Vector3(0, -1, 0)).setPosition(palm);
  return out.multiply(new Matrix4().makeTranslation(0, 0, PALM));
}

/** How far the hand comes in ms towards a cursor that is `gap` away, m; written into `gap`. */
export function follow(gap: Vector3, ms: number): Vector3 {
  const base = Math.min(ms, MOST_BASE);
  return gap.multiplyScalar(1 - Math.exp(-base / FOLLOW)).clampLength(0, (FASTEST * base) / 1000);
}

/** m, of a point (WebXR axes) ahead of the camera. */
export function depthOf(camera: PerspectiveCamera, point: Vector3): number {
  return -point.clone().applyMatrix4(camera.matrixWorldInverse).z;
}
