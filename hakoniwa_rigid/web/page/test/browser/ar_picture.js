// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * A picture of what a user of a headset sees, by the emulated one: the room before them, the wrist menu, a hand that
 * takes a drone.  What the headset's cameras would show behind it is plain grey.
 *
 *   node ar_picture.js [--chromium FILE] --out FILE.png ROOM.json
 *
 * A room: `scene` as of /scene, and `starts` of its drones.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { openBrowser } from './chromium.js';
import { enter, frames, shown, wearHeadset } from './headset.js';
import { MockNode } from './mock_node.js';
import { until } from './mouse.js';

const word = { type: 'string' };
const { values: options, positionals } = parseArgs({ allowPositionals: true, options: {
  chromium: { ...word, default: '/usr/bin/chromium' }, out: { ...word, default: 'out/ar.png' },
} });
const SIZE = { width: 1280, height: 720 };   // the horizon of WORN belongs to it
const CLIP = { x: 140, y: 70, width: 1000, height: 620 };
// a headset shows nothing of the page but what is drawn in the room
const WORN = `#view, #panel { display: none !important; }
  html, body { background: linear-gradient(#8b929b 0 37.8%, #6d6a66 37.8%) !important; }`;
const { scene, starts } = JSON.parse(readFileSync(positionals[0], 'utf8'));
const mock = new MockNode(scene, starts, new URL('../../../dist', import.meta.url).pathname);
const { context, close } = await openBrowser(options.chromium, SIZE);

try {
  const page = await context.newPage();
  await wearHeadset(page);
  await page.setViewportSize(SIZE);
  await page.goto(await mock.start());
  await shown(page);
  await page.evaluate(() => {
    const { headset } = window;
    headset.position.set(0, 1.6, 0);
    headset.quaternion.set(-Math.sin(0.16), 0, 0, Math.cos(0.16));
    headset.hands.left.position.set(-0.2, 0.7, 0);
    headset.hands.right.position.set(0.4, 0.7, 0);
  });
  await enter(page);
  await page.addStyleTag({ content: WORN });
  await until(page, 'the room is before the user', () => window.hakoniwa.headset().step === 'place');
  await page.evaluate(() => {
    const { position, hands: { left, right } } = window.headset;
    position.z += 0.25;
    // fingers up, the palm towards the eyes: the menu; the other hand behind the nearest drone
    left.quaternion.set(0, Math.SQRT1_2, -Math.SQRT1_2, 0);
    left.position.set(-0.42, 1.36, -0.33);
    const [x, y, z] = window.hakoniwa.inHeadset(window.hakoniwa.state().drones.d0.position);
    right.quaternion.set(0, 0, 0, 1);
    right.position.set(x + 0.22, y - 0.04, z + 0.38);
  });
  await until(page, 'the menu opens', () => window.hakoniwa.headset().menu === 'left');
  await frames(page, 6);
  await page.screenshot({ path: options.out, clip: CLIP });
} finally {
  await close();
  mock.stop();
}
