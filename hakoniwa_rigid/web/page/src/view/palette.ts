// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Colours: a dark quiet room, drones distinguished by hue, amber for contact. */
import { Color } from 'three';

export const BACKGROUND = new Color('#0b0f14');
export const FLOOR = new Color('#1b2632');
export const WALL = new Color('#131c26');
export const LINE = new Color('#35495e');
export const SOLID = new Color('#46525f');
export const EDGE = new Color('#7f93a8');
export const BODY = new Color('#e8ecf1');
export const DARK = new Color('#2a323c');
export const OBJECT = new Color('#c99a6b');
export const SKIN = new Color('#d8a48f');
export const OTHER_HAND = new Color('#8fb8d8');
export const CONTACT = new Color('#ffb547');
export const STALE_GREY = new Color('#5a626c');

const GOLDEN = 0.618034;   // neighbours in the list get colours far apart

/** The colour of drone `i`. */
export function droneColour(i: number): Color {
  return new Color().setHSL((0.55 + i * GOLDEN) % 1, 0.72, 0.6);
}
