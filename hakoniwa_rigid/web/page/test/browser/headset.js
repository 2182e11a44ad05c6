/** An emulated headset (iwer) with hands: a session, a stroke of the right hand, a pinch that carries the room. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { state, strikes, until } from './mouse.js';

const RUNTIME = join(dirname(createRequire(import.meta.url).resolve('iwer')), '../build/iwer.min.js');

/** Before the page loads: navigator.xr is the emulated headset's, its inputs are hands. */
export async function wearHeadset(page) {
  await page.addInitScript({ content: readFileSync(RUNTIME, 'utf8') });
  await page.addInitScript(() => {
    const device = new window.IWER.XRDevice(window.IWER.metaQuest3);
    device.installRuntime({ forceInstall: true });
    device.primaryInputMode = 'hand';
    window.headset = device;
  });
}

export async function enter(page) {
  await page.getByRole('button', { name: 'Enter AR' }).click();
  await until(page, 'an immersive-ar session', () => window.hakoniwa.state().xr === 'immersive-ar');
}

/** Stands 1 m before a drone, looking at it; the left hand is out of the way. */
export async function standBefore(page, drone) {
  await page.evaluate((name) => {
    const [x, y, z] = window.hakoniwa.inHeadset(window.hakoniwa.state().drones[name].position);
    window.headset.position.set(x, y + 0.1, z + 1.0);
    window.headset.hands.left.position.set(x - 0.8, y - 0.6, z + 0.8);
    window.headset.hands.right.position.set(x + 0.8, y - 0.05, z + 0.05);
  }, drone);
  await page.waitForTimeout(300);
}

/** The right hand moves to the left (-x of WebXR) through a drone, at `speed` m/s, slower where frames are few. */
export async function strike(page, drone, speed = 1.2) {
  const known = (await state(page)).contacts.length;
  const result = await page.evaluate(([name, v]) => new Promise((done) => {
    const { hands } = window.headset;
    const start = window.hakoniwa.state().drones[name].position;
    const [x, y, z] = window.hakoniwa.inHeadset(start);
    let [along, last, moved] = [0.45, performance.now(), 0];
    const step = () => {
      const time = performance.now();
      along -= Math.min((v * (time - last)) / 1000, 0.03);
      last = time;
      hands.right.position.set(x + along, y - 0.05, z + 0.05);
      const now = window.hakoniwa.state().drones[name].position;
      moved = Math.max(moved, Math.hypot(...now.map((s, k) => s - start[k])));
      if (along > -0.35) requestAnimationFrame(step);
      else done({ moved, sent: window.hakoniwa.state().hands.sent });
    };
    step();
  }), [drone, speed]);
  await until(page, 'the contact ends', ([name, n]) => window.hakoniwa.state().contacts.slice(n)
    .some((c) => c.kind === 'DRONE_HAND' && c.bodies.includes(name) && c.phase === 2), [drone, known]);
  return { ...result, contacts: await strikes(page, drone, known) };
}

/** Pinches for longer than a moment, pointing at the floor 2 m ahead, and lets go: where the world's origin is now. */
export async function carryRoom(page) {
  await page.evaluate(() => {
    const { position, hands } = window.headset;
    hands.right.position.set(position.x, 1.2, position.z - 0.3);
    hands.right.quaternion.set(-0.2706, 0, 0, 0.9627);   // half of 31.4 degrees down: 1.97 m at a height of 1.2 m
    hands.right.updatePinchValue(1);
  });
  await page.waitForTimeout(1200);
  await page.evaluate(() => window.headset.hands.right.updatePinchValue(0));
  await page.waitForTimeout(300);
  return page.evaluate(() => ({
    origin: window.hakoniwa.inHeadset([0, 0, 0]),
    ahead: window.hakoniwa.inHeadset([1, 0, 0]),
    viewer: [window.headset.position.x, window.headset.position.y, window.headset.position.z],
  }));
}

export async function leave(page) {
  await page.evaluate(() => window.headset.activeSession.end());
  await until(page, 'the session ends', () => window.hakoniwa.state().xr === 'off');
}
