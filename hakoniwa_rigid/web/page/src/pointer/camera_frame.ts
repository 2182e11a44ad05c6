// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The camera in the world: rays under the cursor, points at a depth, its axes. Depths are m ahead of the camera. */
import { Matrix4, Quaternion, Ray, Vector3 } from 'three';

import type { Stage } from '../view/stage';

/** CSS pixels */
export type Cursor = readonly [number, number];

export class CameraFrame {
  private readonly frame = new Matrix4();
  private readonly aim = new Vector3();

  constructor(private readonly stage: Stage) {}

  /** Pose of the camera in the world, now. */
  pose(): Matrix4 {
    const { camera, room } = this.stage;
    camera.updateMatrixWorld();
    return this.frame.copy(room.matrixWorld).invert().multiply(camera.matrixWorld);
  }

  turn(): Quaternion {
    return new Quaternion().setFromRotationMatrix(this.pose());
  }

  /** A direction of the camera's axes (x right, y up, z back) in the world. */
  direction(x: number, y: number, z: number): Vector3 {
    return new Vector3(x, y, z).transformDirection(this.pose());
  }

  /** Along the cursor's ray in camera axes, at a depth. */
  private ahead([x, y]: Cursor, depth: number): Vector3 {
    const { left, top, width, height } = this.stage.canvas.getBoundingClientRect();
    // the picture's middle need not be the page's
    this.aim.set((2 * (x - left)) / width - 1, 1 - (2 * (y - top)) / height, 0.5)
      .applyMatrix4(this.stage.camera.projectionMatrixInverse);
    return this.aim.multiplyScalar(depth / -this.aim.z);
  }

  /** The point under the cursor at a depth. */
  point(cursor: Cursor, depth: number, out: Vector3): Vector3 {
    return out.copy(this.ahead(cursor, depth)).applyMatrix4(this.pose());
  }

  ray(cursor: Cursor): Ray {
    const pose = this.pose();
    const origin = new Vector3().setFromMatrixPosition(pose);
    return new Ray(origin, this.ahead(cursor, 1).clone().applyMatrix4(pose).sub(origin).normalize());
  }

  rayTo(point: Vector3): Ray {
    const origin = new Vector3().setFromMatrixPosition(this.pose());
    return new Ray(origin, point.clone().sub(origin).normalize());
  }

  depth(point: Vector3): number {
    const pose = this.pose().clone();
    return -point.clone().applyMatrix4(pose.invert()).z;
  }
}
