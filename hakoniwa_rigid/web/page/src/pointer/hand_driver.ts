// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * The page's own hand, whatever steers it: an open one that pushes, or one that takes hold, carries, lets go, throws.
 *
 * It takes hold as a hand does: it comes from outside along the surface's normal, goes along with the body, closes
 * thumb and index before it, and the node's grasp assistance does the rest.  What is held is what the node says.
 */
import { Matrix4, Quaternion, Vector3 } from 'three';

import { facing, gripHand, pinchOf, standOff } from '../hand/grip_hand';
import { follow } from '../hand/mouse_hand';
import { openHand, PALM, type Side } from '../hand/open_hand';
import { HandPose } from '../hand/sample';
import type { HandSender } from '../hand/sender';
import { GRASPED, RELEASED, type ConstraintEvent } from '../wire/messages';
import type { Bodies, Grip } from './bodies';
import { FASTEST, Follower } from './follower';

/** ms between samples: 80 Hz */
export const INTERVAL = 12.5;
/** ms, between the stamps of two samples: at least; of a busy page, the longest for which samples are made up for */
const LEAST_BASE = 1;
const LONGEST = 400;
/** m from the surface: where the hand comes in, and what its foremost part keeps while it closes */
const APPROACH = 0.12;
const GAP = 0.006;
/**
 * ms: from there to the surface, to close, ever more slowly, to wait for the node's word, to open.  A page that is held
 * up takes longer for all but the last: fingers that opened before the word is here would let go of what was taken.
 */
const REACHES = 180;
const CLOSES = 260;
const WAITS = 350;
const OPENS = 100;
/** times that it tries to take hold, each more slowly; at most so much more.  ms: what slips so soon was never held */
const TRIES = 3;
const SLOWEST = 6;
const SOON = 800;
/** places that are kept: more than a second of them */
const TRAIL = 96;
/** ms after it has let go for which a hand of the node takes hold of nothing */
const PAUSES = 600;
/** ms for which a hand that has taken hold of nothing goes back, and m/s */
const RETREATS = 300;
const BACK = 0.4;
/**
 * m/s: slower is no throw.  ms: for which a hand that throws goes on before it opens, as the node measures its motion
 * before that; after it is open goes on, and stays; at most to hear that it has let go
 */
export const THROWN = 0.25;
const GOES_ON = 130;
const MOST_FOLLOWS = 2;
const OUT = 60;
const STAYS = 300;
const LISTENS = 1200;
/** m/s with which the hand comes near a body at most, beside the body's own velocity */
const NEARING = 2.5;

const STILL = new Vector3();

export type Phase = 'idle' | 'push' | 'reach' | 'close' | 'held' | 'throw' | 'open' | 'failed';

/** What happens, for those who tell it: a kind, and the body's name. */
export type News =
  | { what: 'reaching' | 'holding' | 'missed' | 'lost' | 'released' | 'pushing' | 'done'; name: string }
  | { what: 'thrown'; name: string; speed: number }
  | { what: 'refused'; name: string; why: string };

export class HandDriver {
  phase: Phase = 'idle';
  /**
   * Times as long as usual for which a hand comes, closes and goes on with what it throws: a page that is held up sends
   * its samples late, and the node takes a quick hand too far in the meantime.
   */
  pace = 1;
  /** m, world: where the palm of an open hand, or the pinch of one that holds, is to be */
  readonly goal = new Vector3();
  /** where it is, m, world */
  readonly point = new Vector3();
  readonly pose = new HandPose();
  grip: Grip | undefined;
  onNews: (news: News) => void = () => undefined;
  private since = 0;
  private last = -Infinity;
  private tries = 0;
  private slow = 1;   // pace at which it takes hold
  private closed = 0;
  private side: Side = 'right';
  private follows = GOES_ON;
  private told = false;
  private readonly trail: { at: number; point: Vector3 }[] = [];   // since it came
  private readonly thrown = new Vector3();
  private readonly turn = new Quaternion();
  private readonly follower = new Follower();
  private readonly velocity = new Vector3();
  private readonly at = new Vector3();
  private readonly normal = new Vector3();
  private readonly wrist = new Matrix4();
  private readonly hinge = new Vector3();
  private readonly step = new Vector3();

  constructor(private readonly sender: HandSender, private readonly bodies: Bodies) {}

  get active(): boolean {
    return this.phase !== 'idle';
  }

  /** Name of the body that it holds or is about to. */
  get holds(): string {
    return this.grip?.body.name ?? '';
  }

  /** An open hand comes in with its palm at a point; `turn` is its wrist's, `side` its shape. */
  push(point: Vector3, turn: Quaternion, side: Side, now: number): boolean {
    if (!this.claim('')) return false;
    this.begin('push', now);
    this.grip = undefined;
    this.side = side;
    this.turn.copy(turn);
    this.hinge.set(0, 0, -PALM);
    this.point.copy(point);
    this.goal.copy(point);
    this.onNews({ what: 'pushing', name: '' });
    this.update(now, true);
    return true;
  }

  /** A hand comes to take hold of a body; `ahead`: where its fingers point, world. */
  hold(grip: Grip, ahead: Vector3, now: number): boolean {
    const { name } = grip.body;
    if (!this.claim(name) || !this.bodies.place(grip, now, this.at, this.normal, this.velocity)) return false;
    const body = this.sender.body('mouse') ?? '';
    this.side = /left/i.test(body) && !/right/i.test(body) ? 'left' : 'right';
    this.begin('reach', now);
    this.slow = this.pace;
    this.grip = grip;
    this.tries = 0;
    this.closed = 0;
    this.turn.copy(facing(this.normal, ahead));
    this.hinge.copy(pinchOf(this.side));
    this.point.copy(this.at).addScaledVector(this.normal, APPROACH);
    this.onNews({ what: 'reaching', name });
    this.update(now, true);
    return true;
  }

  private claim(name: string): boolean {
    if (this.active) this.end();
    if (this.sender.claim() !== undefined) return true;
    this.onNews({ what: 'refused', name, why: this.sender.rival('mouse') || 'this world has no hands' });
    return false;
  }

  private begin(phase: Phase, now: number): void {
    this.phase = phase;
    this.since = now;
    this.last = now - INTERVAL;
    this.trail.length = 0;
  }

  private enter(phase: Phase, now: number): void {
    this.phase = phase;
    this.since = now;
  }

  /**
   * Lets go: what is held flies on with the velocity, m/s world, unless that is hardly one.  `follows`: ms for which
   * the hand goes on before it opens.
   */
  letGo(velocity: Vector3, now: number, follows = GOES_ON): void {
    if (this.phase === 'held') {
      const thrown = velocity.length() > THROWN;
      this.thrown.copy(thrown ? velocity : this.step.set(0, 0, 0)).clampLength(0, FASTEST);
      this.told = false;
      this.follows = thrown ? follows * Math.min(MOST_FOLLOWS, this.pace) : 0;
      this.enter('throw', now);
    } else if (this.phase === 'reach' || this.phase === 'close') {
      this.onNews({ what: 'released', name: this.holds });
      this.retreat(now, 'open');
    } else if (this.phase === 'push') {
      this.onNews({ what: 'done', name: '' });
      this.end();
    }
  }

  /** The hand is gone at once. */
  end(): void {
    if (!this.active) return;
    this.phase = 'idle';
    this.grip = undefined;
    this.sender.release('mouse');
  }

  /** An event of the node about what hands hold, which was at a time of the performance clock, ms; NaN: not known. */
  hear(event: ConstraintEvent, at: number): void {
    if (!this.active || event.name !== `grasp_${this.sender.body('mouse')}`) return;
    const now = performance.now();
    if (event.phase === GRASPED && (this.phase === 'reach' || this.phase === 'close')) {
      // what it took hold of may be another body than was meant
      const name = [event.body_a, event.body_b].find((body) => this.bodies.get(body)) ?? this.holds;
      const body = this.bodies.get(name);
      if (body && this.grip && body !== this.grip.body) this.grip = { ...this.grip, body };
      this.follower.begin(this.point, this.velocity, body?.mass);
      // back to where it took hold, so that what it holds stays: it has come nearer until the word was here
      this.goal.copy(this.pointAt(at));
      this.enter('held', now);
      this.onNews({ what: 'holding', name });
    } else if (event.phase === RELEASED && this.phase === 'held') {
      if (now - this.since < SOON) return this.again(now, 'lost');
      this.onNews({ what: 'lost', name: this.holds });
      this.retreat(now, 'failed');
    } else if (event.phase === RELEASED && this.phase === 'throw') {
      this.tellRelease();
    }
  }

  /** Where it was at a time, ms, to a sample; where it is if that is not known. */
  private pointAt(at: number): Vector3 {
    return this.trail.findLast((place) => place.at <= at)?.point ?? this.point;
  }

  /** Once. */
  private tellRelease(): void {
    if (this.told) return;
    this.told = true;
    const speed = this.thrown.length();
    this.onNews(speed > 0 ? { what: 'thrown', name: this.holds, speed } : { what: 'released', name: this.holds });
  }

  /** Another client has the hand now. */
  taken(why: string): void {
    if (!this.active) return;
    this.onNews({ what: 'refused', name: this.holds, why });
    this.end();
  }

  /** Goes on, ms; sends a sample if it is time for one, or `always`. */
  update(now: number, always = false): void {
    if (!this.active || (!always && now - this.last < INTERVAL)) return;
    // a page that was busy says how its hand went in the meantime: one in leaps neither closes nor throws
    if (this.phase !== 'push') {
      this.last = Math.max(this.last, now - LONGEST);
      while (this.active && now - this.last > 2 * INTERVAL) this.go(this.last + INTERVAL);
    }
    // an event may come later than a later turn of the timer
    if (this.active) this.go(Math.max(now, this.last + LEAST_BASE));
  }

  /** To a time, ms, and a sample of that. */
  private go(at: number): void {
    const ms = at - this.last;
    this.last = at;
    this.move(at, ms);
    if (!this.active) return;
    this.trail.push({ at, point: this.point.clone() });
    if (this.trail.length > TRAIL) this.trail.shift();
    this.wrist.makeRotationFromQuaternion(this.turn).setPosition(
      this.step.copy(this.hinge).applyQuaternion(this.turn).negate().add(this.point));
    if (this.phase === 'push') openHand(this.side, this.wrist, this.pose);
    else gripHand(this.side, this.wrist, this.closed, this.pose);
    this.sender.send('mouse', this.pose, at);
  }

  private move(now: number, ms: number): void {
    const passed = now - this.since;
    switch (this.phase) {
      case 'push':
        this.point.add(follow(this.step.copy(this.goal).sub(this.point), ms));
        break;
      case 'reach':
        this.closed = Math.max(0, this.closed - ms / OPENS);
        this.approach(now, ms, this.tries > 0 ? 0 : Math.max(0, 1 - passed / (REACHES * this.slow)));
        if (passed >= Math.max(REACHES * this.slow, this.tries > 0 ? PAUSES : 0)) this.enter('close', now);
        break;
      case 'close':
        this.close(now, ms, passed);
        break;
      case 'held':
        // on as it closed before: fingers that slow down at once are seen too far closed, and then as if they opened
        this.closed = Math.min(1, this.closed + (2 * Math.sqrt(1 - this.closed) * ms) / (CLOSES * this.slow));
        this.follower.follow(this.goal, ms / 1000);
        this.point.copy(this.follower.position);
        break;
      case 'throw':
        this.follower.steer(passed > this.follows + OPENS + OUT ? STILL : this.thrown, ms / 1000);
        this.point.copy(this.follower.position);
        this.closed = 1 - Math.min(1, Math.max(0, passed - this.follows) / OPENS);
        if (passed <= this.follows + OPENS + (this.told ? STAYS : LISTENS)) break;
        this.tellRelease();   // a hand that leaves lets go
        this.end();
        break;
      default:
        this.closed = Math.max(0, this.closed - ms / OPENS);
        this.point.addScaledVector(this.velocity, ms / 1000);
        if (passed > RETREATS) this.end();
    }
  }

  /** Closes, and waits for the node's word. */
  private close(now: number, ms: number, passed: number): void {
    const closes = CLOSES * this.slow;
    this.closed = 1 - Math.max(0, 1 - passed / closes) ** 2;
    this.approach(now, ms, 0);
    if (passed >= closes + Math.min(LISTENS, WAITS * this.slow)) this.again(now, 'missed');
  }

  /** Tries once more to take hold, or gives up. */
  private again(now: number, what: 'missed' | 'lost'): void {
    this.tries += 1;
    this.slow = Math.min(SLOWEST, 2 * this.slow);
    if (this.tries < TRIES) return this.enter('reach', now);
    this.onNews({ what, name: this.holds });
    this.retreat(now, 'failed');
  }

  /** To its place before the surface of the body, that may move; `far`: share of the way that is left. */
  private approach(now: number, ms: number, far: number): void {
    if (!this.grip || !this.bodies.place(this.grip, now, this.at, this.normal, this.velocity)) {
      this.onNews({ what: 'missed', name: this.holds });
      return this.retreat(now, 'failed');
    }
    const near = standOff(this.side, this.closed, GAP);
    // smooth at both ends
    const share = far * far * (3 - 2 * far);
    this.at.addScaledVector(this.normal, near + share * (APPROACH - near));
    const most = ((NEARING + this.velocity.length()) * ms) / 1000;
    this.point.add(this.step.copy(this.at).sub(this.point).clampLength(0, most));
    return undefined;
  }

  /** Back from the body, opening. */
  private retreat(now: number, phase: 'failed' | 'open'): void {
    this.velocity.copy(this.normal).multiplyScalar(BACK);
    this.enter(phase, now);
  }
}
