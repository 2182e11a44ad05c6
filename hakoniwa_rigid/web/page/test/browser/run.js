// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Tries the page in Chromium and prints what came of it as one JSON object.
 *
 *   node run.js [--address URL] [--chromium FILE] [--out FOLDER] [--picture FILE] [--pushes N] [--seconds S]
 *   node run.js --fleet URL
 *   node run.js --secure URL --certificate FILE
 *
 * At most N pushes are timed by mouse and by headset, for at most S s each.
 * Without an address a stand-in for the viewer node runs in this process. Of a real one, the drones should stand still.
 * --fleet tries one with many drones; --secure one with the token in its address and that certificate.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { openBrowser, Reader } from './chromium.js';
import * as headset from './headset.js';
import { MockNode } from './mock_node.js';
import { roomOf } from './mock_world.js';
import * as mouse from './mouse.js';
import * as timing from './pushes.js';
import { stranger } from './stranger.js';

const word = { type: 'string' };
const { values: options } = parseArgs({ options: {
  address: word, fleet: word, secure: word, certificate: word, picture: word,
  chromium: { ...word, default: '/usr/bin/chromium' }, out: { ...word, default: 'out/page' },
  pushes: { ...word, default: '20' }, seconds: { ...word, default: '12' },
} });
/** of pushes that are timed */
const most = { count: Number(options.pushes), ms: 1000 * Number(options.seconds) };
const DRONES = 6;
const FLEET = 50;
const HALF = 8;   // px, of the boxes that are looked at: a drone at the far end of the room is some 10 px wide
const built = new URL('../../../dist', import.meta.url).pathname;
const report = { errors: [], seconds: {} };
const stops = [];
mkdirSync(options.out, { recursive: true });

/** A stand-in, or the node that was named; `drop` hangs up on the page. */
async function nodeOf(count) {
  if (options.address) return { address: options.address, stop: () => undefined };
  const { scene, starts } = roomOf(count);
  const mock = new MockNode(scene, starts, built);
  return { address: await mock.start(), mock, stop: () => mock.stop() };
}

async function openPage(context, address, prepare = async () => undefined) {
  const page = await context.newPage();
  page.on('pageerror', (error) => report.errors.push(error.message));
  const { host } = new URL(address);
  page.on('request', (request) => {
    if (!['data:', 'blob:'].includes(new URL(request.url()).protocol) && new URL(request.url()).host !== host) {
      report.errors.push(`${request.url()}: the page needs something from elsewhere`);
    }
  });
  page.on('requestfailed', (request) => report.errors.push(`${request.url()}: ${request.failure()?.errorText}`));
  await prepare(page);
  await page.goto(address);
  await mouse.until(page, 'the page shows drones', () => {
    const { connected, drones, frames, latency } = window.hakoniwa?.state() ?? { frames: 0 };
    return connected && frames > 5 && Object.keys(drones).length > 0 && latency.roundTrip < Infinity;
  });
  return page;
}

/** Drones, a wall, the floor's lines and the void are distinguished by their pixels. */
async function looks(page, reader) {
  // the first look is at some of them, and moves
  await page.getByRole('button', { name: 'View all' }).click();
  const { frames } = await mouse.state(page);
  await mouse.until(page, 'all drones are drawn', (n) => window.hakoniwa.state().frames > n + 3, frames);
  const picture = await page.screenshot({ path: `${options.out}/desktop.png` });
  const { drones } = await mouse.state(page);
  const spots = await Promise.all(Object.values(drones).map(({ position }) => mouse.project(page, position)));
  report.drones = await Promise.all(spots.map(async (spot) => (await reader.box(picture, [...spot, HALF])).bright));
  // towards both ends: in the middle may lie the shadow of a drone
  const solids = await page.evaluate(() => window.hakoniwa.scene().walls.filter(({ type }) => type === 'box')
    .map(({ pose: { position: [x, y, z] }, size }) => [-0.35, 0.35].map((part) =>
      window.hakoniwa.project([x + part * size[0], y, z]))));
  const meanAt = async (spot) => (await reader.box(picture, [...spot, 6])).mean;
  const brighter = ([one, other]) => (one[0] > other[0] ? one : other);
  report.walls = await Promise.all(solids.map(async (spots) => brighter(await Promise.all(spots.map(meanAt)))));
  report.void = (await reader.box(picture, [4, 300, 3])).mean;
  report.panel = await page.locator('aside').innerText();
}

async function buttons(page, mock) {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  const still = await page.evaluate(() => window.hakoniwa.state().frames);
  await page.getByRole('button', { name: 'Step' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByRole('button', { name: 'Reset' }).click();
  await mouse.until(page, 'frames go on', (n) => window.hakoniwa.state().frames > n + 2, still);
  report.calls = mock.calls;
}

/** The mouse's hand pushes a drone, on the picture too. */
async function push(page, reader) {
  const drone = await mouse.pushable(page);
  const { position } = (await mouse.state(page)).drones[drone];
  const spot = await mouse.project(page, position);
  const before = await page.screenshot();
  const { moved, right, picture, contacts } = await mouse.strokeThrough(page, drone);
  writeFileSync(`${options.out}/push.png`, picture);
  const { pushes } = await mouse.state(page);
  const changed = await reader.changed(before, picture, [...spot, 40]);
  report.mouse = { drone, moved, right, contacts, changed, pushes };
}

/** ms: a hand without samples stays for so long in the room of test_page_node.py; drones come back after it */
const HAND_LEAVES = 3500;

async function latency(page) {
  await page.waitForTimeout(HAND_LEAVES);
  report.latency = await timing.reported(timing.timeMouse(page, await mouse.pushable(page), most));
}

async function comesBack(page, mock) {
  if (!mock) return;
  mock.drop();
  await mouse.until(page, 'the page comes back', () => window.hakoniwa.state().connections > 1);
  report.cameBack = true;
}

async function wear(context, address, reader) {
  const page = await openPage(context, address, headset.wearHeadset);
  await page.setViewportSize({ width: 640, height: 360 });   // an emulated headset draws all of it by the processor
  await headset.enter(page);
  const drone = await mouse.pushable(page);
  await headset.standBefore(page, drone);
  const before = await page.screenshot({ path: `${options.out}/headset.png` });
  const { moved, contacts, sent } = await headset.strike(page, drone);
  const after = await page.screenshot({ path: `${options.out}/strike.png` });
  const [width, height] = [page.viewportSize().width, page.viewportSize().height];
  const changed = await reader.changed(before, after, [width / 2, height / 2, height / 3]);
  report.headset = { drone, moved, contacts, sent, changed };
  report.headset.room = await headset.carryRoom(page);
  if (options.address) {
    const spot = await headset.standBefore(page, drone);
    report.headset.latency = await timing.reported(headset.timeHand(page, drone, most, spot));
  }
  await headset.leave(page);
  await page.close();
}

/** The picture of the documentation: sharp, near, in the middle of a push, at which the node is paused. */
async function picture(context, address) {
  const page = await openPage(context, `${address}?pixels=1.5`);
  await page.setViewportSize({ width: 1280, height: 720 });
  const drone = await mouse.pushable(page);
  // from close by, the drone beside the panel, the room and other drones behind it
  await page.evaluate((name) => {
    const [x, y, z] = window.hakoniwa.state().drones[name].position;
    window.hakoniwa.look([x + 0.05, y - 0.12, z], [-1, 0.5, 0.3], 0.42);
  }, drone);
  await page.waitForTimeout(2000);   // every picture takes its time
  await page.evaluate((name) => {
    const start = window.hakoniwa.state().drones[name].position;
    const stop = window.hakoniwa.onFleet((fleet) => {
      const i = 3 * fleet.names.indexOf(name);
      if (Math.hypot(...start.map((s, k) => fleet.positions[i + k] - s)) < 0.02) return;
      stop();
      [...document.querySelectorAll('button')].find((button) => button.textContent === 'Pause').click();
      // flash and arrow last for less than a picture may take, and the hand goes on
      const moment = performance.now() + 150;
      performance.now = () => moment;
      addEventListener('pointerrawupdate', (event) => event.stopImmediatePropagation(), true);
    });
  }, drone);
  const { picture: png } = await mouse.strokeThrough(page, drone, { ends: false });
  writeFileSync(options.picture, png);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.close();
}

/** A whole fleet: states taken in and pictures drawn per s, and what a picture costs this page's thread. */
async function fleet(context) {
  const node = options.fleet ? { address: options.fleet } : await nodeOf(FLEET);
  if (node.stop) stops.push(node.stop);
  const page = await openPage(context, node.address);
  report.fleet = await page.evaluate(async () => {
    await new Promise((done) => setTimeout(done, 1000));   // shaders are compiled at the first pictures
    const [from, first] = [performance.now(), window.hakoniwa.state().frames];
    let states = 0;
    const stop = window.hakoniwa.onFleet(() => (states += 1));
    // for 3 s, or longer where pictures are few
    await new Promise((done) => {
      const look = () => (performance.now() - from > 3000 && states > 0 && window.hakoniwa.state().frames > first
        ? done() : setTimeout(look, 50));
      look();
    });
    stop();
    const { frames, drones, busy } = window.hakoniwa.state();
    const span = (performance.now() - from) / 1000;
    return { drones: Object.keys(drones).length, states: states / span, pictures: (frames - first) / span, busy };
  });
  await page.screenshot({ path: `${options.out}/fleet.png` });
  await page.close();
}

/** Over TLS: first a client without the token, then the page with it. */
async function secure(context) {
  const assets = readdirSync(`${built}/assets`).map((name) => `assets/${name}`);
  report.stranger = await stranger(context, options.secure, ['', 'index.html', ...assets]);
  const page = await openPage(context, options.secure);
  report.secure = { drones: Object.keys((await mouse.state(page)).drones).length };
  await page.screenshot({ path: `${options.out}/secure.png` });
  await page.close();
}

/** Runs one part, and notes how long it took, s, or why it failed; the others run all the same. */
async function timed(part, ...args) {
  const from = performance.now();
  try {
    await part(...args);
  } catch (error) {
    report.errors.push(`${part.name}: ${error.stack}`);
  }
  report.seconds[part.name] = (performance.now() - from) / 1000;
}

/** All parts against one node, or the stand-in. */
async function everything(context) {
  const { address, mock, stop } = await nodeOf(DRONES);
  stops.push(stop);
  const reader = await Reader.open(context);
  // on a starved machine the page draws so coarsely that drones at the far end of the room are two dim pixels
  const page = await openPage(context, `${address}?pixels=1`);
  await timed(looks, page, reader);
  if (mock) await timed(buttons, page, mock);
  await timed(push, page, reader);
  report.roundTrip = (await mouse.state(page)).latency.roundTrip;
  if (options.address) await timed(latency, page);
  report.samples = mock?.samples.slice(-20);
  await timed(comesBack, page, mock);
  await page.close();
  await timed(wear, context, address, reader);
}

const { context, close } = await openBrowser(options.chromium, { width: 960, height: 540 }, options.certificate);
try {
  if (options.secure) await timed(secure, context);
  else if (options.picture) await timed(picture, context, options.address);
  else {
    if (!options.fleet) await everything(context);
    if (!options.address) await timed(fleet, context);
  }
} catch (error) {
  report.errors.push(error.stack);
} finally {
  await close();
  stops.forEach((end) => end());
}
process.stdout.write(JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? value.toString() : value)));
