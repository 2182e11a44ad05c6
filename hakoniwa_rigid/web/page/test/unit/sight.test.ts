// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What the first look is made of: framing, labels, walls in the way, colours, tiers, rotors. */
import { Box3, Color, Vector3, type BufferGeometry } from 'three';
import { expect, test } from 'vitest';

import {
  alsoSeen, framing, grown, LEAST_SHARE, MOST_MEMBERS, type Lens, type Subject,
} from '../../src/maths/framing';
import { labelPlaces, type Labelled } from '../../src/maths/label_places';
import { distanceTo, isBetween } from '../../src/maths/sight_line';
import { airframeOf, styleOf } from '../../src/view/airframe';
import { arrowLength, ringRadius } from '../../src/view/flashes';
import { Drones } from '../../src/view/drones';
import { Pace } from '../../src/view/pace';
import { BACKGROUND, CONTACT, droneColour, useTheme, WALL } from '../../src/view/palette';
import { cheaper, firstTier, TIERS, tiersBelow } from '../../src/view/quality';
import { blurOf } from '../../src/view/rotors';

const FROM = new Vector3(-1, -0.75, 0.36);
const DESK: Lens = { focal: 857, page: 1280, width: 972, height: 740 };
const PHONE: Lens = { focal: 905, page: 390, width: 366, height: 600 };

function subject(x: number, y: number, z = 1.5, width = 0.2): Subject {
  return { position: new Vector3(x, y, z), width, reach: 0.14, active: false };
}

/** Of a drone in a framing: where it is, pixels from the middle of the picture; its width as a share of the page. */
function pictured({ position, width }: Subject, centre: Vector3, distance: number, lens: Lens) {
  const back = FROM.clone().normalize();
  const right = new Vector3(0, 0, 1).cross(back).normalize();
  const up = back.clone().cross(right);
  const way = position.clone().sub(centre);
  const depth = distance - back.dot(way);
  return {
    x: (lens.focal * right.dot(way)) / depth, y: (lens.focal * up.dot(way)) / depth,
    share: (lens.focal * width) / depth / lens.page,
  };
}

const LENSES = [['desk', DESK], ['telephone', PHONE]] as const;
test.each(LENSES)('on a %s all framed drones are large enough, and in the picture', (_, lens) => {
  const drones = Array.from({ length: 50 }, (__, i) =>
    subject(1.1 * (i % 7) + 0.3 * Math.sin(i), 0.9 * Math.floor(i / 7), 1 + 0.1 * (i % 4)));
  const { members, centre, distance } = framing(drones, FROM, lens)!;
  expect(members.length).toBeGreaterThan(0);
  expect(members.length).toBeLessThanOrEqual(MOST_MEMBERS);
  for (const i of members) {
    const { x, y, share } = pictured(drones[i]!, centre, distance, lens);
    expect(share).toBeGreaterThanOrEqual(LEAST_SHARE - 1e-9);
    expect(Math.abs(x)).toBeLessThanOrEqual(lens.width / 2);
    expect(Math.abs(y)).toBeLessThanOrEqual(lens.height / 2);
  }
});

test('two drones that are near each other are framed together, two that are far apart are not', () => {
  expect(framing([subject(0, 0), subject(0.5, -0.4)], FROM, DESK)!.members).toHaveLength(2);
  expect(framing([subject(0, 0), subject(5, -4)], FROM, DESK)!.members).toHaveLength(1);
  expect(framing([], FROM, DESK)).toBeUndefined();
});

test('a drone in contact is looked at, and a look stays where another is not worth much more', () => {
  const drones = [subject(0, 0), subject(8, 0), subject(16, 0)];
  drones[1]!.active = true;
  expect(framing(drones, FROM, DESK)!.seed).toBe(1);
  drones[1]!.active = false;
  expect(framing(drones, FROM, DESK, 2)!.seed).toBe(2);
  drones[0]!.active = true;
  expect(framing(drones, FROM, DESK, 2)!.seed).toBe(0);
});

test('drones behind the framed one are also seen, those behind the camera are not', () => {
  const back = FROM.clone().setZ(0).normalize();
  const drones = [subject(0, 0), subject(-2 * back.x, -2 * back.y), subject(9 * back.x, 9 * back.y)];
  expect(alsoSeen(grown([drones[0]!], 0, FROM, DESK), drones, FROM, DESK)).toBe(1);
});

const BOUNDS = { left: 0, top: 40, right: 900, bottom: 700 };
function labelled(x: number, y: number, half = 30): Labelled {
  return { x, y, halfX: half, halfY: 0.4 * half, width: 60, height: 21 };
}
type Rect = [number, number, number, number];
const overlaps = ([x, y, a, b]: Rect, [u, v, c, d]: Rect) => Math.abs(x - u) < a + c && Math.abs(y - v) < b + d;

test('labels cover no drone and no label, and leave the picture nowhere', () => {
  // places of a fleet, by the golden ratio: none is on another
  const items = Array.from({ length: 40 }, (_, i) =>
    labelled(40 + 820 * ((i * 0.618034) % 1), 60 + 16 * i, 10 + (i % 5) * 5));
  const rects = labelPlaces(items, BOUNDS).flatMap((place, i): Rect[] =>
    (place ? [[items[i]!.x + place.dx, items[i]!.y + place.dy, 30, 10.5]] : []));
  expect(rects.length).toBeGreaterThan(20);
  rects.forEach((rect, i) => {
    for (const { x, y, halfX, halfY } of items) expect(overlaps(rect, [x, y, halfX, halfY])).toBe(false);
    for (const other of rects.slice(i + 1)) expect(overlaps(rect, other)).toBe(false);
    expect(rect[0] - rect[2]).toBeGreaterThanOrEqual(BOUNDS.left);
    expect(rect[0] + rect[2]).toBeLessThanOrEqual(BOUNDS.right);
    expect(rect[1] - rect[3]).toBeGreaterThanOrEqual(BOUNDS.top);
    expect(rect[1] + rect[3]).toBeLessThanOrEqual(BOUNDS.bottom);
  });
});

test('a label stays at its side while there is room, and stands at the other where the picture ends', () => {
  expect(labelPlaces([labelled(300, 300)], BOUNDS)[0]!.dx).toBeGreaterThan(0);
  expect(labelPlaces([labelled(870, 300)], BOUNDS)[0]!.dx).toBeLessThan(0);
  expect(labelPlaces([{ ...labelled(300, 300), before: 1 }], BOUNDS)[0]!.place).toBe(1);
  // no room at all: none rather than one on a drone
  expect(labelPlaces([labelled(20, 50, 400)], { left: 0, top: 0, right: 60, bottom: 60 })[0]).toBeUndefined();
});

test('a wall is behind its plane, a pillar is between', () => {
  const wall = { normal: new Vector3(1, 0, 0), offset: -5 };
  expect(distanceTo(wall, new Vector3(-4, 3, 1))).toBeCloseTo(1, 12);
  expect(distanceTo(wall, new Vector3(-6, 3, 1))).toBeCloseTo(-1, 12);
  const pillar = new Box3(new Vector3(1, -0.2, 0), new Vector3(1.4, 0.2, 4));
  const [camera, drone] = [new Vector3(4, 0, 1), new Vector3(0, 0, 1)];
  expect(isBetween(pillar, camera, drone)).toBe(true);
  expect(isBetween(pillar, camera, new Vector3(0, 3, 1))).toBe(false);
  expect(isBetween(pillar, new Vector3(-4, 0, 1), drone)).toBe(false);
  // what it stands on, or in, is not in the way
  expect(isBetween(pillar, camera, new Vector3(1.2, 0, 1))).toBe(false);
});

/** Linear RGB as it is for people without the cones for red, or for green (Vienot, Brettel and Mollon 1999). */
const BLIND = {
  protan: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deutan: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
};

test.each(Object.entries(BLIND))('the first six drones differ for %s people, none looks like a contact', (_, rows) => {
  const seen = ({ r, g, b }: Color) => rows.map(([x = 0, y = 0, z = 0]) => x * r + y * g + z * b);
  const colours = Array.from({ length: 6 }, (__, i) => seen(droneColour(i)));
  colours.forEach((a, i) => colours.slice(i + 1).forEach((b) => {
    expect(Math.hypot(...a.map((x, k) => x - b[k]!))).toBeGreaterThan(0.1);
  }));
  for (let i = 0; i < 18; i += 1) expect(droneColour(i).getHex()).not.toBe(CONTACT.getHex());
});

test('a theme changes the colours that are already in use', () => {
  const luminance = ({ r, g, b }: Color) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  useTheme('light');
  expect(luminance(WALL)).toBeGreaterThan(0.6);
  expect(luminance(BACKGROUND)).toBeGreaterThan(0.6);
  useTheme('dark');
  expect(luminance(WALL)).toBeLessThan(0.2);
});

test('tiers get cheaper, the lowest has no shadow map', () => {
  expect(firstTier(true, null).name).toBe('high');
  expect(firstTier(false, null).name).toBe('middle');
  expect(firstTier(true, 'low').name).toBe('low');
  expect(firstTier(false, 'unknown').name).toBe('middle');
  expect(TIERS.at(-1)!.shadowMap).toBe(0);
  expect(cheaper(TIERS[0]!)).toBe(TIERS[1]);
  expect(cheaper(TIERS[2]!)).toBe(TIERS[2]);
  expect(tiersBelow(TIERS[0]!)).toBe(2);
});

test('slow pictures lose the tier first, one at a look, then pixels; the first second does not count', () => {
  const pace = new Pace(2, false, Infinity, 2);
  const changes: (string | undefined)[] = [];
  for (let i = 0; i <= 48; i += 1) {
    const change = pace.frame(i / 8);
    if (change) changes.push(change);
  }
  expect(changes.slice(0, 3)).toEqual(['tier', 'tier', 'ratio']);
});

test('blades are smeared with speed, to a whole disc', () => {
  expect(blurOf(0)).toBe(0);
  expect(blurOf(50)).toBeLessThan(blurOf(200));
  expect(blurOf(-200)).toBe(blurOf(200));
  expect(blurOf(1e6)).toBe(Math.PI);
  expect(blurOf(undefined)).toBeGreaterThan(0);
});

test('a ring grows with the impulse, and fills no room', () => {
  const radii = [1e-3, 1e-2, 0.1, 1, 10].map(ringRadius);
  radii.reduce((a, b) => (expect(b).toBeGreaterThan(a), b));
  expect(ringRadius(1e6)).toBeLessThan(1);
  expect(ringRadius(0.1)).toBeLessThan(2 * arrowLength(0.1));
});

test('models have their own airframes; rotors that only the shape knows are found in it', () => {
  const models = ['api-1', 'unity', 'crazyflie_rotors', 'hummingbird', 'x500'];
  expect(new Set(models.map((name) => JSON.stringify(styleOf(name)))).size).toBe(5);
  expect(styleOf('mine')).toEqual(styleOf('yours'));
  const at = (x: number, y: number) => ({ position: [x, y, 0.02], orientation_xyzw: [0, 0, 0, 1] });
  const disc = (x: number, y: number) => ({ type: 'cylinder', radius: 0.076, height: 0.014, pose: at(x, y) });
  const model = {
    name: 'd0', model: 'mujoco', rotors: [],
    parts: [{ type: 'box', size: [0.14, 0.14, 0.03], pose: at(0, 0) }, disc(0.18, 0.18), disc(-0.18, 0.18),
      disc(-0.18, -0.18), disc(0.18, -0.18)],
  };
  const { rotors, frame } = airframeOf(model as never);
  expect(rotors.map(({ centre, radius }) => [centre.x, centre.y, radius])).toEqual([
    [0.18, 0.18, 0.076], [-0.18, 0.18, 0.076], [-0.18, -0.18, 0.076], [0.18, -0.18, 0.076]]);
  expect(rotors.map(({ sign }) => sign)).toEqual([1, -1, 1, -1]);
  expect(frame.attributes.color!.count).toBe(frame.attributes.position!.count);
});

test.each([['api-1', 0.5, 0.1], ['unity', 0.2, 0.05], ['crazyflie', 0.092, 0.029], ['mine', 0.4, 0.4]])(
  'an airframe of %s is no larger than its shape and its rotors', (model, side, height) => {
    const pose = { position: [0, 0, 0], orientation_xyzw: [0, 0, 0, 1] };
    const parts = [{ type: 'box', size: [side, side, height], pose }];
    const { frame, accent, rotors } = airframeOf({ name: 'd', model, parts, rotors: [] } as never);
    const reach = Math.max(side / 2, ...rotors.map(({ centre, radius }) => centre.x + 1.1 * radius));
    for (const part of [frame, accent]) {
      part.computeBoundingBox();
      const { min, max } = part.boundingBox!;
      expect(Math.max(max.x, -min.x, max.y, -min.y)).toBeLessThanOrEqual(reach + 1e-6);
      expect(Math.max(max.z, -min.z)).toBeLessThanOrEqual(Math.max(height, 0.2 * side));
      expect(part.attributes.position!.count).toBeLessThan(3 * 3000);   // fifty of them are drawn by a processor
    }
  });

const triangles = ({ frame, accent }: { frame: BufferGeometry; accent: BufferGeometry }) =>
  (frame.index!.count + accent.index!.count) / 3;

test.each(['api-1', 'unity', 'crazyflie', 'hummingbird', 'x500'])('a coarse airframe of %s is as large', (model) => {
  const pose = { position: [0, 0, 0], orientation_xyzw: [0, 0, 0, 1] };
  const drone = { name: 'd', model, parts: [{ type: 'box', size: [0.3, 0.3, 0.1], pose }], rotors: [] };
  const [fine, coarse] = [airframeOf(drone as never), airframeOf(drone as never, 0.5)];
  expect(triangles(coarse)).toBeLessThan(0.65 * triangles(fine));
  expect(coarse.rotors).toEqual(fine.rotors);
  for (const part of ['frame', 'accent'] as const) {
    const [a, b] = [fine[part], coarse[part]].map((geometry) => {
      geometry.computeBoundingBox();
      return geometry.boundingBox!.getSize(new Vector3());
    }) as [Vector3, Vector3];
    expect(b.distanceTo(a)).toBeLessThan(0.1 * a.length());
  }
});

test('airframes of many drones are coarse where triangles are counted', () => {
  const pose = { position: [0, 0, 0], orientation_xyzw: [0, 0, 0, 1] };
  const parts = [{ type: 'box', size: [0.1, 0.1, 0.03], pose }];
  const scene = (count: number) => ({
    drones: Array.from({ length: count }, (_, i) => ({ name: `d${i}`, model: 'crazyflie', parts, rotors: [] })),
  });
  const shown = (count: number, most?: number) => {
    const drones = new Drones();
    drones.show(scene(count) as never, null, most);
    return triangles(drones.views.get('d0')!.flock.look);
  };
  expect(shown(3, 8000)).toBe(shown(50));
  expect(shown(50, 8000)).toBeLessThan(shown(3, 8000));
});
