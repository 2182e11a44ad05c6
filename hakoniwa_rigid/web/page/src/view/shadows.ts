// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Soft discs straight below drones, on the floor or on what stands on it: how high they fly, and above what. */
import {
  CircleGeometry, Color, DynamicDrawUsage, Group, InstancedMesh, Matrix4, Quaternion, ShaderMaterial, Vector3,
} from 'three';

import type { Scene, Shape } from '../wire/messages';
import { emptied } from './dispose';
import type { DroneView } from './drones';
import type { Tier } from './quality';

/**
 * m above what it lies on; times the drone's reach; strength on the ground, without and with a shadow map, and m of
 * height at which half of it is left: with a map only what is about to touch darkens what is below it
 */
const LIFT = 0.004;
const SIZE = 1.05;
const ALONE = { strength: 0.6, half: 2.5 };
const BESIDE = { strength: 0.55, half: 0.35 };
/** radius of an octagon around the circle of radius 1, beyond which nothing is drawn */
const AROUND = 1 / Math.cos(Math.PI / 8);
/** more boxes than this are not looked at: every drone asks all of them */
const MOST_BOXES = 64;

const SHADERS = {
  vertexShader: `varying vec2 at; varying float strength;
    void main() {
      at = position.xy; strength = instanceColor.r;
      gl_Position = projectionMatrix * modelViewMatrix * instanceMatrix * vec4(position, 1.0);
    }`,
  fragmentShader: `varying vec2 at; varying float strength;
    void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, strength * (1.0 - smoothstep(0.25, 1.0, length(at)))); }`,
};

/** A level top: its height m, where it is and how large, m. */
interface Top {
  height: number;
  x: number;
  y: number;
  halfX: number;
  halfY: number;
}

/** Floors, and tops of boxes that stand upright. */
function topsOf(walls: Shape[]): Top[] {
  const everywhere = { x: 0, y: 0, halfX: Infinity, halfY: Infinity };
  const floors = walls.filter(({ type, normal }) => type === 'plane' && (normal?.[2] ?? 0) > 0.999)
    .map(({ offset, pose }) => ({ ...everywhere, height: (offset ?? 0) + (pose?.position[2] ?? 0) }));
  const boxes = walls.filter(({ type, size, pose }) => type === 'box' && size && pose
    && Math.abs(pose.orientation_xyzw[3]) > 0.9999).slice(0, MOST_BOXES).map(({ size, pose }) => ({
    height: pose!.position[2] + size![2] / 2, x: pose!.position[0], y: pose!.position[1],
    halfX: size![0] / 2, halfY: size![1] / 2,
  }));
  return [...floors, ...boxes];
}

export class Shadows {
  readonly group = new Group();
  private look = ALONE;
  private drones: DroneView[] = [];
  private tops: Top[] = [];
  private discs: InstancedMesh | undefined;
  private readonly matrix = new Matrix4();
  private readonly spot = new Vector3();
  private readonly scale = new Vector3();
  private readonly level = new Quaternion();
  private readonly strength = new Color();

  show(scene: Scene, drones: Iterable<DroneView>, tier: Tier): void {
    this.look = tier.shadowMap > 0 ? BESIDE : ALONE;
    emptied(this.group);
    this.drones = [...drones];
    this.tops = topsOf(scene.walls);
    const material = new ShaderMaterial({ ...SHADERS, transparent: true, depthWrite: false });
    this.discs = new InstancedMesh(new CircleGeometry(AROUND, 8), material, Math.max(1, this.drones.length));
    this.discs.instanceMatrix.setUsage(DynamicDrawUsage);
    this.discs.setColorAt(0, this.strength);   // the shader wants one from the beginning
    this.discs.frustumCulled = false;
    this.discs.count = 0;
    this.group.add(this.discs);
  }

  update(): void {
    if (!this.discs) return;
    let count = 0;
    for (const { seen, position, reach } of this.drones) {
      const top = seen ? this.below(position) : undefined;
      if (top === undefined) continue;
      const height = position.z - top;
      this.scale.setScalar(SIZE * reach * (1 + 0.12 * height));
      this.matrix.compose(this.spot.set(position.x, position.y, top + LIFT), this.level, this.scale);
      this.discs.setMatrixAt(count, this.matrix);
      this.discs.setColorAt(count, this.strength.setScalar(this.look.strength / (1 + (height / this.look.half) ** 2)));
      count += 1;
    }
    this.discs.count = count;
    this.discs.instanceMatrix.needsUpdate = true;
    if (this.discs.instanceColor) this.discs.instanceColor.needsUpdate = true;
  }

  /** The highest top under a spot, m. */
  private below({ x, y, z }: Vector3): number | undefined {
    let found: number | undefined;
    for (const top of this.tops) {
      const isOver = Math.abs(x - top.x) <= top.halfX && Math.abs(y - top.y) <= top.halfY && top.height <= z;
      if (isOver && !(top.height < (found ?? -Infinity))) found = top.height;
    }
    return found;
  }
}
