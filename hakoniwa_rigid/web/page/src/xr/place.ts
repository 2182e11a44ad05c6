// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Where the room goes so that its first drone is before the user: poses in WebXR axes, metres. */
import { Matrix4, Quaternion, Vector3 } from 'three';

import { REACH } from '../maths/anchor';
import type { Shape } from '../wire/messages';

/** m from the eyes to the near side of the first drone: what an arm reaches without a step */
export const ARM = 0.55;
/** m that a floor which was hit may be off that of the headset: what is farther is a table or a bed */
const LEVEL = 0.25;
/** least length of the level part of a direction, of a unit vector */
const STEEP = 1e-3;
const UP = new Vector3(0, 1, 0);

/**
 * The anchor's pose with which a spot of the world (its height does not count) lies on a spot of the floor, and the
 * world's x axis points along `ahead`, of which only the level part counts.
 */
export function placeSpot(spot: Vector3, floor: Vector3, ahead: Vector3, out: Matrix4): Matrix4 {
  const yaw = Math.atan2(-ahead.x, -ahead.z);
  const turn = new Quaternion().setFromAxisAngle(UP, yaw);
  // ROS axes (x, y) are (-z, -x) of the anchor
  const offset = new Vector3(-spot.y, 0, -spot.x).applyQuaternion(turn);
  return out.makeRotationFromQuaternion(turn).setPosition(floor.x - offset.x, floor.y, floor.z - offset.z);
}

/** The level part of where a viewer looks, unit length; -z where it looks straight up or down. */
export function levelAhead(orientation: Quaternion, out: Vector3): Vector3 {
  out.set(0, 0, -1).applyQuaternion(orientation).setY(0);
  if (out.length() > STEEP) return out.normalize();
  // looking down the head's up is ahead, looking up it is behind
  out.set(0, 1, 0).applyQuaternion(orientation).setY(0);
  return out.length() > STEEP ? out.normalize() : out.set(0, 0, -1);
}

/** m that a body goes towards the user, who is at its -x: of what touches, not of the rotors' tips. */
export function nearSide(parts: readonly Shape[]): number {
  const reaches = parts.map(({ size, radius, semi_axes: axes, length, vertices, pose }) => {
    const half = size ? size[0] / 2 : axes ? axes[0] : (radius ?? 0) + (length ?? 0) / 2;
    const corner = vertices ? Math.max(...vertices.map(([x]) => -x)) : half;
    return corner - (pose?.position[0] ?? 0);
  });
  return Math.max(0, ...reaches);
}

/** At the start: a drone (world, its near side in m) is an arm's length before the viewer, who looks along x. */
export function placeBefore(drone: Vector3, near: number, viewer: Vector3, turn: Quaternion, out: Matrix4): Matrix4 {
  const ahead = levelAhead(turn, new Vector3());
  const floor = viewer.clone().addScaledVector(ahead, ARM + near).setY(0);
  return placeSpot(drone, floor, ahead, out);
}

/** The spot of the floor that a viewer looks at; undefined where it does not look down at one within reach. */
export function lookedAt(viewer: Vector3, turn: Quaternion, hit: Matrix4 | undefined): Vector3 | undefined {
  if (hit) {
    // a floor faces up, and is about where the headset has it
    const [normal, y] = [hit.elements[5]!, hit.elements[13]!];
    const spot = new Vector3().setFromMatrixPosition(hit);
    const far = Math.hypot(spot.x - viewer.x, spot.z - viewer.z);
    if (normal > 0.9 && Math.abs(y) <= LEVEL && far <= REACH) return spot;
  }
  const direction = new Vector3(0, 0, -1).applyQuaternion(turn);
  const distance = direction.y < -STEEP ? -viewer.y / direction.y : Infinity;
  const level = distance * Math.hypot(direction.x, direction.z);
  if (!(distance > 0) || level > REACH) return undefined;
  return viewer.clone().addScaledVector(direction, distance).setY(0);
}
