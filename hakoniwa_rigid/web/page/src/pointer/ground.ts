// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What lies under a point and before a body: the walls of the world, as they are drawn. */
import { Mesh, Raycaster, Vector3, type Object3D, type Ray } from 'three';

import type { Stage } from '../view/stage';

/** more walls than this are not looked at: a picture has to be drawn in the meantime */
const MOST = 256;
const DOWN = new Vector3(0, 0, -1);

export class Ground {
  private readonly caster = new Raycaster();
  private readonly origin = new Vector3();
  private readonly along = new Vector3();

  constructor(private readonly stage: Stage, private readonly walls: Object3D) {}

  private meshes(): Object3D[] {
    return this.walls.children.filter((child) => child instanceof Mesh).slice(0, MOST);
  }

  /** m to the first wall along a ray of the world; Infinity where there is none. */
  private far(origin: Vector3, direction: Vector3): number {
    const { matrixWorld } = this.stage.room;
    this.origin.copy(origin).applyMatrix4(matrixWorld);
    this.caster.set(this.origin, this.along.copy(direction).transformDirection(matrixWorld));
    return this.caster.intersectObjects(this.meshes(), false)[0]?.distance ?? Infinity;
  }

  /** m of a point (world) above what is under it; Infinity where nothing is. */
  height(point: Vector3): number {
    return this.far(point, DOWN);
  }

  /** Whether a wall is nearer along a ray (world) than m. */
  hides({ origin, direction }: Ray, distance: number): boolean {
    return this.far(origin, direction) < distance;
  }
}
