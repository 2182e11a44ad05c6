// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What a picture may cost: three tiers, from what a graphics card draws to what a slow processor can. */

export interface Tier {
  name: 'high' | 'middle' | 'low';
  /** texels along a side of the shadow map; 0: there is none, discs below the drones remain */
  shadowMap: number;
  /** whether drones mirror the room: physically based materials with an environment map */
  environment: boolean;
}

/** From the dearest to the cheapest; docs/web.md has what each costs. */
export const TIERS: readonly Tier[] = [
  { name: 'high', shadowMap: 2048, environment: true },
  { name: 'middle', shadowMap: 1024, environment: false },
  { name: 'low', shadowMap: 0, environment: false },
];

/** The tier to begin with; `asked`: the name of one in the page's address. */
export function firstTier(graphicsCard: boolean, asked: string | null): Tier {
  return TIERS.find(({ name }) => name === asked) ?? TIERS[graphicsCard ? 0 : 1]!;
}

/** The next cheaper one; the last is its own. */
export function cheaper(tier: Tier): Tier {
  return TIERS[Math.min(TIERS.indexOf(tier) + 1, TIERS.length - 1)]!;
}

/** How many cheaper ones there are. */
export function tiersBelow(tier: Tier): number {
  return TIERS.length - 1 - TIERS.indexOf(tier);
}

/** Triangles of all airframes above which they are drawn of fewer: a processor takes most of a us for each. */
export function mostTriangles(graphicsCard: boolean): number {
  return graphicsCard ? Infinity : 8000;
}
