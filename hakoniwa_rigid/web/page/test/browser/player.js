// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Tries a static page in Chromium and prints what came of it as one JSON object.
 *
 *   node player.js [--chromium FILE] [--out FOLDER] [--text] FOLDER
 *
 * --text: only what a page says that cannot be shown.
 * From the disk (file://) first, then from a host that serves nothing but files.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { openBrowser, Reader } from './chromium.js';

const word = { type: 'string' };
const { values: options, positionals } = parseArgs({ allowPositionals: true, options: {
  chromium: { ...word, default: '/usr/bin/chromium' }, out: { ...word, default: 'out/page' },
  text: { type: 'boolean' },
} });
const folder = resolve(positionals[0]);
const report = { errors: [] };
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 720 };
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
mkdirSync(options.out, { recursive: true });

/** A host of files: the last part of a path is a file of the folder. */
function host() {
  const server = createServer(({ url }, response) => {
    const name = basename(new URL(url, 'http://host').pathname) || 'index.html';
    try {
      const body = readFileSync(`${folder}/${name}`);
      response.writeHead(200, { 'content-type': TYPES[name.split('.').at(-1)] }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

async function openPage(context, address) {
  const page = await context.newPage();
  const from = new URL('.', address).href;
  page.on('pageerror', (error) => report.errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && report.errors.push(message.text()));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(from) && !/^(data|blob):/.test(url)) report.errors.push(`${url}: needed from elsewhere`);
  });
  page.on('requestfailed', (request) => report.errors.push(`${request.url()}: ${request.failure()?.errorText}`));
  await page.goto(address);
  await page.waitForFunction(() => window.player);
  return page;
}

const state = (page) => page.evaluate(() => window.player.state());

/** Everything that a person does: play, draw the slider, choose a contact, press keys. */
async function use(page, reader) {
  report.opened = await state(page);
  report.title = await page.title();
  report.rows = await page.locator('.contacts li').count();
  // a short flight is not to end before it is stopped
  await page.getByRole('combobox', { name: 'speed' }).selectOption('0.1');
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForFunction(() => window.player.state().time > 0.02);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  report.paused = await state(page);
  await page.getByRole('slider', { name: 'time' }).fill('100');   // steps of 10 ms
  report.scrubbed = await state(page);
  report.contacts = await page.evaluate(() => window.player.contacts());
  if (report.contacts.length) await contact(page, reader);
  await page.evaluate(() => document.activeElement.blur());
  report.keys = [];
  for (const key of ['Home', 'ArrowRight', 'Shift+ArrowRight', 'End', 'Home', 'n', 'n', 'p']) {
    await page.keyboard.press(key);
    report.keys.push((await state(page)).time);
  }
  await page.keyboard.press('Home');
  await page.keyboard.press(' ');
  await page.waitForFunction(() => window.player.state().time > 0);
  await page.keyboard.press(' ');
  report.playing = (await state(page)).playing;
}

/** A row leads to its contact: the camera looks there, and it is bright. */
async function contact(page, reader) {
  await page.locator('.contacts li button').first().click();
  const { time } = await state(page);
  const spot = await page.evaluate(() => window.player.project(window.player.contacts()[0].position));
  await page.evaluate(() => window.player.shown());
  const picture = await page.screenshot({ path: `${options.out}/player_contact.png` });
  const { bright } = await reader.box(picture, [...spot, 24], 140);
  report.chosen = { time, bright, spot };
}

/** Boxes of what is written over the picture: none leaves the page, none covers another, no text is cut off. */
async function layout(page, size) {
  await page.setViewportSize(size);
  await page.waitForTimeout(300);
  return page.evaluate(() => {
    const boxes = Object.fromEntries(['header', 'aside', 'footer', '.timeline'].map((name) => {
      const { left, top, right, bottom, width } = document.querySelector(name).getBoundingClientRect();
      return [name, width ? [left, top, right, bottom] : null];
    }));
    const texts = [...document.querySelectorAll('button, .who, h1, h2, output, footer')];
    const cut = texts.filter((e) => e.clientWidth && e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent);
    return { boxes, cut };
  });
}

const { context, close } = await openBrowser(options.chromium, DESKTOP);
const server = await host();
/** What stands there in place of the picture. */
async function text() {
  const page = await context.newPage();
  await page.goto(`${pathToFileURL(folder).href}/index.html`);
  report.text = await page.locator('.failed').innerText();
}

async function everything() {
  const reader = await Reader.open(context);
  const page = await openPage(context, `${pathToFileURL(folder).href}/index.html?pixels=1`);
  await use(page, reader);
  report.desktop = await layout(page, DESKTOP);
  await page.screenshot({ path: `${options.out}/player.png` });
  report.phone = await layout(page, PHONE);
  await page.screenshot({ path: `${options.out}/player_phone.png` });
  await page.close();
  const hosted = await openPage(context, `http://127.0.0.1:${server.address().port}/flights/one/index.html`);
  report.hosted = await state(hosted);
  await hosted.close();
}

try {
  await (options.text ? text() : everything());
} catch (error) {
  report.errors.push(error.stack);
} finally {
  await close();
  server.close();
}
process.stdout.write(JSON.stringify(report));
