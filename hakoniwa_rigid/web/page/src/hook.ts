// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What the browser tests (and curious people in the console) see of the page: `window.hakoniwa`. */
import { Vector3 } from 'three';

import { Strokes } from './bench/strokes';
import type { HandSender, SampleListener } from './hand/sender';
import type { OwnHand } from './pointer/own_hand';
import type { Push, Pushes } from './pushes';
import type { Replay } from './replay/replay';
import type { Report, Reports } from './reports';
import type { Store } from './store';
import type { Shown } from './view/names';
import type { Stage } from './view/stage';
import type { View } from './view/view';
import type { Link } from './wire/link';
import { stampNs, type ConstraintEvent, type FleetState, type Scene } from './wire/messages';
import type { Guide, GuideState } from './xr/guide';
import type { Heads } from './xr/heads';
import type { Headset } from './xr/session';

interface DroneState {
  position: number[];
  orientation: number[];
  flags: number;
}

/** Frames drawn, and ms of this thread that one takes, smoothed. */
export interface Work {
  frames: number;
  busy: number;
}

/** Positions m and orientations xyzw in the world; latencies ms. */
export interface PageState extends Work {
  connected: boolean;
  connections: number;
  drones: Record<string, DroneState>;
  contacts: { id: string; phase: number; kind: string; bodies: string[]; impulse: number[]; position: number[] }[];
  hands: { own: string[]; received: string[]; sent: number };
  latency: { roundTrip: number; stateAge: number; contactAge: number };
  /** what the page says of itself, and whether the node stands still */
  condition: string;
  paused: boolean;
  pushes: readonly Push[];
  broken: number;
  xr: string;
  /** the own hand: what it does, with which body of the world, to which body; what is said of it and who moves what */
  hand: { phase: string; body: string; holds: string; point: number[]; status: string; chosen: string; you: number;
    owners: Record<string, number>; pace: number };
  /** what pictures cost at most (quality.ts), and the drones that the camera has chosen while it moves by itself */
  tier: string;
  framed: string[];
  /** s of the replay that is shown, and of all of it; NaN without one */
  replay: [number, number];
  /** as drawn, which is not what is live in a replay; m */
  shown: Record<string, number[]>;
}

/** Of a session; avatars of others: m, world, by id. */
export interface HeadsetState extends GuideState {
  avatars: Record<string, { position: number[]; isShown: boolean }>;
}

export interface Hook {
  state(): PageState;
  headset(): HeadsetState;
  /** as a finger does a button of the wrist menu */
  press(button: string): void;
  scene(): Scene | undefined;
  /** pushes of a drone of that half size, m, by strokes of a hand that the page makes up; `tell` hears of each */
  strike(drone: string, count: number, half: number, tell?: (push: Push) => void): Promise<Push[]>;
  /** where a spot of the world is on the page, CSS pixels */
  project(spot: number[]): [number, number];
  /** looks at a spot of the world from a direction, so far away that a sphere of that radius, m, is seen */
  look(spot: number[], from: number[], radius: number): void;
  /** ms that a picture costs here, the median of so many */
  cost(pictures: number): number;
  /** labels as they are drawn, and what the node says of drones */
  labels(): Shown[];
  reports(): Record<string, Report>;
  /** where a spot of the world is in WebXR space, m */
  inHeadset(spot: number[]): number[];
  /** called with every fleet state as it arrives: the time, how long ago its tick was, ms; returns what ends it */
  onFleet(listener: (fleet: FleetState, at: number, age: number) => void): () => void;
  /** called with every event of a constraint, as of a grasp; returns what ends it */
  onConstraint(listener: (event: ConstraintEvent) => void): () => void;
  /** called with every sample of a hand that was sent; returns what ends it */
  onSample(listener: SampleListener): () => void;
}

declare global {
  interface Window {
    hakoniwa: Hook;
  }
}

function dronesOf(fleet: FleetState | undefined): Record<string, DroneState> {
  return Object.fromEntries((fleet?.names ?? []).map((name, i) => [name, {
    position: Array.from(fleet!.positions.subarray(3 * i, 3 * i + 3)),
    orientation: Array.from(fleet!.orientations.subarray(4 * i, 4 * i + 4)),
    flags: fleet!.flags[i] ?? 0,
  }]));
}

/** What the page is made of. */
interface Parts {
  stage: Stage;
  view: View;
  store: Store;
  link: Link;
  sender: HandSender;
  headset: Headset;
  guide: Guide;
  heads: Heads;
  own: OwnHand;
  pushes: Pushes;
  work: Work;
  replay: Replay;
  reports: Reports;
}

export function hook(
  { stage, view, store, link, sender, headset, guide, heads, own, pushes, work, replay, reports }: Parts,
): Hook {
  return {
    state: () => ({
      connected: link.state === 'open',
      connections: link.opened,
      drones: dronesOf(store.fleet),
      contacts: store.contacts.map(({ event: e, kind }) => ({
        id: e.id.toString(), phase: e.phase, kind, bodies: [e.body_a, e.body_b],
        impulse: [e.impulse.x, e.impulse.y, e.impulse.z], position: [e.position.x, e.position.y, e.position.z],
      })),
      hands: { own: [...sender.own.keys()], received: [...store.hands.keys()], sent: sender.sent },
      latency: { roundTrip: store.clock.roundTrip, stateAge: store.stateAge, contactAge: store.contactAge },
      ...work,
      condition: document.body.dataset.state ?? '',
      paused: store.paused,
      pushes: pushes.kept,
      broken: link.broken,
      xr: headset.running ?? 'off',
      hand: {
        phase: own.driver.phase, body: sender.body('mouse') ?? '', holds: own.driver.holds,
        point: own.driver.point.toArray(), status: own.status.text, chosen: own.steering.chosen, you: store.owners.you,
        owners: store.owners.owners, pace: own.driver.pace,
      },
      tier: stage.tier.name,
      framed: view.director.running ? view.director.members : [],
      replay: replay.time,
      shown: Object.fromEntries([...view.drones.views].map(([name, { position }]) => [name, position.toArray()])),
    }),
    headset: () => ({
      ...guide.state(),
      avatars: Object.fromEntries([...heads.avatars].map(([id, { group }]) =>
        [id, { position: group.position.toArray(), isShown: group.visible }])),
    }),
    strike: (drone, count, half, tell) => new Strokes(sender, store, pushes).strike(drone, count, half, tell),
    press: (button) => guide.menu.press(button),
    scene: () => store.scene,
    project: (spot) => stage.project(new Vector3().fromArray(spot)),
    look: (spot, from, radius) => {
      view.director.stop();
      stage.lookAt(new Vector3().fromArray(spot), new Vector3().fromArray(from), radius);
    },
    labels: () => view.names.shown,
    reports: () => Object.fromEntries(reports.drones),
    cost: (pictures) => stage.cost(pictures),
    inHeadset: (spot) => new Vector3().fromArray(spot).applyMatrix4(stage.room.matrixWorld).toArray(),
    onFleet: (listener) => {
      const received = (fleet: FleetState, at: number) =>
        listener(fleet, at, store.clock.age(stampNs(fleet.header.stamp), at));
      store.fleetListeners.add(received);
      return () => void store.fleetListeners.delete(received);
    },
    onConstraint: (listener) => {
      store.constraintListeners.add(listener);
      return () => void store.constraintListeners.delete(listener);
    },
    onSample: (listener) => {
      sender.listeners.add(listener);
      return () => void sender.listeners.delete(listener);
    },
  };
}
