// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A menu beside a wrist whose palm faces the user; the other index finger presses its buttons. World axes, m. */
import { Group, Matrix4, Quaternion, Vector3 } from 'three';

import type { Side } from '../hand/open_hand';
import { Card } from './card';
import { PalmWatch, type Eyes, type Palm, facing } from './palm';

export interface Choice {
  name: string;
  /** what is written now, and whether it is a switch that is on */
  label(): string;
  lit?(): boolean;
  press(): void;
}

/** m: of a button, of the gap between two; from the palm to the menu's middle */
const WIDTH = 0.07;
const HEIGHT = 0.038;
const GAP = 0.008;
const BESIDE = 0.15;
const COLUMNS = 2;
/** m before a button at which a finger that comes presses it, must have been before, and is too deep for one */
const PRESSED = 0.008;
const READY = 0.02;
const THROUGH = -0.06;
/** ms between two presses */
const PAUSE = 400;
const UP = new Vector3(0, 0, 1);

export class WristMenu {
  readonly group = new Group();
  side: Side | undefined;
  private readonly buttons: { choice: Choice; card: Card; x: number; y: number }[];
  private readonly watches = { left: new PalmWatch(), right: new PalmWatch() };
  private isReady = false;
  private last = -Infinity;
  private readonly inverse = new Matrix4();

  constructor(choices: readonly Choice[]) {
    const rows = Math.ceil(choices.length / COLUMNS);
    this.buttons = choices.map((choice, i) => {
      const card = new Card(WIDTH, HEIGHT, 1.7);
      const x = ((i % COLUMNS) - (COLUMNS - 1) / 2) * (WIDTH + GAP);
      const y = ((rows - 1) / 2 - Math.floor(i / COLUMNS)) * (HEIGHT + GAP);
      card.mesh.position.set(x, y, 0);
      this.group.add(card.mesh);
      return { choice, card, x, y };
    });
    this.group.visible = false;
  }

  get open(): boolean {
    return this.side !== undefined;
  }

  /** Palms and tips of index fingers that are tracked now; now in ms. */
  update(
    palms: Partial<Record<Side, Palm>>, tips: Partial<Record<Side, Vector3>>, eyes: Eyes, now: number,
  ): void {
    for (const side of ['left', 'right'] as const) {
      const palm = palms[side];
      this.watches[side].update(palm ? facing(palm, eyes) : -1, now);
    }
    const sides = (['left', 'right'] as const).filter((side) => this.watches[side].open);
    const kept = this.side && sides.includes(this.side) ? this.side : sides[0];
    if (kept !== this.side) this.isReady = false;
    this.side = kept;
    this.group.visible = kept !== undefined;
    if (!kept) return;
    const palm = palms[kept];
    if (palm) this.stand(palm.centre, kept, eyes.position);
    for (const { choice, card } of this.buttons) card.show(choice.label(), choice.lit?.() ?? false);
    const tip = tips[kept === 'left' ? 'right' : 'left'];
    if (tip) this.poke(tip, now);
    else this.isReady = false;
  }

  get names(): string[] {
    return this.buttons.map(({ choice }) => choice.name);
  }

  press(name: string): void {
    this.buttons.find(({ choice }) => choice.name === name)?.choice.press();
  }

  /** Where the middle of a button is. */
  spotOf(name: string): Vector3 | undefined {
    const found = this.buttons.find(({ choice }) => choice.name === name);
    return found && new Vector3(found.x, found.y, 0).applyMatrix4(this.group.matrix);
  }

  /** Which way the menu faces. */
  get normal(): Vector3 {
    return new Vector3(0, 0, 1).applyQuaternion(this.group.quaternion);
  }

  hide(): void {
    this.side = undefined;
    this.group.visible = false;
    this.watches.left = new PalmWatch();
    this.watches.right = new PalmWatch();
  }

  dispose(): void {
    this.buttons.forEach(({ card }) => card.dispose());
  }

  /** Upright beside the palm, towards the other hand, facing the eyes. */
  private stand(palm: Vector3, side: Side, eyes: Vector3): void {
    const z = eyes.clone().sub(palm).normalize();
    const x = UP.clone().cross(z);
    if (x.length() < 1e-3) return;   // straight above: it stays as it was
    x.normalize();
    const y = z.clone().cross(x);
    this.group.quaternion.copy(new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(x, y, z)));
    this.group.position.copy(palm).addScaledVector(x, side === 'left' ? BESIDE : -BESIDE);
    this.group.updateMatrix();
  }

  private poke(tip: Vector3, now: number): void {
    const { x, y, z } = tip.clone().applyMatrix4(this.inverse.copy(this.group.matrix).invert());
    if (z > READY) this.isReady = true;
    if (!this.isReady || z > PRESSED || z < THROUGH) return;
    this.isReady = false;   // one press for each time that the finger comes
    const half = { x: (WIDTH + GAP) / 2, y: (HEIGHT + GAP) / 2 };
    const found = this.buttons.find((button) => Math.abs(x - button.x) < half.x && Math.abs(y - button.y) < half.y);
    if (!found || now - this.last < PAUSE) return;
    this.last = now;
    found.choice.press();
  }
}
