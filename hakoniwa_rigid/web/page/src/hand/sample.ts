// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A hand as positions and orientations in flat arrays that are filled again and again, and its message. */
import { JOINTS, RADII } from './joints';
import type { HandSample } from '../wire/messages';

const N = JOINTS.length;
const SIX_DIGITS = 1e6;

/** 25 joints: positions m and orientations xyzw in the world (WebXR's joint axes), radii m. */
export class HandPose {
  readonly positions = new Float64Array(3 * N);
  readonly orientations = new Float64Array(4 * N);
  readonly radii = Float64Array.from(RADII);
  readonly valid = new Uint8Array(N).fill(1);

  get anyValid(): boolean {
    return this.valid.some((v) => v === 1);
  }
}

function rows(flat: Float64Array, width: number): number[][] {
  return Array.from({ length: N }, (_, i) =>
    Array.from(flat.subarray(width * i, width * (i + 1)), (x) => Math.round(x * SIX_DIGITS) / SIX_DIGITS),
  );
}

/** Whether a hand is where it was when it was looked at last, within the digits of its message. */
export class Stillness {
  /** looks in a row at one pose, without the first */
  looks = 0;
  private readonly digits = new Float64Array(8 * N).fill(NaN);

  look({ positions, orientations, valid }: HandPose): void {
    let same = true;
    let k = 0;
    for (const numbers of [positions, orientations, valid]) {
      for (const x of numbers) {
        const rounded = Math.round(x * SIX_DIGITS);
        same = this.digits[k] === rounded && same;
        this.digits[k++] = rounded;
      }
    }
    this.looks = same ? this.looks + 1 : 0;
  }
}

/** The message of a pose captured at a time of the node's clock, ns. */
export function sampleOf(hand: string, pose: HandPose, stampNs: bigint): HandSample {
  return {
    stamp_ns: stampNs.toString(),
    hand,
    frame_id: 'world',
    names: JOINTS,
    positions: rows(pose.positions, 3),
    orientations_xyzw: rows(pose.orientations, 4),
    radii: Array.from(pose.radii, (r) => Math.round(r * SIX_DIGITS) / SIX_DIGITS),
    is_valid: Array.from(pose.valid, (v) => v === 1),
  };
}
