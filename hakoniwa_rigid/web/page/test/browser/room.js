// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * What a user of a headset meets, tried with the emulated one, and printed as one JSON object: the room at the start,
 * placing, the wrist menu, a grip, and two users in one room.
 *
 *   node room.js [--address URL] [--chromium FILE] [--out FOLDER] [--parts start,place,menu,two]
 *
 * Without an address a stand-in for the viewer node runs in this process.
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { openBrowser } from './chromium.js';
import { enter, frames, leave, shown, wearHeadset } from './headset.js';
import { MockNode } from './mock_node.js';
import { roomOf } from './mock_world.js';
import { state, until } from './mouse.js';

const word = { type: 'string' };
const { values: options } = parseArgs({ options: {
  address: word, chromium: { ...word, default: '/usr/bin/chromium' }, out: { ...word, default: 'out/page' },
  parts: { ...word, default: 'start,place,menu,two' },
} });
const built = new URL('../../../dist', import.meta.url).pathname;
const report = { errors: [], seconds: {} };
mkdirSync(options.out, { recursive: true });

async function nodeOf() {
  if (options.address) return { address: options.address, stop: () => undefined };
  const { scene, starts } = roomOf(6);
  const mock = new MockNode(scene, starts, built);
  return { address: await mock.start(), mock, stop: () => mock.stop() };
}

/** Enters a session where the user stands at a spot and looks along a level angle (rad, about y from -z). */
async function openSession(context, address, { at = [0, 1.6, 0], yaw = 0 } = {}) {
  const page = await context.newPage();
  page.on('pageerror', (error) => report.errors.push(error.message));
  await wearHeadset(page);
  await page.setViewportSize({ width: 480, height: 270 });
  await page.goto(address);
  await shown(page);
  await page.evaluate(([[x, y, z], angle]) => {
    const { headset } = window;
    headset.position.set(x, y, z);
    headset.quaternion.set(0, Math.sin(angle / 2), 0, Math.cos(angle / 2));
    headset.hands.left.position.set(x - 0.4, 0.7, z);
    headset.hands.right.position.set(x + 0.4, 0.7, z);
  }, [at, yaw]);
  await enter(page);
  return page;
}

/** Where drones are as the user has them: m to the right, up and ahead of the eyes, the nearest first. */
const seenDrones = (page) => page.evaluate(() => {
  const { position: p, quaternion: q } = window.headset;
  const yaw = 2 * Math.atan2(q.y, q.w);
  const [ahead, right] = [[-Math.sin(yaw), -Math.cos(yaw)], [Math.cos(yaw), -Math.sin(yaw)]];
  return Object.entries(window.hakoniwa.state().drones).map(([name, { position }]) => {
    const [x, y, z] = window.hakoniwa.inHeadset(position);
    const [dx, dz] = [x - p.x, z - p.z];
    return { name, right: dx * right[0] + dz * right[1], up: y - p.y, ahead: dx * ahead[0] + dz * ahead[1] };
  }).sort((a, b) => Math.hypot(a.right, a.ahead) - Math.hypot(b.right, b.ahead));
});

/** A session begins where the headset happens to be, and looks anywhere. */
async function start(context, address) {
  const page = await openSession(context, address, { at: [0.7, 1.62, -0.4], yaw: 2.1 });
  await until(page, 'the room is before the user', () => window.hakoniwa.headset().step === 'place');
  await frames(page, 5);
  report.start = {
    drones: await seenDrones(page), floor: await page.evaluate(() => window.hakoniwa.inHeadset([0, 0, 0])[1]),
    ...await page.evaluate(() => {
      const { text, card } = window.hakoniwa.headset();
      const { position: eyes } = window.headset;
      const angle = ([x, y, z]) => [Math.atan2(x - eyes.x, eyes.z - z), Math.atan2(y - eyes.y, Math.hypot(x - eyes.x, z - eyes.z))];
      const spots = Object.values(window.hakoniwa.state().drones).map(({ position }) => window.hakoniwa.inHeadset(position));
      return { text, card: angle(card), angles: spots.map(angle) };
    }),
  };
  await page.screenshot({ path: `${options.out}/ar_start.png` });
  await page.close();
}

/** Looks down at the floor and pinches, for less than what carries the room; then pinches at a drone. */
async function place(context, address) {
  const page = await openSession(context, address);
  await frames(page, 3);
  const level = await page.evaluate(() => window.hakoniwa.headset().hint);
  const half = 0.5 * Math.atan2(1.6, 1.5);   // the floor 1.5 m ahead
  await page.evaluate((angle) => window.headset.quaternion.set(-Math.sin(angle), 0, 0, Math.cos(angle)), half);
  await until(page, 'a hint on the floor', () => window.hakoniwa.headset().hint !== undefined);
  await frames(page, 3);
  const hint = await page.evaluate(() => window.hakoniwa.headset().hint);
  await page.screenshot({ path: `${options.out}/ar_place.png` });
  await pinch(page, 'right');
  await until(page, 'the room is placed', () => window.hakoniwa.headset().step === 'push');
  await page.evaluate(() => window.headset.quaternion.set(0, 0, 0, 1));
  await frames(page, 5);
  const first = (await seenDrones(page)).find(({ name }) => name === 'd0');
  report.place = { level, hint, first, text: (await page.evaluate(() => window.hakoniwa.headset())).text };
  report.place.held = await gripAtDrone(page);
  await leave(page);
  await page.close();
}

async function pinch(page, side) {
  await page.evaluate((name) => window.headset.hands[name].updatePinchValue(1), side);
  await frames(page, 2);
  await page.evaluate((name) => window.headset.hands[name].updatePinchValue(0), side);
  await frames(page, 2);
}

/** Goes to the first drone with the fingertips, pinches there for longer than what carries the room, and lets go. */
async function gripAtDrone(page) {
  const origin = () => page.evaluate(() => window.hakoniwa.inHeadset([0, 0, 0]));
  const before = await origin();
  await page.evaluate(() => {
    const [x, y, z] = window.hakoniwa.inHeadset(window.hakoniwa.state().drones.d0.position);
    // a wrist behind it, so that thumb and index meet at its near side
    window.headset.hands.right.position.set(x + 0.02, y + 0.02, z + 0.2);
  });
  await frames(page, 4);
  await page.evaluate(() => window.headset.hands.right.updatePinchValue(1));
  await page.waitForTimeout(1200);
  await frames(page, 4);
  const during = await origin();
  await page.evaluate(() => window.headset.hands.right.updatePinchValue(0));
  await frames(page, 4);
  const { step } = await page.evaluate(() => window.hakoniwa.headset());
  return { moved: Math.hypot(...during.map((x, k) => x - before[k])), step };
}

/** Shows the left palm; then the right index finger presses the buttons, each from before it. */
async function menu(context, address, mock) {
  const page = await openSession(context, address);
  await frames(page, 3);
  const shut = (await page.evaluate(() => window.hakoniwa.headset())).menu;
  // fingers up, the palm towards the eyes
  await page.evaluate(() => {
    const { left, right } = window.headset.hands;
    left.quaternion.set(0, Math.SQRT1_2, -Math.SQRT1_2, 0);
    left.position.set(-0.08, 1.45, -0.35);
    right.quaternion.set(0, 0, 0, 1);
    right.position.set(0.3, 1.3, -0.1);
  });
  await until(page, 'the menu opens', () => window.hakoniwa.headset().menu === 'left');
  await frames(page, 5);
  await page.screenshot({ path: `${options.out}/ar_menu.png` });
  const open = await page.evaluate(() => window.hakoniwa.headset());
  report.menu = { shut, open };
  for (const name of ['pause', 'reset', 'sound']) {
    await press(page, name);
    await page.waitForTimeout(500);   // two presses have a pause between them
    await frames(page, 2);
  }
  const paused = (await state(page)).paused;
  await press(page, 'pause');
  await until(page, 'the node goes on', () => !window.hakoniwa.state().paused);
  await page.evaluate(() => {
    const { left } = window.headset.hands;
    left.quaternion.set(0, 0, 0, 1);
  });
  await until(page, 'the menu closes', () => window.hakoniwa.headset().menu === '');
  Object.assign(report.menu, { paused, calls: mock?.calls });
  await leave(page);
  await page.close();
}

/** The tip of the right index finger comes to a button from before it, and goes back. */
async function press(page, name) {
  for (const distance of [0.06, 0.0, 0.06]) {
    await page.evaluate(([button, away]) => {
      const { buttons, normal, tips } = window.hakoniwa.headset();
      const { right } = window.headset.hands;
      const goal = buttons[button].map((x, k) => x + away * normal[k]);
      ['x', 'y', 'z'].forEach((axis, k) => (right.position[axis] += goal[k] - tips.right[k]));
    }, [name, distance]);
    await frames(page, 3);
  }
}

/** The second user's headset has its own axes: the same real spot is elsewhere in them. */
const TURN = 1.1;
const SHIFT = [0.8, 0.0, -1.3];
const SPOTS = [[0.3, 0.9, -0.5], [-0.45, 0.9, -0.3], [0.1, 1.15, -1.0]];
const inSecond = ([x, y, z]) => [
  Math.cos(TURN) * x + Math.sin(TURN) * z + SHIFT[0], y + SHIFT[1],
  -Math.sin(TURN) * x + Math.cos(TURN) * z + SHIFT[2]];

async function touchSpots(page, spots, off = 0) {
  await page.evaluate(() => window.hakoniwa.press('align'));
  for (const [i, spot] of spots.entries()) {
    await page.evaluate(([goal]) => {
      const { tips } = window.hakoniwa.headset();
      const { right, left } = window.headset.hands;
      ['x', 'y', 'z'].forEach((axis, k) => (right.position[axis] += goal[k] - tips.right[k]));
      left.position.set(goal[0], 0.6, goal[2] + 0.3);
    }, [[spot[0] + (i === 2 ? off : 0), spot[1], spot[2]]]);
    await frames(page, 4);
    await pinch(page, 'left');
  }
  await frames(page, 4);
  return page.evaluate(() => window.hakoniwa.headset());
}

/** Two pages with a headset each: heads of each other, and one room after three spots that both touch. */
async function two(context, address) {
  const one = await openSession(context, address);
  const other = await openSession(context, address, { at: inSecond([0.2, 1.6, 0.9]), yaw: TURN });
  await other.bringToFront();
  await until(other, 'an avatar of the first', () => Object.keys(window.hakoniwa.headset().avatars).length === 1);
  await one.bringToFront();
  await until(one, 'an avatar of the second', () => Object.keys(window.hakoniwa.headset().avatars).length === 1);
  const set = await touchSpots(one, SPOTS);
  await frames(one, 6);
  await other.bringToFront();
  await until(other, 'the spots of the first', () => window.hakoniwa.headset().known === 3);
  const line = await touchSpots(other, [[0, 1, 0], [0, 1, -0.5], [0, 1, -1]].map(inSecond));
  const wrong = await touchSpots(other, SPOTS.map(inSecond), 0.6);
  const aligned = await touchSpots(other, SPOTS.map(inSecond));
  await until(other, 'the room is where it is for the first', () => window.hakoniwa.headset().errors.length === 3);
  await frames(other, 10);
  const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0.5]];
  const places = (page) => page.evaluate((spots) => spots.map((spot) => window.hakoniwa.inHeadset(spot)), corners);
  const there = await places(other);
  await other.screenshot({ path: `${options.out}/ar_two.png` });
  const avatars = await other.evaluate(() => Object.values(window.hakoniwa.headset().avatars).map(({ position }) =>
    window.hakoniwa.inHeadset(position)));
  await one.bringToFront();
  const here = (await places(one)).map(inSecond);
  report.two = {
    texts: [set, line, wrong, aligned].map(({ text }) => text), errors: aligned.errors, here, there,
    avatar: avatars[0], head: inSecond([0, 1.6, 0]),
  };
  await one.close();
  await other.bringToFront();
  await until(other, 'the first has left', () => Object.keys(window.hakoniwa.headset().avatars).length === 0);
  report.two.left = true;
  await other.close();
}

const parts = { start, place, menu, two };
const { context, close } = await openBrowser(options.chromium, { width: 480, height: 270 });
const { address, mock, stop } = await nodeOf();
try {
  for (const name of options.parts.split(',')) {
    const from = performance.now();
    try {
      await parts[name](context, address, mock);
    } catch (error) {
      report.errors.push(`${name}: ${error.stack}`);
    }
    report.seconds[name] = (performance.now() - from) / 1000;
  }
} finally {
  await close();
  stop();
}
process.stdout.write(JSON.stringify(report));
