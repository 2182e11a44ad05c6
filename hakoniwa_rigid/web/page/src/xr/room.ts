// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Where the room stands in the real one: a held pinch (or a controller's select) carries it, letting go fixes it. A
 * pinch at a drone grips that, and is none for the room.
 */
import { Matrix4, Quaternion, Vector3 } from 'three';

import { facingAway, spotOnFloor } from '../maths/anchor';

/** ms: a shorter pinch is no wish to move the room */
export const HOLD = 800;

export class RoomPlacement {
  readonly pose = new Matrix4();
  /** whether a pinch that begins may be one for the room, and whether one that is held may carry it */
  mayBegin: () => boolean = () => true;
  mayCarry: () => boolean = () => true;
  /** a pinch that was shorter than one that carries */
  onTap: () => void = () => undefined;
  /** the room was carried to another spot */
  onCarried: () => void = () => undefined;
  private moved = false;
  private isNew = false;
  private since = NaN;
  private holder: XRInputSource | undefined;
  private anchor: XRAnchor | undefined;
  private wanted = false;
  private readonly origin = new Vector3();
  private readonly direction = new Vector3();
  private readonly turn = new Quaternion();
  private readonly spot = new Vector3();
  private readonly viewer = new Vector3();
  private readonly anchored = new Matrix4();

  constructor(session: XRSession) {
    session.addEventListener('selectstart', ({ inputSource }) => this.hold(inputSource));
    session.addEventListener('selectend', ({ inputSource }) => this.letGo(inputSource));
  }

  /** While the room is carried, hands push nothing. */
  carrying(now: number): boolean {
    return now - this.since >= HOLD && this.mayCarry();
  }

  /** A pinch that has just begun is none for the room where it is at something else, as its hand's newest pose says. */
  judge(isElsewhere: (source: XRInputSource) => boolean): void {
    if (!this.holder || !this.isNew) return;
    this.isNew = false;
    if (!isElsewhere(this.holder)) return;
    this.holder = undefined;
    this.since = NaN;
  }

  /** Puts the world's origin somewhere, at the next frame. */
  put(pose: Matrix4): void {
    this.pose.copy(pose);
    this.anchor?.delete();
    this.anchor = undefined;
    this.moved = this.wanted = true;
  }

  /** True if the room has to be drawn somewhere else now; now in ms. */
  update(frame: XRFrame, base: XRReferenceSpace, now: number): boolean {
    if (this.carrying(now)) return this.follow(frame, base);
    if (this.wanted) this.fix(frame, base);
    if (this.moved) {
      this.moved = false;
      return true;
    }
    const found = this.anchor && frame.getPose(this.anchor.anchorSpace, base);
    if (!found) return false;
    this.anchored.fromArray(found.transform.matrix);
    if (this.anchored.equals(this.pose)) return false;
    this.pose.copy(this.anchored);
    return true;
  }

  private hold(source: XRInputSource): void {
    if (this.holder || !this.mayBegin()) return;
    this.holder = source;
    this.isNew = true;
    this.since = performance.now();
  }

  private letGo(source: XRInputSource): void {
    if (source !== this.holder) return;
    const now = performance.now();
    const carried = this.carrying(now);
    const tapped = now - this.since < HOLD;
    this.holder = undefined;
    this.since = NaN;
    if (carried) {
      this.wanted = true;
      this.onCarried();
    } else if (tapped) this.onTap();
  }

  private follow(frame: XRFrame, base: XRReferenceSpace): boolean {
    const ray = this.holder && frame.getPose(this.holder.targetRaySpace, base);
    const viewer = frame.getViewerPose(base);
    if (!ray || !viewer) return false;
    const { position: p, orientation: q } = ray.transform;
    this.direction.set(0, 0, -1).applyQuaternion(this.turn.set(q.x, q.y, q.z, q.w));
    spotOnFloor(this.origin.set(p.x, p.y, p.z), this.direction, this.spot);
    const { x, y, z } = viewer.transform.position;
    facingAway(this.spot, this.viewer.set(x, y, z), this.pose);
    return true;
  }

  /** Asks for an anchor where the room is; without anchors it stays fixed in the headset's own space. */
  private fix(frame: XRFrame, base: XRReferenceSpace): void {
    this.wanted = false;
    this.anchor?.delete();
    this.anchor = undefined;
    this.pose.decompose(this.spot, this.turn, this.origin);
    const { x, y, z } = this.spot;
    const q = this.turn;
    const transform = new XRRigidTransform({ x, y, z }, { x: q.x, y: q.y, z: q.z, w: q.w });
    frame.createAnchor?.(transform, base)?.then((anchor) => (this.anchor = anchor), () => undefined);
  }
}
