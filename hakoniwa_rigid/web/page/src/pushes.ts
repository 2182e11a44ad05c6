// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** How long a push takes from one's own hand to the picture: sample, tick, event, frame. */
import type { HandSender } from './hand/sender';
import type { Contact, Store } from './store';
import { BEGIN } from './wire/messages';

/** samples in which the one that pushed is looked for: a second of a headset at 90 Hz and more; pushes that are kept */
const SAMPLES = 128;
const KEPT = 50;

/**
 * ms: from the capture of the last sample before the tick, to that tick, to the event in the page, to the end of the
 * first picture that shows it; `wait`: what of the last passes before that picture is begun.
 */
export interface Push {
  at: number;
  hand: number;
  event: number;
  frame: number;
  wait: number;
  total: number;
}

interface Begun {
  captured: number;
  tick: number;
  event: number;
}

export class Pushes {
  readonly kept: Push[] = [];
  private samples: { body: string; captured: number }[] = [];
  private pending: Begun | undefined;

  /** Hears of own samples as they are sent, and of contacts as they come. */
  listen(sender: HandSender, store: Store): void {
    sender.listeners.add((role, _, captured) => this.sample(sender.body(role) ?? '', captured));
    store.contactListeners.push((contact) => this.contact(contact));
  }

  /** A sample of the hand `body` was sent; captured: ms of the performance clock. */
  sample(body: string, captured: number): void {
    this.samples.push({ body, captured });
    if (this.samples.length > SAMPLES) this.samples = this.samples.slice(-SAMPLES / 2);
  }

  /** A contact has come; one of an own hand that begins is a push. */
  contact({ event, at, tickAge }: Contact): void {
    if (event.phase !== BEGIN || Number.isNaN(tickAge)) return;
    const tick = at - tickAge;
    const cause = this.samples.findLast(({ body, captured }) =>
      (body === event.body_a || body === event.body_b) && captured <= tick);
    // the first of those that one picture shows
    if (cause) this.pending ??= { captured: cause.captured, tick, event: at };
  }

  /** A picture is there that was begun at a time, ms: it shows what had come by then. */
  drawn(begun: number, now: number): void {
    if (!this.pending || this.pending.event > begun) return;
    const { captured, tick, event } = this.pending;
    this.pending = undefined;
    this.kept.push({
      at: now, hand: tick - captured, event: event - tick, frame: now - event, wait: begun - event,
      total: now - captured,
    });
    if (this.kept.length > KEPT) this.kept.shift();
  }

  /** Whether a push has come that no picture shows yet. */
  get begun(): boolean {
    return this.pending !== undefined;
  }

  get last(): Push | undefined {
    return this.kept.at(-1);
  }

  /** ms, of all that are kept; NaN before the first. */
  median(): number {
    const sorted = this.kept.map(({ total }) => total).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? NaN;
  }
}
