// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { Matrix4, Vector3 } from 'three';
import { expect, test } from 'vitest';

import { ROS_TO_XR, worldFromAnchor } from '../../src/maths/axes';
import { facingAway, REACH, spotOnFloor } from '../../src/maths/anchor';

function near(got: Vector3, x: number, y: number, z: number): void {
  expect(got.distanceTo(new Vector3(x, y, z))).toBeLessThan(1e-12);
}

test('WebXR axes (x right, y up, -z forward) are ROS (-z, -x, y)', () => {
  // forward, left and up of ROS, as a headset sees them
  near(new Vector3(1, 0, 0).applyQuaternion(ROS_TO_XR), 0, 0, -1);
  near(new Vector3(0, 1, 0).applyQuaternion(ROS_TO_XR), -1, 0, 0);
  near(new Vector3(0, 0, 1).applyQuaternion(ROS_TO_XR), 0, 1, 0);
  const xr = new Vector3(0.3, -1.1, 2.2);
  near(xr.clone().applyQuaternion(ROS_TO_XR.clone().invert()), -xr.z, -xr.x, xr.y);
});

test('the world stands on its anchor, x along the anchor\'s -z', () => {
  // the anchor is 2 m to the right, turned a quarter to the left: its -z is WebXR's -x
  const anchor = new Matrix4().makeRotationY(Math.PI / 2).setPosition(2, 0.5, -1);
  const world = worldFromAnchor(anchor, new Matrix4());
  near(new Vector3(0, 0, 0).applyMatrix4(world), 2, 0.5, -1);
  near(new Vector3(1, 0, 0).applyMatrix4(world), 1, 0.5, -1);
  near(new Vector3(0, 1, 0).applyMatrix4(world), 2, 0.5, 0);
  near(new Vector3(0, 0, 1).applyMatrix4(world), 2, 1.5, -1);
  // and a hand at a place of the headset comes back to the world by the inverse
  near(new Vector3(1, 0.5, -1).applyMatrix4(world.clone().invert()), 1, 0, 0);
});

test('a ray meets the floor where it is pointed at', () => {
  const out = new Vector3();
  near(spotOnFloor(new Vector3(0.2, 1.2, 0), new Vector3(0, -1, -1).normalize(), out), 0.2, 0, -1.2);
  // upwards, or too far away: a step ahead
  for (const steep of [0.3, 0, -0.1]) {
    spotOnFloor(new Vector3(0, 1.2, 0), new Vector3(3, steep, -4).normalize(), out);
    near(out, 0.9, 0, -1.2);
    expect(Math.hypot(out.x, out.z)).toBeLessThan(REACH);
  }
});

test('the room opens in front of its viewer', () => {
  const spot = new Vector3(1, 0, -2);
  for (const viewer of [new Vector3(1, 1.6, 1), new Vector3(-2, 1.6, -2), new Vector3(4, 1.7, -7)]) {
    const pose = facingAway(spot, viewer, new Matrix4());
    near(new Vector3().applyMatrix4(pose), 1, 0, -2);
    const forward = new Vector3(0, 0, -1).transformDirection(pose);
    const away = spot.clone().sub(viewer).setY(0).normalize();
    near(forward, away.x, away.y, away.z);
    near(new Vector3(0, 1, 0).transformDirection(pose), 0, 1, 0);
  }
});
