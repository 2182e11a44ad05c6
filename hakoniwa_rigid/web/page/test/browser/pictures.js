// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Pictures of static pages, for the documentation: reads a list of shots from the standard input, as JSON.
 *
 *   node pictures.js [--chromium FILE] < shots.json
 *
 * A shot: page (folder), file (PNG), size [width, height], at (s), look {spot, from, radius} or null for all that was
 * flown, bare (without what is written over the picture).  Shots of one page and size follow each other.
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { openBrowser } from './chromium.js';

const { values: options } = parseArgs({ options: { chromium: { type: 'string', default: '/usr/bin/chromium' } } });
const shots = JSON.parse(readFileSync(0, 'utf8'));
const BARE = 'header, aside, footer, .timeline { display: none !important; }';
const { context, close } = await openBrowser(options.chromium, { width: 1280, height: 720 });

async function open({ page: folder, size, bare }) {
  const page = await context.newPage();
  await page.setViewportSize({ width: size[0], height: size[1] });
  await page.goto(`${pathToFileURL(folder).href}/index.html?pixels=2`);
  await page.waitForFunction(() => window.player);
  if (bare) await page.addStyleTag({ content: BARE });
  await page.waitForTimeout(1000);   // panels have found their places
  return page;
}

try {
  let page;
  let opened = '';
  for (const shot of shots) {
    const key = JSON.stringify([shot.page, shot.size, shot.bare, shot.look === null]);
    if (key !== opened) {
      await page?.close();
      page = await open(shot);
      opened = key;
    }
    await page.evaluate(({ at, look }) => {
      window.player.seek(at);
      if (look) window.player.look(look.spot, look.from, look.radius);
      else window.player.all();
    }, shot);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.screenshot({ path: shot.file });
  }
} finally {
  await close();
}
