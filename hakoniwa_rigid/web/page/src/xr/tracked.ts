// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** One tracked hand or controller of a headset: its 25 joints in the world, once a frame. */
import { Matrix4, Quaternion, Vector3 } from 'three';

import { JOINTS, RADII } from '../hand/joints';
import { openHand, type Side } from '../hand/open_hand';
import { HandPose } from '../hand/sample';

const N = JOINTS.length;

/** What a frame of a session with hands has too, and the types leave out. */
interface HandFrame extends XRFrame {
  fillPoses?(spaces: readonly XRSpace[], base: XRSpace, matrices: Float32Array): boolean;
  fillJointRadii?(joints: readonly XRJointSpace[], radii: Float32Array): boolean;
}

export class TrackedHand {
  readonly pose = new HandPose();
  private readonly matrices = new Float32Array(16 * N);
  private readonly sizes = new Float32Array(N);
  private spaces: XRJointSpace[] = [];
  private of: XRHand | undefined;
  private readonly matrix = new Matrix4();
  private readonly position = new Vector3();
  private readonly orientation = new Quaternion();
  private readonly scale = new Vector3();

  constructor(readonly side: Side) {}

  /** Reads the joints; false if none is tracked now. `toWorld` maps the base space to the world. */
  readJoints(frame: HandFrame, hand: XRHand, base: XRSpace, toWorld: Matrix4): boolean {
    if (hand !== this.of) {
      this.of = hand;
      this.spaces = JOINTS.map((name) => hand.get(name)!);
    }
    // all at once costs a tenth, but says nothing of single joints that are lost
    const all = frame.fillPoses?.(this.spaces, base, this.matrices) ?? false;
    if (all && frame.fillJointRadii?.(this.spaces, this.sizes)) this.pose.valid.fill(1);
    else this.readEach(frame, base);
    for (let i = 0; i < N; i += 1) {
      if (!this.pose.valid[i]) continue;
      this.put(i, this.matrix.fromArray(this.matrices, 16 * i).premultiply(toWorld));
      const radius = this.sizes[i]!;
      this.pose.radii[i] = radius > 0 ? radius : RADII[i]!;
    }
    return this.pose.anyValid;
  }

  /** An open hand where a controller is gripped. */
  readGrip(frame: XRFrame, grip: XRSpace, base: XRSpace, toWorld: Matrix4): boolean {
    const found = frame.getPose(grip, base);
    if (!found) return false;
    openHand(this.side, this.matrix.fromArray(found.transform.matrix).premultiply(toWorld), this.pose);
    return true;
  }

  private readEach(frame: HandFrame, base: XRSpace): void {
    this.spaces.forEach((space, i) => {
      const joint = frame.getJointPose?.(space, base);
      this.pose.valid[i] = joint ? 1 : 0;
      if (!joint) return;
      this.matrices.set(joint.transform.matrix, 16 * i);
      this.sizes[i] = joint.radius ?? 0;
    });
  }

  private put(i: number, matrix: Matrix4): void {
    matrix.decompose(this.position, this.orientation, this.scale);
    this.position.toArray(this.pose.positions, 3 * i);
    this.orientation.toArray(this.pose.orientations, 4 * i);
  }
}
