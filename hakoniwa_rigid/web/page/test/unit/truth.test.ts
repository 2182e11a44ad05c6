// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from 'vitest';

import { Comings } from '../../src/panel/comings';
import { conditionOf } from '../../src/panel/condition';
import { readings } from '../../src/panel/readings';
import { Bodies } from '../../src/pointer/bodies';
import { Pushes } from '../../src/pushes';
import { Reports } from '../../src/reports';
import { Store, type Contact } from '../../src/store';
import type { LinkState } from '../../src/wire/link';
import type { Scene } from '../../src/wire/messages';

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
  pushes.kept.push({ at: 1000, hand: 3, event: 4, frame: 5, wait: 1, total: 12 });
  const shown = told(store, pushes, 1500);
  expect(shown['tick → page']).toBe('4.0 ms');
  expect(shown['impact → page']).toBe('7.0 ms');
  expect(shown['round trip']).toBe('10.0 ms');
  expect(shown['last push']).toBe('3 + 4 + 5 = 12 ms'.replaceAll(' ', '\u202f'));
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
  pushes.drawn(117, 125);   // begun before it came: it does not show it
  expect(pushes.begun).toBe(true);
  pushes.drawn(126, 130);
  pushes.drawn(135, 140);
  expect(pushes.kept).toEqual([{ at: 130, hand: 4, event: 6, frame: 12, wait: 8, total: 22 }]);
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
  pushes.drawn(130, 135);
  expect(pushes.kept).toEqual([]);
  expect(pushes.median()).toBeNaN();
});

test('so many pushes and samples are kept', () => {
  const pushes = new Pushes();
  for (let k = 0; k < 1000; k += 1) {
    pushes.sample('right', 100 * k);
    pushes.contact(contact(0, 100 * k + 10 + k / 100, 5));
    pushes.drawn(100 * k + 20, 100 * k + 20);
  }
  expect(pushes.kept).toHaveLength(50);
  expect(pushes.median()).toBe(20);
});

function sceneOf(world: string, ...names: string[]): Scene {
  return { world, drones: names.map((name) => ({ name })), objects: [{ name: 'crate' }] } as unknown as Scene;
}

test('who came and who left stands in the panel, the newest first, with the reason that the node gives', () => {
  vi.stubGlobal('document', { createElement: () => ({ append: () => undefined, replaceChildren: () => undefined }) });
  const comings = new Comings();
  comings.told(['early came: /early/odom']);
  expect(comings.rows).toEqual([{ name: 'early', word: 'came', why: '/early/odom', at: '' }]);
  comings.scene(sceneOf('room', 'd0', 'd1'), '10:00:00');
  expect(comings.rows).toEqual([]);   // another world: what was before is not of it
  comings.scene(sceneOf('room', 'd0', 'd1'), '10:00:01');
  comings.scene(sceneOf('room', 'd1', 'late'), '10:00:02');
  const lines = ['late came: /late/odom', 'no line'];
  for (let k = 0; k < 3; k += 1) comings.told(lines);   // once a second
  expect(comings.rows).toEqual([
    { name: 'late', word: 'came', why: '/late/odom', at: '10:00:02' },
    { name: 'd0', word: 'left', why: '', at: '10:00:02' },
  ]);
  for (let k = 0; k < 50; k += 1) comings.scene(sceneOf('room', `d${k}`), '');
  expect(comings.rows).toHaveLength(6);
  comings.told([`x left: ${'y'.repeat(999)}`]);
  expect(comings.rows[0]!.why).toHaveLength(120);
  vi.unstubAllGlobals();
});

test('a drone has the authority that the node reports, not the one that it was configured with', () => {
  const store = new Store();
  const bodies = new Bodies(store);
  const sphere = { type: 'sphere', radius: 0.1, pose: { position: [0, 0, 0], orientation_xyzw: [0, 0, 0, 1] } };
  const drone = { name: 'd0', authority: 'correct', parts: [sphere], rotors: [] };
  store.show({ world: 'room', drones: [drone], objects: [], walls: [], hands: [] } as unknown as Scene);
  const reports = new Reports();
  reports.show(store.scene!);
  reports.listeners.push((name, { authority }) => bodies.own(name, authority));
  const told: (readonly string[])[] = [];
  reports.onNewcomers = (lines) => told.push(lines);
  const values = (pairs: Record<string, string>) => Object.entries(pairs).map(([key, value]) => ({ key, value }));
  const status = [
    { name: 'collision_node: scene', level: 0, message: '', values: values({ x: 'y', 'newcomers 0': 'a came: b' }) },
    { name: 'collision_node: drone d0', level: 0, message: '', values: values({ authority: 'observe' }) },
    { name: 'collision_node: drone d9', level: 0, message: '', values: values({ authority: 'observe' }) },
  ];
  reports.hear({ status } as never, 10);
  expect(bodies.get('d0')!.authority).toBe('observe');
  expect(told).toEqual([['a came: b']]);
});
