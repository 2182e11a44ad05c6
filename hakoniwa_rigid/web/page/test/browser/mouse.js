// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The mouse's hand at work: a stroke through a drone, and quick pushes that are timed. */

export const state = (page) => page.evaluate(() => window.hakoniwa.state());
export const project = (page, spot) => page.evaluate((s) => window.hakoniwa.project(s), spot);
const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

/** m, between a drone and where the hand for it is taken, to its left */
const ROOM = 0.25;

/** m to the left of a drone's middle where the hand for it is taken, free of it at any yaw. */
export async function startBeside(page, name) {
  const scene = await page.evaluate(() => window.hakoniwa.scene());
  const { parts } = scene.drones.find((drone) => drone.name === name);
  const reach = ({ size, radius }) => (size ? Math.hypot(size[0], size[1]) / 2 : radius ?? 0.3);
  return ROOM + Math.max(...parts.map(reach));
}

/** A drone that stands still and is the nearest on the page to where the hand for it is taken. */
export async function pushable(page) {
  const before = (await state(page)).drones;
  await page.waitForTimeout(250);
  const after = (await state(page)).drones;
  const gap = (name) => distance(before[name].position, after[name].position);
  const names = Object.keys(before).sort((a, b) => gap(a) - gap(b));
  const spots = Object.fromEntries(await Promise.all(names.map(async (name) =>
    [name, await project(page, after[name].position)])));
  for (const name of names) {
    const { x, y, scale } = await frameAt(page, after[name].position);
    const start = [x - (await startBeside(page, name)) * scale, y];
    const nearest = names.reduce((a, b) => (distance(spots[a], start) <= distance(spots[b], start) ? a : b));
    if (nearest === name) return name;
  }
  throw new Error('no drone has room for a hand beside it');
}

/** Of the place of a drone: its spot on the page, pixels per metre to the right, and that direction in the world. */
export async function frameAt(page, position) {
  const [x, y] = await project(page, position);
  const sideways = (a) => [0.1 * Math.cos(a), 0.1 * Math.sin(a), 0].map((d, k) => position[k] + d);
  // the level direction that moves most to the right on the page
  const angles = Array.from({ length: 36 }, (_, i) => (i * Math.PI) / 18);
  const shifts = await Promise.all(angles.map(async (a) => (await project(page, sideways(a)))[0] - x));
  const best = shifts.indexOf(Math.max(...shifts));
  return { x, y, scale: shifts[best] / 0.1, right: [Math.cos(angles[best]), Math.sin(angles[best]), 0] };
}

/** Contacts between a hand and a drone that began since `known` events: impulses as they act on the drone, N s. */
export async function strikes(page, drone, known = 0) {
  const contacts = (await state(page)).contacts.slice(known);
  const begun = contacts.filter(({ phase }) => phase === 0).map(({ id }) => id);
  return contacts.filter(({ id, kind, bodies }) => kind === 'DRONE_HAND' && bodies.includes(drone) && begun.includes(id))
    .map((c) => ({ ...c, onDrone: c.impulse.map((x) => (c.bodies[1] === drone ? x : -x)) }));
}

/** Waits until a page function is true of its argument; a handle of what it returned. Or says what did not happen. */
export async function until(page, what, test, argument, timeout = 120_000) {
  return page.waitForFunction(test, argument, { timeout, polling: 20 }).catch(() => {
    throw new Error(`${what}: did not happen within ${timeout} ms`);
  });
}

/** Waits for the end of the first contact of a hand and a drone that began since `known` events; others may go on. */
export const untilParted = (page, drone, known) => until(page, 'the first contact ends', ([name, n]) => {
  const theirs = window.hakoniwa.state().contacts.slice(n)
    .filter((c) => c.kind === 'DRONE_HAND' && c.bodies.includes(name));
  const first = theirs.find((c) => c.phase === 0)?.id;
  return theirs.some((c) => c.id === first && c.phase === 2);
}, [drone, known]).catch(async (error) => {
  const { contacts, drones } = await state(page);
  const events = contacts.slice(known).map(({ id, phase, kind, bodies }) => [id, phase, kind, ...bodies]);
  throw new Error(`${error.message}: ${JSON.stringify([drones[drone].position, events.length, events.slice(-8)])}`);
});

/** Drags the hand from the left into a drone, at `speed` m/s; how far it came, m, and the contacts until the first `ends`. */
export async function strokeThrough(page, drone, { speed = 1.2, ends = true } = {}) {
  const { position } = (await state(page)).drones[drone];
  const known = (await state(page)).contacts.length;
  const { x, y, scale, right } = await frameAt(page, position);
  await page.evaluate((name) => {
    const start = window.hakoniwa.state().drones[name].position;
    window.farthest = 0;
    window.stop = window.hakoniwa.onFleet((fleet) => {
      const i = 3 * fleet.names.indexOf(name);
      const gap = Math.hypot(...start.map((s, k) => fleet.positions[i + k] - s));
      window.farthest = Math.max(window.farthest, gap);
    });
  }, drone);
  const [from, to, most] = [-(await startBeside(page, drone)), 0.03, 0.04];   // m: begin, end, most per event
  await page.mouse.move(x + from * scale, y);
  await page.mouse.down();
  await page.waitForTimeout(150);
  const begin = performance.now();
  for (let along = from; along < to;) {
    along = Math.min(to, along + most, from + (speed * (performance.now() - begin)) / 1000);
    await page.mouse.move(x + along * scale, y);
  }
  await until(page, `${drone} is pushed`, () => window.farthest > 0.02);
  const picture = await page.screenshot();
  await page.mouse.up();
  if (ends) await untilParted(page, drone, known);
  const moved = await page.evaluate(() => {
    window.stop();
    return window.farthest;
  });
  return { moved, right, picture, contacts: await strikes(page, drone, known) };
}
