// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** An emulated headset (iwer) with hands: a session, a stroke of the right hand, a pinch that carries the room. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { state, strikes, until, untilParted } from './mouse.js';
import { timePushes } from './pushes.js';

const RUNTIME = join(dirname(createRequire(import.meta.url).resolve('iwer')), '../build/iwer.min.js');

/**
 * The emulator asks WebGL for the clear values in every frame, and with them waits for the picture before: a headset
 * does not.  Here they are remembered instead.
 */
function rememberClearValues() {
  const gl = WebGL2RenderingContext.prototype;
  const { getParameter } = gl;
  const known = new WeakMap();
  const setters = {
    clearColor: gl.COLOR_CLEAR_VALUE, clearDepth: gl.DEPTH_CLEAR_VALUE, clearStencil: gl.STENCIL_CLEAR_VALUE,
  };
  for (const [name, parameter] of Object.entries(setters)) {
    const set = gl[name];
    gl[name] = function remember(...values) {
      if (!known.has(this)) known.set(this, new Map());
      known.get(this).set(parameter, values.length > 1 ? values : values[0]);
      return set.apply(this, values);
    };
  }
  gl.getParameter = function remembered(parameter) {
    return known.get(this)?.get(parameter) ?? getParameter.call(this, parameter);
  };
}

/** Before the page loads: navigator.xr is the emulated headset's, its inputs are hands. */
export async function wearHeadset(page) {
  await page.addInitScript({ content: readFileSync(RUNTIME, 'utf8') });
  await page.addInitScript(rememberClearValues);
  await page.addInitScript(() => {
    const device = new window.IWER.XRDevice(window.IWER.metaQuest3);
    device.installRuntime({ forceInstall: true });
    device.primaryInputMode = 'hand';
    // A tracker's pose is that of the time it is stamped with: `move` sets the hands at the time, ms, of the frame that
    // reads them next.  The emulator calls its panel at that moment; this one has nothing to show.
    device.installDevUI(class {
      devUICanvas = document.createElement('div');
      devUIContainer = document.createElement('div');
      render(time) { window.tracker.move?.(time); }
    });
    window.tracker = { move: undefined };
    window.headset = device;
  });
}

/** Waits until the page is connected and shows drones. */
export const shown = (page) => until(page, 'the page shows drones', () => {
  const { connected, drones, frames, latency } = window.hakoniwa?.state() ?? { frames: 0 };
  return connected && frames > 5 && Object.keys(drones).length > 0 && latency.roundTrip < Infinity;
});

/** Waits for so many more pictures. */
export const frames = (page, count) => page.evaluate((n) => new Promise((done) => {
  const from = window.hakoniwa.state().frames;
  const look = () => (window.hakoniwa.state().frames >= from + n ? done() : setTimeout(look, 20));
  look();
}), count);

export async function enter(page) {
  await page.getByRole('button', { name: 'Enter AR' }).click();
  await until(page, 'an immersive-ar session', () => window.hakoniwa.state().xr === 'immersive-ar');
}

/** m, beside a drone's middle (to +x of WebXR): where the hand begins; and how far up and back of it the hand passes */
const BESIDE = 0.45;
const OFF = [-0.05, 0.05];
/** m: how far up it goes after a stroke */
const AWAY = 0.4;
/** m, into a drone, in one frame */
const STROKE = 0.03;
/** ms in which the hand's gap to where it is sent falls to 1/e, and m/s at most */
const EASE = 25;
const FASTEST = 0.6;

/** Sends the right hand to so many m before a drone's place (WebXR axes) on its way to the left. */
const reach = (page, [x, y, z], along) => page.evaluate(([goal, ease, fastest]) => {
  const { position } = window.headset.hands.right;
  let last;
  window.tracker.move = (time) => {
    const dt = Math.min(time - (last ?? time), 50);
    last = time;
    const gap = goal.map((g, k) => g - [position.x, position.y, position.z][k]);
    const size = Math.hypot(...gap);
    const share = Math.min(1 - Math.exp(-dt / ease), (fastest * dt) / 1000 / size);
    position.set(...goal.map((g, k) => (size < 1e-4 ? g : g - gap[k] * (1 - share))));
    if (size < 1e-4) window.tracker.move = undefined;
  };
}, [[x - along, y + OFF[0], z + OFF[1]], EASE, FASTEST]);

/** Stands 1 m before a drone, looking at it, the right hand beside it; the left one is out of the way. */
export async function standBefore(page, drone) {
  const spot = await page.evaluate((name) => {
    const [x, y, z] = window.hakoniwa.inHeadset(window.hakoniwa.state().drones[name].position);
    window.headset.position.set(x, y + 0.1, z + 1.0);
    window.headset.hands.left.position.set(x - 0.8, y - 0.6, z + 0.8);
    return [x, y, z];
  }, drone);
  await reach(page, spot, -BESIDE);
  await page.waitForTimeout(1000);
  await until(page, 'the hand is there', () => !window.tracker.move);
  return spot;
}

/** The right hand moves to the left (-x of WebXR) through a drone, at `speed` m/s, slower where frames are few. */
export async function strike(page, drone, speed = 1.2) {
  const known = (await state(page)).contacts.length;
  const result = await page.evaluate(([name, v, from, [up, back], away]) => new Promise((done) => {
    const { hands } = window.headset;
    const start = window.hakoniwa.state().drones[name].position;
    const [x, y, z] = window.hakoniwa.inHeadset(start);
    let [along, last, moved] = [from, undefined, 0];
    const stop = window.hakoniwa.onFleet((fleet) => {
      const i = 3 * fleet.names.indexOf(name);
      moved = Math.max(moved, Math.hypot(...start.map((s, k) => fleet.positions[i + k] - s)));
    });
    window.tracker.move = (time) => {
      along -= Math.min((v * (time - (last ?? time))) / 1000, 0.03);
      last = time;
      hands.right.position.set(x + along, y + up, z + back);
      if (along > -0.35) return;
      // up and away: where frames are few the hand has pushed the drone before it, which would lean on it for ever
      let risen = 0;
      window.tracker.move = (now) => {
        risen += Math.min((v * (now - last)) / 1000, 0.03);
        last = now;
        hands.right.position.set(x + along, y + up + risen, z + back);
        if (risen > away) window.tracker.move = undefined;
      };
      // on a busy machine the states of the stroke come when it is over
      window.struck = () => { stop(); return moved; };
      done({ sent: window.hakoniwa.state().hands.sent });
    };
  }), [drone, speed, BESIDE, OFF, AWAY]);
  await untilParted(page, drone, known);
  return { ...result, moved: await page.evaluate(() => window.struck()), contacts: await strikes(page, drone, known) };
}

/** Times pushes by the right hand: it comes to the drone's place (WebXR axes) from +x, and strikes within a frame. */
export function timeHand(page, drone, most, spot) {
  const move = (along) => reach(page, spot, along);
  const strike = () => page.evaluate((on) => {
    window.tracker.move = undefined;
    window.headset.hands.right.position.x -= on;
  }, STROKE);
  return timePushes(page, 'right', drone, most, { start: -BESIDE, move, strike });
}

/** Waits for so many frames. */
const pass = (page, count) => page.evaluate((frames) => new Promise((done) => {
  const step = () => (frames-- > 0 ? requestAnimationFrame(step) : done());
  step();
}), count);

/** Pinches for longer than a moment, pointing at the floor 2 m ahead, and lets go: where the world's origin is now. */
export async function carryRoom(page) {
  const before = await page.evaluate(() => {
    const origin = window.hakoniwa.inHeadset([0, 0, 0]);
    const { position, hands } = window.headset;
    window.tracker.move = undefined;   // nothing else moves it
    hands.right.position.set(position.x, 1.2, position.z - 0.3);
    hands.right.quaternion.set(-0.2706, 0, 0, 0.9627);   // half of 31.4 degrees down: 1.97 m at a height of 1.2 m
    return origin;
  });
  // a pinch is where the fingers were seen last: no more at the drone that was struck
  await pass(page, 5);
  await page.evaluate(() => window.headset.hands.right.updatePinchValue(1));
  await until(page, 'the room is carried', (from) => {
    const to = window.hakoniwa.inHeadset([0, 0, 0]);
    return Math.hypot(...from.map((x, k) => to[k] - x)) > 0.01;
  }, before);
  await page.evaluate(() => window.headset.hands.right.updatePinchValue(0));
  await pass(page, 20);   // it is anchored where it was let go
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
