// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { Matrix4, Quaternion, Vector3 } from 'three';
import { expect, test } from 'vitest';

import { bonesOf, JOINTS, RADII } from '../../src/hand/joints';
import { follow, wristPose } from '../../src/hand/mouse_hand';
import { openHand, PALM } from '../../src/hand/open_hand';
import { HandPose, sampleOf } from '../../src/hand/sample';
import { bodyOf, HandSender } from '../../src/hand/sender';
import { Store } from '../../src/store';
import type { Link } from '../../src/wire/link';
import { TrackedHand } from '../../src/xr/tracked';

const jointAt = (pose: HandPose, name: string) =>
  new Vector3().fromArray(pose.positions, 3 * JOINTS.indexOf(name as XRHandJoint));
const turnAt = (pose: HandPose, i: number) => new Quaternion().fromArray(pose.orientations, 4 * i);

test('the joints are WebXR\'s 25 in its order', () => {
  expect(JOINTS).toHaveLength(25);
  expect(RADII).toHaveLength(25);
  expect([JOINTS[0], JOINTS[1], JOINTS[2], JOINTS[4], JOINTS[5], JOINTS[7], JOINTS[24]]).toEqual([
    'wrist', 'thumb-metacarpal', 'thumb-phalanx-proximal', 'thumb-tip', 'index-finger-metacarpal',
    'index-finger-phalanx-intermediate', 'pinky-finger-tip',
  ]);
});

test.each([[25, 24], [26, 24], [21, 20], [1, 0]])('a hand of %i joints has %i bones, a tree', (joints, bones) => {
  const pairs = bonesOf(joints);
  expect(pairs).toHaveLength(bones);
  expect(new Set(pairs.map(([, outer]) => outer)).size).toBe(bones);
  // each bone starts at the root or where another ends
  const root = joints === 26 ? 1 : 0;
  for (const [inner, outer] of pairs) {
    expect(inner).toBeLessThan(outer);
    expect(inner === root || pairs.some(([, end]) => end === inner)).toBe(true);
  }
});

test.each(['left', 'right'] as const)('an open %s hand: thumb inside, -z along each bone, palm down', (side) => {
  const pose = new HandPose();
  openHand(side, new Matrix4(), pose);
  const thumb = jointAt(pose, 'thumb-tip');
  expect(Math.sign(thumb.x)).toBe(side === 'right' ? -1 : 1);
  expect(jointAt(pose, 'middle-finger-tip').z).toBeLessThan(-0.17);
  expect(jointAt(pose, 'index-finger-tip').y).toBeLessThan(0);
  for (const [inner, outer] of bonesOf(25)) {
    const [from, to] = [inner, outer].map((i) => new Vector3().fromArray(pose.positions, 3 * i));
    const bone = to!.sub(from!);
    const along = new Vector3(0, 0, -1).applyQuaternion(turnAt(pose, outer));
    expect(along.angleTo(bone)).toBeLessThan(1e-6);
    expect(new Vector3(0, 1, 0).applyQuaternion(turnAt(pose, outer)).y).toBeGreaterThan(0.8);
  }
});

test('the two hands are mirror images', () => {
  const [left, right] = [new HandPose(), new HandPose()];
  openHand('left', new Matrix4(), left);
  openHand('right', new Matrix4(), right);
  left.positions.forEach((x, i) => expect(i % 3 === 0 ? -x : x).toBeCloseTo(right.positions[i]!, 12));
});

test('a wrist\'s pose moves and turns the whole hand', () => {
  const wrist = new Matrix4().makeRotationFromQuaternion(new Quaternion(0.5, -0.5, 0.5, 0.5)).setPosition(1, -2, 3);
  const [still, moved] = [new HandPose(), new HandPose()];
  openHand('right', new Matrix4(), still);
  openHand('right', wrist, moved);
  JOINTS.forEach((_, i) => {
    const expected = new Vector3().fromArray(still.positions, 3 * i).applyMatrix4(wrist);
    expect(expected.distanceTo(new Vector3().fromArray(moved.positions, 3 * i))).toBeLessThan(1e-12);
  });
});

test.each([1, -1] as const)('the mouse\'s palm faces where it pushes (%i), fingers up, at the cursor', (side) => {
  const spot = new Vector3(0.3, -0.2, -2);
  const wrist = wristPose(spot, side, new Matrix4());
  expect(wrist.determinant()).toBeCloseTo(1, 12);
  const axis = (x: number, y: number, z: number) => new Vector3(x, y, z).transformDirection(wrist);
  expect(axis(0, 0, -1).distanceTo(new Vector3(0, 1, 0))).toBeLessThan(1e-12);
  expect(axis(0, -1, 0).dot(new Vector3(side, 0, 0))).toBeGreaterThan(0.8);
  expect(new Vector3(0, 0, -PALM).applyMatrix4(wrist).distanceTo(spot)).toBeLessThan(1e-12);
});

test('the mouse\'s hand goes evenly where the cursor goes in pixels, and never fast', () => {
  const [pixel, every] = [7e-3, 16];   // m, ms: a cursor at 0.44 m/s
  let [hand, fastest] = [0, 0];
  for (let t = 0; t < 800; t += 8) {
    const step = follow(new Vector3(pixel * Math.floor(t / every) - hand, 0, 0), 8).x;
    hand += step;
    if (t > 200) fastest = Math.max(fastest, step / 8e-3);
  }
  expect(fastest).toBeLessThan(1.5 * (pixel / (every / 1000)));
  expect(follow(new Vector3(3, 0, 0), 10).length()).toBeLessThanOrEqual(0.025 + 1e-12);
  expect(follow(new Vector3(3, 4, 0), 1e6).length()).toBeLessThanOrEqual(0.125 + 1e-12);
  const near = Array.from({ length: 12 }).reduce<number>((gap) => gap - follow(new Vector3(gap, 0, 0), 12).x, 0.05);
  expect(near).toBeLessThan(1e-3);
});

test('a sample is what the node expects', () => {
  const pose = new HandPose();
  openHand('left', new Matrix4().makeTranslation(1, 2, 3), pose);
  pose.valid[7] = 0;
  const sample = sampleOf('left', pose, 1_700_000_000_000_000_001n);
  expect(sample).toMatchObject({ hand: 'left', frame_id: 'world', stamp_ns: '1700000000000000001', names: JOINTS });
  expect(sample.positions).toHaveLength(25);
  expect(sample.positions[0]).toEqual([1, 2, 3]);
  expect(sample.orientations_xyzw[0]).toEqual([0, 0, 0, 1]);
  expect(sample.radii[0]).toBe(0.0215);
  expect(sample.is_valid.map((v, i) => (v ? -1 : i)).filter((i) => i >= 0)).toEqual([7]);
});

test('a hand that stands still is sent twice, then less often; what moves, and what comes anew, at once', () => {
  const times: number[] = [];
  const scene: { hands: string[]; hand_timeout?: number } = { hands: ['mouse'], hand_timeout: 0.25 };
  const store = { scene, clock: { known: true, nodeTime: (at: number) => BigInt(at) } };
  const link = { send: (_: string, { stamp_ns }: { stamp_ns: string }) => times.push(Number(stamp_ns)) > 0 };
  const sender = new HandSender(link as unknown as Link, store as unknown as Store);
  const pose = new HandPose();
  const send = (from: number, to: number) => {
    for (let at = from; at < to; at += 10) sender.send('mouse', pose, at);
  };
  send(0, 200);
  expect(times).toEqual([0, 10, 60, 110, 160]);
  pose.positions[4] = 1e-5;
  send(200, 230);
  expect(times.slice(5)).toEqual([200, 210]);
  pose.valid[3] = 0;
  send(230, 250);
  expect(times.slice(7)).toEqual([230, 240]);
  sender.release('mouse');
  send(250, 280);
  expect(times.slice(9)).toEqual([250, 260]);
  for (let at = 280; at < 330; at += 10) {
    pose.positions[4] = at;
    sender.send('mouse', pose, at);
  }
  expect(times.slice(11)).toEqual([280, 290, 300, 310, 320]);
  scene.hand_timeout = 0.1;
  send(330, 400);
  expect(times.slice(16)).toEqual([330, 350, 370, 390]);
});

test.each([
  ['left', ['left', 'right'], 'left'], ['left', ['right'], undefined],
  ['right', ['ann_left', 'ann_right'], 'ann_right'], ['mouse', ['left', 'right'], 'right'],
  ['mouse', ['left', 'mouse'], 'mouse'], ['mouse', ['paw'], 'paw'], ['mouse', [], undefined],
] as const)('%s among %j moves %s', (role, hands, body) => {
  expect(bodyOf(role, hands)).toBe(body);
});

/** A frame of a headset whose joint i lies at (i / 100, 1, 0); `lost` joints have no pose. */
function frameOf(lost: number[], radius: number) {
  const at = (i: number) => new Matrix4().makeTranslation(i / 100, 1, 0).toArray();
  const spaces = JOINTS.map((_, i) => ({ i }));
  const hand = new Map(JOINTS.map((name, i) => [name, spaces[i]]));
  const frame = {
    fillPoses: (_: unknown, __: unknown, out: Float32Array) => {
      spaces.forEach(({ i }) => out.set(at(i), 16 * i));
      return lost.length === 0;
    },
    fillJointRadii: (_: unknown, out: Float32Array) => Boolean(out.fill(radius)),
    getJointPose: ({ i }: { i: number }) => (lost.includes(i) ? null : { transform: { matrix: at(i) }, radius }),
  };
  return [frame as unknown as XRFrame, hand as unknown as XRHand, {} as XRSpace] as const;
}

test('tracked joints come to the world; a joint without radius takes the usual one', () => {
  const toWorld = new Matrix4().makeTranslation(0, 0, 5);
  const tracked = new TrackedHand('left');
  expect(tracked.readJoints(...frameOf([], 0.012), toWorld)).toBe(true);
  const third = new Vector3().fromArray(tracked.pose.positions, 9);
  expect(third.distanceTo(new Vector3(0.03, 1, 5))).toBeLessThan(1e-7);   // single precision
  expect(tracked.pose.radii[3]).toBeCloseTo(0.012, 8);
  tracked.readJoints(...frameOf([], NaN), toWorld);
  expect(tracked.pose.radii[3]).toBe(RADII[3]);
});

test('joints that are lost are marked, and a hand without any is none', () => {
  const tracked = new TrackedHand('right');
  expect(tracked.readJoints(...frameOf([4, 9], 0.01), new Matrix4())).toBe(true);
  expect([3, 4, 5, 9].map((i) => tracked.pose.valid[i])).toEqual([1, 0, 1, 0]);
  expect(tracked.readJoints(...frameOf([], 0.01), new Matrix4())).toBe(true);
  expect(tracked.pose.valid[4]).toBe(1);
  expect(tracked.readJoints(...frameOf(JOINTS.map((_, i) => i), 0.01), new Matrix4())).toBe(false);
});

test('hands that came are kept while they are there', () => {
  const store = new Store();
  const heard = new Map<string, (message: unknown, topic: string) => void>();
  store.listen({ on: (topic: string, listener: never) => heard.set(topic, listener) } as unknown as Link);
  const scene = { world: '', frame: '', drones: [], walls: [], objects: [], hands: ['right'] };
  heard.get('/hands/')!({ hand: '' }, '/hands/right');
  for (let k = 0; k < 100; k += 1) {
    heard.get('/scene')!({ ...scene, hands_of_others: [`h${k}`] }, '/scene');
    heard.get('/hands_of_others')!({ hand: `h${k}` }, '/hands_of_others');
  }
  expect([...store.hands.keys()]).toEqual(['right', 'h99']);
});
