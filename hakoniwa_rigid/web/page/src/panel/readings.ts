// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The read-outs as pairs of name and value. */
import type { Pushes } from '../pushes';
import { STALE_CONTACT, STALE_REPORT, STALE_STATE, type Store } from '../store';

/** per s */
export interface Rates {
  states: number;
  frames: number;
}

/** Name, value, and what it is in more words. */
export type Reading = [string, string, string?];

function fixed(value: number | undefined, digits: number, unit: string): string {
  return value === undefined || !Number.isFinite(value) ? '–' : `${value.toFixed(digits)} ${unit}`;
}

/** A number that was measured at a time, ms; nothing where that is too long ago. */
function fresh(value: number | undefined, at: number, most: number, now: number): number | undefined {
  return now - at <= most ? value : undefined;
}

/** a space at which no line breaks */
const NARROW_SPACE = '\u202f';

/** Parts of the last push: hand to tick, tick to page, page to picture. */
function lastPush(pushes: Pushes, now: number): string {
  const push = pushes.last;
  if (!push || now - push.at > STALE_CONTACT) return '–';
  const parts = [push.hand, push.event, push.frame].map((ms) => ms.toFixed(0));
  return `${parts.join(' + ')} = ${push.total.toFixed(0)} ms`.replaceAll(' ', NARROW_SPACE);
}

/** What was measured, and nothing that is stale; now in ms of the performance clock. */
export function readings(store: Store, pushes: Pushes, rates: Rates, now: number): Reading[] {
  const { stats, clock } = store;
  const dropped = Object.values(stats.dropped ?? {}).reduce((a, b) => a + b, 0);
  const viewers = fresh(stats.clients, store.statsAt, STALE_REPORT, now);
  return [
    ['drones', String(store.fleet?.names.length ?? 0)],
    ['states', fixed(rates.states, 0, 'Hz')],
    ['picture', fixed(rates.frames, 0, 'Hz')],
    ['tick → page', fixed(fresh(store.stateAge, store.fleetAt, STALE_STATE, now), 1, 'ms')],
    ['impact → page', fixed(fresh(store.contactAge, store.contactAt, STALE_CONTACT, now), 1, 'ms')],
    ['round trip', fixed(fresh(clock.roundTrip, clock.heard, STALE_REPORT, now), 1, 'ms')],
    ['last push', lastPush(pushes, now), 'from the hand to the tick, from there to the page, to the picture'],
    ...(pushes.kept.length > 1
      ? [['median push', fixed(pushes.median(), 0, 'ms'), `of the last ${pushes.kept.length}`] as Reading] : []),
    ['viewers', viewers === undefined ? '–' : String(viewers)],
    ...(dropped > 0 ? [['dropped', String(dropped)] as Reading] : []),
  ];
}
