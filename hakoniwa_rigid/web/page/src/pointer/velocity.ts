// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** How fast a pointer goes at the moment at which it lets go, in the plane of what it holds. */
import { Vector3 } from 'three';

/** ms over which it is measured; without news for so long it is known to be where it was; places that are kept */
const SPAN = 80;
const QUIET = 40;
const MOST = 128;

export class PointerVelocity {
  private places: { at: number; point: Vector3 }[] = [];

  clear(): void {
    this.places = [];
  }

  /** The pointer was at a point, m world, at a time, ms. */
  add(at: number, point: Vector3): void {
    this.places.push({ at, point: point.clone() });
    if (this.places.length > MOST) this.places = this.places.slice(-MOST / 2);
  }

  /** m/s at a time, ms: mean over the last moment, by least squares; zero for one that has come to rest. */
  at(now: number): Vector3 {
    const velocity = new Vector3();
    const last = this.places.at(-1);
    if (!last) return velocity;
    const news = now - last.at > QUIET ? [...this.places, { at: now, point: last.point }] : this.places;
    const end = news.at(-1)!.at;
    // two at least: a page that is held up hears of its pointer less often than that
    const recent = news.filter(({ at }, i) => end - at <= SPAN || i >= news.length - 2);
    const mean = recent.reduce((sum, { at }) => sum + at, 0) / recent.length;
    let squares = 0;
    for (const { at, point } of recent) {
      velocity.addScaledVector(point, at - mean);
      squares += (at - mean) ** 2;
    }
    return squares > 0 ? velocity.multiplyScalar(1000 / squares) : velocity.set(0, 0, 0);
  }
}
