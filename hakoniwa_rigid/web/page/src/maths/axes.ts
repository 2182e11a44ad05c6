// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** ROS axes (x forward, y left, z up) and WebXR's, which are three.js's too (x right, y up, -z forward). */
import { Matrix4, Quaternion } from 'three';

/** Turns a vector of ROS axes into WebXR axes: (x, y, z) -> (-y, z, -x). */
export const ROS_TO_XR = new Quaternion().setFromRotationMatrix(
  new Matrix4().set(0, -1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0, 0, 1),
);

/**
 * Pose of the ROS world in WebXR space, of an anchor's pose there: the world's origin lies on the anchor, its x axis
 * points along the anchor's -z and its z axis along the anchor's y.
 */
export function worldFromAnchor(anchor: Matrix4, out: Matrix4): Matrix4 {
  return out.makeRotationFromQuaternion(ROS_TO_XR).premultiply(anchor);
}
