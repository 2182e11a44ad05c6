// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The page's own hand as a whole: steered by pointer, keys or pad, shown by its cues, told by its status line. */
import './pointer.css';

import { Vector3 } from 'three';

import type { HandSender } from '../hand/sender';
import type { Store } from '../store';
import type { Stage } from '../view/stage';
import type { Walls } from '../view/walls';
import { stampNs } from '../wire/messages';
import { Aim } from './aim';
import { Bodies } from './bodies';
import { CameraFrame } from './camera_frame';
import { Cues, ghostBefore, type Ghost, type Shown } from './cues';
import { Ground } from './ground';
import { HandDriver, type News } from './hand_driver';
import { Keys } from './keys';
import { Pad } from './pad';
import { PointerInput } from './pointer_input';
import { StatusLine } from './status_line';
import { Steering } from './steering';

/** ms: the hand's timer looks oftener than samples are sent, since events come when they come */
const TIMER = 4;
/** ms by which a turn of it may be late at the usual pace of the hand; the slowest; ms in which a delay is forgotten */
const LATE = 40;
const SLOWEST = 5;
const FORGETS = 20_000;

export class OwnHand {
  readonly bodies: Bodies;
  readonly driver: HandDriver;
  readonly status: StatusLine;
  readonly steering: Steering;
  readonly input: PointerInput;
  private readonly frame: CameraFrame;
  private readonly aim: Aim;
  private readonly cues: Cues;
  private readonly keys: Keys;
  private readonly pad: Pad;
  private ticked = performance.now();
  private delay = 0;

  constructor(root: HTMLElement, private readonly stage: Stage, private readonly store: Store, walls: Walls,
    private readonly sender: HandSender) {
    const ground = new Ground(stage, walls.group);
    const canvas = stage.canvas;
    this.bodies = new Bodies(store);
    this.driver = new HandDriver(sender, this.bodies);
    this.frame = new CameraFrame(stage);
    this.aim = new Aim(stage, this.frame, this.bodies, ground);
    this.cues = new Cues(stage, this.frame, this.bodies, ground);
    this.status = new StatusLine(this.bodies, canvas);
    this.input = new PointerInput(stage, this.frame, this.aim, this.driver);
    this.steering = new Steering(this.frame, this.aim, this.bodies, this.driver);
    const busy = () => this.driver.active;
    this.keys = new Keys(canvas, this.steering, busy);
    this.pad = new Pad(this.steering, busy);
    stage.room.add(this.cues.group);
    root.append(this.status.root, this.cues.label);
    this.driver.onNews = (news) => this.hear(news);
    this.steering.onChoice = (name) => this.status.say(name ? this.described(name) : '');
    store.constraintListeners.add((event) => {
      const now = performance.now();
      this.driver.hear(event, now - store.clock.age(stampNs(event.header.stamp), now));
    });
    store.ownerListeners.push(() => this.checkOwner());
    setInterval(() => this.tick(), TIMER);
  }

  set enabled(on: boolean) {
    this.input.enabled = on;
  }

  private hear(news: News): void {
    this.status.tell(news);
    if (news.what === 'refused') this.input.hover = undefined;
  }

  /** What is chosen, for those who do not see it. */
  private described(name: string): string {
    const motion = this.bodies.where(name, performance.now());
    const where = motion ? `, ${this.frame.depth(motion.position).toFixed(1)} m away` : ', not seen yet';
    return `${name}, ${this.bodies.get(name)?.kind ?? ''}${where}: Enter holds it`;
  }

  /** Another client may have been the first to move the hand that was free a moment ago. */
  private checkOwner(): void {
    const rival = this.driver.active ? this.sender.rival('mouse') : '';
    if (rival) this.driver.taken(rival);
  }

  /** The longest delay of late sets the pace of the hand. */
  private keepPace(now: number): void {
    const gap = now - this.ticked;
    this.ticked = now;
    this.delay = Math.max(gap, this.delay * Math.exp(-gap / FORGETS));
    this.driver.pace = Math.min(SLOWEST, Math.max(1, this.delay / LATE));
  }

  private tick(): void {
    const now = performance.now();
    this.keepPace(now);
    const pad = this.pad.read(now);
    const keys = this.keys.way();
    this.input.update();
    this.steering.update(now, pad[0] + keys[0], pad[1] + keys[1], pad[2] + keys[2]);
    this.driver.update(now);
  }

  /** Draws what helps to aim; now in ms. */
  draw(now: number): void {
    this.status.refresh(now, this.driver.active && this.driver.phase !== 'push');
    const presents = this.stage.renderer.xr.isPresenting;
    this.cues.group.visible = !presents;
    if (!presents) this.cues.update(now, this.shown(now));
  }

  private shown(now: number): Shown {
    const { phase, grip, point, active } = this.driver;
    if (active) return { body: grip?.body, phase, point, ghost: undefined };
    const { hover } = this.input;
    const chosen = this.bodies.get(this.steering.chosen);
    if (!hover || !this.store.scene || this.store.scene.hands.length === 0) {
      return { body: chosen, phase, point: undefined, ghost: undefined };
    }
    const meant = this.aim.gripAt(hover, now);
    let ghost: Ghost | undefined;
    if (meant) {
      const [at, normal, velocity] = [new Vector3(), new Vector3(), new Vector3()];
      if (this.bodies.place(meant, now, at, normal, velocity)) {
        ghost = ghostBefore(at, normal, this.aim.ahead(meant, now), 'right');
      }
    } else {
      const { depth, turn, side } = this.aim.openHand(hover, now);
      ghost = { point: this.frame.point(hover, depth, new Vector3()), turn, side, grips: false };
    }
    return { body: meant?.body ?? chosen, phase, point: undefined, ghost };
  }
}
