// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { Box3, Vector3 } from 'three';
import { expect, test } from 'vitest';

import { planePatch, type HalfSpace } from '../../src/maths/plane_patch';
import { airframeOf } from '../../src/view/airframe';
import { arrowLength } from '../../src/view/flashes';
import { mostPictures, Pace } from '../../src/view/pace';
import { FASTEST, HOVER, visualRate } from '../../src/view/rotors';
import { shapeGeometry } from '../../src/view/shapes';
import { socketAddress } from '../../src/wire/link';
import { roomOf } from '../browser/mock_world.js';

function plane(x: number, y: number, z: number, offset: number): HalfSpace {
  return { normal: new Vector3(x, y, z), offset };
}

const ROOM = [
  plane(0, 0, 1, 0), plane(0, 0, -1, -4), plane(-1, 0, 0, -5), plane(1, 0, 0, -5), plane(0, -1, 0, -4),
  plane(0, 1, 0, -4),
];

/** Vector area of a polygon, m^2. */
function area(corners: Vector3[]): Vector3 {
  return corners.reduce((sum, a, i) => sum.add(a.clone().cross(corners[(i + 1) % corners.length]!)), new Vector3())
    .multiplyScalar(0.5);
}

test('the planes of a 10 x 8 x 4 m room become its six walls, seen from inside', () => {
  const areas = ROOM.map((_, i) => area(planePatch(ROOM, i)));
  // the vector area of a polygon points where its corners run counter-clockwise
  areas.forEach((a, i) => expect(a.angleTo(ROOM[i]!.normal)).toBeLessThan(1e-9));
  expect(areas.map((a) => Math.round(a.length()))).toEqual([80, 80, 32, 32, 40, 40]);
  // a closed surface: the areas cancel
  expect(areas.reduce((sum, a) => sum.add(a), new Vector3()).length()).toBeLessThan(1e-9);
});

test('a plane inside another\'s solid is not seen', () => {
  expect(planePatch([plane(0, 0, 1, 0), plane(0, 0, 1, 1)], 0)).toHaveLength(0);
});

test('a slope cuts the floor', () => {
  const slope = plane(-Math.SQRT1_2, 0, Math.SQRT1_2, 0);
  const corners = planePatch([plane(0, 0, 1, 0), slope], 0);
  expect(Math.max(...corners.map(({ x }) => x))).toBeCloseTo(0, 9);
});

const half = (size: number[]) => size.map((x) => x / 2);
test.each([
  [{ type: 'box', size: [0.5, 0.4, 0.1] }, half([0.5, 0.4, 0.1])],
  [{ type: 'sphere', radius: 0.2 }, [0.2, 0.2, 0.2]],
  [{ type: 'capsule', radius: 0.1, length: 0.6 }, [0.1, 0.1, 0.4]],
  [{ type: 'cylinder', radius: 0.1, height: 0.6 }, [0.1, 0.1, 0.3]],
  [{ type: 'cone', radius: 0.1, height: 0.6 }, [0.1, 0.1, 0.3]],
  [{ type: 'ellipsoid', semi_axes: [0.3, 0.2, 0.1] }, [0.3, 0.2, 0.1]],
])('%j fills its bounds, its pose turns and moves it', (shape, bounds) => {
  const box = new Box3().setFromBufferAttribute(shapeGeometry(shape as never).attributes.position as never);
  // a circle of 24 corners misses its radius by up to 1 %
  box.max.toArray().forEach((x, k) => expect(Math.abs(x - bounds[k]!)).toBeLessThan(0.01 * bounds[k]!));
  const s = Math.SQRT1_2;   // a quarter turn about x: z to -y
  const posed = { ...shape, pose: { position: [1, 2, 3], orientation_xyzw: [s, 0, 0, s] } };
  const size = new Box3().setFromBufferAttribute(shapeGeometry(posed as never).attributes.position as never)
    .getSize(new Vector3()).toArray();
  [bounds[0]!, bounds[2]!, bounds[1]!].forEach((x, k) => expect(Math.abs(size[k]! - 2 * x)).toBeLessThan(0.02 * x));
});

test('a mesh has its own triangles, and an unknown type says so', () => {
  const vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
  const geometry = shapeGeometry({ type: 'mesh', vertices, faces } as never);
  expect(geometry.attributes.position!.count).toBe(12);
  expect(() => shapeGeometry({ type: 'torus' })).toThrow('unknown type torus');
  expect(() => shapeGeometry({ type: 'sphere' })).toThrow('sphere: radius is missing');
});

test('rotors stand where the model has them, or above the corners where it has none', () => {
  const [small, big] = roomOf(2).scene.drones;
  const table = airframeOf(big as never);
  const places = table.rotors.map(({ centre }) => [centre.x, centre.y]);
  expect(places).toEqual([[0.25, 0.25], [-0.25, 0.25], [-0.25, -0.25], [0.25, -0.25]]);
  expect(table.rotors.map(({ sign }) => sign)).toEqual([1, -1, 1, -1]);
  const made = airframeOf(small as never).rotors;
  expect(made).toHaveLength(4);
  for (const { centre, radius } of made) {
    expect(Math.abs(centre.x)).toBeLessThan(0.1);
    // discs do not meet
    expect(radius).toBeLessThan(Math.abs(centre.x));
  }
});

test('rotors turn faster with more speed, and never so fast that they seem to stand', () => {
  const rates = [0, 100, 122, 500, 2000, -500].map(visualRate);
  expect(rates[0]).toBe(0);
  expect(rates[1]).toBeLessThan(rates[2]!);
  expect(rates[5]).toBe(rates[3]);
  expect(Math.max(...rates)).toBeLessThanOrEqual(FASTEST);
  expect(visualRate(undefined)).toBe(HOVER);
});

test('arrows grow with the impulse, from a touch to a crash', () => {
  const lengths = [1e-3, 1e-2, 0.1, 1, 10, 1e4].map(arrowLength);
  lengths.reduce((a, b) => (expect(b).toBeGreaterThan(a), b));
  expect(lengths.at(-1)).toBeLessThanOrEqual(0.9);
});

test('a slow picture gets coarser, a fast or a hidden one does not', () => {
  const run = (pace: Pace, rate: number, seconds: number, from = 0) => {
    for (let i = 0; i <= rate * seconds; i += 1) pace.frame(from + i / rate);
    return pace.ratio;
  };
  expect(run(new Pace(2, false), 60, 10)).toBe(2);
  expect(run(new Pace(2, false), 8, 3)).toBeLessThan(2);
  expect(run(new Pace(2, false), 8, 60)).toBe(0.5);
  expect(run(new Pace(2, true), 8, 60)).toBe(2);
  const hidden = new Pace(1, false);
  run(hidden, 60, 0.5);
  expect(run(hidden, 60, 5, 100)).toBe(1);
});

test('a processor that draws by itself draws less often, the more the fewer cores it has', () => {
  const drawn = (most: number) => {
    const pace = new Pace(1, false, most);
    return Array.from({ length: 600 }, (_, i) => pace.due(i / 60)).filter(Boolean).length;
  };
  expect(drawn(mostPictures(true, 1))).toBe(600);
  const [two, four] = [drawn(mostPictures(false, 2)), drawn(mostPictures(false, 4))];
  expect(two).toBeLessThanOrEqual(200);
  expect(two).toBeLessThan(four);
  expect(four).toBeLessThan(600);
  // and leaves a third of the time to others
  const slow = new Pace(1, false, 30);
  slow.due(0);
  slow.done(0.2);
  expect([0.21, 0.25, 0.29, 0.31].map((at) => slow.due(at))).toEqual([false, false, false, true]);
  // what it draws on purpose is not slow: no coarser for it
  const pace = new Pace(1, false, 8);
  for (let i = 0; i < 80; i += 1) pace.frame(i / 8);
  expect(pace.ratio).toBe(1);
});

test('the socket lies beside the page, with its token', () => {
  const of = (page: string) => socketAddress(new URL(page));
  expect(of('http://127.0.0.1:8765/')).toBe('ws://127.0.0.1:8765/ws');
  expect(of('https://host:8765/?token=a%26b')).toBe('wss://host:8765/ws?token=a%26b');
  expect(of('http://host:8765/?token=a&ws=ws://host:8765/ws')).toBe('ws://host:8765/ws?token=a');
  // another host, another port, a name that only begins alike: no token
  for (const other of ['ws://evil.example/ws', 'ws://host:9999/ws', 'ws://host.evil.example:8765/ws', 'ws://host:8765@evil.example/ws']) {
    expect(of(`http://host:8765/?token=secret&ws=${encodeURIComponent(other)}`)).not.toContain('secret');
  }
});
