// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Where a card hangs before a viewer so that it hides as few drones as it can: WebXR axes, metres. */
import { Vector3 } from 'three';

/** m: before the eyes, and below (-) or above them, the preferred one first */
const AHEAD = 0.9;
const HEIGHTS = [-0.28, 0.24] as const;

/** What should be seen: a ball. */
export interface Ball {
  readonly spot: Vector3;
  readonly reach: number;
}

/** Level angle and height angle of a spot as a viewer has it, and its distance. */
function seenFrom(viewer: Vector3, spot: Vector3): { yaw: number; pitch: number; far: number } {
  const [x, y, z] = [spot.x - viewer.x, spot.y - viewer.y, spot.z - viewer.z];
  return { yaw: Math.atan2(x, -z), pitch: Math.atan2(y, Math.hypot(x, z)), far: Math.hypot(x, y, z) };
}

/** Whether a card (width, height in m, at `card`) and a ball overlap for a viewer; one that holds the viewer always. */
export function hides(viewer: Vector3, card: Vector3, size: readonly [number, number], { spot, reach }: Ball): boolean {
  const [one, other] = [seenFrom(viewer, card), seenFrom(viewer, spot)];
  if (other.far <= reach) return true;
  const turn = Math.abs(one.yaw - other.yaw);
  const [yaw, pitch] = [Math.min(turn, 2 * Math.PI - turn), Math.abs(one.pitch - other.pitch)];
  const ball = Math.asin(reach / other.far);
  return yaw < Math.atan(size[0] / 2 / one.far) + ball && pitch < Math.atan(size[1] / 2 / one.far) + ball;
}

export class CardSpot {
  private height: number = HEIGHTS[0];

  constructor(private readonly size: readonly [number, number]) {}

  /** Level before a viewer who looks along `ahead`; it changes its height only where it then hides fewer. */
  before(viewer: Vector3, ahead: Vector3, balls: readonly Ball[]): Vector3 {
    const at = (height: number) => viewer.clone().addScaledVector(ahead, AHEAD).setY(viewer.y + height);
    const hidden = (height: number) => balls.filter((ball) => hides(viewer, at(height), this.size, ball)).length;
    for (const height of HEIGHTS) if (hidden(height) < hidden(this.height)) this.height = height;
    return at(this.height);
  }
}
