// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The newest of everything that was received; views read it once a frame, listeners get each message. */
import { NodeClock } from './maths/clock';
import type { Bones } from './view/hands';
import type { Link } from './wire/link';
import {
  KINDS, stampNs, type ConstraintEvent, type ConstraintEventArray, type ContactEvent, type ContactEventArray,
  type FleetState, type HandJoints, type HandOwners, type ObjectPoses, type RotorSpeeds, type Scene, type ServerStats,
  type Ties, type Vector,
} from './wire/messages';

/** contacts that are kept */
const KEPT = 200;
/** share of a new value in the latency read-outs */
const SMOOTHING = 0.1;
/** ms after which what was measured of states, of contacts, and by the viewer, is not shown any more */
export const STALE_STATE = 1000;
export const STALE_CONTACT = 10_000;
export const STALE_REPORT = 3500;

/**
 * A contact event as shown: `push` is the impulse, N s, on what can be pushed (a drone or object, not the wall or hand
 * that it met), age ms from the impact until it came here (NaN: clock unknown).
 */
export interface Contact {
  event: ContactEvent;
  kind: string;
  push: Vector;
  strength: number;
  at: number;
  age: number;
  /** ms, from the tick that reported it until it came here (NaN: clock unknown) */
  tickAge: number;
}

export class Store {
  readonly clock = new NodeClock();
  scene: Scene | undefined;
  fleet: FleetState | undefined;
  rotors: RotorSpeeds | undefined;
  objects: ObjectPoses | undefined;
  ties: Ties | undefined;
  /** hands of a recording, in place of those that are received */
  bones: readonly Bones[] | undefined;
  stats: ServerStats = {};
  /** which client moves which hand; a viewer of before tells nothing */
  owners: HandOwners = { you: NaN, owners: {} };
  readonly ownerListeners: (() => void)[] = [];
  /** by name, with the time of arrival, ms */
  readonly hands = new Map<string, { joints: HandJoints; at: number }>();
  contacts: Contact[] = [];
  /** fleet states so far */
  fleets = 0;
  private movable = new Set<string>();
  /** ms of the performance clock, of the last state, contact and report of the viewer; NaN before the first */
  fleetAt = NaN;
  contactAt = NaN;
  statsAt = NaN;
  /** whether the node said that it stands still */
  paused = false;
  readonly pausedListeners: ((paused: boolean) => void)[] = [];
  /** ms, smoothed: from the tick, and from an impact, until the page has it */
  stateAge = NaN;
  contactAge = NaN;
  readonly sceneListeners: ((scene: Scene) => void)[] = [];
  readonly fleetListeners = new Set<(fleet: FleetState, at: number) => void>();
  readonly contactListeners: ((contact: Contact) => void)[] = [];
  readonly constraintListeners = new Set<(event: ConstraintEvent) => void>();

  listen(link: Link): void {
    link.on<Scene>('/scene', (scene) => this.show(scene));
    link.on<FleetState>('/fleet/states_corrected', (fleet) => this.hearFleet(fleet));
    link.on<ContactEventArray>('/contact_events', ({ header, events }) =>
      events.forEach((e) => this.hearContact(e, stampNs(header.stamp))));
    link.on<HandJoints>('/hands/', (joints, topic) => {
      this.hands.set(joints.hand || topic.slice('/hands/'.length), { joints, at: performance.now() });
    });
    link.on<HandJoints>('/hands_of_others', (joints) => {
      this.hands.set(joints.hand, { joints, at: performance.now() });
    });
    link.on<RotorSpeeds>('/rotors', (rotors) => (this.rotors = rotors));
    link.on<ObjectPoses>('/objects', (objects) => (this.objects = objects));
    link.on<HandOwners>('/hand_owners', (owners) => {
      this.owners = owners;
      this.ownerListeners.forEach((listener) => listener());
    });
    link.on<Ties>('/constraints', (ties) => (this.ties = ties));
    link.on<ConstraintEventArray>('/constraint_events', ({ events }) => {
      for (const event of events) for (const listener of this.constraintListeners) listener(event);
    });
    link.on<ServerStats>('/server_stats', (stats) => {
      this.stats = stats;
      this.statsAt = performance.now();
    });
    link.on<{ data: boolean }>('/paused', ({ data }) => this.pause(data));
  }

  /** The node stands still, or goes on. */
  pause(paused: boolean): void {
    this.paused = paused;
    this.pausedListeners.forEach((listener) => listener(paused));
  }

  /** The world, from now on. */
  show(scene: Scene): void {
    this.scene = scene;
    this.movable = new Set([...scene.drones, ...scene.objects].map(({ name }) => name));
    if (scene.hands_of_others) {    // hands that come have ever new names
      const there = new Set([...scene.hands, ...scene.hands_of_others]);
      for (const name of [...this.hands.keys()]) if (!there.has(name)) this.hands.delete(name);
    }
    this.sceneListeners.forEach((listener) => listener(scene));
  }

  /** The sign that makes an impulse on body_b one on what can be pushed. */
  side(a: string, b: string): 1 | -1 {
    return this.movable.has(b) || !this.movable.has(a) ? 1 : -1;
  }

  private hearFleet(fleet: FleetState): void {
    const at = performance.now();
    this.fleet = fleet;
    this.fleets += 1;
    // what was measured before a pause says nothing of now
    const before = at - this.fleetAt > STALE_STATE ? NaN : this.stateAge;
    this.stateAge = smoothed(before, this.clock.age(stampNs(fleet.header.stamp), at));
    this.fleetAt = at;
    for (const listener of this.fleetListeners) listener(fleet, at);
  }

  private hearContact(event: ContactEvent, tick: bigint): void {
    const at = performance.now();
    const sign = this.side(event.body_a, event.body_b);
    const { impulse } = event;
    const push = { x: sign * impulse.x, y: sign * impulse.y, z: sign * impulse.z };
    const age = this.clock.age(stampNs(event.header.stamp), at);
    const contact = {
      event, kind: KINDS[event.kind] ?? '?', push, strength: Math.hypot(push.x, push.y, push.z), at, age,
      tickAge: this.clock.age(tick, at),
    };
    this.contactAge = smoothed(at - this.contactAt > STALE_CONTACT ? NaN : this.contactAge, age);
    this.contactAt = at;
    this.contacts.push(contact);
    if (this.contacts.length > KEPT) this.contacts = this.contacts.slice(-KEPT / 2);
    for (const listener of this.contactListeners) listener(contact);
  }
}

function smoothed(old: number, value: number): number {
  if (Number.isNaN(value)) return old;
  return Number.isNaN(old) ? value : old + SMOOTHING * (value - old);
}
