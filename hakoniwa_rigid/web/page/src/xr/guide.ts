// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * What leads a user through a session: the room before them at the start, the spot of the floor where it would go,
 * coach marks, the wrist menu, three spots by which two rooms are aligned, and the heads of the others.
 */
import {
  Group, Matrix4, Mesh, MeshBasicMaterial, Quaternion, RingGeometry, Vector3, type Object3D,
} from 'three';

import type { HandSender } from '../hand/sender';
import type { Side } from '../hand/open_hand';
import type { HandPose } from '../hand/sample';
import type { Store } from '../store';
import type { Stage } from '../view/stage';
import type { View } from '../view/view';
import { BEGIN, PHASES } from '../wire/messages';
import type { Link } from '../wire/link';
import { align, faultOf, MOST_ERROR, POINTS } from './align';
import { Card } from './card';
import { CardSpot } from './card_spot';
import { Coach } from './coach';
import type { Feel } from './feel';
import { headInWorld, type Heads } from './heads';
import { INDEX_TIP, jointOf, palmOf, THUMB_TIP, type Eyes, type Palm } from './palm';
import { levelAhead, lookedAt, nearSide, placeBefore, placeSpot } from './place';
import type { RoomPlacement } from './room';
import { ShadowFloor } from './shadow_floor';
import { WristMenu } from './wrist_menu';

/** m: width and height of the card */
const CARD = [0.46, 0.15] as const;
/** ms in which the card's gap to where it belongs falls to 1/e */
const FOLLOW = 400;
/** m around a drone, beyond its own reach, in which a pinch is meant for it */
const AT_DRONE = 0.12;
const GRASPED = PHASES.indexOf('GRASPED');
const RELEASED = PHASES.indexOf('RELEASED');
const SIDES: readonly Side[] = ['left', 'right'];

/** What tests see. */
export interface GuideState {
  step: string;
  text: string;
  /** where the card hangs */
  card: number[] | undefined;
  menu: Side | '';
  hint: number[] | undefined;
  buttons: Record<string, number[]>;
  normal: number[];
  /** of index fingers that are tracked */
  tips: Partial<Record<Side, number[]>>;
  /** spots that were touched so far, and those of others */
  touched: number;
  known: number;
  errors: number[];
}

export class Guide {
  readonly coach = new Coach();
  readonly menu: WristMenu;
  private placement: RoomPlacement | undefined;
  private readonly inRoom = new Group();      // world axes
  private readonly hint: Object3D;            // WebXR axes, as is the card
  private readonly card = new Card(...CARD, 4.2);
  private readonly cardSpot = new CardSpot(CARD);
  private readonly shadows: ShadowFloor;
  private readonly tips: Partial<Record<Side, Vector3>> = {};
  private readonly pinches: Partial<Record<Side, Vector3>> = {};
  private hits: XRHitTestSource | undefined;
  private isPlaced = false;
  private looked: Vector3 | undefined;
  private readonly viewer = new Vector3();
  private readonly turn = new Quaternion();
  private readonly grasped = new Set<string>();
  private touching: Vector3[] | undefined;    // spots of an alignment that has begun, WebXR axes
  private errors: number[] = [];
  private last = 0;
  private readonly eyes: Eyes = { position: new Vector3(), ahead: new Vector3(1, 0, 0) };

  constructor(
    private readonly stage: Stage, private readonly view: View, private readonly store: Store,
    private readonly link: Link, private readonly sender: HandSender, feel: Feel,
    private readonly heads: Heads,
  ) {
    this.menu = new WristMenu([
      { name: 'reset', label: () => 'Reset', press: () => this.ask('/reset', {}) },
      {
        name: 'pause', label: () => (store.paused ? 'Resume' : 'Pause'), lit: () => store.paused,
        press: () => this.pause(),
      },
      { name: 'hands', label: () => 'Hands', lit: () => view.hands.group.visible, press: () => this.toggleHands() },
      { name: 'sound', label: () => 'Sound', lit: () => !feel.muted, press: () => (feel.muted = !feel.muted) },
      { name: 'place', label: () => 'Place', lit: () => this.coach.step === 'place', press: () => this.coach.again() },
      {
        name: 'align', label: () => 'Align', lit: () => this.touching !== undefined,
        press: () => this.beginAlignment(),
      },
    ]);
    const ring = new RingGeometry(0.16, 0.2, 40).rotateX(-Math.PI / 2);
    const amber = { color: '#ffb547', transparent: true, opacity: 0.85, depthTest: false };
    this.hint = new Mesh(ring, new MeshBasicMaterial(amber));
    this.shadows = new ShadowFloor(stage.renderer);
    this.inRoom.add(this.menu.group, this.shadows.group);
    store.contactListeners.push(({ event }) => {
      if (event.phase === BEGIN && (this.isOwn(event.body_a) || this.isOwn(event.body_b))) this.coach.pushed();
    });
    store.constraintListeners.add(({ phase, body_a: a, body_b: b }) => this.hearGrasp(phase, [a, b]));
  }

  begin(session: XRSession, placement: RoomPlacement, overReality: boolean): void {
    this.placement = placement;
    this.isPlaced = false;
    this.coach.again();
    this.touching = undefined;
    placement.mayBegin = () => !this.touching && !this.menu.open;
    placement.mayCarry = () => this.grasped.size === 0;
    placement.onTap = () => this.tap();
    placement.onCarried = () => {
      this.heads.points = undefined;
      this.coach.placed();
    };
    session.addEventListener('selectstart', ({ inputSource }) => this.touch(inputSource));
    this.stage.room.add(this.inRoom);
    this.stage.scene.add(this.hint, this.card.mesh);
    this.hint.visible = this.card.mesh.visible = false;
    if (overReality) this.shadows.show(true, this.view.drones.group);
    void this.askForHits(session);
  }

  end(): void {
    this.placement = undefined;
    this.hits = undefined;
    this.touching = undefined;
    this.heads.points = undefined;
    this.grasped.clear();
    this.menu.hide();
    this.shadows.show(false);
    this.view.hands.group.visible = true;
    this.stage.room.remove(this.inRoom);
    this.stage.scene.remove(this.hint, this.card.mesh);
  }

  /** Once a frame, before the hands are read: where the user looks; now in ms. */
  look(frame: XRFrame, base: XRReferenceSpace, now: number): void {
    const found = frame.getViewerPose(base);
    if (!found) return;
    const { position: p, orientation: q } = found.transform;
    this.viewer.set(p.x, p.y, p.z);
    this.turn.set(q.x, q.y, q.z, q.w);
    if (!this.isPlaced) this.placeFirst();
    const hit = this.hits && frame.getHitTestResults(this.hits)[0]?.getPose(base);
    const floor = hit && new Matrix4().fromArray(hit.transform.matrix);
    this.looked = this.coach.step === 'place' ? lookedAt(this.viewer, this.turn, floor) : undefined;
    this.hint.visible = this.looked !== undefined;
    if (this.looked) this.hint.position.copy(this.looked);
    this.hang(now);
    const toWorld = this.stage.room.matrixWorld.clone().invert();
    const head = new Quaternion();
    headInWorld(new Matrix4().fromArray(found.transform.matrix), toWorld, this.eyes.position, head);
    this.eyes.ahead.set(1, 0, 0).applyQuaternion(head);
    this.shadows.centre(this.eyes.position);
    this.heads.send(this.eyes.position, head, now);
    this.heads.update(now, this.eyes.position);
  }

  /** Once a frame, after the hands were read: those that are tracked now. */
  hands(poses: Partial<Record<Side, HandPose>>, now: number): void {
    const palms: Partial<Record<Side, Palm>> = {};
    for (const side of SIDES) {
      const pose = poses[side];
      palms[side] = pose && palmOf(pose, side);
      this.tips[side] = pose && jointOf(pose, INDEX_TIP);
      const thumb = pose && jointOf(pose, THUMB_TIP);
      this.pinches[side] = thumb && this.tips[side]?.clone().lerp(thumb, 0.5);
    }
    this.placement?.judge((source) => this.isAtDrone(source));
    this.menu.update(palms, this.tips, this.eyes, now);
  }

  /** A drone of the world is an arm's length before the user, from the first frame in which both are known. */
  private placeFirst(): void {
    const { scene } = this.store;
    const first = scene && this.view.drones.views.get(scene.drones[0]?.name ?? '');
    if (!scene || (scene.drones.length > 0 && !first?.seen)) return;
    this.isPlaced = true;
    const pose = new Matrix4();
    const near = nearSide(scene.drones[0]?.parts ?? []);
    if (first) placeBefore(first.position, near, this.viewer, this.turn, pose);
    else placeSpot(new Vector3(), this.viewer.clone().setY(0), levelAhead(this.turn, new Vector3()), pose);
    this.placement?.put(pose);
  }

  /** A short pinch: the first drone goes above the spot of the floor that is looked at. */
  private tap(): void {
    const { looked, placement } = this;
    if (!looked || !placement || this.coach.step !== 'place') return;
    const first = this.view.drones.views.get(this.store.scene?.drones[0]?.name ?? '');
    const ahead = looked.clone().sub(this.viewer).setY(0);
    if (ahead.length() < 0.05) levelAhead(this.turn, ahead);
    placement.put(placeSpot(first?.seen ? first.position : new Vector3(), looked, ahead, new Matrix4()));
    this.heads.points = undefined;
    this.isPlaced = true;
    this.coach.placed();
  }

  private hang(now: number): void {
    const { mesh } = this.card;
    const text = this.coach.text(now);
    const dt = Math.min(Math.max(now - this.last, 0), 200);
    this.last = now;
    if (text) this.card.show(text);
    const { matrixWorld: room } = this.stage.room;
    const drones = [...this.view.drones.views.values()].filter(({ seen }) => seen)
      .map(({ position, reach }) => ({ spot: position.clone().applyMatrix4(room), reach }));
    const goal = this.cardSpot.before(this.viewer, levelAhead(this.turn, new Vector3()), drones);
    mesh.position.lerp(goal, mesh.visible ? 1 - Math.exp(-dt / FOLLOW) : 1);
    mesh.visible = text !== '';
    mesh.lookAt(this.viewer);
  }

  private isAtDrone({ handedness }: XRInputSource): boolean {
    const spot = handedness === 'none' ? undefined : this.pinches[handedness];
    return spot !== undefined && [...this.view.drones.views.values()].some(({ seen, position, reach }) =>
      seen && position.distanceTo(spot) < reach + AT_DRONE);
  }

  private isOwn(body: string): boolean {
    return this.sender.own.has(body);
  }

  private hearGrasp(phase: number, bodies: string[]): void {
    const own = bodies.find((body) => this.isOwn(body) || this.grasped.has(body));
    if (own === undefined) return;
    if (phase === GRASPED) this.grasped.add(own);
    if (phase !== RELEASED) return;
    this.grasped.delete(own);
    this.coach.released();
  }

  private async askForHits(session: XRSession): Promise<void> {
    try {
      const space = await session.requestReferenceSpace('viewer');
      this.hits = await session.requestHitTestSource?.({ space });
    } catch {
      this.hits = undefined;   // the floor is where the headset has it
    }
  }

  // three spots

  private beginAlignment(): void {
    this.touching = this.touching ? undefined : [];
    this.errors = [];
    this.sayNext();
  }

  private sayNext(): void {
    const now = performance.now();
    if (!this.touching) this.coach.say('', now, 0);
    else {
      const spot = `Spot ${this.touching.length + 1} of ${POINTS}`;
      this.coach.say(`${spot}: touch it with one index finger,\npinch with the other hand.`, now, Infinity);
    }
  }

  /** A pinch of one hand takes the spot that the other one's index finger touches. */
  private touch({ handedness }: XRInputSource): void {
    if (!this.touching || this.menu.open || handedness === 'none') return;
    const tip = this.tips[handedness === 'left' ? 'right' : 'left'];
    if (!tip) return;
    this.touching.push(tip.clone().applyMatrix4(this.stage.room.matrixWorld));
    if (this.touching.length < POINTS) this.sayNext();
    else this.finish(this.touching);
  }

  private finish(touched: readonly Vector3[]): void {
    this.touching = undefined;
    const now = performance.now();
    const known = this.heads.reference();
    const fault = faultOf(touched, 'y') || (known ? faultOf(known, 'z') : '');
    if (fault) this.coach.say(fault, now);
    else if (known) this.alignTo(known, touched, now);
    else {
      const toWorld = this.stage.room.matrixWorld.clone().invert();
      this.heads.points = touched.map((point) => point.clone().applyMatrix4(toWorld));
      this.coach.say('The spots are set. The others touch\nthe same three in the same order.', now);
    }
  }

  private alignTo(known: readonly Vector3[], touched: readonly Vector3[], now: number): void {
    const { pose, errors, worst } = align(known, touched);
    this.errors = errors;
    const each = errors.map((error) => (100 * error).toFixed(1)).join(', ');
    if (worst > MOST_ERROR) {
      this.coach.say(`Not aligned: the spots are ${each} cm off.\nTouch the same three in the same order.`, now);
      return;
    }
    this.placement?.put(pose);
    this.heads.points = known.map((point) => point.clone());
    this.coach.say(`Aligned: the spots are ${each} cm off.`, now);
  }

  // the menu

  private ask(service: string, request: unknown): void {
    void this.link.call(service, request).then(({ success, message }) => {
      if (!success) this.coach.say(message.slice(0, 80), performance.now());
    });
  }

  private pause(): void {
    const paused = !this.store.paused;
    void this.link.call('/set_paused', { paused }).then(({ success, message }) => {
      // the node tells it to all pages, too; an older one does not
      if (success) this.store.pause(paused);
      else this.coach.say(message.slice(0, 80), performance.now());
    });
  }

  private toggleHands(): void {
    this.view.hands.group.visible = !this.view.hands.group.visible;
  }

  /** What is shown, m in WebXR axes. */
  state(): GuideState {
    const { room } = this.stage;
    const inXr = (spot: Vector3) => spot.applyMatrix4(room.matrixWorld).toArray();
    return {
      step: this.coach.step,
      text: this.coach.text(performance.now()),
      card: this.card.mesh.visible ? this.card.mesh.position.toArray() : undefined,
      menu: this.menu.side ?? '',
      hint: this.hint.visible ? this.hint.position.toArray() : undefined,
      buttons: this.menu.open
        ? Object.fromEntries(this.menu.names.map((name) => [name, inXr(this.menu.spotOf(name)!)])) : {},
      normal: this.menu.normal.transformDirection(room.matrixWorld).toArray(),
      tips: Object.fromEntries(SIDES.flatMap((side) => {
        const tip = this.tips[side];
        return tip ? [[side, inXr(tip.clone())]] : [];
      })),
      touched: this.touching?.length ?? 0,
      known: this.heads.reference()?.length ?? 0,
      errors: this.errors,
    };
  }
}
