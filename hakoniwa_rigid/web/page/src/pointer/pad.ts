// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A gamepad of the standard layout: bumpers choose, A holds while it is down, sticks move, X throws, Y pushes. */
import type { Steering } from './steering';

/** pads that are looked at; share of a stick's way that is rest */
const MOST = 4;
const DEAD = 0.15;
/** the standard layout's numbers */
const [A, X, Y, LEFT, RIGHT, DPAD_LEFT, DPAD_RIGHT] = [0, 2, 3, 4, 5, 14, 15];

function beyondRest(value: number): number {
  const size = Math.abs(value);
  return size < DEAD ? 0 : (Math.sign(value) * Math.min(1, size - DEAD)) / (1 - DEAD);
}

export class Pad {
  private before: readonly boolean[] = [];

  constructor(private readonly steering: Steering, private readonly busy: () => boolean) {}

  /** Reads the first pad there is; right, up, nearer. */
  read(now: number): [number, number, number] {
    const pads = navigator.getGamepads?.() ?? [];
    const pad = pads.slice(0, MOST).find((each) => each?.connected && each.mapping === 'standard');
    if (!pad) return [0, 0, 0];
    const down = pad.buttons.map(({ pressed }) => pressed);
    const pressed = (k: number) => Boolean(down[k]) && !this.before[k];
    const { steering } = this;
    if (!this.busy()) {
      if (pressed(LEFT) || pressed(DPAD_LEFT)) steering.choose(-1, true);
      if (pressed(RIGHT) || pressed(DPAD_RIGHT)) steering.choose(1, true);
      if (pressed(A)) steering.toggle(now);
      if (pressed(Y)) steering.push(now);
    } else if (pressed(X)) steering.throw(now);
    else if (pressed(Y) || (this.before[A] && !down[A])) steering.letGo(now);
    this.before = down;
    const [x = 0, y = 0, , z = 0] = pad.axes.map(beyondRest);
    return [x, -y, z];
  }
}
