// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** How fast a rotor is drawn turning. */

/** rad/s as drawn: where the rotor's speed is not known, and at most (faster looks like standing still at 60 Hz) */
export const HOVER = 30;
export const FASTEST = 70;

/** The square root keeps slow large rotors and fast small ones apart without flicker; speed in rad/s. */
export function visualRate(speed: number | undefined): number {
  if (speed === undefined || !Number.isFinite(speed)) return HOVER;
  return Math.min(FASTEST, 1.6 * Math.sqrt(Math.abs(speed)));
}
