// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Hands: spheres at their joints and bones between them; one's own at once, others as the node receives them. */
import {
  CylinderGeometry, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, SphereGeometry,
  Vector3, type Color,
} from 'three';

import { bonesOf } from '../hand/joints';
import type { HandPose } from '../hand/sample';
import type { HandJoints } from '../wire/messages';
import { OTHER_HAND, SKIN } from './palette';

const MOST_HANDS = 8;
const JOINTS_EACH = 52;   // of bones without joints in common
/** ms after which a hand that is not received any more is gone */
const TIMEOUT = 400;
const Z = new Vector3(0, 0, 1);

/** What is drawn of a hand: J joints, positions 3J m world, radii m, whether each is tracked. */
interface Drawn {
  positions: ArrayLike<number>;
  radii: ArrayLike<number>;
  valid: ArrayLike<number | boolean>;
}

/** A recorded hand as B bones: both ends, 6B m world, NaN where one is not tracked; radii m. */
export interface Bones {
  ends: Float64Array;
  radii: readonly number[];
}

/** A hand as the node receives it, with the time of arrival, ms. */
interface ReceivedHand {
  joints: HandJoints;
  at: number;
}

export class Hands {
  readonly group = new Group();
  private readonly joints: InstancedMesh;
  private readonly bones: InstancedMesh;
  private joint = 0;
  private bone = 0;
  private readonly matrix = new Matrix4();
  private readonly from = new Vector3();
  private readonly to = new Vector3();
  private readonly start = new Vector3();
  private readonly turn = new Quaternion();
  private readonly scale = new Vector3();
  private readonly received = new WeakMap<HandJoints, Drawn>();

  constructor() {
    const n = MOST_HANDS * JOINTS_EACH;
    const skin = new MeshLambertMaterial({ color: '#ffffff' });
    this.joints = new InstancedMesh(new SphereGeometry(1, 12, 8), skin, n);
    // a unit bone stands along z; its ends take the mean radius of its joints
    this.bones = new InstancedMesh(new CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2), skin, n);
    for (const mesh of [this.joints, this.bones]) {
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      mesh.count = 0;
      this.group.add(mesh);
    }
  }

  /** Draws own hands (by name) and the others that were received lately. */
  update(own: ReadonlyMap<string, HandPose>, received: ReadonlyMap<string, ReceivedHand>, now: number): void {
    this.joint = 0;
    this.bone = 0;
    for (const pose of own.values()) this.draw(pose, SKIN);
    for (const [name, { joints, at }] of received) {
      if (!own.has(name) && now - at < TIMEOUT) this.draw(this.flat(joints), OTHER_HAND);
    }
    this.finish();
  }

  /** Draws the hands of a recording, and no others. */
  replay(hands: readonly Bones[]): void {
    this.joint = 0;
    this.bone = 0;
    for (const hand of hands) this.drawBones(hand);
    this.finish();
  }

  private finish(): void {
    this.joints.count = this.joint;
    this.bones.count = this.bone;
    for (const mesh of [this.joints, this.bones]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }

  private flat(hand: HandJoints): Drawn {
    let drawn = this.received.get(hand);
    if (!drawn) {
      const positions = Float64Array.from(hand.poses.flatMap(({ position: p }) => [p.x, p.y, p.z]));
      drawn = { positions, radii: hand.radii, valid: hand.is_valid };
      this.received.set(hand, drawn);
    }
    return drawn;
  }

  private draw({ positions, radii, valid }: Drawn, colour: Color): void {
    const count = positions.length / 3;
    if (this.joint + count > MOST_HANDS * JOINTS_EACH) return;
    const shown = (i: number) => valid.length === 0 || Boolean(valid[i]);
    for (let i = 0; i < count; i += 1) {
      if (!shown(i)) continue;
      this.scale.setScalar(radii[i] ?? 0.01);
      this.matrix.compose(this.from.fromArray(positions, 3 * i), this.turn.identity(), this.scale);
      this.joints.setMatrixAt(this.joint, this.matrix);
      this.joints.setColorAt(this.joint++, colour);
    }
    for (const [inner, outer] of bonesOf(count)) {
      if (!shown(inner) || !shown(outer)) continue;
      this.from.fromArray(positions, 3 * inner);
      this.to.fromArray(positions, 3 * outer).sub(this.from);
      this.putBone(0.45 * ((radii[inner] ?? 0.01) + (radii[outer] ?? 0.01)), colour);
    }
  }

  private drawBones({ ends, radii }: Bones): void {
    if (this.joint + 2 * radii.length > MOST_HANDS * JOINTS_EACH) return;
    radii.forEach((radius, i) => {
      if (Number.isNaN(ends[6 * i]!)) return;
      for (const at of [6 * i, 6 * i + 3]) {
        this.matrix.compose(this.from.fromArray(ends, at), this.turn.identity(), this.scale.setScalar(radius));
        this.joints.setMatrixAt(this.joint, this.matrix);
        this.joints.setColorAt(this.joint++, SKIN);
      }
      this.to.copy(this.from).sub(this.start.fromArray(ends, 6 * i));
      this.from.copy(this.start);
      this.putBone(0.9 * radius, SKIN);
    });
  }

  /** A bone that begins at `from` and goes by `to`. */
  private putBone(radius: number, colour: Color): void {
    const length = this.to.length();
    this.from.addScaledVector(this.to, 0.5);
    this.turn.setFromUnitVectors(Z, length > 0 ? this.to.divideScalar(length) : Z);
    this.matrix.compose(this.from, this.turn, this.scale.set(radius, radius, length));
    this.bones.setMatrixAt(this.bone, this.matrix);
    this.bones.setColorAt(this.bone++, colour);
  }
}
