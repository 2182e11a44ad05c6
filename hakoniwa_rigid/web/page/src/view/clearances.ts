// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Lines from drones to what they are nearest to, as the node reports it: where it may soon be tight. */
import {
  Box3, BufferAttribute, BufferGeometry, DynamicDrawUsage, LineBasicMaterial, LineSegments, Vector3,
} from 'three';

import type { Report } from '../reports';
import type { Scene } from '../wire/messages';
import type { DroneView } from './drones';
import { CONTACT } from './palette';
import { halfSpace } from './walls';
import { shapeGeometry } from './shapes';

/** m: what is farther off is no news; lines at most (the node reports 50 drones) */
const NEAR = 0.6;
const MOST = 64;
const NOTHING_BELOW = 1e-3;

type Nearest = (spot: Vector3, out: Vector3) => void;

export class Clearances {
  readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  shown = true;
  private walls = new Map<string, Nearest[]>();
  private readonly ends = new BufferAttribute(new Float32Array(6 * MOST), 3).setUsage(DynamicDrawUsage);
  private readonly point = new Vector3();
  private readonly best = new Vector3();

  constructor() {
    const geometry = new BufferGeometry().setAttribute('position', this.ends);
    const look = new LineBasicMaterial({ color: CONTACT, transparent: true, opacity: 0.85 });
    this.lines = new LineSegments(geometry, look);
    this.lines.frustumCulled = false;
    this.lines.geometry.setDrawRange(0, 0);
  }

  show(scene: Scene): void {
    this.walls = new Map();
    this.lines.material.color.copy(CONTACT);
    for (const wall of scene.walls) {
      const name = (wall.name ?? '').split('/')[0]!;
      try {
        const nearest = wall.type === 'plane' ? ofPlane(halfSpace(wall)) : ofBox(shapeGeometry(wall));
        this.walls.set(name, [...(this.walls.get(name) ?? []), nearest]);
      } catch {
        continue;   // a shape that is not drawn either
      }
    }
  }

  update(drones: ReadonlyMap<string, DroneView>, reports: readonly (readonly [string, Report])[]): void {
    let count = 0;
    for (const [name, { clearance, nearest }] of this.shown ? reports : []) {
      const drone = drones.get(name);
      if (!drone?.seen || !(clearance < NEAR) || clearance < NOTHING_BELOW || count >= MOST) continue;
      if (!this.to(drone.position, nearest, drones)) continue;
      drone.position.toArray(this.ends.array, 6 * count);
      this.best.toArray(this.ends.array, 6 * count + 3);
      count += 1;
    }
    this.lines.geometry.setDrawRange(0, 2 * count);
    this.lines.visible = count > 0;
    this.ends.needsUpdate = true;
  }

  /** Where a body is nearest to a spot: a drone's middle, a place on a wall. */
  private to(spot: Vector3, other: string, drones: ReadonlyMap<string, DroneView>): boolean {
    const drone = drones.get(other);
    if (drone?.seen) {
      this.best.copy(drone.position);
      return true;
    }
    let least = Infinity;
    for (const nearest of this.walls.get(other) ?? []) {
      nearest(spot, this.point);
      const gap = this.point.distanceTo(spot);
      if (gap >= least) continue;
      least = gap;
      this.best.copy(this.point);
    }
    return Number.isFinite(least);
  }
}

function ofPlane({ normal, offset }: { normal: Vector3; offset: number }): Nearest {
  return (spot, out) => void out.copy(spot).addScaledVector(normal, offset - normal.dot(spot));
}

/** Of the box around a shape: where a line ends, not how far it is. */
function ofBox(geometry: BufferGeometry): Nearest {
  geometry.computeBoundingBox();
  const box: Box3 = geometry.boundingBox!;
  geometry.dispose();
  return (spot, out) => void box.clampPoint(spot, out);
}
