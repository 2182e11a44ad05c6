// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Three fingers move the view, whatever one finger and two do: the controls of the camera know two at most. */
import type { Stage } from '../view/stage';

const FINGERS = 3;

export function moveByThreeFingers({ canvas, orbit }: Stage): void {
  /** CSS pixels, by pointer */
  const fingers = new Map<number, [number, number]>();
  canvas.addEventListener('pointerdown', ({ pointerType, pointerId, clientX, clientY }) => {
    if (pointerType === 'touch') fingers.set(pointerId, [clientX, clientY]);
  });
  canvas.addEventListener('pointermove', ({ pointerId, clientX, clientY }) => {
    const before = fingers.get(pointerId);
    if (!before) return;
    fingers.set(pointerId, [clientX, clientY]);
    // the spot in their middle stays under them
    if (fingers.size === FINGERS) orbit.pan((clientX - before[0]) / FINGERS, (clientY - before[1]) / FINGERS);
  });
  for (const end of ['pointerup', 'pointercancel'] as const) {
    canvas.addEventListener(end, ({ pointerId }) => void fingers.delete(pointerId));
  }
}
