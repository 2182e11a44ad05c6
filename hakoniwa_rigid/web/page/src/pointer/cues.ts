// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * What helps to aim: the body that is meant shines, a pale hand shows where the own one would come, a line falls from
 * the hand to what is under it, with the distances beside it.
 */
import {
  BufferGeometry, Color, Group, Line, LineBasicMaterial, Matrix4, Mesh, MeshBasicMaterial, RingGeometry, Vector3,
  type Material, type Quaternion,
} from 'three';

import { gripHand, facing, pinchOf } from '../hand/grip_hand';
import { openHand, PALM, type Side } from '../hand/open_hand';
import { HandPose } from '../hand/sample';
import { element } from '../panel/element';
import { Hands } from '../view/hands';
import type { Stage } from '../view/stage';
import type { Bodies, Body } from './bodies';
import type { CameraFrame } from './camera_frame';
import type { Ground } from './ground';
import type { Phase } from './hand_driver';

/** times its size: so far the shine stands off a body */
const SHINE = 1.04;
const GHOST = 0.6;
/** m: radius of the ring at the foot of the line; where a ghost is before a surface; CSS pixels of the label aside */
const RING = 0.035;
const BEFORE = 0.06;
const ASIDE = 18;
const MEANT = new Color('#7cc4ff');
const HELD = new Color('#6fdc9a');
const FAILED = new Color('#ff6b70');

/** Where the ghost of a hand is: its control point, m world, wrist's turn, shape, whether it would take hold. */
export interface Ghost {
  point: Vector3;
  turn: Quaternion;
  side: Side;
  grips: boolean;
}

/** What there is to show: the body that is meant or held, the state of the hand, where it is or would be. */
export interface Shown {
  body: Body | undefined;
  phase: Phase;
  point: Vector3 | undefined;
  ghost: Ghost | undefined;
}

export class Cues {
  readonly group = new Group();
  readonly label = element('div', 'hand-label');
  private readonly shine = new Mesh(new BufferGeometry(), new MeshBasicMaterial({
    color: MEANT, transparent: true, opacity: 0.22, depthWrite: false,
  }));
  private readonly line = new Line(new BufferGeometry().setFromPoints([new Vector3(), new Vector3(0, 0, -1)]),
    new LineBasicMaterial({ color: MEANT, transparent: true, opacity: 0.7 }));
  private readonly ring = new Mesh(new RingGeometry(0.7 * RING, RING, 24),
    new MeshBasicMaterial({ color: MEANT, transparent: true, opacity: 0.7, depthWrite: false }));
  private readonly hands = new Hands();
  private readonly pose = new HandPose();
  private readonly wrist = new Matrix4();
  private readonly ghosts = new Map<string, HandPose>();

  constructor(
    private readonly stage: Stage, private readonly frame: CameraFrame, private readonly bodies: Bodies,
    private readonly ground: Ground,
  ) {
    this.hands.group.traverse((child) => {
      const material = (child as Mesh).material as Material | undefined;
      if (material) Object.assign(material, { transparent: true, opacity: GHOST });
      child.renderOrder = 1;   // over the shine
    });
    this.line.frustumCulled = false;
    this.group.add(this.shine, this.line, this.ring, this.hands.group);
    this.label.setAttribute('aria-hidden', 'true');   // the status line says it
  }

  update(now: number, { body, phase, point, ghost }: Shown): void {
    const colour = phase === 'held' ? HELD : phase === 'failed' ? FAILED : MEANT;
    this.showBody(body, colour, now);
    this.showGhost(ghost, now);
    this.showDepth(point ?? ghost?.point, colour);
  }

  private showBody(body: Body | undefined, colour: Color, now: number): void {
    const motion = body && this.bodies.where(body.name, now);
    this.shine.visible = Boolean(motion);
    if (!body || !motion) return;
    this.shine.geometry = body.shape;
    this.shine.material.color.copy(colour);
    this.shine.position.copy(motion.position);
    this.shine.quaternion.copy(motion.turn);
    this.shine.scale.setScalar(SHINE);
  }

  private showGhost(ghost: Ghost | undefined, now: number): void {
    this.ghosts.clear();
    if (ghost) {
      const { point, turn, side, grips } = ghost;
      const hinge = grips ? pinchOf(side) : new Vector3(0, 0, -PALM);
      this.wrist.makeRotationFromQuaternion(turn).setPosition(hinge.applyQuaternion(turn).negate().add(point));
      if (grips) gripHand(side, this.wrist, 0, this.pose);
      else openHand(side, this.wrist, this.pose);
      this.ghosts.set('ghost', this.pose);
    }
    this.hands.update(this.ghosts, new Map(), now);
  }

  private showDepth(point: Vector3 | undefined, colour: Color): void {
    const height = point ? this.ground.height(point) : Infinity;
    const falls = Boolean(point) && Number.isFinite(height);
    this.line.visible = this.ring.visible = falls;
    this.label.hidden = !point;
    if (!point) return;
    if (falls) {
      this.line.position.copy(point);
      this.line.scale.set(1, 1, height);
      this.ring.position.copy(point).setZ(point.z - height + 0.006);
      this.line.material.color.copy(colour);
      this.ring.material.color.copy(colour);
    }
    const [x, y] = this.stage.project(point);
    this.label.style.transform = `translate(${Math.round(x + ASIDE)}px, ${Math.round(y)}px)`;
    const ahead = `${this.frame.depth(point).toFixed(2)} m away`;
    const text = falls ? `${ahead}, ${height.toFixed(2)} m up` : ahead;
    if (this.label.textContent !== text) this.label.textContent = text;
  }
}

/** The ghost of a hand that would take hold of a surface: before it, as the own hand comes. */
export function ghostBefore(at: Vector3, normal: Vector3, ahead: Vector3, side: Side): Ghost {
  return { point: at.clone().addScaledVector(normal, BEFORE), turn: facing(normal, ahead), side, grips: true };
}
