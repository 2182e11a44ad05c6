// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Where a palm is and which way it faces; whether the user looks into it. World axes, m. */
import { Vector3 } from 'three';

import { JOINTS } from '../hand/joints';
import type { Side } from '../hand/open_hand';
import type { HandPose } from '../hand/sample';

const at = (name: string) => JOINTS.indexOf(name as XRHandJoint);
const [WRIST, INDEX, LITTLE] = [at('wrist'), at('index-finger-phalanx-proximal'), at('pinky-finger-phalanx-proximal')];
export const INDEX_TIP = at('index-finger-tip');
export const THUMB_TIP = at('thumb-tip');

/** cosines: of the palm to the eyes, with which it opens and with which it stays; of the look to the hand */
const OPENS = 0.8;
const STAYS = 0.5;
const LOOKS = 0.75;
/** m from the eyes */
const NEAREST = 0.15;
const FARTHEST = 0.8;
/** ms for which a palm is held so until it counts, or counts no more */
const HOLD = 350;

export interface Palm {
  centre: Vector3;
  normal: Vector3;
}

export interface Eyes {
  position: Vector3;
  ahead: Vector3;
}

export function jointOf(pose: HandPose, joint: number, out = new Vector3()): Vector3 | undefined {
  return pose.valid[joint] ? out.fromArray(pose.positions, 3 * joint) : undefined;
}

/** Undefined where a joint is missing. */
export function palmOf(pose: HandPose, side: Side): Palm | undefined {
  const [wrist, index, little] = [WRIST, INDEX, LITTLE].map((joint) => jointOf(pose, joint));
  if (!wrist || !index || !little) return undefined;
  const centre = wrist.clone().add(index).add(little).divideScalar(3);
  const normal = index.sub(wrist).cross(little.sub(wrist)).normalize();
  if (side === 'left') normal.negate();
  return { centre, normal };
}

/** How much a palm faces eyes that look at it, -1 to 1; -1 where they look elsewhere. */
export function facing({ centre, normal }: Palm, { position, ahead }: Eyes): number {
  const toEyes = position.clone().sub(centre);
  const distance = toEyes.length();
  if (distance < NEAREST || distance > FARTHEST) return -1;
  toEyes.divideScalar(distance);
  return -ahead.dot(toEyes) < LOOKS ? -1 : normal.dot(toEyes);
}

/** Whether a palm is held to the eyes: not at once, so that a wave opens nothing. */
export class PalmWatch {
  open = false;
  private since = NaN;

  update(towards: number, now: number): boolean {
    const wants = towards > (this.open ? STAYS : OPENS);
    if (wants === this.open) this.since = NaN;
    else if (Number.isNaN(this.since)) this.since = now;
    else if (now - this.since >= HOLD) {
      this.open = wants;
      this.since = NaN;
    }
    return this.open;
  }
}
