// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Holds drones of real nodes by mouse, finger, keys, pad, in four pages at once; prints what came of it as JSON.
 *
 *   node hold.js --address URL --part NAME [--part NAME ...] [--chromium FILE] [--out FOLDER]
 *
 * The part `misses` needs no address: a stand-in for the viewer node runs in this process.
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { openBrowser, Reader } from './chromium.js';
import { MockNode } from './mock_node.js';
import { roomOf } from './mock_world.js';
import * as mouse from './mouse.js';

const word = { type: 'string' };
const { values: options } = parseArgs({ options: {
  address: word, part: { ...word, multiple: true, default: ['carry'] },
  chromium: { ...word, default: '/usr/bin/chromium' }, out: { ...word, default: 'out/page' },
} });
const report = { errors: [], seconds: {}, lost: {} };
/** of a part: on a machine that is busy with other things a page may be held up for longer than a hand may */
const TRIES = 3;
/** ms for a try, a few times what it takes: one that a browser never answers is lost, not the whole run */
const LIMIT = 240_000;
const FROM = [-1, 0, 0.25];   // where the camera is, from the drone
mkdirSync(options.out, { recursive: true });

const minus = (a, b) => a.map((x, k) => x - b[k]);
const hand = async (page) => (await mouse.state(page)).hand;
const placeOf = async (page, drone) => (await mouse.state(page)).drones[drone].position;
/** Waits for a fact about the page; what it said of the hand until then is in the error. */
async function waits(page, what, test, argument) {
  await mouse.until(page, what, test, argument, 20_000).catch(async (error) => {
    const { drones, contacts } = await mouse.state(page);
    const places = Object.entries(drones).map(([name, { position }]) => `${name} ${position.map((v) => v.toFixed(2))}`);
    const others = page.context().pages().filter((other) => other !== page).map((other) =>
      other.evaluate(() => [window.hakoniwa?.state().hand, window.said]).catch(String));
    const found = [await hand(page), await page.evaluate(() => window.said), places, contacts.length,
      await Promise.all(others)];
    throw new Error(`${error.message.slice(0, 200)}; ${JSON.stringify(found)}`);
  });
}

const becomes = (page, phase) => waits(page, `the hand is in the phase ${phase}`, (wanted) =>
  window.hakoniwa.state().hand.phase === wanted, phase);
const says = (page, text) => waits(page, `the page says ${text}`, (wanted) =>
  window.said.some((line) => line.includes(wanted)), text);

async function openPage(context, address = options.address, prepare = async () => undefined, reset = true) {
  const page = await context.newPage();
  await prepare(page);
  page.on('pageerror', (error) => report.errors.push(error.message));
  await page.goto(address);
  await mouse.until(page, 'the page shows drones', () => {
    const { connected, drones, frames, latency } = window.hakoniwa?.state() ?? { frames: 0 };
    return connected && frames > 0 && Object.keys(drones).length > 0 && latency.roundTrip < Infinity;
  });
  // the camera has looked at them by then
  await drawn(page);
  if (reset) await page.getByRole('button', { name: 'Reset' }).click();
  await page.waitForTimeout(500);
  // all that the status line says
  await page.evaluate(() => {
    window.said = [];
    const line = document.querySelector('[role=status]');
    new MutationObserver(() => window.said.push(line.textContent)).observe(line, { childList: true });
  });
  return page;
}

/** Waits for three rounds of the page's loop, which moves the camera before it draws: pictures are few in some pages. */
async function drawn(page) {
  await page.evaluate(() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  }));
}

/** Waits for two more pictures, of which one may have been begun before: a screenshot has what is there now. */
async function pictured(page) {
  const frames = await page.evaluate(() => window.hakoniwa.state().frames);
  await mouse.until(page, 'pictures', (n) => window.hakoniwa.state().frames > n + 1, frames);
}

/** Looks at a drone from close by; where it is on the page, and pixels per m to the right there. */
async function lookAt(page, drone, radius = 1.5) {
  const position = await placeOf(page, drone);
  await page.evaluate(([spot, from, r]) => window.hakoniwa.look(spot, from, r), [position, FROM, radius]);
  await drawn(page);
  return { position, ...await mouse.frameAt(page, position) };
}

/** ms without motion after which a drone has come to rest: samples of a hand wait for as long as nodes on a busy machine */
const STILL = 800;

/** Waits until a drone stands still, what was asked of it a moment ago being under way; where it is. */
function settled(page, drone) {
  return page.evaluate(([name, still]) => new Promise((done) => {
    let [since, spot] = [Infinity, [Infinity, 0, 0]];
    const begun = performance.now() + 700;
    const stop = window.hakoniwa.onFleet((fleet, at) => {
      const i = 3 * fleet.names.indexOf(name);
      const here = Array.from(fleet.positions.slice(i, i + 3));
      if (Math.hypot(...here.map((x, k) => x - spot[k])) > 2e-3) [since, spot] = [at, here];
      if (at < begun || at - since < still) return;
      stop();
      done(here);
    });
  }), [drone, STILL]);
}

/** Presses on the drone, and waits until the node says that it is held. */
async function pressAndHold(page, drone, radius) {
  const seen = await lookAt(page, drone, radius);
  await page.mouse.move(seen.x, seen.y);
  await page.mouse.down();
  await becomes(page, 'held');
  return seen;
}

/** times that one presses on a drone whose hand could not take hold of it, or has lost it */
const PRESSES = 5;

/** As one does whose page is held up by others. */
async function pressUntilHeld(page, drone) {
  for (let presses = 1; ; presses += 1) {
    try {
      await page.mouse.up();
      return await pressAndHold(page, drone);
    } catch (error) {
      if (presses === PRESSES) throw error;
    }
  }
}

/**
 * Notes in window.flown the velocity of a drone in the first state, not before its release, after the page has said
 * that it was thrown.
 */
const track = (page, drone) => page.evaluate((name) => {
  window.said = [];
  window.flown = undefined;
  const RELEASED = 6;
  const time = ({ header: { stamp } }) => 1e3 * stamp.sec + 1e-6 * stamp.nanosec;   // ms
  let released = Infinity;
  const stops = [window.hakoniwa.onConstraint((event) => {
    if (event.phase === RELEASED && [event.body_a, event.body_b].includes(name)) released = time(event);
  }), window.hakoniwa.onFleet((fleet) => {
    if (time(fleet) < released || !window.said.some((line) => line.startsWith(`threw ${name}`))) return;
    const i = 3 * fleet.names.indexOf(name);
    window.flown = Array.from(fleet.linear_velocities.slice(i, i + 3));
    stops.forEach((stop) => stop());
  })];
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
      return done();
    };
    step();
  }), [[x, y], [dx, dy], speed]);
}

const SPEED = 1.2;   // m/s

/** Throws the drone that is held to the right of the page, from where the pointer is; what came of it. */
async function throwIt(page, drone, from) {
  const { scale, right } = await mouse.frameAt(page, await placeOf(page, drone));
  await track(page, drone);
  await flick(page, from, [0.5 * scale, 0], (SPEED * scale) / 1000);
  await waits(page, `${drone} is thrown`, () => window.flown !== undefined);
  await page.mouse.up();
  const { pace } = await hand(page);
  const [words, velocity] = await page.evaluate(() => [window.said, window.flown]);
  return { drone, words, speed: SPEED, right, velocity, pace };
}

/** Mouse: pressed, dragged, moved in depth, thrown; two more drones are thrown. */
async function carry(context) {
  const page = await openPage(context);
  const seen = await pressAndHold(page, 'd0');
  const held = await settled(page, 'd0');
  const { status, body } = await hand(page);
  const made = { status, body, moved: minus(held, seen.position), right: seen.right, away: minus([0, 0, 0], FROM) };
  await page.screenshot({ path: `${options.out}/held.png` });
  await drag(page, seen, 0, 0.3, 0.5);
  const near = await settled(page, 'd0');
  made.dragged = minus(near, held);
  await page.mouse.wheel(0, -400);
  await waits(page, 'd0 goes away', ([name, from]) =>
    Math.hypot(...window.hakoniwa.state().drones[name].position.map((v, k) => v - from[k])) > 0.1, ['d0', near]);
  made.deeper = minus(await settled(page, 'd0'), near);
  await drag(page, { ...seen, scale: -seen.scale }, -0.3, 0.3, 0.6);
  await settled(page, 'd0');
  made.thrown = [await throwIt(page, 'd0', [seen.x - 0.3 * seen.scale, seen.y])];
  for (const drone of ['d4', 'd5']) {
    const { x, y } = await pressAndHold(page, drone);
    made.thrown.push(await throwIt(page, drone, [x, y]));
  }
  made.contacts = await mouse.strikes(page, 'd0');
  report.carry = made;
  await page.close();
}

/** A drone that is only observed: what the page says, and how far it has come. */
async function observe(context) {
  const page = await openPage(context);
  const { position, x, y, scale } = await pressAndHold(page, 'd1');
  const { status } = await hand(page);
  await drag(page, { x, y, scale }, 0, 0.4, 0.5);
  await page.waitForTimeout(500);
  const moved = minus(await placeOf(page, 'd1'), position);
  await page.mouse.up();
  await becomes(page, 'idle');
  report.observe = { status, moved };
  await page.close();
}

/** A drone with a plan is let go: it says that it goes back, and does. */
async function plan(context) {
  const page = await openPage(context);
  const { position, x, y, scale } = await pressAndHold(page, 'd2');
  await drag(page, { x, y, scale }, 0, 0.3, 0.5);
  const moved = minus(await settled(page, 'd2'), position);
  await page.mouse.up();
  await says(page, 'released d2');
  await waits(page, 'it is back', ([name, home]) =>
    Math.hypot(...window.hakoniwa.state().drones[name].position.map((v, k) => v - home[k])) < 0.01, ['d2', position]);
  report.plan = { moved, words: await page.evaluate(() => window.said) };
  await page.close();
}

/** One finger holds and drags; two turn the camera, and no hand comes. */
async function touch(context) {
  const page = await openPage(context);
  const client = await context.newCDPSession(page);
  const send = (type, ...points) => client.send('Input.dispatchTouchEvent', {
    type, touchPoints: points.map(([x, y], id) => ({ x, y, id })),
  });
  const { position, x, y, scale } = await lookAt(page, 'd5');
  const spot = () => mouse.project(page, position);
  const before = await spot();
  await send('touchStart', [x - 60, y], [x + 60, y]);
  for (let k = 1; k <= 10; k += 1) await send('touchMove', [x - 60 - 4 * k, y + 3 * k], [x + 60 + 4 * k, y + 3 * k]);
  const phase = (await hand(page)).phase;
  await send('touchEnd');
  await page.waitForTimeout(400);
  const turned = Math.hypot(...minus(await spot(), before));
  const grown = (await mouse.frameAt(page, position)).scale / scale;
  const seen = await lookAt(page, 'd5');
  await send('touchStart', [seen.x, seen.y]);
  await becomes(page, 'held');
  const held = await settled(page, 'd5');
  for (let k = 1; k <= 20; k += 1) {
    await send('touchMove', [seen.x + 0.015 * k * seen.scale, seen.y]);
    await page.waitForTimeout(20);
  }
  const dragged = minus(await settled(page, 'd5'), held);
  await send('touchEnd');
  await says(page, 'released d5');
  report.touch = { phase, turned, grown, dragged, right: seen.right };
  await page.close();
}

/** Keys alone: choose, hold, move, throw; every control of the page has a name. */
async function keys(context) {
  const page = await openPage(context);
  await lookAt(page, 'd3');
  await page.locator('#view').focus();
  for (let k = 0; k < 4; k += 1) await page.keyboard.press('Tab');
  const chosen = { ...(await hand(page)) };
  await page.keyboard.press('Enter');
  await becomes(page, 'held');
  const held = await settled(page, 'd3');
  const { right } = await mouse.frameAt(page, held);
  await page.keyboard.down('ArrowRight');
  await page.waitForTimeout(700);
  await page.keyboard.up('ArrowRight');
  const moved = minus(await settled(page, 'd3'), held);
  const words = await page.evaluate(() => window.said);
  await track(page, 'd3');
  await page.keyboard.press('t');
  await waits(page, 'd3 is thrown', () => window.flown !== undefined);
  const velocity = await page.evaluate(() => window.flown);
  await page.keyboard.press('Escape');
  await becomes(page, 'idle');
  await page.keyboard.press('Tab');
  const left = await page.evaluate(() => document.activeElement.id !== 'view');
  const unnamed = await page.evaluate(() => [...document.querySelectorAll('button, canvas')]
    .filter((each) => !(each.getAttribute('aria-label') ?? each.textContent).trim()).length);
  const said = [...words, ...await page.evaluate(() => window.said)];
  report.keys = { chosen, moved, right, velocity, left, unnamed, words: said };
  await page.close();
}

/** A gamepad, as the browser would tell of it. */
async function pad(context) {
  const page = await openPage(context, options.address, (made) => made.addInitScript(() => {
    const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
    window.pad = { connected: true, mapping: 'standard', axes: [0, 0, 0, 0], buttons };
    navigator.getGamepads = () => [null, window.pad];
  }));
  const press = (k, pressed) => page.evaluate(([i, on]) => (window.pad.buttons[i].pressed = on), [k, pressed]);
  const chosen = async (name) => {
    for (let k = 0; k < 6 && (await hand(page)).chosen !== name; k += 1) {
      await press(5, true);
      await page.waitForTimeout(100);
      await press(5, false);
      await page.waitForTimeout(100);
    }
  };
  await chosen('d5');
  await lookAt(page, 'd5');
  await press(0, true);
  await becomes(page, 'held');
  const held = await settled(page, 'd5');
  const { right } = await mouse.frameAt(page, held);
  await page.evaluate(() => (window.pad.axes = [0.7, 0, 0, 0]));
  await page.waitForTimeout(600);
  await page.evaluate(() => (window.pad.axes = [0, 0, 0, 0]));
  const moved = minus(await settled(page, 'd5'), held);
  await press(0, false);
  await says(page, 'released d5');
  report.pad = { moved, right };
  await page.close();
}

/** Coarse pictures, and few: without a graphics card the hands of four pages would stand still while they draw. */
const DRAWS_LITTLE = 'quality=low&pixels=0.25&pictures=1';

/** A page as on a machine of its own: it does not lose the focus to the next one. */
const openTab = (context, reset) => openPage(context, `${options.address}?${DRAWS_LITTLE}`, (page) =>
  page.addInitScript(() => {
    for (const type of ['blur', 'visibilitychange']) {
      for (const where of [window, document]) where.addEventListener(type, (e) => e.stopImmediatePropagation(), true);
    }
  }), reset);

/** Four pages and three hands: each has its own, the last is told why it has none, and has one when another leaves. */
async function tabs(context) {
  const drones = ['d0', 'd3', 'd4'];
  const pages = [];
  for (const drone of drones) {
    pages.push(await openTab(context, pages.length === 0));
    await pressUntilHeld(pages.at(-1), drone);
  }
  const late = await openTab(context, false);
  // a page that comes holds up the others for seconds on a starved machine
  for (const [k, page] of pages.entries()) if ((await hand(page)).phase !== 'held') await pressUntilHeld(page, drones[k]);
  const bodies = await Promise.all(pages.map(async (page) => (await hand(page)).body));
  const { x, y } = await lookAt(late, 'd5');
  await late.mouse.move(x, y);
  await late.mouse.down();
  await says(late, 'no hand for this page');
  const words = await late.evaluate(() => window.said);
  await late.mouse.up();
  const phases = await Promise.all(pages.map(async (page) => (await hand(page)).phase));
  const left = bodies[0];
  await pages[0].close();
  await waits(late, `${left} is free`, (name) => window.hakoniwa.state().hand.owners[name] === undefined, left);
  await pressUntilHeld(late, 'd5');
  report.tabs = { bodies, phases, words, left, then: (await hand(late)).body };
  await Promise.all([...pages.slice(1), late].map((page) => page.close()));
}

/** A node without grasp assistance, and a viewer that tells no owners: the hand tries, fails, says so, and is gone. */
async function misses(context) {
  const { scene, starts } = roomOf(3);
  const mock = new MockNode(scene, starts, new URL('../../../dist', import.meta.url).pathname);
  try {
    const page = await openPage(context, await mock.start());
    const { x, y } = await lookAt(page, 'd0');
    await page.mouse.move(x, y);
    await mouse.until(page, 'the distances are shown', () => !document.querySelector('.hand-label').hidden);
    await pictured(page);
    const hover = { label: await page.locator('.hand-label').innerText(), sent: mock.samples.length };
    const picture = await page.screenshot({ path: `${options.out}/hover.png` });
    await page.mouse.move(2, 300);
    await pictured(page);
    const reader = await Reader.open(context);
    hover.changed = await reader.changed(picture, await page.screenshot(), [x, y, 40]);
    await page.mouse.move(x, y);
    await page.mouse.down();
    await says(page, 'could not take hold');
    await becomes(page, 'idle');
    const sent = mock.samples.length;
    await page.waitForTimeout(300);
    report.misses = { hover, words: await page.evaluate(() => window.said), sent, later: mock.samples.length };
    await page.mouse.up();
    await page.close();
  } finally {
    mock.stop();
  }
}

/** What comes of a promise, unless it takes too long. */
async function soon(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not done after ${LIMIT / 1000} s`)), LIMIT);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const PARTS = { carry, observe, plan, touch, keys, pad, tabs, misses };
const { context, close } = await openBrowser(options.chromium, { width: 960, height: 540 });
try {
  for (const part of options.part) {
    const from = performance.now();
    const failed = [];
    while (report[part] === undefined && failed.length < TRIES) {
      await soon(PARTS[part](context), part).catch((error) => failed.push(`${part}: ${error.stack}`));
      // what a part that failed has left open
      const left = Promise.all(context.pages().slice(1).map((page) => page.close()));
      await soon(left, `${part}: its pages close`).catch((error) => failed.push(error.stack));
      process.stderr.write(`${part}: ${failed.length} tries failed ${failed.slice(-1)}\n`);
    }
    if (report[part] === undefined) report.errors.push(...failed);
    report.seconds[part] = (performance.now() - from) / 1000;
    report.lost[part] = failed.map((error) => error.slice(0, 400));
  }
} finally {
  await close();
}
process.stdout.write(JSON.stringify(report));
