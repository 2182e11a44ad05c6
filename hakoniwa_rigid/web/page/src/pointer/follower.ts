// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What carries a held body: a point that follows a goal without overshoot, at bounded speed and acceleration. */
import { Vector3 } from 'three';

/** m/s */
export const FASTEST = 3;
/** m/s^2, of a light body: half of what holds it, 80 N, moves 0.8 kg so; N of that for a heavier one; m/s^2 at least */
const HARDEST = 50;
const FORCE = 40;
const SOFTEST = 4;
/** s, the longest step: after a longer pause a follower goes on from where it was */
const LONGEST = 0.05;

export class Follower {
  readonly position = new Vector3();
  readonly velocity = new Vector3();
  private hardest = HARDEST;
  private readonly wanted = new Vector3();

  /** Begins somewhere, m, with a velocity, m/s, to carry a body of this mass, kg. */
  begin(position: Vector3, velocity: Vector3, mass = 0): void {
    this.position.copy(position);
    this.velocity.copy(velocity).clampLength(0, FASTEST);
    this.hardest = Math.min(HARDEST, Math.max(SOFTEST, mass > 0 ? FORCE / mass : HARDEST));
  }

  /** s in which the gap to a goal at rest falls to 1/e: as short as the acceleration allows without overshoot. */
  get time(): number {
    return FASTEST / this.hardest;
  }

  /** Goes towards a goal for s. */
  follow(goal: Vector3, seconds: number): void {
    this.wanted.copy(goal).sub(this.position).divideScalar(this.time);
    this.steer(this.wanted, seconds);
  }

  /** Goes on with a velocity, m/s, that it gets as fast as it may, for s. */
  steer(velocity: Vector3, seconds: number): void {
    const dt = Math.max(0, Math.min(seconds, LONGEST));
    const change = this.wanted.copy(velocity).clampLength(0, FASTEST).sub(this.velocity);
    this.velocity.add(change.clampLength(0, this.hardest * dt));
    this.position.addScaledVector(this.velocity, dt);
  }
}
