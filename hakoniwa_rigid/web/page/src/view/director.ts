// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * The camera until it is taken by hand: it goes slowly round the drones that are best seen together, and follows them.
 * The first press, wheel, touch or key ends it; who wants less motion has the first look, which stands still.
 */
import { Vector3 } from 'three';

import { alsoSeen, framing, grown, type Framing, type Subject } from '../maths/framing';
import { IN_CONTACT } from '../wire/messages';
import type { DroneView } from './drones';
import type { Stage } from './stage';

/** rad/s; s between choices of what is looked at; s in which the camera goes 1/e of its way; s that a contact counts */
const TURN = 0.07;
const CHOOSE = 0.5;
const FOLLOW = 0.9;
const ACTIVE = 2.5;
/** directions that are tried for the first look, and the height of the camera over the distance */
const TRIED = 12;
const RISE = 0.36;
/** rad from the diagonal, from which a room is best seen, per drone that a look from elsewhere has to have more */
const PREFERRED = Math.atan2(-0.75, -1);
const BETTER = 0.3;
/** what a drone is worth that is in the picture, and not framed */
const BESIDE = 0.4;
const INPUTS = ['pointerdown', 'wheel', 'keydown', 'touchstart'] as const;

export class Director {
  running = true;
  private azimuth = PREFERRED;
  private seed: number | undefined;
  private framed: Framing | undefined;
  private chosen = -Infinity;
  private readonly centre = new Vector3();
  private distance = 0;
  private readonly from = new Vector3();
  private readonly active = new Map<string, number>();

  constructor(
    private readonly stage: Stage, private readonly drones: ReadonlyMap<string, DroneView>,
    private readonly calm: () => boolean,
  ) {
    const stop = () => {
      this.stop();
      for (const input of INPUTS) removeEventListener(input, stop, true);
    };
    for (const input of INPUTS) addEventListener(input, stop, { capture: true, passive: true });
    addEventListener('resize', () => (this.framed = undefined));
  }

  /** The camera is the reader's now. */
  stop(): void {
    this.running = false;
  }

  /** Other drones are there: the first look is chosen anew. */
  forget(): void {
    this.framed = this.seed = undefined;
    this.active.clear();
  }

  /** The drones that are framed, by name. */
  get members(): string[] {
    return this.framed?.members.map((i) => this.names[i]!) ?? [];
  }

  private names: string[] = [];

  /** Moves the camera; now and dt in s. */
  update(now: number, dt: number): void {
    if (!this.running || this.stage.renderer.xr.isPresenting) return;
    const subjects = this.subjects(now);
    if (subjects.length === 0) return;
    if (!this.framed) return this.first(subjects, now);
    if (this.calm()) return;
    this.azimuth += TURN * dt;
    this.look();
    const lens = this.stage.lens();
    if (now - this.chosen > CHOOSE) {
      this.chosen = now;
      this.seed = framing(subjects, this.from, lens, this.seed)?.seed ?? this.seed;
    }
    this.framed = grown(subjects, Math.min(this.seed ?? 0, subjects.length - 1), this.from, lens);
    const part = 1 - Math.exp(-dt / FOLLOW);
    this.centre.lerp(this.framed.centre, part);
    this.distance += part * (this.framed.distance - this.distance);
    this.stage.aim(this.centre, this.from, this.distance);
  }

  private subjects(now: number): Subject[] {
    this.names = [];
    const subjects: Subject[] = [];
    for (const { name, seen, position, width, reach, flags } of this.drones.values()) {
      if (!seen) continue;
      if (flags & IN_CONTACT) this.active.set(name, now);
      this.names.push(name);
      subjects.push({ position, width, reach, active: now - (this.active.get(name) ?? -Infinity) < ACTIVE });
    }
    return subjects;
  }

  /** The direction from which most drones are framed, the diagonal of the room where others are no better. */
  private first(subjects: Subject[], now: number): void {
    const lens = this.stage.lens();
    let most = -Infinity;
    for (let k = 0; k < TRIED; k += 1) {
      const turn = (2 * Math.PI * k) / TRIED;
      this.azimuth = PREFERRED + turn;
      this.look();
      const found = framing(subjects, this.from, lens)!;
      const others = alsoSeen(found, subjects, this.from, lens);
      const value = found.members.length + BESIDE * others - BETTER * Math.min(turn, 2 * Math.PI - turn);
      if (value <= most) continue;
      most = value;
      [this.framed, this.seed, this.best] = [found, found.seed, this.azimuth];
    }
    this.azimuth = this.best;
    this.look();
    this.chosen = now;
    this.centre.copy(this.framed!.centre);
    this.distance = this.framed!.distance;
    this.stage.aim(this.centre, this.from, this.distance);
  }

  private best = PREFERRED;

  private look(): void {
    this.from.set(Math.cos(this.azimuth), Math.sin(this.azimuth), RISE);
  }
}
