// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** An open hand out of a few numbers, for a mouse or a controller: fingers spread a little and hardly bent. */
import { Matrix4, Quaternion, Vector3 } from 'three';

import type { HandPose } from './sample';

/** per finger: angle from the hand's forward axis (rad, + to the thumb), its joints' distances from the wrist (m) */
export const FINGERS: readonly (readonly [number, readonly number[]])[] = [
  [0.66, [0.035, 0.075, 0.105, 0.128]],
  [0.16, [0.035, 0.095, 0.138, 0.162, 0.182]],
  [0.0, [0.035, 0.095, 0.142, 0.17, 0.192]],
  [-0.16, [0.033, 0.089, 0.132, 0.158, 0.178]],
  [-0.33, [0.031, 0.081, 0.114, 0.134, 0.152]],
];
/** rad by which each joint after the knuckle bends */
const CURL = 0.12;
/** m ahead of the wrist: the middle of the palm, which is what the mouse holds */
export const PALM = 0.08;

export type Side = 'left' | 'right';

/** Joint poses in the wrist's WebXR axes (-z to the fingertips, y out of the back of the hand, x to the right). */
function build(side: Side): Matrix4[] {
  const towardsThumb = side === 'right' ? -1 : 1;
  const joints = [new Matrix4()];
  for (const [angle, reaches] of FINGERS) {
    const point = new Vector3();
    let last = 0;
    reaches.forEach((reach, k) => {
      const bend = Math.max(0, k - 1) * CURL;
      const turn = new Quaternion()
        .setFromAxisAngle(new Vector3(0, 1, 0), -towardsThumb * angle)
        .multiply(new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), -bend));
      point.add(new Vector3(0, 0, last - reach).applyQuaternion(turn));
      last = reach;
      joints.push(new Matrix4().makeRotationFromQuaternion(turn).setPosition(point));
    });
  }
  return joints;
}

const SHAPES: Record<Side, Matrix4[]> = { left: build('left'), right: build('right') };
const joint = new Matrix4();
const position = new Vector3();
const orientation = new Quaternion();
const scale = new Vector3();

/** Fills a pose with the open hand whose wrist has this pose in the world (WebXR's joint axes). */
export function openHand(side: Side, wrist: Matrix4, out: HandPose): void {
  SHAPES[side].forEach((shape, i) => {
    joint.multiplyMatrices(wrist, shape).decompose(position, orientation, scale);
    position.toArray(out.positions, 3 * i);
    orientation.toArray(out.orientations, 4 * i);
  });
  out.valid.fill(1);
}
