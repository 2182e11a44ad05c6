// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { Matrix4, Ray, Vector3 } from 'three';
import { describe, expect, test } from 'vitest';

import { facing, gripHand, pinchOf, standOff } from '../../src/hand/grip_hand';
import { bonesOf, JOINTS, RADII } from '../../src/hand/joints';
import { HandPose } from '../../src/hand/sample';
import { handFor, type HandSender } from '../../src/hand/sender';
import { Bodies, type Grip } from '../../src/pointer/bodies';
import { FASTEST, Follower } from '../../src/pointer/follower';
import { HandDriver, INTERVAL, type News } from '../../src/pointer/hand_driver';
import { PointerVelocity } from '../../src/pointer/velocity';
import { Store } from '../../src/store';
import { GRASPED, RELEASED, type ConstraintEvent, type FleetState, type Scene } from '../../src/wire/messages';

const SIDES = ['left', 'right'] as const;
const jointAt = (pose: HandPose, name: string) =>
  new Vector3().fromArray(pose.positions, 3 * JOINTS.indexOf(name as XRHandJoint));

/** 1 - distance from knuckle to tip over the way along the finger: what the node calls curl. */
function curl(pose: HandPose, finger: string): number {
  const bends = ['phalanx-proximal', 'phalanx-intermediate', 'tip'];
  const [a, b, c] = bends.map((name) => jointAt(pose, `${finger}-${name}`));
  return 1 - a!.distanceTo(c!) / (a!.distanceTo(b!) + b!.distanceTo(c!));
}

describe.each(SIDES)('a %s hand that closes', (side) => {
  const poses = Array.from({ length: 21 }, (_, k) => {
    const pose = new HandPose();
    gripHand(side, new Matrix4(), k / 20, pose);
    return pose;
  });
  const [open, shut] = [poses[0]!, poses[20]!];

  test('pinches, and curls its fingers, as the node wants it of a hand that takes hold', () => {
    const tips = (pose: HandPose) => jointAt(pose, 'thumb-tip').distanceTo(jointAt(pose, 'index-finger-tip'));
    expect(tips(open)).toBeGreaterThan(0.04);
    expect(tips(shut)).toBeLessThan(0.025);
    expect(jointAt(shut, 'thumb-tip').add(jointAt(shut, 'index-finger-tip')).multiplyScalar(0.5)
      .distanceTo(pinchOf(side))).toBeLessThan(1e-9);
    for (const finger of ['middle-finger', 'ring-finger', 'pinky-finger']) {
      const curls = poses.map((pose) => curl(pose, finger));
      expect(curls[0]).toBeLessThan(0.05);
      expect(curls[20]).toBeGreaterThan(0.3);
      curls.slice(1).forEach((each, k) => expect(each).toBeGreaterThanOrEqual(curls[k]! - 1e-9));
    }
  });

  test('keeps the lengths of its bones', () => {
    for (const [inner, outer] of bonesOf(25)) {
      const length = (pose: HandPose) => new Vector3().fromArray(pose.positions, 3 * inner)
        .distanceTo(new Vector3().fromArray(pose.positions, 3 * outer));
      for (const pose of poses) expect(length(pose)).toBeCloseTo(length(open), 9);
    }
  });

  test.each([[0, 0, 1], [-1, 0, 0], [0.6, 0, 0.8]])('before a surface of normal %f %f %f it stays out', (...n) => {
    const normal = new Vector3(...n);
    const turn = facing(normal, new Vector3(0.1, 1, 0));
    const pose = new HandPose();
    for (let closed = 0; closed <= 1; closed += 0.04) {
      const pinch = normal.clone().multiplyScalar(standOff(side, closed, 0.006));
      gripHand(side, new Matrix4().makeRotationFromQuaternion(turn).setPosition(
        pinchOf(side).applyQuaternion(turn).negate().add(pinch)), closed, pose);
      const heights = RADII.map((r, i) => normal.dot(new Vector3().fromArray(pose.positions, 3 * i)) - r);
      expect(Math.min(...heights)).toBeGreaterThan(0.003);
      expect(Math.min(...heights)).toBeLessThan(closed > 0.95 ? 0.01 : 0.06);
    }
  });
});

test('a follower arrives without overshoot, at bounded speed and acceleration, whatever its steps', () => {
  for (const [mass, dt] of [[0.7, 0.0125], [2, 0.004], [20, 0.05], [0, 0.03]] as const) {
    const follower = new Follower();
    follower.begin(new Vector3(), new Vector3(), mass);
    const goal = new Vector3(2, 0, 0);
    const hardest = Math.min(50, Math.max(4, mass > 0 ? 40 / mass : 50));
    let before = 0;
    for (let t = 0; t < 8; t += dt) {
      follower.follow(goal, dt);
      const { x } = follower.velocity;
      expect(x).toBeLessThanOrEqual(FASTEST + 1e-9);
      expect(Math.abs(x - before)).toBeLessThanOrEqual(hardest * dt + 1e-9);
      expect(follower.position.x).toBeLessThan(2 + 0.02);
      before = x;
    }
    expect(follower.position.x).toBeCloseTo(2, 2);
  }
});

test('a pointer\'s velocity is that of its last moment; one that has come to rest has none', () => {
  const pointer = new PointerVelocity();
  expect(pointer.at(5).length()).toBe(0);
  for (let t = 0; t <= 200; t += 8) pointer.add(t, new Vector3(t < 100 ? 0 : (t - 100) * 1.5e-3, 0.2, 1));
  expect(pointer.at(200).x).toBeCloseTo(1.5, 6);
  expect(pointer.at(200).y).toBeCloseTo(0, 9);
  expect(pointer.at(260).x).toBeLessThan(0.8);
  expect(pointer.at(400).length()).toBeCloseTo(0, 6);
  // a page that was held up for a third of a second while the pointer went on
  pointer.clear();
  for (const t of [0, 8, 16, 350]) pointer.add(t, new Vector3(1.2e-3 * t, 0, 0));
  expect(pointer.at(350).x).toBeCloseTo(1.2, 6);
  expect(pointer.at(351).x).toBeCloseTo(1.2, 6);
  expect(pointer.at(700).length()).toBe(0);
  for (let t = 0; t < 1e4; t += 1) pointer.add(700 + t, new Vector3());
  expect((pointer as unknown as { places: unknown[] }).places.length).toBeLessThanOrEqual(128);
});

test.each([
  [['left', 'right', 'mouse'], ['left', 'right', 'mouse'], {}, 'mouse'],
  [['left', 'right', 'mouse'], ['left', 'right', 'mouse'], { mouse: 2 }, 'right'],
  [['left', 'right', 'mouse'], ['left', 'right', 'mouse'], { mouse: 1 }, 'mouse'],
  [['left', 'right', 'mouse'], ['left'], {}, 'left'],
  [['left', 'right'], [], {}, 'right'], [['left', 'right'], [], { right: 7, left: 8 }, undefined],
  [[], [], {}, undefined],
])('of %j, of which %j grasp, owned by %j, page 1 takes %s', (hands, grasping, owners, wanted) => {
  expect(handFor(hands, grasping, { you: 1, owners: owners as Record<string, number> })).toBe(wanted);
});

const BOX = { type: 'box', size: [0.2, 0.2, 0.1] as [number, number, number] };
const SCENE: Scene = {
  world: 'room', frame: 'world', walls: [], hands: ['right'], grasping: ['right'],
  drones: [{ name: 'd0', model: 'box', mass: 0.7, parts: [BOX], rotors: [], authority: 'simulate' },
    { name: 'd1', model: 'box', mass: 0.7, parts: [BOX], rotors: [] }],
  objects: [{ name: 'ball', parts: [{ type: 'sphere', radius: 0.1 }], position: [0, 2, 1] }],
};

/** A store of two drones, the first at (0, 0, 1) with a velocity, m/s, the second 1 m behind it. */
function storeOf(velocity: number[]): Store {
  const store = new Store();
  store.fleet = {
    names: ['d0', 'd1'], positions: Float64Array.from([0, 0, 1, 1, 0, 1]),
    orientations: Float64Array.from([0, 0, 0, 1, 0, 0, 0, 1]),
    linear_velocities: Float64Array.from([...velocity, 0, 0, 0]),
  } as unknown as FleetState;
  store.fleetAt = 0;
  return store;
}

test('a ray meets the nearest body at its surface; what was not reported yet is where it starts', () => {
  const store = storeOf([0, 0, 0]);
  const bodies = new Bodies(store);
  store.show(SCENE);
  const found = bodies.pick(new Ray(new Vector3(-3, 0.02, 1.01), new Vector3(1, 0, 0)), 0)!;
  expect(found.grip.body.name).toBe('d0');
  expect(found.grip.spot.distanceTo(new Vector3(-0.1, 0.02, 0.01))).toBeLessThan(1e-6);
  expect(found.grip.normal.distanceTo(new Vector3(-1, 0, 0))).toBeLessThan(1e-6);
  expect(found.distance).toBeCloseTo(2.9, 6);
  expect(bodies.pick(new Ray(new Vector3(-3, 0, 1), new Vector3(1, 0, 0)), 0, 'd1')?.grip.body.name).toBe('d1');
  expect(bodies.pick(new Ray(new Vector3(0, 5, 1), new Vector3(0, -1, 0)), 0)?.grip.body.name).toBe('ball');
  expect(bodies.pick(new Ray(new Vector3(-3, 0, 2), new Vector3(1, 0, 0)), 0)).toBeUndefined();
});

test('a state is extrapolated for a moment, and never for long', () => {
  const store = storeOf([2, 0, 0]);
  const bodies = new Bodies(store);
  store.show(SCENE);
  expect(bodies.where('d0', 50)!.position.x).toBeCloseTo(0.1, 9);
  expect(bodies.where('d0', 5000)!.position.x).toBeCloseTo(0.2, 9);
});

/** A driver whose samples are kept: ms, and where the pinch of the hand is. */
function driverOf(velocity = [0, 0, 0]) {
  const store = storeOf(velocity);
  const bodies = new Bodies(store);
  store.show(SCENE);
  const samples: { at: number; point: Vector3; wrist: Vector3; aperture: number }[] = [];
  const news: News[] = [];
  const gone: string[] = [];
  const sender = {
    claim: () => 'right', body: () => 'right', rival: () => '', release: (role: string) => gone.push(role),
    send: (_: string, pose: HandPose, at: number) => samples.push({
      at, point: driver.point.clone(), wrist: new Vector3().fromArray(pose.positions),
      aperture: jointAt(pose, 'thumb-tip').distanceTo(jointAt(pose, 'index-finger-tip')),
    }),
  } as unknown as HandSender;
  const driver: HandDriver = new HandDriver(sender, bodies);
  driver.onNews = (each) => news.push(each);
  const grip: Grip = bodies.pick(new Ray(new Vector3(-3, 0, 1), new Vector3(1, 0, 0)), 0)!.grip;
  const event = (phase: number, at = performance.now()) => driver.hear(
    { name: 'grasp_right', phase, body_a: 'right', body_b: 'd0' } as ConstraintEvent, at);
  const run = (from: number, to: number, each = 4) => {
    for (let t = from; t <= to; t += each) {
      store.fleetAt = t;   // it is reported all the time, where it stands
      driver.update(t);
    }
  };
  return { driver, samples, news, gone, grip, event, run, store };
}

const UP = new Vector3(0, 0, 1);

test('a hand comes from the side of the camera, never faster than a hand, closes before the surface', () => {
  const { driver, samples, grip, run, news } = driverOf();
  driver.hold(grip, UP, 0);
  run(4, 460);
  expect(news).toEqual([{ what: 'reaching', name: 'd0' }]);
  expect(samples[0]!.point.x).toBeLessThan(-0.2);
  expect(samples.every(({ point }) => point.x < -0.1)).toBe(true);
  expect(samples.at(-1)!.point.x).toBeGreaterThan(-0.13);
  expect(samples[0]!.aperture).toBeGreaterThan(0.04);
  expect(samples.at(-1)!.aperture).toBeLessThan(0.025);
  samples.slice(1).forEach(({ at, wrist }, k) => {
    const dt = (at - samples[k]!.at) / 1000;
    expect(dt).toBeGreaterThan(0);
    expect(wrist.distanceTo(samples[k]!.wrist)).toBeLessThan(2.6 * dt + 1e-6);
  });
});

test('a grip that the node does not confirm is tried three times, then has failed and is gone', () => {
  const { driver, grip, run, news, gone, samples } = driverOf();
  driver.hold(grip, UP, 0);
  run(4, 12_000);
  expect(news.map(({ what }) => what)).toEqual(['reaching', 'missed']);
  expect(driver.phase).toBe('idle');
  expect(gone).toEqual(['mouse']);
  const closings = samples.filter(({ aperture }, k) => aperture < 0.025 && !((samples[k - 1]?.aperture ?? 1) < 0.025));
  expect(closings).toHaveLength(3);
});

test('of a page that is held up the hand stays closed until late word can be there', () => {
  const { driver, grip, run, event, samples } = driverOf();
  driver.pace = 5;
  driver.hold(grip, UP, 0);
  run(4, 180 * 5 + 260 * 5 + 1100);
  expect(samples.at(-1)!.aperture).toBeLessThan(0.025);
  event(GRASPED);
  expect(driver.phase).toBe('held');
});

test.each([[NaN, false], [300, true]])('one that hears late that it took hold after %d ms: back there: %s', (at, back) => {
  const { driver, grip, run, event, samples } = driverOf();
  const t0 = performance.now();
  driver.hold(grip, UP, t0);
  run(t0, t0 + 300);
  const took = samples.at(-1)!.point.clone();
  run(t0 + 304, t0 + 440);
  const now = driver.point.clone();
  expect(now.distanceTo(took)).toBeGreaterThan(0.01);
  event(GRASPED, t0 + at);
  run(t0 + 444, t0 + 1500);
  expect(driver.point.distanceTo(back ? took : now)).toBeLessThan(1e-3);
});

test('what is held follows the goal; let go in motion it is thrown with the pointer\'s velocity', () => {
  const { driver, grip, run, event, news, samples } = driverOf();
  driver.hold(grip, UP, performance.now());
  const t0 = performance.now();
  run(t0, t0 + 400);
  event(GRASPED);
  const t1 = performance.now();
  expect(driver.phase).toBe('held');
  driver.goal.add(new Vector3(0, 0.4, 0));
  run(t0 + 404, t0 + 1600);
  expect(driver.point.distanceTo(driver.goal)).toBeLessThan(5e-3);
  expect(t1).toBeGreaterThan(0);
  const count = samples.length;
  driver.letGo(new Vector3(0, 1.2, 0), t0 + 1600);
  run(t0 + 1604, t0 + 1900);
  event(RELEASED);
  run(t0 + 1904, t0 + 3000);
  expect(news.at(-1)).toEqual({ what: 'thrown', name: 'd0', speed: 1.2 });
  expect(driver.phase).toBe('idle');
  // even motion for 0.1 s before it opens
  const opens = samples.findIndex(({ aperture }, k) => k > count && aperture > samples[count]!.aperture + 1e-3);
  const [a, b] = [samples.find(({ at }) => at > samples[opens]!.at - 100)!, samples[opens - 1]!];
  expect((b.point.y - a.point.y) / ((b.at - a.at) / 1000)).toBeCloseTo(1.2, 2);
});

test('let go at rest it is released; what slips away is lost, and the hand opens', () => {
  for (const [end, what] of [['let', 'released'], ['slip', 'lost']] as const) {
    const { driver, grip, run, event, news } = driverOf();
    const t0 = performance.now();
    driver.hold(grip, UP, t0);
    run(t0, t0 + 300);
    event(GRASPED);
    run(t0 + 304, t0 + 500);
    (driver as unknown as { since: number }).since = t0 - 5000;   // it has been held for long
    if (end === 'let') driver.letGo(new Vector3(0.05, 0, 0), t0 + 500);
    else event(RELEASED);
    run(t0 + 504, t0 + 2000);
    expect(news.at(-1)).toEqual({ what, name: 'd0' });
    expect(driver.phase).toBe('idle');
  }
});

test('a page that was held up says how its hand went in the meantime, in order', () => {
  const { driver, grip, samples } = driverOf();
  driver.hold(grip, UP, 0);
  driver.update(300);
  driver.update(5000);
  expect(samples.length).toBeLessThan(70);
  samples.slice(1).forEach(({ at }, k) => expect(at).toBeGreaterThan(samples[k]!.at));
  expect(samples.filter(({ at }) => at <= 300).length).toBeGreaterThan(300 / INTERVAL - 3);
});

test('a hand that another page has is given up, and said why', () => {
  const { driver, grip, news, gone } = driverOf();
  driver.hold(grip, UP, 0);
  driver.taken('right is moved by page 2');
  expect(news.at(-1)).toEqual({ what: 'refused', name: 'd0', why: 'right is moved by page 2' });
  expect(gone).toEqual(['mouse']);
});

test('a body that is out of sight is not held', () => {
  const { driver, grip, run, news, store } = driverOf();
  driver.hold(grip, UP, 0);
  store.fleet = { ...store.fleet!, names: [], positions: new Float64Array() };
  run(4, 1000);
  expect(news.at(-1)!.what).toBe('missed');
});
