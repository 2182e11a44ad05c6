// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What a cursor is meant for: the body under it, or beside it the plane in which an open hand pushes. */
import { Matrix4, Quaternion, Vector3 } from 'three';

import { wristPose } from '../hand/mouse_hand';
import type { Side } from '../hand/open_hand';
import type { Stage } from '../view/stage';
import type { Bodies, Grip } from './bodies';
import type { CameraFrame, Cursor } from './camera_frame';
import type { Ground } from './ground';

/** CSS pixels around a cursor within which a body is meant, too: in the distance a drone is some 10 pixels wide */
const NEAR_MOUSE = 5;
const NEAR_FINGER = 14;
/** m: a hand may come so near to the camera; nearer to the floor it takes hold from above */
const NEAREST = 0.3;
const LOW = 0.16;
const AROUND: readonly (readonly [number, number])[] = [
  [0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [0.7, 0.7], [-0.7, 0.7], [-0.7, -0.7], [0.7, -0.7],
];

/** Where an open hand comes in: its depth, the turn of its wrist, its shape. */
export interface OpenHand {
  depth: number;
  turn: Quaternion;
  side: Side;
}

export class Aim {
  private readonly matrix = new Matrix4();

  constructor(
    private readonly stage: Stage, private readonly frame: CameraFrame, private readonly bodies: Bodies,
    private readonly ground: Ground,
  ) {}

  /** What a press at the cursor takes hold of. */
  gripAt([x, y]: Cursor, now: number, finger = false): Grip | undefined {
    const near = finger ? NEAR_FINGER : NEAR_MOUSE;
    for (const [dx, dy] of AROUND) {
      const found = this.bodies.pick(this.frame.ray([x + dx * near, y + dy * near]), now);
      if (found && !this.ground.hides(this.frame.ray([x, y]), found.distance)) return found.grip;
    }
    return undefined;
  }

  /** The grip of a body that is chosen by its name: where the camera sees its middle. */
  gripOf(name: string, now: number): Grip | undefined {
    const motion = this.bodies.where(name, now);
    const body = this.bodies.get(name);
    if (!motion || !body) return undefined;
    const { center } = body.shape.boundingSphere!;
    const middle = center.clone().applyQuaternion(motion.turn).add(motion.position);
    return this.bodies.pick(this.frame.rayTo(middle), now, name)?.grip;
  }

  /** Where the fingers of a hand that takes hold point: up and ahead as the camera sees it; down at the floor. */
  ahead(grip: Grip, now: number): Vector3 {
    const [at, normal, velocity] = [new Vector3(), new Vector3(), new Vector3()];
    this.bodies.place(grip, now, at, normal, velocity);
    if (this.ground.height(at) < LOW && Math.abs(normal.z) < 0.7) return new Vector3(0, 0, -1);
    // neither along the normal
    const up = this.frame.direction(0, 1, -0.5).normalize();
    return Math.abs(up.dot(normal)) < 0.95 ? up : this.frame.direction(0, 0, -1);
  }

  /** The plane of the body nearest to the cursor on the page; the palm faces it. */
  openHand([x, y]: Cursor, now: number): OpenHand {
    let [nearest, gap, side]: [Vector3 | undefined, number, 1 | -1] = [undefined, Infinity, 1];
    for (const { name, kind } of this.bodies.list) {
      if (kind !== 'drone') continue;
      const motion = this.bodies.where(name, now);
      if (!motion) continue;
      const [px, py] = this.stage.project(motion.position);
      const away = Math.hypot(px - x, py - y);
      if (away < gap) [nearest, gap, side] = [motion.position.clone(), away, px < x ? -1 : 1];
    }
    const spot = nearest ?? this.stage.orbit.target.clone().applyMatrix4(
      this.matrix.copy(this.stage.room.matrixWorld).invert());
    return { depth: Math.max(NEAREST, this.frame.depth(spot)), ...this.faced(side) };
  }

  /** Turn and shape of an open hand whose palm faces right (1) or left (-1) on the page. */
  faced(side: 1 | -1): { turn: Quaternion; side: Side } {
    const turn = new Quaternion().setFromRotationMatrix(wristPose(new Vector3(), side, this.matrix));
    return { turn: turn.premultiply(this.frame.turn()), side: side > 0 ? 'left' : 'right' };
  }

  static nearest(depth: number): number {
    return Math.max(NEAREST, depth);
  }
}
