// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';

import { NodeClock, WINDOW } from '../../src/maths/clock';

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
    expect(Math.abs(Number(clock.nodeTime(sent) - nodeAt(sent)))).toBeLessThanOrEqual((1e6 * clock.roundTrip) / 2 + 1);
  }
  expect(clock.roundTrip).toBeLessThanOrEqual(shortest + 1e-9);   // ms, rounding
});

test('old round trips are forgotten: the node\'s clock may drift or step', () => {
  const clock = new NodeClock();
  clock.add(0, 1, nodeAt(0.5));
  const stepped = (ms: number) => nodeAt(ms) + 5_000_000n;
  clock.add(WINDOW - 10, WINDOW + 10, stepped(WINDOW));
  expect(clock.roundTrip).toBe(20);
  expect(clock.nodeTime(WINDOW)).toBe(stepped(WINDOW));
});

test('nothing is known before the first answer, or of one that came before it was asked', () => {
  const clock = new NodeClock();
  clock.add(10, 9, nodeAt(9));
  expect(clock.known).toBe(false);
  expect(() => clock.nodeTime(0)).toThrow('no probe');
  expect(clock.age(EPOCH, 0)).toBeNaN();
});
