// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Colours of what is drawn, in a dark and a light theme.  Drones and contacts have those of Okabe and Ito (2008), which
 * people tell apart who see red and green alike.
 */
import { Color } from 'three';

export type ThemeName = 'dark' | 'light';

const SHADES = {
  background: { dark: '#141b23', light: '#dfe7ef' },
  floor: { dark: '#4a5766', light: '#e9e6df' },
  wall: { dark: '#465465', light: '#f1efea' },
  line: { dark: '#66798d', light: '#c3c7cb' },
  solid: { dark: '#76828f', light: '#c9b79c' },
  edge: { dark: '#a9bacb', light: '#7d7260' },
  object: { dark: '#c99a6b', light: '#b9814a' },
  stale: { dark: '#737d88', light: '#8d959d' },
  contact: { dark: '#ffb547', light: '#e06a00' },
  label: { dark: '#10161de0', light: '#fffffff0' },
  ink: { dark: '#e6edf5', light: '#1b2630' },
};

function shade(name: keyof typeof SHADES): Color {
  return new Color(SHADES[name].dark);
}

export const BACKGROUND = shade('background');
export const FLOOR = shade('floor');
export const WALL = shade('wall');
export const LINE = shade('line');
export const SOLID = shade('solid');
export const EDGE = shade('edge');
export const OBJECT = shade('object');
export const STALE_GREY = shade('stale');
export const CONTACT = shade('contact');
export const BODY = new Color('#ffffff');   // of what has the colours of its corners
export const SKIN = new Color('#d8a48f');
export const OTHER_HAND = new Color('#8fb8d8');

const OF_THEME: [Color, keyof typeof SHADES][] = [
  [BACKGROUND, 'background'], [FLOOR, 'floor'], [WALL, 'wall'], [LINE, 'line'], [SOLID, 'solid'], [EDGE, 'edge'],
  [OBJECT, 'object'], [STALE_GREY, 'stale'], [CONTACT, 'contact'],
];
let theme: ThemeName = 'dark';

/** The colours above become those of a theme; who has copied them copies them again. */
export function useTheme(name: ThemeName): void {
  theme = name;
  for (const [colour, key] of OF_THEME) colour.set(SHADES[key][name]);
}

/** Ground and text of a label, as CSS has them. */
export function labelColours(): { ground: string; ink: string } {
  return { ground: SHADES.label[theme], ink: SHADES.ink[theme] };
}

/** Okabe and Ito's, without black and the orange that contacts have. */
const OKABE_ITO = ['#56b4e9', '#d55e00', '#009e73', '#f0e442', '#cc79a7', '#0072b2'];

/** The colour of drone `i`: after all of them they come again, lighter, then darker. */
export function droneColour(i: number): Color {
  const colour = new Color(OKABE_ITO[i % OKABE_ITO.length]);
  const round = Math.floor(i / OKABE_ITO.length) % 3;
  return round === 0 ? colour : colour.offsetHSL(0, 0, round === 1 ? 0.14 : -0.12);
}
