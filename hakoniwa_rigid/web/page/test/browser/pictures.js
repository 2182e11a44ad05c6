// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Pictures of static pages, for the documentation: reads a list of shots from the standard input, as JSON.
 *
 *   node pictures.js [--chromium FILE] < shots.json
 *
 * A shot: page (folder), file (PNG), size [width, height], at (s), look {spot, from, radius}, null for all that was
 * flown, or 'first' for what a reader sees who has opened the page; bare (without what is written over the picture);
 * theme (dark or light).  Shots of one page and size follow each other.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { openBrowser } from './chromium.js';

const { values: options } = parseArgs({ options: { chromium: { type: 'string', default: '/usr/bin/chromium' } } });
const shots = JSON.parse(readFileSync(0, 'utf8'));
const BARE = 'header, aside, footer, .timeline { display: none !important; }';
const { context, close } = await openBrowser(options.chromium, { width: 1280, height: 720 });

async function open({ page: folder, size, bare, theme }) {
  const page = await context.newPage();
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize({ width: size[0], height: size[1] });
  await page.goto(`${pathToFileURL(folder).href}/index.html?pixels=2&quality=high`);
  await page.waitForFunction(() => window.player);
  if (bare) await page.addStyleTag({ content: BARE });
  await page.waitForTimeout(1000);   // panels have found their places
  return page;
}

try {
  let page;
  let opened = '';
  for (const shot of shots) {
    if (shot.look === 'first') opened = '';   // nothing has been touched before
    const key = JSON.stringify([shot.page, shot.size, shot.bare, shot.look === null, shot.theme]);
    if (key !== opened) {
      await page?.close();
      page = await open(shot);
      opened = key;
    }
    await page.evaluate(async ({ at, look }) => {
      await window.player.seek(at);
      if (look === 'first') return;
      if (look) await window.player.look(look.spot, look.from, look.radius);
      else await window.player.all();
    }, shot);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: shot.file });
  }
} finally {
  await close();
}
