// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Where the room is put in front of a user with a headset: poses in WebXR axes, metres. */
import { Matrix4, Quaternion, Vector3 } from 'three';

/** m: beyond this a pointed-at spot of the floor is too far away to be meant */
export const REACH = 6;
/** m: where the room goes when no hand points at the floor */
const AHEAD = 1.5;
const UP = new Vector3(0, 1, 0);

/** The spot of the floor (y = 0) that a ray meets, else a spot ahead of its origin. */
export function spotOnFloor(origin: Vector3, direction: Vector3, out: Vector3): Vector3 {
  const distance = direction.y < -1e-3 ? -origin.y / direction.y : Infinity;
  if (distance > 0 && distance * Math.hypot(direction.x, direction.z) <= REACH) {
    return out.copy(direction).multiplyScalar(distance).add(origin).setY(0);
  }
  const level = Math.hypot(direction.x, direction.z) || 1;
  return out.set(origin.x + (direction.x / level) * AHEAD, 0, origin.z + (direction.z / level) * AHEAD);
}

/** An upright pose at a spot, -z pointing away from the viewer: the room then opens in front of them. */
export function facingAway(spot: Vector3, viewer: Vector3, out: Matrix4): Matrix4 {
  const yaw = Math.atan2(viewer.x - spot.x, viewer.z - spot.z);
  const level = Math.hypot(viewer.x - spot.x, viewer.z - spot.z);
  const turn = new Quaternion().setFromAxisAngle(UP, level > 1e-6 ? yaw : 0);
  return out.makeRotationFromQuaternion(turn).setPosition(spot);
}
