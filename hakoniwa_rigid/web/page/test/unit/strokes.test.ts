// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { afterEach, expect, test, vi } from 'vitest';

import { Strokes } from '../../src/bench/strokes';
import type { HandPose } from '../../src/hand/sample';
import type { HandSender } from '../../src/hand/sender';
import type { Push, Pushes } from '../../src/pushes';
import type { Store } from '../../src/store';

const HALF = 0.046;

afterEach(() => void vi.useRealTimers());

/** A drone that swings back to y = 1 from where it was pushed, and a picture 60 ms after each contact. */
function room(pushedAtFirst: number) {
  let [pushed, since] = [pushedAtFirst, performance.now()];
  const y = () => 1 + pushed * Math.exp((since - performance.now()) / 100);
  const pushes = { begun: false, last: undefined as Push | undefined };
  let isAway = true;
  const send = (_role: string, pose: HandPose) => {
    const tip = Math.max(...pose.positions.filter((_, k) => k % 3 === 1));
    const touches = tip > y() - HALF;
    if (touches && isAway) {
      [pushed, since] = [0.08, performance.now()];
      pushes.begun = true;
      const total = 60;
      setTimeout(() => Object.assign(pushes, { begun: false, last: { total } }), total);
    }
    isAway = !touches;
  };
  const fleet = { names: ['d'], get positions() { return Float64Array.of(0, y(), 1); } };
  const strokes = new Strokes({ send, release: () => {} } as unknown as HandSender, { fleet } as unknown as Store,
    pushes as unknown as Pushes);
  return { strokes, y };
}

test.each([0, 0.09])('a push takes no longer where the drone swings at the beginning (%d m)', async (pushed) => {
  vi.useFakeTimers();
  const { strokes } = room(pushed);
  const heard: Push[] = [];
  let made: Push[] | undefined;
  void strokes.strike('d', 20, HALF, (push) => heard.push(push)).then((all) => { made = all; });
  await vi.advanceTimersByTimeAsync(1000 + 20 * 1200);
  expect(made).toHaveLength(20);
  expect(heard).toEqual(made);
});
