// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Keys on the picture, once it has the focus.  Tab walks through the bodies as through controls, and leaves after the
 * last one; after Escape it leaves at once.
 */
import type { Steering } from './steering';

/** right, up, nearer; of each key that moves a hand */
const MOVES: Readonly<Record<string, readonly [number, number, number]>> = {
  ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0],
  PageUp: [0, 0, -1], PageDown: [0, 0, 1],
};
/** with Shift a hand goes so much slower */
const SLOW = 0.3;

export class Keys {
  private readonly down = new Set<string>();
  private slow = false;
  private left = false;

  constructor(
    canvas: HTMLElement, private readonly steering: Steering, private readonly busy: () => boolean,
  ) {
    canvas.addEventListener('keydown', (event) => this.press(event));
    canvas.addEventListener('keyup', (event) => this.release(event));
    canvas.addEventListener('blur', () => this.clear());
    canvas.addEventListener('focus', () => (this.left = false));
  }

  /** Of all keys that are down: right, up, nearer. */
  way(): [number, number, number] {
    const way: [number, number, number] = [0, 0, 0];
    for (const key of this.down) MOVES[key]?.forEach((x, k) => (way[k] = way[k]! + x));
    const scale = (this.slow ? SLOW : 1) / Math.max(1, Math.hypot(...way));
    return way.map((x) => x * scale) as [number, number, number];
  }

  private press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    this.slow = event.shiftKey;
    if (this.obey(event)) event.preventDefault();
  }

  /** Whether the key is one of ours. */
  private obey({ key, shiftKey, repeat }: KeyboardEvent): boolean {
    const now = performance.now();
    const { steering } = this;
    if (key === 'Tab') {
      if (this.left || this.busy()) return false;
      return steering.choose(shiftKey ? -1 : 1);
    }
    if (key in MOVES) {
      if (this.busy()) this.down.add(key);
      else if (!repeat) steering.choose(key === 'ArrowLeft' || key === 'ArrowUp' || key === 'PageUp' ? -1 : 1, true);
      return true;
    }
    if (key === 'Enter' || key === ' ') {
      if (!repeat) steering.toggle(now);
      return true;
    }
    if (key === 'Escape') {
      if (this.busy()) steering.letGo(now);
      steering.forget();
      this.left = true;
      return true;
    }
    const letter = key.toLowerCase();
    if (repeat || (letter !== 't' && letter !== 'p')) return false;
    if (letter === 't') steering.throw(now);
    else steering.push(now);
    return true;
  }

  private release({ key, shiftKey }: KeyboardEvent): void {
    this.slow = shiftKey;
    this.down.delete(key);
  }

  /** The picture has lost the focus: no key moves anything any more. */
  private clear(): void {
    this.down.clear();
    this.slow = false;
    if (this.steering.steers) this.steering.letGo(performance.now());
  }
}
