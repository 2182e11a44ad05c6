// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The read-outs as pairs of name and value. */
import type { Store } from '../store';

/** per s */
export interface Rates {
  states: number;
  frames: number;
}

function fixed(value: number | undefined, digits: number, unit: string): string {
  return value === undefined || !Number.isFinite(value) ? '–' : `${value.toFixed(digits)} ${unit}`;
}

export function readings(store: Store, rates: Rates): [string, string][] {
  const { stats, clock } = store;
  const dropped = Object.values(stats.dropped ?? {}).reduce((a, b) => a + b, 0);
  return [
    ['drones', String(store.fleet?.names.length ?? 0)],
    ['states', fixed(rates.states, 0, 'Hz')],
    ['picture', fixed(rates.frames, 0, 'Hz')],
    ['tick → page', fixed(store.stateAge, 1, 'ms')],
    ['impact → page', fixed(store.contactAge, 1, 'ms')],
    ['round trip', fixed(clock.roundTrip, 1, 'ms')],
    ['viewers', stats.clients === undefined ? '–' : String(stats.clients)],
    ...(dropped > 0 ? [['dropped', String(dropped)] as [string, string]] : []),
  ];
}
