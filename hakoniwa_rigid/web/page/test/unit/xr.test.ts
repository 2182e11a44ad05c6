// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { Euler, Matrix4, Quaternion, Vector3 } from 'three';
import { expect, test, vi } from 'vitest';

import { openHand } from '../../src/hand/open_hand';
import { HandPose } from '../../src/hand/sample';
import { worldFromAnchor } from '../../src/maths/axes';
import type { Contact } from '../../src/store';
import { align, faultOf } from '../../src/xr/align';
import { CardSpot, hides } from '../../src/xr/card_spot';
import { Coach } from '../../src/xr/coach';
import type { Sound } from '../../src/sound/sound';
import { Feel } from '../../src/xr/feel';
import { headInWorld, Heads, isHead } from '../../src/xr/heads';
import { facing, palmOf, PalmWatch } from '../../src/xr/palm';
import { ARM, levelAhead, lookedAt, nearSide, placeBefore, placeSpot } from '../../src/xr/place';

/** Numbers that look random, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => ((state = (state * 48271) % 2147483647) / 2147483647);
}

const upright = (yaw: number, x: number, y: number, z: number) =>
  new Matrix4().makeRotationY(yaw).setPosition(x, y, z);
const worldOf = (anchor: Matrix4) => worldFromAnchor(anchor, new Matrix4());

test('three exact spots give back the pose of the room, whatever it is', () => {
  const next = random(7);
  for (let i = 0; i < 200; i += 1) {
    const pose = upright(6.28 * next(), 4 * next() - 2, next() - 0.5, 4 * next() - 2);
    const world = [[0, 0, 0.9], [1.2 * next() + 0.4, 0, 1], [0, 0.6 + next(), 0.4]].map((p) => new Vector3(...p));
    const touched = world.map((point) => point.clone().applyMatrix4(worldOf(pose)));
    expect(faultOf(world, 'z')).toBe('');
    expect(faultOf(touched, 'y')).toBe('');
    const found = align(world, touched);
    expect(found.worst).toBeLessThan(1e-12);
    found.pose.elements.forEach((x, k) => expect(x).toBeCloseTo(pose.elements[k]!, 12));
  }
});

test('noise in the spots gives the least sum of squares: no pose near it is better', () => {
  const next = random(3);
  const world = [new Vector3(0, 0, 1), new Vector3(1, 0, 1), new Vector3(0, 0.8, 0.7)];
  const touched = world.map((p) => p.clone().applyMatrix4(worldOf(upright(0.7, 0.3, 0, -1)))
    .add(new Vector3(next() - 0.5, next() - 0.5, next() - 0.5).multiplyScalar(0.02)));
  const cost = (pose: Matrix4) => world.reduce((sum, point, i) =>
    sum + point.clone().applyMatrix4(worldOf(pose)).distanceToSquared(touched[i]!), 0);
  const { pose, errors } = align(world, touched);
  expect(errors.reduce((sum, error) => sum + error * error, 0)).toBeCloseTo(cost(pose), 15);
  const yaw = new Euler().setFromRotationMatrix(pose, 'YXZ').y;
  const at = new Vector3().setFromMatrixPosition(pose);
  for (const d of [-1e-3, 1e-3]) {
    expect(cost(upright(yaw + d, at.x, at.y, at.z))).toBeGreaterThan(cost(pose));
    expect(cost(upright(yaw, at.x + d, at.y, at.z))).toBeGreaterThan(cost(pose));
    expect(cost(upright(yaw, at.x, at.y + d, at.z))).toBeGreaterThan(cost(pose));
    expect(cost(upright(yaw, at.x, at.y, at.z + d))).toBeGreaterThan(cost(pose));
  }
});

test('spots in another order are seen by their errors', () => {
  const world = [new Vector3(0, 0, 1), new Vector3(1, 0, 1), new Vector3(0, 0.5, 1)];
  const touched = [world[1]!, world[0]!, world[2]!].map((p) => p.clone().applyMatrix4(worldOf(new Matrix4())));
  expect(align(world, touched).worst).toBeGreaterThan(0.1);
});

test.each([
  [[[0, 0, 0], [0, 1, 0], [0, 2, 0]], 'line'], [[[0, 0, 0], [0, 0, 0], [0, 0, 0]], 'line'],
  [[[0, 0, 0], [1, 0, 0], [2, 0.1, 0]], 'line'], [[[0, 0, 0], [0.3, 0, 0], [0, 2, 0]], 'above'],
])('%j is no triangle to align by', (points, word) => {
  expect(faultOf(points.map((p) => new Vector3(...p)), 'y')).toContain(word);
});

test('a room whose drone is placed: it is ahead, the world upright, its x axis away from the user', () => {
  const next = random(11);
  for (let i = 0; i < 50; i += 1) {
    const drone = new Vector3(4 * next() - 2, 4 * next() - 2, 1.2);
    const viewer = new Vector3(next(), 1.6, next());
    const turn = new Quaternion().setFromEuler(new Euler(next() - 0.5, 6 * next(), 0, 'YXZ'));
    const room = worldOf(placeBefore(drone, 0.25, viewer, turn, new Matrix4()));
    const seen = drone.clone().applyMatrix4(room);
    const ahead = levelAhead(turn, new Vector3());
    expect(seen.y).toBeCloseTo(1.2, 12);
    const gap = seen.clone().sub(viewer).setY(0);
    expect(gap.dot(ahead)).toBeCloseTo(ARM + 0.25, 12);
    expect(gap.length()).toBeCloseTo(ARM + 0.25, 12);
    expect(new Vector3(1, 0, 0).transformDirection(room).distanceTo(ahead)).toBeLessThan(1e-12);
  }
});

test.each([
  [[{ type: 'box', size: [0.5, 0.2, 0.1] }], 0.25], [[{ type: 'sphere', radius: 0.05 }], 0.05], [[], 0],
  [[{ type: 'ellipsoid', semi_axes: [0.2, 0.1, 0.1] }], 0.2],
  [[{ type: 'hull', vertices: [[-0.3, 0, 0], [0.4, 0, 0]] }], 0.3],
  [[{ type: 'sphere', radius: 0.05, pose: { position: [-0.1, 0, 0], orientation_xyzw: [0, 0, 0, 1] } }], 0.15],
])('the near side of %j is %d m', (parts, near) => expect(nearSide(parts as never)).toBeCloseTo(near, 12));

test('the spot of the floor that is looked at: by the headset\'s floor, or one that was hit near it', () => {
  const viewer = new Vector3(0, 1.6, 0);
  const down = new Quaternion().setFromEuler(new Euler(-Math.atan2(1.6, 2), 0, 0));
  expect(lookedAt(viewer, down, undefined)!.distanceTo(new Vector3(0, 0, -2))).toBeLessThan(1e-12);
  expect(lookedAt(viewer, new Quaternion(), undefined)).toBeUndefined();
  expect(lookedAt(viewer, new Quaternion().setFromEuler(new Euler(-0.1, 0, 0)), undefined)).toBeUndefined();
  const hit = new Matrix4().setPosition(0.1, 0.04, -1.8);
  expect(lookedAt(viewer, down, hit)!.y).toBe(0.04);
  const table = new Matrix4().setPosition(0.1, 0.7, -1);
  expect(lookedAt(viewer, down, table)!.distanceTo(new Vector3(0, 0, -2))).toBeLessThan(1e-12);
  const wall = new Matrix4().makeRotationX(Math.PI / 2).setPosition(0, 0, -1);
  expect(lookedAt(viewer, down, wall)!.distanceTo(new Vector3(0, 0, -2))).toBeLessThan(1e-12);
});

test('who looks straight down has the head\'s top ahead', () => {
  const turn = new Quaternion().setFromEuler(new Euler(-Math.PI / 2, 0.5, 0, 'YXZ'));
  const ahead = new Vector3(-Math.sin(0.5), 0, -Math.cos(0.5));
  expect(levelAhead(turn, new Vector3()).distanceTo(ahead)).toBeLessThan(1e-12);
  const room = worldOf(placeSpot(new Vector3(1, 0, 1), new Vector3(), new Vector3(1, 0, 0), new Matrix4()));
  expect(new Vector3(1, 0, 0).applyMatrix4(room).length()).toBeLessThan(1e-12);
});

test.each(['left', 'right'] as const)('the palm of an open %s hand faces down, and to eyes below it', (side) => {
  const pose = new HandPose();
  openHand(side, worldOf(new Matrix4()).invert(), pose);   // WebXR axes as the world has them
  const palm = palmOf(pose, side)!;
  expect(palm.normal.z).toBeLessThan(-0.95);
  const below = palm.centre.clone().addScaledVector(palm.normal, 0.4);
  const ahead = palm.normal.clone().negate();
  expect(facing(palm, { position: below, ahead })).toBeCloseTo(1, 6);
  expect(facing(palm, { position: below, ahead: palm.normal })).toBe(-1);   // looks away
  expect(facing(palm, { position: palm.centre.clone().addScaledVector(palm.normal, 2), ahead })).toBe(-1);
  const above = palm.centre.clone().addScaledVector(palm.normal, -0.4);
  expect(facing(palm, { position: above, ahead: palm.normal })).toBeCloseTo(-1, 6);
  pose.valid[0] = 0;
  expect(palmOf(pose, side)).toBeUndefined();
});

test('a wave opens nothing, a palm that is held does, and one that turns a little stays', () => {
  const watch = new PalmWatch();
  expect([0, 100, 200].map((now) => watch.update(0.95, now))).toEqual([false, false, false]);
  expect(watch.update(0.2, 300)).toBe(false);
  expect([400, 600, 800].map((now) => watch.update(0.95, now))).toEqual([false, false, true]);
  expect([900, 1400].map((now) => watch.update(0.6, now))).toEqual([true, true]);
  expect([1500, 1600, 1900].map((now) => watch.update(0.1, now))).toEqual([true, true, false]);
});

test('coach marks go on by what happens, also out of turn', () => {
  const coach = new Coach();
  expect(coach.text(0)).toContain('1 of 3');
  coach.say('word', 0, 10);
  expect(coach.text(5)).toBe('word');
  coach.placed();
  expect(coach.text(20)).toContain('2 of 3');
  coach.pushed();
  expect(coach.text(20)).toContain('3 of 3');
  coach.placed();
  expect(coach.step).toBe('grip');
  coach.released();
  expect(coach.text(20)).toBe('');
  coach.again();
  coach.pushed();
  expect(coach.step).toBe('grip');
});

test('a head in WebXR\'s axes is x ahead, z up in the world', () => {
  const viewer = new Matrix4().makeRotationY(0.4).setPosition(0.3, 1.7, -0.2);
  const [position, turn] = [new Vector3(), new Quaternion()];
  headInWorld(viewer, worldOf(new Matrix4()).invert(), position, turn);
  expect(position.distanceTo(new Vector3(0.2, -0.3, 1.7))).toBeLessThan(1e-12);
  const ahead = new Vector3(Math.cos(0.4), Math.sin(0.4), 0);
  expect(new Vector3(1, 0, 0).applyQuaternion(turn).distanceTo(ahead)).toBeLessThan(1e-12);
  expect(new Vector3(0, 0, 1).applyQuaternion(turn).distanceTo(new Vector3(0, 0, 1))).toBeLessThan(1e-12);
});

const head = (id: number) => ({ id, position: [0, 0, 1.7], orientation_xyzw: [0, 0, 0, 1] });

test.each([
  null, 3, {}, { ...head(1), id: 'x' }, { ...head(1), position: [0, NaN, 0] }, { ...head(1), points: [[0, 0, 0]] },
])('%j is no head', (value) => expect(isHead(value)).toBe(false));

test('heads come, go and are no more than a room has; what is no head is not drawn', () => {
  const sent: unknown[] = [];
  const link = { on: () => undefined, send: (_: string, message: unknown) => sent.push(message) };
  const heads = new Heads(link as never);
  heads.hear([head(4), { id: 5 }, { ...head(2), points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }], 0);
  expect([...heads.avatars.keys()]).toEqual([4, 2]);
  expect(heads.reference()).toHaveLength(3);
  heads.update(10, new Vector3(0, 0, 1.6));
  expect(heads.avatars.get(4)!.group.visible).toBe(false);   // in the way
  heads.update(20, new Vector3(2, 0, 1.6));
  expect(heads.avatars.get(4)!.group.visible).toBe(true);
  heads.hear([head(4)], 30);
  expect([...heads.avatars.keys()]).toEqual([4]);
  heads.hear(Array.from({ length: 99 }, (_, i) => head(i)), 40);
  expect(heads.group.children).toHaveLength(16);
  heads.update(5000);
  expect(heads.group.children).toHaveLength(0);
  for (const now of [0, 10, 20, 60]) heads.send(new Vector3(), new Quaternion(), now);
  expect(sent).toHaveLength(2);
});

const contact = (strength: number, phase = 0): Contact =>
  ({ event: { phase, body_a: 'd0', body_b: 'right' }, strength } as unknown as Contact);

test('a controller buzzes by the impulse of the contacts of its own hand, and of no other', () => {
  vi.stubGlobal('addEventListener', () => undefined);
  const pulse = vi.fn((_strength: number, _ms: number) => Promise.resolve(true));
  const source = { gamepad: { hapticActuators: [{ pulse }] } } as unknown as XRInputSource;
  const feel = new Feel({} as Sound);
  feel.contact(contact(0.5), new Map([['left', source]]));
  expect(pulse).not.toHaveBeenCalled();
  const own = new Map([['right', source]]);
  feel.contact(contact(0.5), own);
  expect(pulse).toHaveBeenLastCalledWith(1, 80);
  feel.contact(contact(0.125), own);
  expect(pulse).toHaveBeenLastCalledWith(0.5, 50);
  feel.contact(contact(99), own);
  expect(pulse).toHaveBeenLastCalledWith(1, 80);   // no more than all
  feel.contact(contact(1e-4), own);
  feel.contact(contact(0.5, 1), own);
  feel.contact(contact(0.5, 2), own);
  expect(pulse).toHaveBeenCalledTimes(3);
});

test('a controller that cannot buzz, or whose browser has the other interface, is no error', async () => {
  vi.stubGlobal('addEventListener', () => undefined);
  const playEffect = vi.fn(() => Promise.resolve('complete'));
  const rejects = { pulse: () => Promise.reject(new Error('gone')) };
  const feel = new Feel({} as Sound);
  const other = { vibrationActuator: { playEffect } };
  for (const gamepad of [undefined, {}, { hapticActuators: [] }, { hapticActuators: [rejects] }, other]) {
    feel.contact(contact(0.5), new Map([['right', { gamepad } as unknown as XRInputSource]]));
  }
  await Promise.resolve();
  expect(playEffect).toHaveBeenCalledTimes(1);
});

test('a card hides a drone where a ray from the eyes through it meets the drone', () => {
  const next = random(11);
  const size = [0.46, 0.15] as const;
  const viewer = new Vector3(0.3, 1.6, -0.2);
  for (let i = 0; i < 300; i += 1) {
    const card = viewer.clone().add(new Vector3(0, 0.6 * next() - 0.3, -0.9));
    const ball = { spot: viewer.clone().add(new Vector3(2 * next() - 1, next() - 0.5, -2 * next() - 0.2)), reach: 0.2 };
    const through = [...Array(400)].some(() => {
      const spot = card.clone().add(new Vector3(size[0] * (next() - 0.5), size[1] * (next() - 0.5), 0));
      const ray = spot.sub(viewer).normalize();
      const along = ball.spot.clone().sub(viewer);
      return along.clone().addScaledVector(ray, -Math.max(along.dot(ray), 0)).length() < ball.reach;
    });
    // the other way round its box may overlap the ball's, and neither its own corners the ball
    if (through) expect(hides(viewer, card, size, ball)).toBe(true);
  }
  const behind = { spot: viewer.clone().add(new Vector3(0, 0, 1)), reach: 0.2 };
  expect(hides(viewer, viewer.clone().add(new Vector3(0, 0, -0.9)), size, behind)).toBe(false);
  expect(hides(viewer, viewer.clone().add(new Vector3(0, 0, -0.9)), size, { ...behind, reach: 1.1 })).toBe(true);
});

test('the card goes where it hides fewer drones, and stays there while that is no worse', () => {
  const eyes = new Vector3(0, 1.6, 0);
  const ahead = new Vector3(0, 0, -1);
  const at = (y: number) => ({ spot: new Vector3(0, y, -0.9), reach: 0.2 });
  const spot = new CardSpot([0.46, 0.15]);
  expect(spot.before(eyes, ahead, []).y).toBeCloseTo(1.32);
  expect(spot.before(eyes, ahead, [at(1.2)]).y).toBeCloseTo(1.84);
  expect(spot.before(eyes, ahead, []).y).toBeCloseTo(1.84);
  expect(spot.before(eyes, ahead, [at(1.2), at(1.9)]).y).toBeCloseTo(1.84);
  expect(spot.before(eyes, ahead, [at(1.9)]).y).toBeCloseTo(1.32);
  expect(spot.before(eyes, new Vector3(1, 0, 0), [at(1.2)])).toMatchObject({ x: 0.9, z: 0 });
});
