// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Own hands: which body of the world each one moves, and their samples on the wire. */
import type { Store } from '../store';
import type { HandOwners } from '../wire/messages';
import type { Link } from '../wire/link';
import { sampleOf, Stillness, type HandPose } from './sample';

export type Role = 'left' | 'right' | 'mouse';

/** ms between the samples of a hand that stands still, which is known from its second one; of its time-out, at most */
const STILL = 50;
const STILL_PART = 0.2;

/** Hears of a sample when it was sent, ms, and when its pose was captured, ms. */
export type SampleListener = (role: Role, pose: HandPose, capturedAt: number, at: number) => void;

/** The world's hand that a role moves: of that name, else one named after it; a mouse takes any. */
export function bodyOf(role: Role, hands: readonly string[]): string | undefined {
  const alike = hands.find((name) => name === role) ?? hands.find((name) => name.endsWith(role));
  return alike ?? (role === 'mouse' ? hands.find((name) => name === 'right') ?? hands[0] : undefined);
}

/**
 * The world's hand that a mouse takes: one that is free, and of these one that grasps, that is called `mouse`, `right`.
 * owners: clients by hand; you: this one.
 */
export function handFor(
  hands: readonly string[], grasping: readonly string[], { you, owners }: HandOwners,
): string | undefined {
  const rank = (name: string) => (grasping.includes(name) ? 0 : 4) + (name === 'mouse' ? 0 : name === 'right' ? 1 : 2);
  const free = hands.filter((name) => owners[name] === undefined || owners[name] === you);
  return free.reduce<string | undefined>((a, b) => (a !== undefined && rank(a) <= rank(b) ? a : b), undefined);
}

export class HandSender {
  /** own hands that are there now, by the name of their body */
  readonly own = new Map<string, HandPose>();
  private readonly claimed = new Map<Role, string>();
  private readonly stillness = new Map<string, { pose: Stillness; sentAt: number }>();
  readonly listeners = new Set<SampleListener>();
  sent = 0;

  constructor(private readonly link: Link, private readonly store: Store) {}

  body(role: Role): string | undefined {
    return this.claimed.get(role) ?? bodyOf(role, this.store.scene?.hands ?? []);
  }

  /** Chooses the mouse's hand, that no other client has; undefined where there is none. */
  claim(): string | undefined {
    const { scene, owners } = this.store;
    const name = handFor(scene?.hands ?? [], scene?.grasping ?? [], owners);
    if (name !== undefined) this.claimed.set('mouse', name);
    return name;
  }

  /** The other client that has the hand of a role, or that has all of them, as a word; '' where there is none. */
  rival(role: Role): string {
    const { owners: { you, owners } } = this.store;
    const owner = owners[this.body(role) ?? ''];
    return owner === undefined || owner === you ? '' : `${this.body(role)} is moved by page ${owner}`;
  }

  /** Shows a hand and publishes it, captured at a time of the performance clock, ms. */
  send(role: Role, pose: HandPose, capturedAt: number): void {
    const name = this.body(role);
    if (name === undefined) return;
    this.own.set(name, pose);
    // a stamp of an unknown clock would be refused, or worse, believed
    if (!this.store.clock.known || !pose.anyValid) return;
    let still = this.stillness.get(name);
    if (!still) this.stillness.set(name, (still = { pose: new Stillness(), sentAt: -Infinity }));
    still.pose.look(pose);
    const wait = Math.min(STILL, STILL_PART * 1000 * (this.store.scene?.hand_timeout ?? Infinity));
    if (still.pose.looks > 1 && capturedAt - still.sentAt < wait) return;
    const sample = sampleOf(name, pose, this.store.clock.nodeTime(capturedAt));
    if (!this.link.send(`/hands/${name}`, sample)) return;
    still.sentAt = capturedAt;
    this.sent += 1;
    for (const listener of this.listeners) listener(role, pose, capturedAt, performance.now());
  }

  /** The hand is gone; the node forgets it by itself. */
  release(role: Role): void {
    const name = this.body(role);
    if (name === undefined) return;
    this.own.delete(name);
    this.stillness.delete(name);
  }
}
