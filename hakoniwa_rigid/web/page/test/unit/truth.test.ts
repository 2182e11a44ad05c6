// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';

import { conditionOf } from '../../src/panel/condition';
import { readings } from '../../src/panel/readings';
import { Pushes } from '../../src/pushes';
import { Store, type Contact } from '../../src/store';
import type { LinkState } from '../../src/wire/link';

const WALL = new Date(2026, 4, 6, 7, 8, 9);
const word = (link: LinkState, opened: number, heard: number, paused: boolean, now: number) =>
  conditionOf(link, opened, heard, paused, now, WALL);

test('a page is live only while states come', () => {
  expect(word('open', 0, 5000, false, 5900)).toEqual({ word: 'live', state: 'open' });
  expect(word('open', 0, 5000, false, 6001)).toEqual({ word: 'frozen since 07:08:07', state: 'frozen' });
  expect(word('open', 0, 5000, false, 25_000)).toEqual({ word: 'frozen since 07:07:49', state: 'frozen' });
  expect(word('closed', 0, 5000, false, 5900).state).toBe('closed');
  expect(word('connecting', 0, NaN, false, 5900).state).toBe('connecting');
});

test('a connection that is new has a second', () => {
  expect(word('open', 9000, 5000, false, 9900).state).toBe('open');
  expect(word('open', 9000, 5000, false, 10_100).state).toBe('frozen');
  expect(word('open', 9000, NaN, false, 9900).state).toBe('open');
  expect(word('open', 9000, NaN, false, 10_100)).toEqual(
    { word: 'no states yet: does the collision node run?', state: 'waiting' });
});

test('a node that stands still is paused, and one of which nothing comes is frozen all the same', () => {
  expect(word('open', 0, 5000, true, 5900)).toEqual({ word: 'paused', state: 'paused' });
  expect(word('open', 0, 5000, true, 6500).word).toBe('frozen since 07:08:07 (paused)');
});

function told(store: Store, pushes: Pushes, now: number): Record<string, string> {
  const told = readings(store, pushes, { states: 200, frames: 60 }, now);
  return Object.fromEntries(told.map(([name, value]) => [name, value]));
}

test('what was measured too long ago is not shown', () => {
  const store = new Store();
  store.clock.add(980, 990, 1_000_000_000n);
  Object.assign(store, { stateAge: 4, fleetAt: 1000, contactAge: 7, contactAt: 1000 });
  Object.assign(store, { stats: { clients: 2 }, statsAt: 1000 });
  const pushes = new Pushes();
  pushes.kept.push({ at: 1000, hand: 3, event: 4, frame: 5, total: 12 });
  const shown = told(store, pushes, 1500);
  expect(shown['tick → page']).toBe('4.0 ms');
  expect(shown['impact → page']).toBe('7.0 ms');
  expect(shown['round trip']).toBe('10.0 ms');
  expect(shown['last push']).toBe('3 + 4 + 5 = 12 ms');
  expect(shown['viewers']).toBe('2');
  expect(told(store, pushes, 2100)['tick → page']).toBe('–');
  const later = told(store, pushes, 12_000);
  for (const name of ['tick → page', 'impact → page', 'round trip', 'last push', 'viewers']) {
    expect(later[name]).toBe('–');
  }
});

function contact(phase: number, at: number, tickAge: number, bodies = ['d0', 'right']): Contact {
  return { event: { phase, body_a: bodies[0], body_b: bodies[1] }, at, tickAge } as Contact;
}

test('a push goes from the last sample before the tick to the next picture', () => {
  const pushes = new Pushes();
  for (const captured of [90, 100, 108, 116]) pushes.sample('right', captured);
  pushes.sample('left', 109);
  pushes.contact(contact(0, 118, 6));   // the tick was at 112
  pushes.drawn(130);
  pushes.drawn(140);
  expect(pushes.kept).toEqual([{ at: 130, hand: 4, event: 6, frame: 12, total: 22 }]);
  const { hand, event, frame, total } = pushes.last!;
  expect(hand + event + frame).toBe(total);
});

test('contacts that go on, of others, of an unknown clock are no pushes', () => {
  const pushes = new Pushes();
  pushes.sample('right', 100);
  pushes.contact(contact(1, 118, 6));
  pushes.contact(contact(0, 118, 6, ['d0', 'left']));
  pushes.contact(contact(0, 118, NaN));
  pushes.contact(contact(0, 118, 50));   // a tick before the first sample
  pushes.drawn(130);
  expect(pushes.kept).toEqual([]);
  expect(pushes.median()).toBeNaN();
});

test('so many pushes and samples are kept', () => {
  const pushes = new Pushes();
  for (let k = 0; k < 1000; k += 1) {
    pushes.sample('right', 100 * k);
    pushes.contact(contact(0, 100 * k + 10 + k / 100, 5));
    pushes.drawn(100 * k + 20);
  }
  expect(pushes.kept).toHaveLength(50);
  expect(pushes.median()).toBe(20);
});
