// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Where drones came from: short lines that fade, in one buffer that is written piece by piece. */
import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, LineSegments, ShaderMaterial, type Color, type Vector3,
} from 'three';

import type { DroneView } from './drones';

/** s, life of a piece; pieces per drone; s between pieces */
const LIFE = 3;
const PIECES = 60;
const EVERY = LIFE / PIECES;
/** m: a longer piece is a jump, not a way */
const JUMP = 0.5;

const SHADERS = {
  vertexShader: `attribute float born; attribute vec3 tint; uniform float now; uniform float life;
    varying float left; varying vec3 shade;
    void main() {
      left = clamp(1.0 - (now - born) / life, 0.0, 1.0); shade = tint;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    }`,
  fragmentShader: `varying float left; varying vec3 shade;
    void main() { gl_FragColor = vec4(shade, 0.7 * left * left);
      #include <colorspace_fragment>
    }`,
};

export class Trails {
  readonly lines: LineSegments;
  private readonly material: ShaderMaterial;
  private last: Vector3[] = [];
  private drones: DroneView[] = [];
  private positions = new BufferAttribute(new Float32Array(0), 3);
  private born = new BufferAttribute(new Float32Array(0), 1);
  private piece = 0;
  private drawn = -Infinity;

  constructor() {
    const uniforms = { now: { value: 0 }, life: { value: LIFE } };
    this.material = new ShaderMaterial({ ...SHADERS, uniforms, transparent: true, depthWrite: false });
    this.lines = new LineSegments(new BufferGeometry(), this.material);
    this.lines.frustumCulled = false;
  }

  show(drones: Iterable<DroneView>): void {
    this.drones = [...drones];
    this.last = [];
    this.drawn = -Infinity;
    const vertices = 2 * PIECES * this.drones.length;
    const tints = new Float32Array(3 * vertices);
    // piece p of drone d lies at p * drones + d, so that a new piece of all drones is one range
    for (let v = 0; v < vertices; v += 1) {
      (this.drones[(v >> 1) % this.drones.length]!.colour satisfies Color).toArray(tints, 3 * v);
    }
    this.positions = new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage);
    this.born = new BufferAttribute(new Float32Array(vertices).fill(-LIFE), 1).setUsage(DynamicDrawUsage);
    this.lines.geometry.dispose();
    this.lines.geometry = new BufferGeometry()
      .setAttribute('position', this.positions)
      .setAttribute('born', this.born)
      .setAttribute('tint', new BufferAttribute(tints, 3));
  }

  /** now in s. */
  update(now: number): void {
    this.material.uniforms.now!.value = now;
    if (now - this.drawn < EVERY || !this.drones.some(({ seen }) => seen)) return;
    const first = this.piece * this.drones.length;
    this.drones.forEach((drone, d) => this.write(drone, d, first + d, now));
    this.drawn = now;
    this.piece = (this.piece + 1) % PIECES;
    this.positions.addUpdateRange(6 * first, 6 * this.drones.length);
    this.born.addUpdateRange(2 * first, 2 * this.drones.length);
    this.positions.needsUpdate = true;
    this.born.needsUpdate = true;
  }

  private write({ position, seen }: DroneView, d: number, slot: number, now: number): void {
    const from = (this.last[d] ??= position.clone());
    const visible = seen && from.distanceTo(position) < JUMP;
    from.toArray(this.positions.array, 6 * slot);
    position.toArray(this.positions.array, 6 * slot + 3);
    this.born.array.fill(visible ? now : now - LIFE, 2 * slot, 2 * slot + 2);
    from.copy(position);
  }
}
