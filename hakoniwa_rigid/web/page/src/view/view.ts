// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Everything that is drawn of the world, from what the store holds. */
import { Box3, Vector3 } from 'three';

import type { HandPose } from '../hand/sample';
import type { Contact, Store } from '../store';
import type { Scene } from '../wire/messages';
import type { Reports } from '../reports';
import { Clearances } from './clearances';
import { Director } from './director';
import { Drones } from './drones';
import { Flashes } from './flashes';
import { Hands } from './hands';
import { Names } from './names';
import { Objects } from './objects';
import { Shadows } from './shadows';
import type { Stage } from './stage';
import { Ties } from './ties';
import { Trails } from './trails';
import { Walls } from './walls';

/** m: half of what the camera shows at least */
const CLOSE = 1.2;
const calm = matchMedia('(prefers-reduced-motion: reduce)');
/** direction of the camera from what it looks at, world */
const FROM = new Vector3(-1, -0.75, 0.62);

const NOTHING: ReadonlyMap<string, string> = new Map();

/** What is drawn: of the store, or of a replay. */
export type Shown = Pick<Store, 'fleet' | 'rotors' | 'objects' | 'ties' | 'bones'>;

export class View {
  readonly drones = new Drones();
  readonly walls = new Walls();
  readonly hands = new Hands();
  private readonly objects = new Objects();
  private readonly ties = new Ties();
  private readonly flashes = new Flashes();
  readonly trails = new Trails();
  readonly names = new Names();
  private readonly shadows = new Shadows();
  readonly clearances = new Clearances();
  /** what is wrong with drones, what they are near to */
  reports: Reports | undefined;
  readonly director: Director;
  private last = 0;
  wrong = NOTHING;
  /** everything was made anew, and waits for its states */
  stale = false;
  private directed = 0;
  private readonly camera = new Vector3();
  private readonly target = new Vector3();

  constructor(private readonly stage: Stage, private readonly store: Store) {
    const { drones, walls, hands, objects, ties, flashes, trails, names, shadows, clearances } = this;
    stage.room.add(
      walls.group, shadows.group, drones.group, objects.group, hands.group, ties.group, flashes.group, trails.lines,
      clearances.lines, names.group,
    );
    this.director = new Director(stage, drones.views, () => calm.matches);
    stage.onTier = () => this.restyle();
    store.sceneListeners.push((scene) => {
      this.director.forget();
      this.show(scene);
    });
  }

  /** Who wants less motion has a camera that stands, rotors that do not turn, nothing that flashes. */
  get calm(): boolean {
    return calm.matches;
  }

  /** Draws the newest of everything, or what was once shown; now in ms. */
  update(now: number, ownHands: ReadonlyMap<string, HandPose>, shown: Shown = this.store): void {
    const { store } = this;
    const dt = Math.max(0, Math.min((now - this.last) / 1000, 0.1));
    this.last = now;
    this.stale = false;
    this.drones.calm = this.flashes.calm = calm.matches;
    this.drones.update(shown.fleet, shown.rotors, dt);
    this.objects.update(shown.objects);
    this.ties.update(shown.ties);
    if (shown.bones) this.hands.replay(shown.bones);
    else this.hands.update(ownHands, store.hands, now);
    this.flashes.update(now);
    this.trails.update(now / 1000);
    this.shadows.update();
    const isLive = shown === store;
    this.clearances.update(this.drones.views, (isLive && this.reports?.fresh(now)) || []);
    this.wrong = this.reports?.wrong(shown.fleet, isLive ? now : Infinity) ?? NOTHING;
  }

  /** Labels stand, and walls fade, as the camera has it; now in ms. */
  settle(now: number): void {
    this.stage.move();
    this.stage.sight(this.camera, this.target);
    this.walls.update(this.camera, this.target);
    this.names.update(this.stage, now, this.wrong);
  }

  /** Shows a contact; at its time. */
  flash(contact: Contact): void {
    this.flashes.add(contact);
  }

  /** Moves the camera until it is taken by hand; now in ms of the performance clock. */
  direct(now: number): void {
    this.director.update(now / 1000, Math.min(0.1, Math.max(0, (now - this.directed) / 1000)));
    this.directed = now;
  }

  /** The camera sees all drones. */
  lookAtDrones(): void {
    const box = new Box3();
    for (const { seen, position } of this.drones.views.values()) if (seen) box.expandByPoint(position);
    if (box.isEmpty()) return;
    this.lookAt(box);
  }

  /** The camera sees a box of the world, m, and what is around it. */
  lookAt(box: Box3): void {
    this.director.stop();
    this.stage.lookAtBox(box, FROM, CLOSE);
  }

  /** Everything is drawn anew, in other colours or another tier. */
  restyle(): void {
    this.stale = true;
    this.flashes.style();
    if (this.store.scene) this.show(this.store.scene);
  }

  /** What was seen before is forgotten: trails, flashes, arrows; time may go back. */
  forget(): void {
    this.flashes.forget();
    this.trails.show(this.drones.views.values());
  }

  private show(scene: Scene): void {
    this.walls.show(scene, (normal) => this.stage.falling(normal), this.stage.tier.shadowMap > 0);
    this.clearances.show(scene);
    this.drones.show(scene, this.stage.environment, this.stage.triangles);
    this.objects.show(scene);
    this.trails.show(this.drones.views.values());
    this.names.show(this.drones.views.values());
    this.shadows.show(scene, this.drones.views.values(), this.stage.tier);
  }
}
