// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';

import { NodeClock, SLEW, STEP, WINDOW } from '../../src/maths/clock';

const EPOCH = 1_700_000_000_000_000_000n;   // ns, the node's time at 0 of the page
const nodeAt = (ms: number) => EPOCH + BigInt(Math.round(ms * 1e6));

test('an even round trip tells the offset exactly', () => {
  const clock = new NodeClock();
  clock.add(100, 104, nodeAt(102));
  expect(clock.nodeTime(250.5)).toBe(nodeAt(250.5));
  expect(clock.roundTrip).toBe(4);
  expect(clock.age(nodeAt(200), 212.25)).toBeCloseTo(12.25, 9);
});

test('the error is at most half of the shortest round trip, whatever the network does', () => {
  const clock = new NodeClock();
  let random = 1;
  const delay = () => ((random = (random * 48_271) % 2_147_483_647) / 2_147_483_647) * 40;
  let shortest = Infinity;
  for (let i = 0; i < 200; i += 1) {
    const [there, back] = [delay(), delay()];
    const sent = 100 * i;
    clock.add(sent, sent + there + back, nodeAt(sent + there));
    if (i >= 200 - WINDOW / 100) shortest = Math.min(shortest, there + back);
    const slewed = sent + 80 + 40 / SLEW;   // at most 40 ms were wrong
    const error = clock.age(nodeAt(slewed), slewed);   // a look ahead, no stamp
    expect(Math.abs(error)).toBeLessThanOrEqual(clock.roundTrip / 2 + 1e-6);
  }
  expect(clock.roundTrip).toBeLessThanOrEqual(shortest + 1e-9);   // ms, rounding
});

test('old round trips are forgotten: the node\'s clock may drift or step', () => {
  const clock = new NodeClock();
  clock.add(0, 1, nodeAt(0.5));
  const stepped = (ms: number) => nodeAt(ms) + 5_000_000n;
  clock.add(WINDOW - 10, WINDOW + 10, stepped(WINDOW));
  expect(clock.roundTrip).toBe(20);
  const slewed = WINDOW + 10 + 5 / SLEW;
  expect(clock.nodeTime(slewed)).toBe(stepped(slewed));
});

test('a correction never makes a stamp jump or go back: a hand in motion would', () => {
  const clock = new NodeClock();
  const late = 90;   // ms, of the first answer: a page that is busy with its start
  clock.add(0, late, nodeAt(0));   // believes to be 45 ms earlier than it is
  let last = clock.nodeTime(late);
  for (let ms = late + 10; ms < 2500; ms += 10) {
    if (ms === 200) clock.add(198, 200, nodeAt(199));
    if (ms === 1500) clock.add(1499, 1499.5, nodeAt(1499.25) - 400_000n);   // and back a little
    const now = clock.nodeTime(ms);
    expect(Math.abs(Number(now - last) - 1e7)).toBeLessThanOrEqual(SLEW * 1e7 + 1);
    last = now;
  }
  expect(last).toBe(nodeAt(2490) - 400_000n);
});

test.each([0, 20, 50])('nor do stamps that are asked for %i ms ahead of the answers', (ahead) => {
  const clock = new NodeClock();
  let random = 7;
  const uniform = () => (random = (random * 48_271) % 2_147_483_647) / 2_147_483_647;
  clock.add(0, 60, nodeAt(0));
  let last = { ms: 0, stamp: 0n };
  for (let now = 61, answer = 70; now < 20_000; now += 11) {
    while (answer < now) {   // rare and ever shorter trips, uneven by up to their length
      const length = 60 / (1 + answer / 500);
      clock.add(answer - length, answer, nodeAt(answer - length * uniform()));
      answer += 100 + 300 * uniform();
    }
    const ms = now + ahead;
    const stamp = clock.nodeTime(ms);
    if (last.ms > 0) {
      const [step, even] = [Number(stamp - last.stamp), 1e6 * (ms - last.ms)];
      expect(Math.abs(step - even)).toBeLessThanOrEqual(SLEW * even + 2);   // ns, rounding
    }
    last = { ms, stamp };
  }
  expect(Math.abs(clock.age(nodeAt(last.ms), last.ms))).toBeLessThanOrEqual(clock.roundTrip / 2 + 0.01);
});

test('after a new connection corrections begin at the answer again, whatever was asked for before', () => {
  const clock = new NodeClock();
  clock.add(0, 2, nodeAt(1));
  clock.nodeTime(5000);
  clock.clear();
  clock.add(100, 110, nodeAt(100));   // 5 ms early
  clock.add(200, 200, nodeAt(200));
  expect(clock.nodeTime(200 + 5 / SLEW)).toBe(nodeAt(200 + 5 / SLEW));
});

test('what no network explains is a step of the node\'s clock, and taken at once', () => {
  const clock = new NodeClock();
  clock.add(0, 2, nodeAt(1));
  const stepped = (ms: number) => nodeAt(ms) - BigInt(2e6 * STEP);
  clock.add(100, 101, stepped(100.5));
  expect(clock.nodeTime(101)).toBe(stepped(101));
});

test('nothing is known before the first answer, or of one that came before it was asked', () => {
  const clock = new NodeClock();
  clock.add(10, 9, nodeAt(9));
  expect(clock.known).toBe(false);
  expect(() => clock.nodeTime(0)).toThrow('no probe');
  expect(clock.age(EPOCH, 0)).toBeNaN();
});
