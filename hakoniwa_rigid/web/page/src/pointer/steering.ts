// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A hand without a pointer: choose a body, hold it, move it in the camera's axes, throw. For keys and pads. */
import { Vector3 } from 'three';

import type { Aim } from './aim';
import type { Bodies } from './bodies';
import type { CameraFrame } from './camera_frame';
import type { HandDriver } from './hand_driver';

/** m/s of a hand that is steered as far as it goes; of one that throws */
const SPEED = 1;
const THROW = 2;
/** ms for which a hand that throws by itself goes before it opens: it has to get its speed first */
const SWINGS = 260;
/** m from the middle of a body, beside its size, to an open hand that comes to push it */
const BESIDE = 0.25;
/** m that the goal may be ahead of the hand: beyond, the hand cannot follow */
const LEASH = 0.3;
/** s, the longest step */
const LONGEST = 0.1;

export class Steering {
  /** name of the body that is chosen; '' for none */
  chosen = '';
  onChoice: (name: string) => void = () => undefined;
  private readonly velocity = new Vector3();
  private last = NaN;
  /** whether the hand that is there now is steered from here */
  steers = false;

  constructor(
    private readonly frame: CameraFrame, private readonly aim: Aim, private readonly bodies: Bodies,
    private readonly driver: HandDriver,
  ) {}

  /** The next (1) or the one before (-1); false at the end of the list, where nothing is chosen. */
  choose(step: 1 | -1, around = false): boolean {
    const names = this.bodies.list.map(({ name }) => name);
    if (names.length === 0) return false;
    const at = names.indexOf(this.chosen);
    let next = at < 0 ? (step > 0 ? 0 : names.length - 1) : at + step;
    if (around) next = (next + names.length) % names.length;
    this.chosen = names[next] ?? '';
    this.onChoice(this.chosen);
    return this.chosen !== '';
  }

  forget(): void {
    if (this.chosen === '') return;
    this.chosen = '';
    this.onChoice('');
  }

  /** Holds what is chosen, or lets go of what is held. */
  toggle(now: number): void {
    if (this.driver.active) return this.letGo(now);
    if (this.chosen === '' && !this.choose(1)) return undefined;
    const grip = this.aim.gripOf(this.chosen, now);
    if (!grip) return undefined;
    this.steers = this.driver.hold(grip, this.aim.ahead(grip, now), now);
    return undefined;
  }

  /** An open hand comes to the left of what is chosen, to push it. */
  push(now: number): void {
    const body = this.bodies.get(this.chosen);
    const motion = body && this.bodies.where(this.chosen, now);
    if (!body || !motion || this.driver.active) return;
    const left = this.frame.direction(-1, 0, 0).multiplyScalar(body.reach + BESIDE);
    const { turn, side } = this.aim.faced(1);
    this.steers = this.driver.push(left.add(motion.position), turn, side, now);
  }

  /** Lets go; what is held flies on as it is steered. */
  letGo(now: number): void {
    this.driver.letGo(this.velocity, now, this.velocity.length() > 0 ? SWINGS : 0);
    this.steers = false;
  }

  /** Throws where it is steered to, or away from the camera and a little up. */
  throw(now: number): void {
    if (this.driver.phase !== 'held') return;
    const way = this.velocity.length() > 0 ? this.velocity.clone() : this.frame.direction(0, 0.35, -1);
    this.driver.letGo(way.normalize().multiplyScalar(THROW), now, SWINGS);
    this.steers = false;
  }

  /** Goes on, ms; x right, y up, z nearer, each from -1 to 1. False where it steers no hand. */
  update(now: number, x: number, y: number, z: number): boolean {
    const dt = Math.min(Math.max(0, (now - this.last) / 1000), LONGEST) || 0;
    this.last = now;
    if (!this.driver.active) this.steers = false;
    const size = Math.hypot(x, y, z);
    if (size > 0) this.velocity.copy(this.frame.direction(x, y, z)).multiplyScalar(SPEED * Math.min(1, size));
    else this.velocity.set(0, 0, 0);
    if (!this.steers || (this.driver.phase !== 'held' && this.driver.phase !== 'push')) return this.steers;
    const { goal, point } = this.driver;
    goal.addScaledVector(this.velocity, dt).sub(point).clampLength(0, LEASH).add(point);
    return true;
  }
}
