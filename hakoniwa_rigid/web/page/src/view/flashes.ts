// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Contacts: a flash where two bodies met, and the impulse as an arrow that fades by shrinking. */
import {
  ConeGeometry, CylinderGeometry, Color, DoubleSide, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial,
  Quaternion, RingGeometry, ShaderMaterial, SphereGeometry, Vector3,
} from 'three';

import type { Contact } from '../store';
import { BEGIN, END } from '../wire/messages';
import { CONTACT } from './palette';

const SLOTS = 48;
/** s */
const FLASH_LIFE = 0.35;
const RING_LIFE = 0.7;
const ARROW_LIFE = 1.4;
/** N s below which a lasting contact is not shown: resting is no news */
const FAINT = 1e-3;
const Z = new Vector3(0, 0, 1);
/** `instanceColor.r` is how much of it is there; a ball is bright in the middle, nothing at the rim */
const VERTEX = `varying float facing; varying float there; varying vec2 at;
    void main() {
      there = instanceColor.r; at = position.xy;
      vec4 seen = modelViewMatrix * instanceMatrix * vec4(position, 1.0);
      facing = dot(normalize(normalMatrix * mat3(instanceMatrix) * normal), normalize(-seen.xyz));
      gl_Position = projectionMatrix * seen;
    }`;
const BALL = `uniform vec3 tint; varying float facing; varying float there;
    void main() {
      float middle = max(facing, 0.0);
      gl_FragColor = vec4(mix(tint, vec3(1.0), 0.6 * pow(middle, 6.0)), there * pow(middle, 2.5));
      #include <colorspace_fragment>
    }`;
const RING = `uniform vec3 tint; varying float there; varying vec2 at;
    void main() {
      float r = length(at);
      gl_FragColor = vec4(tint, there * smoothstep(0.7, 0.95, r) * (1.0 - smoothstep(0.96, 1.0, r)));
      #include <colorspace_fragment>
    }`;

function glowing(fragmentShader: string): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: VERTEX, fragmentShader, uniforms: { tint: { value: CONTACT } }, transparent: true, depthWrite: false,
    side: DoubleSide,
  });
}

interface Flash {
  at: number;
  strength: number;
  position: Vector3;
  direction: Vector3;
}

/** m, of the arrow of an impulse, N s: a touch is seen, a crash does not fill the room. */
export function arrowLength(strength: number): number {
  return Math.min(0.9, 0.12 + 0.25 * Math.log10(1 + 20 * strength));
}

/** m, of the ring that an impulse, N s, sends out. */
export function ringRadius(strength: number): number {
  return 0.06 + 0.6 * arrowLength(strength);
}

export class Flashes {
  readonly group = new Group();
  /** rings that do not grow, nothing that flashes */
  calm = false;
  private readonly flashes: Flash[] = Array.from({ length: SLOTS }, () => ({
    at: -Infinity, strength: 0, position: new Vector3(), direction: new Vector3(0, 0, 1),
  }));
  private next = 0;
  private readonly balls: InstancedMesh;
  private readonly rings: InstancedMesh;
  private readonly solid = new MeshBasicMaterial({ color: CONTACT });
  private readonly shafts: InstancedMesh;
  private readonly heads: InstancedMesh;
  private readonly matrix = new Matrix4();
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();
  private readonly centre = new Vector3();
  private readonly colour = new Color();

  constructor() {
    const { solid } = this;
    this.balls = new InstancedMesh(new SphereGeometry(1, 16, 12), glowing(BALL), SLOTS);
    this.rings = new InstancedMesh(new RingGeometry(0.7, 1, 48), glowing(RING), SLOTS);
    // the shaders want a colour from the beginning
    for (const mesh of [this.balls, this.rings]) mesh.setColorAt(0, this.colour);
    this.shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2), solid, SLOTS);
    this.heads = new InstancedMesh(new ConeGeometry(1, 1, 12).rotateX(Math.PI / 2), solid, SLOTS);
    for (const mesh of [this.balls, this.rings, this.shafts, this.heads]) {
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.count = 0;
      this.group.add(mesh);
    }
  }

  add({ event, push, strength, at }: Contact): void {
    if (event.phase === END || (event.phase !== BEGIN && strength < FAINT)) return;
    const flash = this.flashes[this.next]!;
    this.next = (this.next + 1) % SLOTS;
    flash.at = at;
    flash.strength = strength;
    flash.position.copy(event.position);
    // a touch without impulse still has a normal
    flash.direction.copy(strength > 0 ? push : event.normal).normalize();
  }

  /** In the colours of the theme. */
  style(): void {
    this.solid.color.copy(CONTACT);
  }

  /** No contact has been seen. */
  forget(): void {
    for (const flash of this.flashes) flash.at = -Infinity;
  }

  update(now: number): void {
    let balls = 0;
    let rings = 0;
    let arrows = 0;
    for (const flash of this.flashes) {
      const age = (now - flash.at) / 1000;
      if (age < 0) continue;
      if (age < FLASH_LIFE && !this.calm) this.ball(flash, age / FLASH_LIFE, balls++);
      if (age < RING_LIFE && flash.strength > 0) this.ring(flash, age / RING_LIFE, rings++);
      if (age < ARROW_LIFE && flash.strength > 0) this.arrow(flash, age / ARROW_LIFE, arrows++);
    }
    this.balls.count = balls;
    this.rings.count = rings;
    this.shafts.count = arrows;
    this.heads.count = arrows;
    for (const mesh of [this.balls, this.rings, this.shafts, this.heads]) mesh.instanceMatrix.needsUpdate = true;
    for (const { instanceColor } of [this.balls, this.rings]) if (instanceColor) instanceColor.needsUpdate = true;
  }

  private ball({ position, strength }: Flash, life: number, slot: number): void {
    const radius = (0.05 + 0.16 * arrowLength(strength)) * (0.6 + life);
    this.matrix.compose(position, this.turn.identity(), this.scale.setScalar(radius));
    this.balls.setMatrixAt(slot, this.matrix);
    this.balls.setColorAt(slot, this.colour.setScalar(0.9 * (1 - life) ** 2));
  }

  /** Across the impulse, as wide as it was strong. */
  private ring({ position, direction, strength }: Flash, life: number, slot: number): void {
    const radius = ringRadius(strength) * (this.calm ? 0.7 : 1 - (1 - life) ** 3);
    this.turn.setFromUnitVectors(Z, direction);
    this.matrix.compose(position, this.turn, this.scale.setScalar(radius));
    this.rings.setMatrixAt(slot, this.matrix);
    this.rings.setColorAt(slot, this.colour.setScalar(0.95 * (1 - life)));
  }

  private arrow({ position, direction, strength }: Flash, life: number, slot: number): void {
    const thick = 1 - life ** 3;
    const length = arrowLength(strength);
    const head = 0.3 * length;
    const shaft = length - head;
    this.turn.setFromUnitVectors(Z, direction);
    this.centre.copy(position).addScaledVector(direction, shaft / 2);
    this.matrix.compose(this.centre, this.turn, this.scale.set(0.012 * thick, 0.012 * thick, shaft));
    this.shafts.setMatrixAt(slot, this.matrix);
    this.centre.copy(position).addScaledVector(direction, shaft + head / 2);
    this.matrix.compose(this.centre, this.turn, this.scale.set(0.036 * thick, 0.036 * thick, head));
    this.heads.setMatrixAt(slot, this.matrix);
  }
}
