// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Holds drones of real nodes by mouse, finger, keys and in two pages at once; prints what came of it as one JSON object.
 *
 *   node hold.js --address URL --part NAME [--part NAME ...] [--chromium FILE] [--out FOLDER]
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { openBrowser } from './chromium.js';
import * as mouse from './mouse.js';

const word = { type: 'string' };
const { values: options } = parseArgs({ options: {
  address: word, part: { ...word, multiple: true, default: ['carry'] },
  chromium: { ...word, default: '/usr/bin/chromium' }, out: { ...word, default: 'out/page' },
} });
const report = { errors: [], seconds: {} };
const FROM = [-1, 0, 0.25];   // where the camera is, from the drone
mkdirSync(options.out, { recursive: true });

const minus = (a, b) => a.map((x, k) => x - b[k]);
const hand = async (page) => (await mouse.state(page)).hand;
const placeOf = async (page, drone) => (await mouse.state(page)).drones[drone].position;
const becomes = (page, phase) => mouse.until(page, `the hand is in the phase ${phase}`, (wanted) =>
  window.hakoniwa.state().hand.phase === wanted, phase, 20_000).catch(async (error) => {
  throw new Error(`${error.message}; ${JSON.stringify(await hand(page))}; ${await page.evaluate(() => window.said)}; ${
    JSON.stringify((await mouse.state(page)).drones)}; ${JSON.stringify((await mouse.state(page)).contacts)}; ${
    await page.locator('aside').innerText()}`);
});
const says = (page, text) => mouse.until(page, `the page says ${text}`, (wanted) =>
  window.hakoniwa.state().hand.status.includes(wanted), text, 20_000).catch(async (error) => {
  throw new Error(`${error.message}; ${JSON.stringify(await hand(page))}; ${await page.evaluate(() => window.said)}`);
});

async function openPage(context) {
  const page = await context.newPage();
  page.on('pageerror', (error) => report.errors.push(error.message));
  await page.goto(options.address);
  await mouse.until(page, 'the page shows drones', () => {
    const { connected, drones, frames, latency } = window.hakoniwa?.state() ?? { frames: 0 };
    return connected && frames > 5 && Object.keys(drones).length > 0 && latency.roundTrip < Infinity;
  });
  // all that the status line says
  await page.evaluate(() => {
    window.said = [];
    const line = document.querySelector('[role=status]');
    new MutationObserver(() => window.said.push(line.textContent)).observe(line, { childList: true });
  });
  return page;
}

/** Looks at a drone from close by; where it is on the page, and pixels per m to the right there. */
async function lookAt(page, drone, radius = 1.5) {
  const position = await placeOf(page, drone);
  await page.evaluate(([spot, from, r]) => window.hakoniwa.look(spot, from, r), [position, FROM, radius]);
  await page.waitForTimeout(300);
  return { position, ...await mouse.frameAt(page, position) };
}

/** Presses on the drone, and waits until the node says that it is held. */
async function pressAndHold(page, drone, radius) {
  const seen = await lookAt(page, drone, radius);
  await page.mouse.move(seen.x, seen.y);
  await page.mouse.down();
  await becomes(page, 'held');
  return seen;
}

/** Notes the motion of a drone from now on in window.track: ms, position, velocity. */
const track = (page, drone) => page.evaluate((name) => {
  window.track = [];
  window.hakoniwa.onFleet((fleet, at) => {
    const i = 3 * fleet.names.indexOf(name);
    window.track.push([at, ...fleet.positions.slice(i, i + 3), ...fleet.linear_velocities.slice(i, i + 3)]);
  });
}, drone);

/** Drags evenly to the right by m at m/s. */
async function drag(page, { x, y, scale }, from, to, speed) {
  const begin = performance.now();
  for (let along = from; along < to;) {
    along = Math.min(to, along + 0.03, from + (speed * (performance.now() - begin)) / 1000);
    await page.mouse.move(x + along * scale, y);
  }
}

/**
 * Moves the pointer that is down by px and lets go on the way, at px per ms; ms of the release.  The events are the
 * page's own, so that they are even on a busy machine.
 */
function flick(page, [x, y], [dx, dy], speed) {
  return page.evaluate(([from, way, rate]) => new Promise((done) => {
    const canvas = document.querySelector('#view');
    const length = Math.hypot(...way);
    const begin = performance.now();
    const send = (type, share) => canvas.dispatchEvent(new PointerEvent(type, {
      pointerId: 1, pointerType: 'mouse', button: type === 'pointerup' ? 0 : -1, buttons: 1, bubbles: true,
      clientX: from[0] + share * way[0], clientY: from[1] + share * way[1],
    }));
    const step = () => {
      const share = (rate * (performance.now() - begin)) / length;
      send('pointerrawupdate', share);
      if (share < 1) return setTimeout(step, 4);
      send('pointerup', share);
      return done(performance.now());
    };
    step();
  }), [[x, y], [dx, dy], speed]);
}

const SPEED = 1.2;   // m/s

/** Mouse: pressed, dragged, moved in depth, thrown. */
async function carry(context) {
  const page = await openPage(context);
  const drone = 'd0';
  const seen = await pressAndHold(page, drone);
  const held = await placeOf(page, drone);
  const { status, body } = await hand(page);
  const made = { status, body, moved: minus(held, seen.position), right: seen.right };
  await page.screenshot({ path: `${options.out}/held.png` });
  await drag(page, seen, 0, 0.3, 0.5);
  await page.waitForTimeout(1000);
  const near = await placeOf(page, drone);
  made.dragged = minus(near, held);
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(1200);
  made.deeper = minus(await placeOf(page, drone), near);
  await drag(page, { ...seen, scale: -seen.scale }, -0.3, 0.3, 0.6);
  await page.waitForTimeout(800);
  const { scale } = await mouse.frameAt(page, await placeOf(page, drone));
  await track(page, drone);
  const from = [seen.x - 0.3 * seen.scale, seen.y];
  made.released = await flick(page, from, [0.5 * scale, 0], (SPEED * scale) / 1000);
  await says(page, 'threw');
  made.thrown = (await hand(page)).status;
  await page.waitForTimeout(600);
  await page.mouse.up();
  made.track = await page.evaluate(() => window.track);
  made.contacts = await mouse.strikes(page, drone);
  report.carry = made;
  await page.close();
}

const PARTS = { carry };
const { context, close } = await openBrowser(options.chromium, { width: 960, height: 540 });
try {
  for (const part of options.part) {
    const from = performance.now();
    try {
      await PARTS[part](context);
    } catch (error) {
      report.errors.push(`${part}: ${error.stack}`);
    }
    report.seconds[part] = (performance.now() - from) / 1000;
  }
} finally {
  await close();
}
process.stdout.write(JSON.stringify(report));
