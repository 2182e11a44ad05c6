// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The last seconds as they came: states, objects, hands, constraints, contacts; bounded in time and memory. */
import { bonesOf } from '../hand/joints';
import type { Contact, Store } from '../store';
import type { Bones } from '../view/hands';
import { BEGIN, type FleetState, type HandJoints, type ObjectPoses, type Ties } from '../wire/messages';
import { Clip } from './clip';

/** ms that are kept, and between two frames; bytes of all frames; contacts; hands of a frame */
export const SPAN = 10_000;
export const EVERY = 1000 / 60;
export const MOST_BYTES = 24e6;
export const MOST_CONTACTS = 512;
const MOST_HANDS = 8;
/** ms after which a hand that is not received any more is gone (view/hands.ts) */
const TIMEOUT = 400;
/** N s of a contact that is worth to be seen again; ms of it before and after */
const WORTH = 5e-3;
const BEFORE = 900;
const AFTER = 1100;

/** One moment, ms of the performance clock: N drones and M objects as 7 floats each (position m, orientation xyzw). */
export interface Frame {
  at: number;
  names: string[];
  drones: Float32Array;
  flags: Uint8Array;
  objectNames: string[];
  objects: Float32Array;
  hands: Bones[];
  ties: Ties | undefined;
  bytes: number;
}

function packed(count: number, positions: ArrayLike<number>, turns: ArrayLike<number>): Float32Array {
  const rows = new Float32Array(7 * count);
  for (let i = 0; i < count; i += 1) {
    for (let k = 0; k < 3; k += 1) rows[7 * i + k] = positions[3 * i + k]!;
    for (let k = 0; k < 4; k += 1) rows[7 * i + 3 + k] = turns[4 * i + k]!;
  }
  return rows;
}

/** The bones of a hand that was received. */
function bonesIn({ poses, radii, is_valid: valid }: HandJoints): Bones {
  const bones = bonesOf(poses.length);
  const ends = new Float64Array(6 * bones.length).fill(NaN);
  bones.forEach(([a, b], i) => {
    if (valid.length > 0 && !(valid[a] && valid[b])) return;
    [a, b].forEach((joint, k) => {
      const { x, y, z } = poses[joint]!.position;
      ends.set([x, y, z], 6 * i + 3 * k);
    });
  });
  return { ends, radii: bones.map(([a, b]) => 0.45 * ((radii[a] ?? 0.01) + (radii[b] ?? 0.01))) };
}

export class ReplayBuffer {
  bytes = 0;
  private frames: Frame[] = [];
  private contacts: Contact[] = [];
  private strongest: Contact | undefined;
  private kept: Clip | undefined;

  constructor(private readonly store: Store) {
    store.fleetListeners.add((fleet, at) => this.add(fleet, at));
    store.contactListeners.push((contact) => this.hear(contact));
    store.sceneListeners.push(() => this.forget());
  }

  /** Another scene: what was before has other bodies. */
  forget(): void {
    this.frames = [];
    this.contacts = [];
    this.bytes = 0;
    this.strongest = this.kept = undefined;
  }

  get length(): number {
    return this.frames.length;
  }

  private hear(contact: Contact): void {
    if (contact.event.phase !== BEGIN) return;
    this.contacts.push(contact);
    if (this.contacts.length > MOST_CONTACTS) this.contacts = this.contacts.slice(-MOST_CONTACTS / 2);
    // of those that come together, the strongest is the one to see
    const isNew = !this.strongest || contact.at - this.strongest.at > BEFORE;
    if (contact.strength >= WORTH && (isNew || contact.strength > this.strongest!.strength)) this.strongest = contact;
  }

  add(fleet: FleetState, at: number): void {
    const last = this.frames.at(-1);
    if (last && at - last.at < EVERY) return;
    const { store } = this;
    const objects: ObjectPoses | undefined = store.objects;
    const hands = store.bones ? [...store.bones] : [...store.hands.values()].filter((hand) => at - hand.at < TIMEOUT)
      .slice(0, MOST_HANDS).map(({ joints }) => bonesIn(joints));
    const frame: Frame = {
      at, names: fleet.names, drones: packed(fleet.names.length, fleet.positions, fleet.orientations),
      flags: fleet.flags.slice(), objectNames: objects?.names ?? [],
      objects: objects ? packed(objects.names.length, objects.positions.flat(), objects.orientations_xyzw.flat())
        : new Float32Array(0),
      hands, ties: store.ties, bytes: 0,
    };
    frame.bytes = frame.drones.byteLength + frame.flags.byteLength + frame.objects.byteLength
      + hands.reduce((sum, { ends, radii }) => sum + ends.byteLength + 8 * radii.length, 0);
    this.frames.push(frame);
    this.bytes += frame.bytes;
    let old = 0;
    while (old < this.frames.length - 1 && (at - this.frames[old]!.at > SPAN || this.bytes > MOST_BYTES)) {
      this.bytes -= this.frames[old++]!.bytes;
    }
    if (old > 0) this.frames.splice(0, old);
    if (this.strongest && at - this.strongest.at > AFTER) this.keep(this.strongest);
  }

  /** All that is kept, or from a time on until another, ms; undefined where that is nothing. */
  clip(from = -Infinity, to = Infinity): Clip | undefined {
    const frames = this.frames.filter(({ at }) => at >= from && at <= to);
    if (frames.length < 2) return undefined;
    const first = frames[0]!.at;
    return new Clip(frames, this.contacts.filter(({ at }) => at >= first && at <= frames.at(-1)!.at));
  }

  /** The last contact that is worth to be seen again, and what was around it; kept longer than the rest. */
  get lastImpact(): Clip | undefined {
    return this.kept;
  }

  private keep(contact: Contact): void {
    this.kept = this.clip(contact.at - BEFORE, contact.at + AFTER) ?? this.kept;
    this.strongest = undefined;
  }
}
