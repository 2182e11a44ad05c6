// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * What a newcomer sees of the page before a hand is moved; prints what came of it as one JSON object.
 *
 *   node sight.js [--chromium FILE] [--out FOLDER] [--only PART,PART] ROOM.json ...
 *
 * A room: `scene` as of /scene, and `starts` of its drones.  A stand-in shows them, where drones stand still.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

import { openBrowser, Reader } from './chromium.js';
import { MockNode } from './mock_node.js';
import { roomOf } from './mock_world.js';
import { state, until } from './mouse.js';

const word = { type: 'string' };
const { values: options, positionals } = parseArgs({ allowPositionals: true, options: {
  chromium: { ...word, default: '/usr/bin/chromium' }, out: { ...word, default: 'out/page' }, only: word,
} });
const report = { errors: [], seconds: {} };
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const built = new URL('../../../dist', import.meta.url).pathname;
const QUICK = '?pixels=0.5&quality=low';   // what is looked at is where things are, not how they look
mkdirSync(options.out, { recursive: true });

const rooms = Object.fromEntries(positionals.map((file) =>
  [basename(file, '.json'), JSON.parse(readFileSync(file, 'utf8'))]));

/** A page of a stand-in of a room; `media`: what the reader's system asks for. */
async function open(context, { scene, starts }, size, { query = QUICK, media = {}, script } = {}) {
  const mock = new MockNode(scene, starts, built);
  const address = await mock.start();
  const page = await context.newPage();
  page.on('pageerror', (error) => report.errors.push(error.message));
  await page.setViewportSize(size);
  await page.emulateMedia(media);
  if (script) await page.addInitScript(script);
  await page.goto(address + query);
  await until(page, 'the page shows drones', () => {
    const { frames, drones, latency } = window.hakoniwa?.state() ?? { frames: 0 };
    const { framed } = window.hakoniwa?.state() ?? {};
    return frames > 3 && Object.keys(drones).length > 0 && latency.roundTrip < Infinity && framed.length > 0;
  });
  const close = async () => {
    await page.close();
    mock.stop();
  };
  return { page, mock, close };
}

/** Of each framed drone, how wide its collision shape is on the page, as a share of the page; labels; the camera. */
function look(page) {
  return page.evaluate(() => {
    const { framed, drones, tier } = window.hakoniwa.state();
    const models = Object.fromEntries(window.hakoniwa.scene().drones.map((drone) => [drone.name, drone]));
    const share = (name) => {
      const [x, y, z] = drones[name].position;
      const half = Math.max(...models[name].parts.flatMap(({ size = [0, 0], radius = 0, pose }) => [0, 1].map((k) =>
        Math.abs(pose.position[k]) + size[k] / 2 + radius)));
      // across the line of sight: the widest of all level directions
      const widths = Array.from({ length: 18 }, (_, k) => (k * Math.PI) / 18).map((a) => {
        const [dx, dy] = [half * Math.cos(a), half * Math.sin(a)];
        const [p, q] = [[x + dx, y + dy, z], [x - dx, y - dy, z]].map((spot) => window.hakoniwa.project(spot));
        return Math.hypot(p[0] - q[0], p[1] - q[1]);
      });
      return Math.max(...widths) / innerWidth;
    };
    const panel = document.querySelector('aside').getBoundingClientRect();
    return {
      framed, tier, shares: framed.map(share),
      spots: framed.map((name) => window.hakoniwa.project(drones[name].position)),
      labels: window.hakoniwa.labels(), page: [innerWidth, innerHeight], panel: [panel.left, panel.top],
      origin: window.hakoniwa.project([0, 0, 0]),
    };
  });
}

/** The first look at every room, on a desk and on a telephone. */
async function first(context) {
  report.first = {};
  for (const [name, room] of Object.entries({ ...rooms, fleet: roomOf(50) })) {
    for (const [size, box] of Object.entries(SIZES)) {
      const { page, close } = await open(context, room, box);
      report.first[`${name} ${size}`] = await look(page);
      await close();
    }
  }
}

/** Before any state: what was asked for, the floor's colour, the page's own; s until then, which are not judged. */
async function lit(context) {
  const reader = await Reader.open(context);
  const { scene, starts } = roomOf(6);
  const mock = new MockNode(scene, starts, built);
  mock.paused = true;     // no states
  const address = await mock.start();
  const page = await context.newPage();
  const asked = [];
  page.on('request', (request) => request.url().startsWith('http') && asked.push(new URL(request.url()).pathname));
  await page.goto(address);
  const from = await until(page, 'the scene', () => window.hakoniwa?.scene() && window.hakoniwa.state());
  await until(page, 'a picture of it', (n) => window.hakoniwa.state().frames > n + 1, (await from.jsonValue()).frames);
  const seconds = await page.evaluate(() => performance.now() / 1000);
  const { width, height } = SIZES.desktop;
  const picture = await page.screenshot({ path: `${options.out}/lit.png` });
  const { mean } = await reader.box(picture, [width / 3, 0.8 * height, 30]);
  const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const { drones } = await state(page);
  report.lit = { asked, floor: mean, ground: ground.match(/\d+/g).map(Number), seconds, drones };
  await page.close();
  await reader.page.close();
  mock.stop();
}

/** The camera goes round until the first input, and never where less motion is wanted. */
async function orbit(context) {
  const { page, close } = await open(context, roomOf(6), SIZES.desktop);
  const origin = () => page.evaluate(() => window.hakoniwa.project([0, 0, 0]));
  const moves = async () => {
    const from = await origin();
    const frames = (await state(page)).frames;
    await until(page, 'pictures are drawn', (n) => window.hakoniwa.state().frames > n + 4, frames);
    const to = await origin();
    return Math.hypot(to[0] - from[0], to[1] - from[1]);
  };
  const before = await moves();
  await page.mouse.move(300, 400);
  const hovered = await moves();
  await page.mouse.wheel(0, 1);
  await page.waitForTimeout(1500);   // what the wheel began has come to rest
  const after = await moves();
  await close();
  const calm = await open(context, roomOf(6), SIZES.desktop, { media: { reducedMotion: 'reduce' } });
  const from = await calm.page.evaluate(() => window.hakoniwa.project([0, 0, 0]));
  await calm.page.waitForTimeout(1200);
  const to = await calm.page.evaluate(() => window.hakoniwa.project([0, 0, 0]));
  report.orbit = { before, hovered, after, calm: Math.hypot(to[0] - from[0], to[1] - from[1]),
    calmShares: (await look(calm.page)).shares };
  await calm.close();
}

/** As the system has it; the other at a click; remembered. */
async function theme(context) {
  const now = (page) => page.evaluate(() => [document.documentElement.dataset.theme,
    getComputedStyle(document.documentElement).backgroundColor]);
  const { page, close } = await open(context, roomOf(2), SIZES.desktop, { media: { colorScheme: 'light' } });
  const light = await now(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await until(page, 'the page is dark', () => document.documentElement.dataset.theme === 'dark');
  const dark = await now(page);
  await page.getByRole('button', { name: 'Light' }).click();
  const chosen = await now(page);
  await page.reload();
  await page.waitForFunction(() => window.hakoniwa);
  const kept = await now(page);
  await page.getByRole('button', { name: 'Dark' }).waitFor();
  await page.evaluate(() => localStorage.clear());
  report.theme = { light, dark, chosen, kept };
  await close();
}

/** A hand of the node's strikes the first drone at so many m/s, from the side of -x. */
async function strike(mock, page, speed = 1.5) {
  const { position } = mock.physics.drones[0];
  const [x, y, z] = position;
  const known = (await state(page)).contacts.length;
  const begin = performance.now();
  while (performance.now() - begin < 450) {
    const t = (performance.now() - begin) / 1000;
    const at = [x - 0.4 + speed * t, y, z];
    mock.physics.feed('left', Array.from({ length: 25 }, () => at), performance.now() / 1000);
    await new Promise((done) => setTimeout(done, 8));
  }
  await until(page, 'the contact has come', (n) => window.hakoniwa.state().contacts.length > n, known);
}

/** Seen again on demand: slowly, at any time of it; states come meanwhile, and the live view goes on. */
async function replay(context) {
  const { page, mock, close } = await open(context, roomOf(2), SIZES.desktop, { media: { reducedMotion: 'reduce' } });
  await page.waitForTimeout(1000);
  await strike(mock, page);
  const impact = (await state(page)).contacts.find(({ phase }) => phase === 0);
  await page.getByRole('button', { name: 'Replay' }).click();
  await until(page, 'the replay goes on', () => window.hakoniwa.state().replay[0] > 0);
  const words = await page.locator('.replay').innerText();
  await page.locator('.replay').getByRole('button', { name: 'Pause', exact: true }).click();
  const duration = (await state(page)).replay[1];
  const slider = page.locator('.replay').getByRole('slider', { name: 'time' });
  const shown = [];
  for (let step = 0; step <= 20; step += 1) {
    await slider.fill(String(Math.floor((100 * duration * step) / 20)));
    const { replay: [time], shown: places } = await state(page);
    shown.push([time, places.d0]);
  }
  await page.screenshot({ path: `${options.out}/replay.png` });
  const live = (await state(page)).drones.d0.position;
  const states = await page.evaluate(() => new Promise((done) => {
    const stop = window.hakoniwa.onFleet(() => done(true) || stop());
  }));
  await page.getByRole('button', { name: 'Live' }).click();
  await until(page, 'the live view goes on', () => Number.isNaN(window.hakoniwa.state().replay[0]));
  report.replay = { duration, shown, live, states, words, impact, plan: mock.physics.drones[0].plan,
    marked: await page.evaluate(() => document.body.dataset.replay ?? '') };
  await close();
}

/** Where nothing moves and the page is not touched, the last collision is shown by itself, and said to be one. */
async function byItself(context) {
  const { page, mock, close } = await open(context, roomOf(2), SIZES.desktop);
  const early = (await state(page)).replay[1];
  await strike(mock, page);
  await until(page, 'it begins', () => window.hakoniwa.state().replay[0] > 0);
  const words = await page.locator('.replay').innerText();
  const marked = await page.evaluate(() => document.body.dataset.replay);
  await page.mouse.wheel(0, 1);
  await until(page, 'an input ends it', () => Number.isNaN(window.hakoniwa.state().replay[0]));
  report.byItself = { early: Number.isNaN(early), words, marked };
  await close();
}

/** Drones that are stale or refused say why, beside them and in the panel; who else publishes is not heard. */
async function trouble(context) {
  const { page, mock, close } = await open(context, roomOf(6), SIZES.desktop);
  await page.getByRole('button', { name: 'View all' }).click();
  mock.flags.set('d2', 4);
  const values = [{ key: 'clearance [m]', value: '0.2500' }, { key: 'nearest', value: 'table' }];
  const status = [
    { level: 1, name: 'collision: drone d1', message: 'refused or corrected: not finite: nan', values },
    { level: 3, name: 'x: drone <b>none</b>', message: 'is not of this scene', values: [] },
    { level: 2, name: 'something else', message: 'is not a drone', values: [] },
  ];
  mock.publish('/diagnostics', { status });
  await page.locator('.trouble').nth(1).waitFor();
  await until(page, 'labels say it', () =>
    window.hakoniwa.labels().filter(({ text }) => text.includes(':')).length > 1);
  report.trouble = { panel: await page.locator('.trouble').allInnerTexts(), labels: (await look(page)).labels,
    known: await page.evaluate(() => window.hakoniwa.reports()) };
  await until(page, 'read-outs say it', () => document.querySelector('.readings').textContent.includes('closest'));
  report.trouble.closest = await page.locator('.readings').innerText();
  await page.screenshot({ path: `${options.out}/trouble.png` });
  await close();
}

/** Contacts are heard after a gesture, by the materials that met; not where they are muted. */
async function sound(context) {
  const script = () => {
    window.tones = [];
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function play(...when) {
      window.tones.push(this.frequency.value);
      return start.apply(this, when);
    };
  };
  const { page, mock, close } = await open(context, roomOf(2), SIZES.desktop, { script });
  const tones = () => page.evaluate(() => window.tones.splice(0));
  await strike(mock, page);
  const before = await tones();
  await page.mouse.wheel(0, 1);
  await page.mouse.click(20, 400);
  await page.waitForTimeout(600);
  await strike(mock, page);
  const after = await tones();
  await page.getByRole('button', { name: 'Sound' }).click();
  await page.waitForTimeout(600);
  await strike(mock, page);
  const muted = await tones();
  await page.reload();
  await page.waitForFunction(() => window.hakoniwa);
  const kept = await page.getByRole('button', { name: 'Sound' }).getAttribute('aria-pressed');
  await page.evaluate(() => localStorage.clear());
  report.sound = { before, after, muted, kept };
  await close();
}

/** Of every picture while a busy machine makes them cheaper: the tier, and the share of bright pixels at a drone. */
async function slower(context) {
  const { page, close } = await open(context, roomOf(2), SIZES.desktop,
    { query: '?pixels=0.5', media: { reducedMotion: 'reduce' } });
  report.slower = await page.evaluate(async () => {
    const canvas = document.querySelector('canvas');
    const { drones, framed, frames: first } = window.hakoniwa.state();
    const [x, y] = window.hakoniwa.project(drones[framed[0]].position).map((at) => Math.round(at / 2));
    const half = 10;
    const share = () => {
      const { data } = canvas.getContext('2d').getImageData(x - half, y - half, 2 * half, 2 * half);
      return Array.from({ length: 4 * half * half }, (_, i) => Math.max(...data.slice(4 * i, 4 * i + 3)) > 110)
        .filter(Boolean).length / (4 * half * half);
    };
    const pictures = [];
    let seen = first;
    const end = performance.now() + 60_000;
    while (performance.now() < end) {
      const { frames, tier } = window.hakoniwa.state();
      if (frames > seen) pictures.push([tier, share()]);
      // the first of the cheapest and some more
      if (pictures.filter(([name]) => name === 'low').length > 3) break;
      seen = frames;
      const busy = performance.now() + 200;
      while (performance.now() < busy);
      await new Promise((done) => setTimeout(done, 10));
    }
    return pictures;
  });
  await close();
}

/** ms that a picture costs in each tier, here. */
async function cost(context) {
  report.cost = {};
  for (const quality of ['low', 'middle', 'high']) {
    const { page, close } = await open(context, roomOf(6), SIZES.desktop, { query: `?pixels=1&quality=${quality}` });
    await page.waitForTimeout(1500);
    report.cost[quality] = await page.evaluate(() => window.hakoniwa.cost(9));
    report.cost[`${quality} tier`] = (await state(page)).tier;
    await page.screenshot({ path: `${options.out}/tier_${quality}.png` });
    await close();
  }
}

const PARTS = { lit, first, orbit, theme, replay, byItself, trouble, sound, slower, cost };
const wanted = options.only ? options.only.split(',') : Object.keys(PARTS).filter((name) => name !== 'cost');
const { context, close } = await openBrowser(options.chromium, SIZES.desktop);
try {
  for (const name of wanted) {
    const from = performance.now();
    try {
      await PARTS[name](context);
    } catch (error) {
      report.errors.push(`${name}: ${error.stack}`);
    }
    report.seconds[name] = (performance.now() - from) / 1000;
  }
} finally {
  await close();
}
process.stdout.write(JSON.stringify(report, (_, value) => (typeof value === 'bigint' ? value.toString() : value)));
