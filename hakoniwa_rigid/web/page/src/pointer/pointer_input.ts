// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * Mouse and fingers on the picture.  Press on a body: hold it; beside it: push with an open hand.  The hand moves in
 * the plane that faces the camera; wheel, shift or a second finger move the plane.  All else is the camera's.
 */
import { MOUSE, Vector3 } from 'three';

import type { Stage } from '../view/stage';
import { Aim } from './aim';
import type { CameraFrame, Cursor } from './camera_frame';
import { INTERVAL, type HandDriver } from './hand_driver';
import { PointerVelocity } from './velocity';

/** share of the depth that a pixel of the wheel, or of the cursor with shift, moves the hand */
const WHEEL = 0.0005;
const DRAG = 0.003;
/** ms that a finger waits for a second one, which makes both the camera's, unless it moves by so many CSS pixels */
const WAIT = 120;
const MOVES = 8;
/** m, of what is held from the cursor, at most */
const ASIDE = 0.1;

export class PointerInput {
  enabled = true;
  /** where the mouse is over the picture, without a button */
  hover: Cursor | undefined;
  private pointer: number | undefined;
  private finger = false;
  private waiting: { timer: ReturnType<typeof setTimeout>; event: PointerEvent } | undefined;
  private readonly fingers = new Map<number, Cursor>();
  private cursor: Cursor = [0, 0];
  private pressedAt: Cursor = [0, 0];
  private depth = 2;
  private moved = -Infinity;
  /** CSS pixels: where the pointer was last, and by how much it moved with shift */
  private lastY = 0;
  private slipped = 0;
  private planned = false;
  private wasHeld = false;
  private readonly offset = new Vector3();
  private readonly under = new Vector3();
  private readonly velocity = new PointerVelocity();

  constructor(
    private readonly stage: Stage, private readonly frame: CameraFrame, private readonly aim: Aim,
    private readonly driver: HandDriver,
  ) {
    const canvas = stage.canvas;
    // before the camera's controls hear of it
    addEventListener('pointerdown', (event) => this.before(event), { capture: true });
    canvas.addEventListener('pointerdown', (event) => this.down(event));
    // raw events come at the mouse's rate, the others once a frame
    const raw = 'onpointerrawupdate' in canvas ? 'pointerrawupdate' : 'pointermove';
    canvas.addEventListener(raw, (event) => this.drag(event as PointerEvent));
    canvas.addEventListener('pointermove', (event) => this.look(event));
    canvas.addEventListener('pointerleave', () => (this.hover = undefined));
    for (const end of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(end, (e) => this.up(e));
    canvas.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    addEventListener('blur', () => this.lose());
    document.addEventListener('visibilitychange', () => document.hidden && this.lose());
  }

  get pressed(): boolean {
    return this.pointer !== undefined;
  }

  /** Whose the button is: with Alt, Ctrl or Meta the camera's. A second finger that comes early makes both its. */
  private before(event: PointerEvent): void {
    if (event.target !== this.stage.canvas) return;
    if (event.pointerType === 'touch') {
      this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
      if (this.fingers.size > 1 && this.waiting) this.forget();
      return;
    }
    if (!this.enabled) return;
    const camera = event.altKey || event.ctrlKey || event.metaKey;
    this.stage.orbit.mouseButtons.LEFT = camera ? MOUSE.ROTATE : null;
  }

  private down(event: PointerEvent): void {
    const camera = event.altKey || event.ctrlKey || event.metaKey;
    if (!this.enabled || event.button !== 0 || camera || this.pressed || this.waiting) return;
    if (this.stage.renderer.xr.isPresenting) return;
    if (event.pointerType !== 'touch') return this.press(event, event.timeStamp);
    if (this.fingers.size > 1) return undefined;
    this.cursor = [event.clientX, event.clientY];
    this.waiting = { event, timer: setTimeout(() => this.begin(performance.now()), WAIT) };
    return undefined;
  }

  /** One finger alone: it is the hand's. */
  private begin(now: number): void {
    const { waiting } = this;
    if (!waiting) return;
    this.forget();
    this.press(waiting.event, now);
  }

  private forget(): void {
    if (this.waiting) clearTimeout(this.waiting.timer);
    this.waiting = undefined;
  }

  private press(event: PointerEvent, now: number): void {
    this.pointer = event.pointerId;
    this.finger = event.pointerType === 'touch';
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.orbit.enabled = false;
    if (!this.finger) this.cursor = [event.clientX, event.clientY];
    this.hover = undefined;
    this.pressedAt = this.cursor;
    this.slipped = 0;
    this.lastY = event.clientY;
    this.velocity.clear();
    this.moved = -Infinity;
    this.planned = false;
    this.offset.set(0, 0, 0);
    const grip = this.aim.gripAt(this.cursor, now, this.finger);
    if (grip) {
      this.driver.hold(grip, this.aim.ahead(grip, now), now);
      return;
    }
    const { depth, turn, side } = this.aim.openHand(this.cursor, now);
    this.depth = depth;
    this.planned = true;
    this.driver.push(this.frame.point(this.cursor, depth, this.under), turn, side, now);
  }

  /** What is held lies in the plane in which it was taken hold of, as far from the cursor as when it was pressed. */
  private plan(): void {
    if (this.planned || this.driver.phase !== 'held') return;
    this.planned = true;
    this.depth = Aim.nearest(this.frame.depth(this.driver.goal));
    this.offset.copy(this.driver.goal).sub(this.frame.point(this.pressedAt, this.depth, this.under));
    this.offset.clampLength(0, ASIDE);   // a body that flew on comes to the cursor
  }

  /** What a page that was held up is told in one event, it takes in one by one: a flick keeps its speed. */
  private drag(event: PointerEvent): void {
    const parts = event.getCoalescedEvents?.() ?? [];
    for (const part of parts.length > 0 ? parts : [event]) this.dragTo(part);
  }

  private dragTo(event: PointerEvent): void {
    const { pointerId, clientX, clientY, timeStamp } = event;
    const before = this.fingers.get(pointerId);
    if (before) this.fingers.set(pointerId, [clientX, clientY]);
    if (this.waiting?.event.pointerId === pointerId) {
      const gap = Math.hypot(clientX - this.cursor[0], clientY - this.cursor[1]);
      if (gap > MOVES) this.begin(timeStamp);
      return;
    }
    if (!this.pressed) return;
    if (pointerId !== this.pointer) {
      // a second finger: up is farther
      if (before) this.shift((before[1] - clientY) * DRAG);
      return;
    }
    const up = this.lastY - clientY;
    this.lastY = clientY;
    // with shift, up and down are far and near
    if (event.shiftKey) {
      this.slipped += up;
      this.depth = Aim.nearest(this.depth * (1 + up * DRAG));
    }
    this.cursor = [clientX, clientY + this.slipped];
    this.follow(timeStamp);
    if (timeStamp - this.moved < INTERVAL) return;
    this.moved = timeStamp;
    this.driver.update(timeStamp, true);
  }

  private shift(share: number): void {
    this.depth = Aim.nearest(this.depth * (1 + share));
    this.follow(performance.now());
  }

  /** The hand's goal is under the cursor. */
  private follow(now: number): void {
    this.plan();
    if (!this.planned) return;
    this.frame.point(this.cursor, this.depth, this.under).add(this.offset);
    this.driver.goal.copy(this.under);
    this.velocity.add(now, this.under);
  }

  /** Once in a while: a body that has just been taken hold of, maybe once more, comes to where the cursor is. */
  update(): void {
    const held = this.pressed && this.driver.phase === 'held';
    if (held && !this.wasHeld) this.follow(performance.now());
    this.wasHeld = held;
  }

  private up(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    if (this.waiting?.event.pointerId === event.pointerId) this.forget();
    if (event.pointerId === this.pointer) this.release(event.timeStamp, this.velocity.at(event.timeStamp));
  }

  private release(now: number, velocity: Vector3): void {
    if (!this.pressed) return;
    this.pointer = undefined;
    this.stage.orbit.enabled = true;
    this.driver.letGo(velocity, now);
  }

  /** The page has lost the pointer: nothing is thrown. */
  private lose(): void {
    this.forget();
    this.fingers.clear();
    this.hover = undefined;
    this.release(performance.now(), new Vector3());
  }

  private look(event: PointerEvent): void {
    const over = this.enabled && event.pointerType === 'mouse' && event.buttons === 0;
    this.hover = over ? [event.clientX, event.clientY] : undefined;
  }

  private wheel(event: WheelEvent): void {
    if (!this.pressed) return;
    event.preventDefault();
    this.shift(-WHEEL * event.deltaY);
  }
}
