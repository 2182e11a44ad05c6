// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Which drones a picture is made of, and from how far: as many as can be seen together and large enough to be known
 * for what they are.
 */
import { Vector3 } from 'three';

/** A camera's picture: pixels per unit of slope, the page's width, and what panels leave free of it, CSS pixels. */
export interface Lens {
  focal: number;
  page: number;
  width: number;
  height: number;
}

/** What is framed: its place, m; how wide it is, m; how far it reaches, m; whether it was in contact lately. */
export interface Subject {
  position: Vector3;
  width: number;
  reach: number;
  active: boolean;
}

/** Its members as indices; the spot that is looked at, m, from how far, m. */
export interface Framing {
  seed: number;
  members: number[];
  centre: Vector3;
  distance: number;
}

/** of the page's width: the smallest drone that is framed at least, and the largest at most (a lone one) */
export const LEAST_SHARE = 0.065;
export const MOST_SHARE = 0.1;
/** CSS pixels, of the same: a telephone is not as near as it is narrow */
export const LEAST_PIXELS = 44;
export const MOST_PIXELS = 76;
/** drones from which a group grows, and how many a group has at most: every group is tried */
export const MOST_SEEDS = 48;
export const MOST_MEMBERS = 12;
/** m, in a picture around what is framed; how much more a group has to be worth than the one before */
const AROUND = 0.12;
const LOYALTY = 1.5;
const ACTIVE = 2;

const UP = new Vector3(0, 0, 1);

/** Unit vectors to the right, up and towards a camera that looks from a direction, world. */
function axesOf(from: Vector3): [Vector3, Vector3, Vector3] {
  const back = from.clone().normalize();
  const right = new Vector3().crossVectors(UP, back).normalize();
  return [right, new Vector3().crossVectors(back, right), back];
}

/** Where to look to have all of these in the picture, and as near as that allows. */
function fit(subjects: readonly Subject[], members: readonly number[], from: Vector3, lens: Lens): Framing | undefined {
  const axes = axesOf(from);
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const i of members) {
    const { position, reach } = subjects[i]!;
    axes.forEach((axis, k) => {
      const along = axis.dot(position);
      low[k] = Math.min(low[k]!, along - reach);
      high[k] = Math.max(high[k]!, along + reach);
    });
  }
  const centre = new Vector3();
  axes.forEach((axis, k) => centre.addScaledVector(axis, (low[k]! + high[k]!) / 2));
  const half = low.map((x, k) => (high[k]! - x) / 2 + AROUND);
  const needed = half[2]! + lens.focal * Math.max(half[0]! / (lens.width / 2), half[1]! / (lens.height / 2));
  let [far, near] = [Infinity, 0];
  for (const i of members) {
    const { position, width } = subjects[i]!;
    const ahead = axes[2].dot(position) - axes[2].dot(centre);
    far = Math.min(far, ahead + (lens.focal * width) / Math.max(LEAST_SHARE * lens.page, LEAST_PIXELS));
    near = Math.max(near, ahead + (lens.focal * width) / Math.max(MOST_SHARE * lens.page, MOST_PIXELS));
  }
  if (members.length > 1 && needed > far) return undefined;
  return { seed: members[0]!, members: [...members], centre, distance: Math.min(Math.max(needed, near), far) };
}

/** The group that grows from one drone by its neighbours, as large as is seen together. */
export function grown(subjects: readonly Subject[], seed: number, from: Vector3, lens: Lens): Framing {
  const { position } = subjects[seed]!;
  const gap = (i: number) => subjects[i]!.position.distanceToSquared(position);
  const order = subjects.map((_, i) => i).sort((a, b) => gap(a) - gap(b));
  let best = fit(subjects, [seed], from, lens)!;
  for (let n = 2; n <= Math.min(order.length, MOST_MEMBERS); n += 1) {
    const next = fit(subjects, order.slice(0, n), from, lens);
    if (!next) break;
    best = next;
  }
  return { ...best, seed };
}

function worth({ members }: Framing, subjects: readonly Subject[]): number {
  return members.reduce((sum, i) => sum + 1 + (subjects[i]!.active ? ACTIVE : 0), 0);
}

/** The best group as seen from a direction; the one before, of that seed, stays unless another is worth much more. */
export function framing(
  subjects: readonly Subject[], from: Vector3, lens: Lens, before?: number,
): Framing | undefined {
  if (subjects.length === 0) return undefined;
  const step = Math.max(1, Math.ceil(subjects.length / MOST_SEEDS));
  let best = before === undefined || !subjects[before] ? undefined : grown(subjects, before, from, lens);
  let most = best ? worth(best, subjects) + LOYALTY : -Infinity;
  for (let seed = 0; seed < subjects.length; seed += step) {
    const found = grown(subjects, seed, from, lens);
    const value = worth(found, subjects);
    if (value > most) [best, most] = [found, value];
  }
  return best;
}

/** How many drones beside the framed ones are in the picture, far away or near. */
export function alsoSeen(
  { members, centre, distance }: Framing, subjects: readonly Subject[], from: Vector3, lens: Lens,
): number {
  const [right, up, back] = axesOf(from);
  return subjects.filter(({ position }, i) => {
    if (members.includes(i)) return false;
    const way = position.clone().sub(centre);
    const depth = distance - back.dot(way);
    return depth > 0.3 && Math.abs(lens.focal * right.dot(way)) < (depth * lens.width) / 2
      && Math.abs(lens.focal * up.dot(way)) < (depth * lens.height) / 2;
  }).length;
}
