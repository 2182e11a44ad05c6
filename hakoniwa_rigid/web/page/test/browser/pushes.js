// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Pushes that are timed: from a sample of a hand that jumps into a drone to a drone that has moved in the page. */
import { frameAt, startBeside, state } from './mouse.js';

/** m: off its place a drone is at rest, and has been moved */
const STILL = 5e-4;
const MOVED = 1e-3;
/** m: steps by which the place of a touch is found */
const STEP = 3e-3;
/** m, of a stroke beyond the touch: a drone that is hit gently is soon back */
const STROKE = 0.012;
/** ms, for a drone or hand to do as it should */
const PATIENCE = 3000;
const MOST_LOST = 4;

/** Waits until a drone has stood still for so many ms, at `home` where it is given. */
export function rest(page, drone, home, span = 50) {
  return page.evaluate(([name, place, least, most, patience]) => new Promise((done, fail) => {
    let since = Infinity;
    let spot = place ?? [Infinity, 0, 0];
    const stop = window.hakoniwa.onFleet((fleet, at) => {
      const i = 3 * fleet.names.indexOf(name);
      if (Math.hypot(...spot.map((s, k) => fleet.positions[i + k] - s)) > most) {
        since = Infinity;
        spot = place ?? Array.from(fleet.positions.slice(i, i + 3));
      } else since = Math.min(since, at);
      if (at - since <= least) return;
      stop();
      done();
    });
    setTimeout(() => {
      stop();
      fail(new Error(`${name} does not come to rest`));
    }, patience);
  }), [drone, home, span, STILL, PATIENCE]);
}

/**
 * Times a push: `stroke` moves a hand that rests close to the drone. ms, from the capture of its first sample that
 * moved: in all, until it was sent, then until the tick, then until the page had the drone moved.
 */
async function timed(page, role, drone, stroke) {
  await page.evaluate(([role, name, moved, least, patience]) => new Promise((ready, fail) => {
    const start = window.hakoniwa.state().drones[name].position;
    let begin;
    let sample;
    let done;
    const stops = [
      window.hakoniwa.onSample((of, { positions }, captured, sent) => {
        if (of !== role) return;
        begin ??= positions.slice(0, 3);
        if (Math.hypot(...begin.map((x, k) => positions[k] - x)) > least) sample ??= { captured, sent };
        ready();
      }),
      window.hakoniwa.onFleet((fleet, at, age) => {
        const i = 3 * fleet.names.indexOf(name);
        if (!sample || Math.hypot(...start.map((s, k) => fleet.positions[i + k] - s)) < moved) return;
        const { captured, sent } = sample;
        end();
        done({ total: at - captured, send: sent - captured, tick: at - age - sent, back: age });
      }),
    ];
    const end = () => stops.forEach((stop) => stop());
    window.push = new Promise((resolve, reject) => {
      done = resolve;
      setTimeout(() => {
        end();
        [fail, reject].forEach((tell) => tell(new Error(`${name} does not move`)));
      }, patience);
    });
  }), [role, drone, MOVED, STILL, PATIENCE]);
  await stroke();
  return page.evaluate(() => window.push);
}

/** Waits until the samples of a hand have shown it still for so many ms. */
function still(page, role, span) {
  return page.evaluate(([role, least, most, patience]) => new Promise((done, fail) => {
    let since = Infinity;
    let spot = [Infinity, 0, 0];
    const stop = window.hakoniwa.onSample((of, { positions }, captured) => {
      if (of !== role) return;
      if (Math.hypot(...spot.map((s, k) => positions[k] - s)) > most) {
        since = captured;
        spot = positions.slice(0, 3);
      }
      if (captured - since <= least) return;
      stop();
      done();
    });
    setTimeout(() => {
      stop();
      fail(new Error('the hand does not stop'));
    }, patience);
  }), [role, span, STILL, PATIENCE]);
}

/** Where the hand touches a drone that is at rest, m along its way: so many m further each time, from `along` on. */
async function touchFrom(page, role, drone, move, along, step) {
  await move(along);
  await still(page, role, 100);
  await rest(page, drone, undefined, 150);   // what came fast may have overshot
  await page.evaluate(([name, moved]) => {
    const start = window.hakoniwa.state().drones[name].position;
    window.touched = false;
    window.stop = window.hakoniwa.onFleet((fleet) => {
      const i = 3 * fleet.names.indexOf(name);
      window.touched ||= Math.hypot(...start.map((s, k) => fleet.positions[i + k] - s)) > moved;
    });
  }, [drone, MOVED]);
  for (let at = along; at < 0.05; at += step) {
    await move(at);
    await still(page, role, 40);
    if (!(await page.evaluate(() => window.touched))) continue;
    await page.evaluate(() => window.stop());
    return at;
  }
  throw new Error(`${drone}: the hand goes through it`);
}

/** Where the hand touches the drone: first roughly, then slowly enough that the touch is seen before the next step. */
async function findTouch(page, role, drone, home, { start, move }) {
  const roughly = await touchFrom(page, role, drone, move, start, 0.02);
  await move(start);
  await rest(page, drone, home, 200);
  return touchFrom(page, role, drone, move, roughly - 0.03, STEP);
}

/** One push, from close by. */
async function push(page, role, drone, home, touch, { move, strike }) {
  await move(touch - 0.06);
  await rest(page, drone, home);
  for (const gap of [0.02, 1.3 * STEP]) {
    await move(touch - gap);
    await still(page, role, 40);
  }
  await rest(page, drone, home);
  return timed(page, role, drone, () => strike(touch));
}

/**
 * Times up to `count` pushes of a role's hand, as many as there is time for, ms.  The hand can `move` to so many m before
 * the drone's middle (< 0), beginning at `start`, and `strike` from close by into the drone.  On a busy machine a push
 * may go wrong: it is `lost`, and the touch is looked for anew.
 */
export async function timePushes(page, role, drone, { count, ms }, hand) {
  const until = performance.now() + ms;
  const taken = [];
  const lost = [];
  let touch;
  await hand.move(hand.start);
  await rest(page, drone, undefined, 500);
  const home = (await state(page)).drones[drone].position;
  while (taken.length < count && (performance.now() < until || taken.length === 0)) {
    try {
      touch ??= await findTouch(page, role, drone, home, hand);
      taken.push(await push(page, role, drone, home, touch, hand));
    } catch (error) {
      if (lost.push(error.message) > MOST_LOST) throw error;
      touch = undefined;
      await hand.move(hand.start);
    }
  }
  return { taken, lost: lost.length };
}

/** Pushes by the mouse's hand, from the left. */
export async function timeMouse(page, drone, most) {
  await rest(page, drone, undefined, 500);
  const { x, y, scale } = await frameAt(page, (await state(page)).drones[drone].position);
  const start = -(await startBeside(page, drone));
  await page.mouse.move(x + start * scale, y);
  await page.mouse.down();
  const move = (along) => page.mouse.move(x + along * scale, y);
  const strike = (touch) => move(touch + STROKE);
  try {
    return await timePushes(page, 'mouse', drone, most, { start, move, strike });
  } finally {
    await page.mouse.up();
  }
}

/** What comes of timing pushes, or why none could be timed: a machine busy with other things loses them all. */
export async function reported(timing) {
  try {
    return summary(await timing);
  } catch (error) {
    return { error: error.message };
  }
}

/** Median and 99th percentile of what was timed, and the medians of its parts, ms. */
function summary({ taken, lost }) {
  const at = (key, share) => {
    const sorted = taken.map((push) => push[key]).sort((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  };
  const parts = Object.fromEntries(['send', 'tick', 'back'].map((key) => [key, at(key, 0.5)]));
  return { pushes: taken.length, lost, median: at('total', 0.5), p99: at('total', 0.99), ...parts };
}
