// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What the page says of itself: only what is true now. */
import type { LinkState } from '../wire/link';

/** ms without a state of the drones after which the picture is frozen */
export const FROZEN_AFTER = 1000;

export interface Condition {
  word: string;
  /** for the style */
  state: LinkState | 'frozen' | 'waiting' | 'paused';
}

const CLOSED: Record<Exclude<LinkState, 'open'>, string> = {
  connecting: 'connecting …', closed: 'no connection: waiting for the node to come back',
};

/** hh:mm:ss of this machine's clock. */
function timeOfDay(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}

/**
 * Of the connection, open since `opened`, with the last state at `heard` (NaN: none in this page), all in ms of the
 * performance clock; `paused`: what the node said last; `wall`: the time of day at `now`.
 */
export function conditionOf(
  link: LinkState, opened: number, heard: number, paused: boolean, now: number, wall: Date,
): Condition {
  if (link !== 'open') return { word: CLOSED[link], state: link };
  if (!(now - Math.max(opened, Number.isNaN(heard) ? -Infinity : heard) > FROZEN_AFTER)) {
    return paused ? { word: 'paused', state: 'paused' } : { word: 'live', state: 'open' };
  }
  if (Number.isNaN(heard)) return { word: 'no states yet: does the collision node run?', state: 'waiting' };
  const since = timeOfDay(new Date(wall.getTime() - (now - heard)));
  return { word: `frozen since ${since}${paused ? ' (paused)' : ''}`, state: 'frozen' };
}
