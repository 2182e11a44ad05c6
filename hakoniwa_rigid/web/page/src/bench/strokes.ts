// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Strikes one drone again and again with an own hand, for `hakoniwa-rigid bench page`: the real way, no real hand. */
import { Matrix4, Vector3 } from 'three';

import { openHand, PALM } from '../hand/open_hand';
import { HandPose } from '../hand/sample';
import type { HandSender } from '../hand/sender';
import type { Push, Pushes } from '../pushes';
import type { Store } from '../store';

/** ms between samples: 80 Hz; m/s of the stroke and of the way back */
const INTERVAL = 12.5;
const STROKE = 1.0;
const BACK = 0.6;
/** m: from the drone's side to where the palm begins, and beyond its middle to where a stroke that met nothing ends */
const BEFORE = 0.14;
const BEYOND = 0.12;
/** m within which a drone is back in its place, or stays where it is, and ms for which it has to */
const HOME = 0.01;
const STILL = 0.001;
const REST = 120;
/** strokes at most, of those that are wanted: one that meets nothing, or whose picture another push has, is no push */
const MOST_STROKES = 3;
/** ms: strokes begin at all phases of ticks and pictures, evenly spread by multiples of the golden section */
const PHASE = 40;
const GOLDEN = 0.618034;
const PATIENCE = 5000;

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

export class Strokes {
  private readonly pose = new HandPose();
  private readonly palm = new Vector3();
  private readonly home = new Vector3();

  constructor(private readonly sender: HandSender, private readonly store: Store, private readonly pushes: Pushes) {}

  /**
   * `count` pushes of a drone of that half size (m) that hovers, or fewer where it is not met; `tell` hears of each as
   * it is made.
   */
  async strike(drone: string, count: number, half: number, tell: (push: Push) => void = () => {}): Promise<Push[]> {
    const made: Push[] = [];
    await this.settled(drone);
    const start = this.home.y - half - BEFORE;
    this.palm.copy(this.home).setY(start);
    const timer = setInterval(() => this.send(), INTERVAL);
    try {
      for (let k = 0; k < MOST_STROKES * count && made.length < count; k += 1) {
        await this.atRest(drone);
        await wait(PHASE * ((GOLDEN * k) % 1));
        const push = await this.stroke(start);
        if (push) {
          made.push(push);
          tell(push);
        }
      }
    } finally {
      clearInterval(timer);
      this.sender.release('mouse');
    }
    return made;
  }

  private placeOf(drone: string): Vector3 {
    const { fleet } = this.store;
    const i = fleet?.names.indexOf(drone) ?? -1;
    if (!fleet || i < 0) throw new Error(`no drone ${drone}`);
    return new Vector3().fromArray(fleet.positions, 3 * i);
  }

  private async atRest(drone: string, moved = () => this.placeOf(drone).distanceTo(this.home) > HOME): Promise<void> {
    let since = performance.now();
    const end = since + PATIENCE;
    for (let now = since; now - since < REST && now < end; now = performance.now()) {
      if (moved()) since = now;
      await wait(INTERVAL);
    }
  }

  /** Its home is where it stays by itself: it may swing from pushes before these. */
  private async settled(drone: string): Promise<void> {
    this.home.copy(this.placeOf(drone));
    await this.atRest(drone, () => {
      const place = this.placeOf(drone);
      const isAway = place.distanceTo(this.home) > STILL;
      if (isAway) this.home.copy(place);
      return isAway;
    });
  }

  /** Through the drone until a push is in a picture, and back; that push. */
  private async stroke(start: number): Promise<Push | undefined> {
    const before = this.pushes.last;
    const end = performance.now() + PATIENCE;
    await this.go(this.home.y + BEYOND, STROKE, () => this.pushes.begun);
    await this.go(start, BACK, () => false);
    while (this.pushes.begun && performance.now() < end) await wait(INTERVAL);
    const { last } = this.pushes;
    return last === before ? undefined : last;
  }

  private async go(goal: number, speed: number, enough: () => boolean): Promise<void> {
    const [from, since] = [this.palm.y, performance.now()];
    const sign = Math.sign(goal - from);
    while (this.palm.y !== goal && !enough()) {
      await wait(INTERVAL / 3);
      const way = (speed * (performance.now() - since)) / 1000;
      this.palm.setY(way >= Math.abs(goal - from) ? goal : from + sign * way);
    }
  }

  /** The palm faces +y, the fingers point up. */
  private send(): void {
    const [x, y, z] = [new Vector3(1, 0, 0), new Vector3(0, -1, 0), new Vector3(0, 0, -1)];
    const wrist = new Matrix4().makeBasis(x, y, z).setPosition(this.palm.x, this.palm.y, this.palm.z - PALM);
    openHand('right', wrist, this.pose);
    this.sender.send('mouse', this.pose, performance.now());
  }
}
