// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Whether the page says what is true of real nodes; prints what came of it as one JSON object.
 *
 *   node truth.js --address URL --node PID --viewer PID [--chromium FILE] [--out FOLDER]
 *
 * The scene is paused in one page and seen paused in others; each of the processes stands still for a while.
 */
import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { openBrowser } from './chromium.js';
import * as mouse from './mouse.js';

const word = { type: 'string' };
const { values: options } = parseArgs({ options: {
  address: word, node: word, viewer: word, chromium: { ...word, default: '/usr/bin/chromium' },
  out: { ...word, default: 'out/page' },
} });
const report = { errors: [], frozen: {} };
const LIVE = 'live';
mkdirSync(options.out, { recursive: true });

async function openPage(context) {
  const page = await context.newPage();
  page.on('pageerror', (error) => report.errors.push(error.message));
  await page.goto(options.address);
  return page;
}

const pill = (page) => page.locator('.pill').innerText();
const says = (page, text) => mouse.until(page, `the page says ${text}`, (wanted) =>
  document.querySelector('.pill')?.textContent.startsWith(wanted), text);
const readings = (page) => page.evaluate(() => Object.fromEntries(
  [...document.querySelectorAll('.readings tr')].map((row) => [...row.cells].map((cell) => cell.textContent))));

/** Paused here, paused there: in a page that comes later, in one that is loaded anew. */
async function pause(context, page) {
  await page.getByRole('button', { name: 'Pause' }).click();
  await says(page, 'paused');
  const late = await openPage(context);
  await says(late, 'paused');
  await late.getByRole('button', { name: 'Resume' }).waitFor();
  report.stepIsOffered = await late.getByRole('button', { name: 'Step' }).isEnabled();
  await page.reload();
  await says(page, 'paused');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  report.reloaded = (await mouse.state(page)).paused;
  await late.getByRole('button', { name: 'Resume' }).click();
  await says(page, LIVE);
  report.resumed = await page.getByRole('button', { name: 'Pause' }).isVisible();
  await late.close();
}

/** A process stands still: what the page says, how soon (ms from the last state), what it still shows. */
async function freeze(page, name, pid) {
  // from a state on: where none comes any more, that is the last one
  await page.evaluate(() => new Promise((done) => {
    window.stop?.();
    window.stop = window.hakoniwa.onFleet((_, at) => {
      window.heard = at;
      done();
    });
  }));
  process.kill(pid, 'SIGSTOP');
  try {
    const after = await page.evaluate(() => new Promise((done) => {
      const look = () => (document.body.dataset.state === 'frozen'
        ? done(performance.now() - window.heard) : setTimeout(look, 10));
      look();
    }));
    const said = await pill(page);
    const heard = await page.evaluate(() => Date.now() - (performance.now() - window.heard));
    await page.waitForTimeout(4500);   // what the viewer reports is shown for 3.5 s
    report.frozen[name] = { after, said, heard, still: await pill(page), shown: await readings(page) };
    await page.screenshot({ path: `${options.out}/frozen_${name}.png` });
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await says(page, LIVE);
  report.frozen[name].then = await pill(page);
}

const { context, close } = await openBrowser(options.chromium, { width: 960, height: 540 });
try {
  const page = await openPage(context);
  await says(page, LIVE);
  await mouse.until(page, 'latencies', () => window.hakoniwa.state().latency.stateAge > 0);
  await mouse.until(page, 'the read-outs', () => !document.querySelector('.readings')?.textContent.includes('NaN')
    && /viewers[0-9]/.test(document.querySelector('.readings')?.textContent));
  report.before = await readings(page);
  await pause(context, page);
  await freeze(page, 'node', Number(options.node));
  await freeze(page, 'viewer', Number(options.viewer));
} catch (error) {
  report.errors.push(error.stack);
} finally {
  await close();
}
process.stdout.write(JSON.stringify(report));
