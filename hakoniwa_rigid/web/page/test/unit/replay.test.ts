// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What is kept of the last seconds, and what the node's reports say. */
import { expect, test } from 'vitest';

import { EVERY, MOST_BYTES, MOST_CONTACTS, ReplayBuffer, SPAN } from '../../src/replay/buffer';
import { Reports } from '../../src/reports';
import { loudness } from '../../src/sound/sound';
import { VOICES, voicesOf } from '../../src/sound/voices';
import { Store, type Contact } from '../../src/store';
import type { FleetState, Scene } from '../../src/wire/messages';

const HEADER = { stamp: { sec: 0, nanosec: 0 }, frame_id: 'world' };
const NONE = new Float64Array(0);

function fleet(n: number, x: number, turn = 0): FleetState {
  const [s, c] = [Math.sin(turn / 2), Math.cos(turn / 2)];
  return {
    header: HEADER, names: Array.from({ length: n }, (_, i) => `d${i}`),
    positions: Float64Array.from({ length: 3 * n }, (_, k) => (k % 3 === 0 ? x : 1)),
    orientations: Float64Array.from({ length: 4 * n }, (_, k) => [0, 0, s, c][k % 4]!),
    linear_velocities: NONE, angular_velocities: NONE, flags: new Uint8Array(n),
  };
}

function contact(at: number, strength: number): Contact {
  return { event: { phase: 0 }, at, strength } as Contact;
}

test('ten seconds are kept, at sixty frames a second at most', () => {
  const buffer = new ReplayBuffer(new Store());
  for (let at = 0; at <= 30_000; at += 5) buffer.add(fleet(2, at / 1000), at);
  expect(buffer.length).toBeLessThanOrEqual(Math.ceil(SPAN / EVERY) + 1);
  const clip = buffer.clip()!;
  expect(clip.to - clip.from).toBeLessThanOrEqual(SPAN);
  expect(clip.to - clip.from).toBeGreaterThan(SPAN - 100);
});

test('a crowd of drones shortens the time, not the bound of memory', () => {
  const buffer = new ReplayBuffer(new Store());
  for (let at = 0; at < 10_000; at += 17) buffer.add(fleet(5000, at), at);
  expect(buffer.bytes).toBeLessThanOrEqual(MOST_BYTES);
  expect(buffer.bytes).toBeGreaterThan(0.9 * MOST_BYTES);
  expect(buffer.length).toBeLessThan(10_000 / 17);
});

test('between two frames a drone is on the way, and turned by its share; a jump is none', () => {
  const buffer = new ReplayBuffer(new Store());
  buffer.add(fleet(1, 0, 0), 0);
  buffer.add(fleet(1, 0.1, 0.2), 20);
  buffer.add(fleet(1, 5, 0.2), 40);
  const clip = buffer.clip()!;
  const at = (time: number) => clip.at(time).fleet!;
  expect(at(5).positions[0]).toBeCloseTo(0.025, 6);
  const half = at(10).orientations;
  expect(2 * Math.atan2(half[2]!, half[3]!)).toBeCloseTo(0.1, 5);
  expect(Math.hypot(...half)).toBeCloseTo(1, 12);
  expect(at(39).positions[0]).toBeCloseTo(0.1, 6);
  expect(at(40).positions[0]).toBeCloseTo(5, 6);
  expect(at(-100).positions[0]).toBe(0);
  expect(at(1e9).positions[0]).toBeCloseTo(5, 6);
});

test('after a pause of the connection nothing is put between', () => {
  const buffer = new ReplayBuffer(new Store());
  buffer.add(fleet(1, 0), 0);
  buffer.add(fleet(1, 0.4), 2000);
  expect(buffer.clip()!.at(1000).fleet!.positions[0]).toBe(0);
});

test('the strongest contact of the last collision is kept longer than all the rest', () => {
  const store = new Store();
  const buffer = new ReplayBuffer(store);
  const run = (from: number, to: number) => {
    for (let at = from; at < to; at += 20) buffer.add(fleet(1, 0), at);
  };
  const tell = (one: Contact) => store.contactListeners.forEach((listener) => listener(one));
  run(0, 2000);
  tell(contact(2000, 1e-4));   // a touch is none
  run(2000, 4000);
  expect(buffer.lastImpact).toBeUndefined();
  tell(contact(4000, 0.02));
  tell(contact(4010, 0.4));
  run(4000, 30_000);
  const clip = buffer.lastImpact!;
  expect(clip.from).toBeLessThan(4010 - 800);
  expect(clip.to).toBeGreaterThan(4010 + 1000);
  expect(clip.contacts.map(({ strength }) => strength)).toEqual([0.02, 0.4]);
  for (let k = 0; k < 3 * MOST_CONTACTS; k += 1) tell(contact(30_000, 1e-3));
  expect(buffer.clip()!.contacts.length).toBeLessThanOrEqual(MOST_CONTACTS);
  buffer.forget();
  expect([buffer.lastImpact, buffer.clip(), buffer.bytes]).toEqual([undefined, undefined, 0]);
});

const SCENE = {
  world: 'w', frame: 'world', hands: ['left'],
  drones: [{ name: 'd0', model: 'm', parts: [], rotors: [] }, { name: 'd1', model: 'm', parts: [], rotors: [] }],
  walls: [{ type: 'box', name: 'gate/0', material: 'brushed_steel' }, { type: 'plane', name: 'floor' },
    { type: 'box', name: 'thing', material: 'unobtainium' }],
  objects: [{ name: 'ball', parts: [], material: 'rubber' }],
} as Scene;

test('bodies have the voice of their material, or of what they are', () => {
  expect(Object.fromEntries(voicesOf(SCENE))).toEqual({
    gate: 'metal', floor: 'concrete', thing: 'concrete', ball: 'rubber', left: 'skin', d0: 'plastic', d1: 'plastic',
  });
  for (const { tones, noise } of Object.values(VOICES)) {
    for (const [hertz, share, seconds] of [...tones, noise]) {
      expect(hertz).toBeGreaterThan(50);
      expect(share).toBeLessThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(0.5);
    }
  }
});

test('a stronger impulse is louder, up to a bound', () => {
  expect(loudness(1e-4)).toBe(0);
  expect(loudness(0.01)).toBeLessThan(loudness(0.1));
  expect(loudness(1e6)).toBe(1);
});

test('reports are of drones of the scene only, and too old ones are no news', () => {
  const reports = new Reports();
  reports.show(SCENE);
  const values = [{ key: 'clearance [m]', value: '0.25' }, { key: 'nearest', value: 'gate' }];
  const status = (name: string, level: number, message = 'because') => ({ name, level, message, values });
  reports.hear({ status: [
    status('collision: drone d0', 2), status('collision: drone d1', 0, 'free'), status('collision: timing', 2),
    ...Array.from({ length: 1000 }, (_, i) => status(`x: drone stranger${i}`, 2)),
  ] }, 1000);
  expect([...reports.drones.keys()]).toEqual(['d0', 'd1']);
  const states = fleet(2, 0);
  expect([...reports.wrong(states, 2000)]).toEqual([['d0', 'because']]);
  expect(reports.wrong(states, 2100)).toBe(reports.wrong(states, 2200));
  expect(reports.closest(2000)![0]).toBe('d0');
  expect(reports.wrong(states, 9000).size).toBe(0);
  states.flags[1] = 4;
  expect(reports.wrong(states, 9000).get('d1')).toMatch('stale');
  reports.hear({ status: [status('collision: drone d0', 2, 'x'.repeat(5000))] }, 3000);
  expect(reports.wrong(states, 3000).get('d0')!.length).toBeLessThanOrEqual(160);
});
