// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A hand on the mouse: drag it on the canvas, in the plane that faces the camera; the wheel moves the plane. */
import { Matrix4, Vector3, type PerspectiveCamera } from 'three';

import type { Stage } from '../view/stage';
import { openHand, PALM, type Side } from './open_hand';
import { HandPose } from './sample';
import type { HandSender } from './sender';

/**
 * ms between samples: 80 Hz; the timer looks oftener, and events come when they come.  A hand that begins to move need
 * not wait for the turn of the one at rest
 */
const INTERVAL = 12.5;
const TIMER = 4;
/** m/s, at most: the hand flies after a jumping cursor, as the node refuses jumps, and a late event is no impact */
const FASTEST = 2.5;
/** ms in which the hand's gap to the cursor falls to 1/e: a cursor goes in pixels, and a pixel at once is a jab */
const FOLLOW = 25;
/** ms, between the stamps of two samples: at least, and at most to move in */
const LEAST_BASE = 1;
const MOST_BASE = 50;
/** rad by which the palm looks away from the camera instead of sideways, so that the hand is seen as a hand */
const TILT = 0.5;
/** share of the depth that a wheel's step moves the hand, and m it may come near the camera */
const WHEEL = 0.0005;
const NEAREST = 0.3;

/** Something that the hand may be meant to push: where it is (WebXR axes) and on the page (CSS pixels). */
export interface Target {
  spot: Vector3;
  page: [number, number];
}

/** Pose of the wrist in camera axes whose palm lies at a point and faces right (side 1) or left (-1). */
export function wristPose(palm: Vector3, side: 1 | -1, out: Matrix4): Matrix4 {
  const [s, c] = [Math.sin(TILT), Math.cos(TILT)];
  const back = new Vector3(-side * c, 0, s);
  out.makeBasis(new Vector3(s, 0, side * c), back, new Vector3(0, -1, 0)).setPosition(palm);
  return out.multiply(new Matrix4().makeTranslation(0, 0, PALM));
}

/** How far the hand comes in ms towards a cursor that is `gap` away, m; written into `gap`. */
export function follow(gap: Vector3, ms: number): Vector3 {
  const base = Math.min(ms, MOST_BASE);
  return gap.multiplyScalar(1 - Math.exp(-base / FOLLOW)).clampLength(0, (FASTEST * base) / 1000);
}

export class MouseHand {
  enabled = true;
  private pointer: number | undefined;
  private timer: ReturnType<typeof setInterval> | undefined;
  private depth = 2;
  private side: 1 | -1 = 1;
  private last = -Infinity;
  private moved = -Infinity;
  private readonly pose = new HandPose();
  private readonly aim = new Vector3();
  private readonly palm = new Vector3();
  private readonly wrist = new Matrix4();
  private readonly toWorld = new Matrix4();
  private cursor: [number, number] = [0, 0];

  constructor(
    private readonly stage: Stage, private readonly sender: HandSender, private readonly targets: () => Target[],
  ) {
    const canvas = stage.renderer.domElement;
    canvas.addEventListener('pointerdown', (event) => this.grab(event));
    // raw events come at the mouse's rate, the others once a frame
    canvas.addEventListener('onpointerrawupdate' in canvas ? 'pointerrawupdate' : 'pointermove', (event) =>
      this.drag(event as PointerEvent));
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, (e) => this.drop(e));
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    addEventListener('blur', () => this.release());
  }

  get held(): boolean {
    return this.pointer !== undefined;
  }

  private grab(event: PointerEvent): void {
    if (!this.enabled || event.button !== 0 || this.held || this.stage.renderer.xr.isPresenting) return;
    this.pointer = event.pointerId;
    this.stage.renderer.domElement.setPointerCapture(event.pointerId);
    this.stage.orbit.enabled = false;
    this.cursor = [event.clientX, event.clientY];
    this.choosePlane();
    this.palm.copy(this.pointAt());
    this.last = event.timeStamp - INTERVAL;
    this.publish(event.timeStamp);
    this.timer = setInterval(() => this.tick(), TIMER);
  }

  /** The plane of the target nearest to the cursor on the page; the palm faces it. */
  private choosePlane(): void {
    const { camera, orbit } = this.stage;
    const [x, y] = this.cursor;
    const gap = ({ page: [px, py] }: Target) => Math.hypot(px - x, py - y);
    const nearest = this.targets().reduce<Target | undefined>((a, b) => (a && gap(a) <= gap(b) ? a : b), undefined);
    this.depth = Math.max(NEAREST, depthOf(camera, nearest?.spot ?? orbit.target));
    this.side = nearest && nearest.page[0] < x ? -1 : 1;
  }

  private drag(event: PointerEvent): void {
    if (event.pointerId !== this.pointer) return;
    this.cursor = [event.clientX, event.clientY];
    if (event.timeStamp - this.moved < INTERVAL) return;
    this.moved = event.timeStamp;
    this.publish(event.timeStamp);
  }

  private tick(): void {
    const now = performance.now();
    if (now - this.last >= INTERVAL) this.publish(now);
  }

  private drop(event: PointerEvent): void {
    if (event.pointerId === this.pointer) this.release();
  }

  private release(): void {
    if (!this.held) return;
    clearInterval(this.timer);
    this.pointer = undefined;
    this.last = this.moved = -Infinity;
    this.stage.orbit.enabled = true;
    this.sender.release('mouse');
  }

  private wheel(event: WheelEvent): void {
    if (!this.held) return;
    event.preventDefault();
    this.depth = Math.max(NEAREST, this.depth * (1 - WHEEL * event.deltaY));
  }

  /** The point under the cursor in the hand's plane, camera axes. */
  private pointAt(): Vector3 {
    const { left, top, width, height } = this.stage.renderer.domElement.getBoundingClientRect();
    const x = (2 * (this.cursor[0] - left)) / width - 1;
    const y = 1 - (2 * (this.cursor[1] - top)) / height;
    // the picture's middle need not be the page's
    this.aim.set(x, y, 0.5).applyMatrix4(this.stage.camera.projectionMatrixInverse);
    return this.aim.multiplyScalar(this.depth / -this.aim.z);
  }

  /** A sample of ms `when`, or just after the last one: an event may come later than a later turn of the timer. */
  private publish(when: number): void {
    const at = Math.max(when, this.last + LEAST_BASE);
    this.palm.add(follow(this.pointAt().sub(this.palm), at - this.last));
    this.last = at;
    const { camera, room } = this.stage;
    camera.updateMatrixWorld();
    this.toWorld.copy(room.matrixWorld).invert().multiply(camera.matrixWorld);
    wristPose(this.palm, this.side, this.wrist).premultiply(this.toWorld);
    const shape: Side = this.side > 0 ? 'left' : 'right';
    openHand(shape, this.wrist, this.pose);
    this.sender.send('mouse', this.pose, at);
  }
}

/** m, of a point (WebXR axes) ahead of the camera. */
export function depthOf(camera: PerspectiveCamera, point: Vector3): number {
  return -point.clone().applyMatrix4(camera.matrixWorldInverse).z;
}
