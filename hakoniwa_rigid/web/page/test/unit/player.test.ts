// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';

import { FORMAT, type Content } from '../../src/player/content';
import { Frames } from '../../src/player/frames';
import { entriesOf } from '../../src/player/list';
import { Playback } from '../../src/player/playback';

interface Kinds {
  new (buffer: ArrayBuffer, offset: number, count: number): { set(values: number[]): void };
  BYTES_PER_ELEMENT: number;
}

/** A drone at x = 0, 0.1, 0.2 m, then 5 m on, then after a pause: frames at 0, 0.1, 0.2, 0.3, 2 s; a hand of a bone. */
function flown(): [Content, ArrayBuffer] {
  const times = [0, 0.1, 0.2, 0.3, 2];
  const x = [0, 0.1, 0.2, 5.2, 5.3];
  const buffer = new ArrayBuffer(512);
  const parts: Content['parts'] = {};
  let at = 0;
  const put = (name: string, values: number[], Kind: Kinds) => {
    new Kind(buffer, at, values.length).set(values);
    parts[name] = [at, values.length];
    at += 8 * Math.ceil((values.length * Kind.BYTES_PER_ELEMENT) / 8);
  };
  put('times', times, Float64Array);
  put('dronesAt', x.flatMap((v) => [v, 0, 1]), Float32Array);
  const quarter = Math.round(32767 * Math.SQRT1_2);
  // frame 1 is turned by 90 degrees about z, written with the other sign
  put('dronesTurned', times.flatMap((_, k) => (k === 1 ? [0, 0, -quarter, -quarter] : [0, 0, 0, 32767])), Int16Array);
  put('objectsAt', [], Float32Array);
  put('objectsTurned', [], Int16Array);
  put('flags', [0, 1, 0, 0, 4], Uint8Array);
  put('hand0At', times.flatMap(() => [1, 0, 0]), Float32Array);
  const bones = (k: number) => (k < 2 ? [-500, 0, 0, 500, 0, 0] : Array<number>(6).fill(-32768));
  put('hand0Bones', times.flatMap((_, k) => bones(k)), Int16Array);
  put('ties', [0, 1, 1, 0, 0], Uint32Array);
  put('tieEnds', [0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0], Float32Array);
  put('tieLoads', [0, 1], Uint8Array);
  const scene = { world: '', frame: 'world', drones: [], walls: [], objects: [], hands: [] };
  const content: Content = {
    format: FORMAT, title: '', scene, frames: 5, startNs: '0', duration: 2, drones: ['d0'], objects: [],
    hands: [{ name: 'right', radii: [0.01] }], contacts: [], changes: [], parts, data: '',
  };
  return [content, buffer];
}

const frames = new Frames(...flown());
const placeAt = (time: number) => frames.fleet(time).positions[0];

test('between two frames a drone is on the straight way, turned by the short way', () => {
  expect(placeAt(0)).toBeCloseTo(0, 6);
  expect(placeAt(0.05)).toBeCloseTo(0.05, 6);
  expect(placeAt(0.1)).toBeCloseTo(0.1, 6);
  const [x, y, z, w] = frames.fleet(0.05).orientations;
  expect(2 * Math.atan2(z!, w!) * (180 / Math.PI)).toBeCloseTo(45, 2);
  expect([x, y]).toEqual([0, 0]);
  expect(frames.fleet(0.15).flags[0]).toBe(1);
});

test('nothing is put between frames that are a jump or a pause apart', () => {
  expect(placeAt(0.29)).toBeCloseTo(0.2, 6);
  expect(placeAt(0.3)).toBeCloseTo(5.2, 5);
  expect(placeAt(1.99)).toBeCloseTo(5.2, 5);
});

test('before the first and after the last frame it stands there', () => {
  expect(placeAt(-1)).toBeCloseTo(0, 6);
  expect(placeAt(99)).toBeCloseTo(5.3, 5);
});

test('a hand is there while its bones are', () => {
  const [hand] = frames.bones(0.05);
  expect(Array.from(hand!.ends).map((v) => Number(v.toFixed(6)))).toEqual([0.95, 0, 0, 1.05, 0, 0]);
  expect(frames.bones(0.25)).toEqual([]);
});

test('lines of constraints are those of their frame', () => {
  expect(frames.tiesAt(0)!.lines).toEqual([]);
  expect(frames.tiesAt(0.15)).toMatchObject({ lines: [[[0, 0, 0], [1, 0, 0]]], loaded: [false] });
  expect(frames.tiesAt(0.25)).toMatchObject({ lines: [[[2, 0, 0], [3, 0, 0]]], loaded: [true] });
});

test('the box around a flight has all its places', () => {
  const [low, high] = frames.extent()!;
  expect([low, high].map((v) => v.map((c) => Number(c.toFixed(5))))).toEqual([[0, 0, 1], [5.3, 0, 1]]);
});

test('a playback goes on at its speed, ends, and begins anew', () => {
  const playback = new Playback(2);
  const sought: number[] = [];
  playback.onSeek = (time) => sought.push(time);
  playback.pass(1);
  expect(playback.time).toBe(0);
  playback.toggle();
  playback.speed = 0.5;
  playback.pass(1);
  expect(playback.time).toBe(0.5);
  playback.speed = 4;
  playback.pass(1);
  expect([playback.time, playback.playing]).toEqual([2, false]);
  playback.toggle();
  expect([playback.time, playback.playing, sought]).toEqual([0, true, [0]]);
  playback.seek(-5);
  playback.seek(50);
  expect(sought).toEqual([0, 0, 2]);
});

test('of more contacts than rows the strongest are listed, in order of time', () => {
  const [content] = flown();
  const touch = (k: number) => ({
    begin: k, end: null, kind: 0, a: 'a', b: 'b', partA: '', partB: '', position: [0, 0, 0], normal: [0, 0, 1],
    impulse: [0, 0, (k * 7919) % 3000], total: [0, 0, 0.0001],
  }) as Content['contacts'][number];
  const contacts = Array.from({ length: 3000 }, (_, k) => touch(k));
  const entries = entriesOf({ ...content, contacts, changes: [{ at: 5.5, phase: 5, name: 'grasp', a: 'a', b: 'b' }] });
  expect(entries).toHaveLength(1000);
  expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).sort((a, b) => a - b));
  expect(Math.min(...entries.map(({ strength }) => strength))).toBe(2001);
  expect(entries.find(({ kind }) => kind === 'CONSTRAINT')).toMatchObject({ who: 'grasp', what: 'grasped' });
  expect(entries[0]!.what).toBe('< 0.001 N·s');
});
