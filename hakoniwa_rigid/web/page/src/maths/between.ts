// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** States between two that were kept. */

/** m: two places farther apart are a jump, between which nothing is */
const JUMP = 0.5;

/** Row `i` of two arrays of 7 floats (position m, orientation xyzw), a share of the way from one to the other. */
export function stateBetween(
  from: Float32Array, to: Float32Array, i: number, share: number, position: Float64Array, turn: Float64Array,
): void {
  const r = 7 * i;
  const far = Math.hypot(to[r]! - from[r]!, to[r + 1]! - from[r + 1]!, to[r + 2]! - from[r + 2]!);
  const part = far < JUMP ? share : 0;
  for (let k = 0; k < 3; k += 1) {
    const start = from[r + k]!;
    position[3 * i + k] = part === 0 ? start : start + part * (to[r + k]! - start);
  }
  let dot = 0;
  for (let k = 3; k < 7; k += 1) dot += from[r + k]! * to[r + k]!;
  let square = 0;
  for (let k = 0; k < 4; k += 1) {
    const end = part === 0 ? 0 : (dot < 0 ? -part : part) * to[r + 3 + k]!;
    const x = (1 - part) * from[r + 3 + k]! + end;
    turn[4 * i + k] = x;
    square += x * x;
  }
  for (let k = 0; k < 4; k += 1) turn[4 * i + k]! /= Math.sqrt(square) || 1;
}
