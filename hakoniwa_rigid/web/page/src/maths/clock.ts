// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * The node's clock, learnt by round trips: the shortest one of the last half minute bounds the error best.
 *
 * What a better one corrects is slewed, as NTP does, and stepped only beyond what a network explains: a stamp that jumps
 * by 20 ms makes a hand of 1 m/s jump by 2 cm, and one that goes back is refused. Frames of a headset are stamped for the
 * time at which they will be seen, 20 to 50 ms ahead of an answer: a correction begins behind the last stamp given.
 */

/** ms: older round trips are forgotten, because clocks drift */
export const WINDOW = 30_000;
/** ms of correction per ms: a hand's speed is wrong by this share meanwhile, and no stamp goes back */
export const SLEW = 0.05;
/** ms: a larger correction is a step (NTP's threshold, RFC 5905) */
export const STEP = 128;

interface Trip {
  at: number;
  roundTrip: number;
  offset: bigint;
}

/** ms as whole ns. */
function toNs(ms: number): bigint {
  return BigInt(Math.round(ms * 1e6));
}

export class NodeClock {
  private trips: Trip[] = [];
  private best: Trip | undefined;
  /** ns, the offset in use at that time, ms, from where on it goes to the best trip's */
  private from = { at: 0, offset: 0n };
  /** ms, the latest time that was made a stamp */
  private asked = -Infinity;

  /** One answered probe: sent and received in ms of this page's performance clock, and the node's time in between. */
  add(sent: number, received: number, nodeNs: bigint): void {
    if (!(received >= sent)) return;
    const trip = { at: received, roundTrip: received - sent, offset: nodeNs - toNs((sent + received) / 2) };
    const at = Math.max(received, this.asked);
    const inUse = this.best ? this.offset(at) : trip.offset;
    this.trips = this.trips.filter((t) => received - t.at <= WINDOW);
    this.trips.push(trip);
    this.best = this.trips.reduce((a, b) => (b.roundTrip <= a.roundTrip ? b : a));
    const gap = Math.abs(Number(this.best.offset - inUse));
    this.from = { at, offset: gap > STEP * 1e6 ? this.best.offset : inUse };
  }

  /** After a new connection: another node may have answered. */
  clear(): void {
    this.trips = [];
    this.best = undefined;
    this.asked = -Infinity;
  }

  get known(): boolean {
    return this.best !== undefined;
  }

  /** ms, the round trip that the offset comes from or goes to; half of that is the largest possible error of it. */
  get roundTrip(): number {
    return this.best?.roundTrip ?? NaN;
  }

  /** ms of the performance clock, of the last answer; NaN before the first. */
  get heard(): number {
    return this.trips.at(-1)?.at ?? NaN;
  }

  /** A stamp: the node's time, ns, at a time of the performance clock, ms. */
  nodeTime(ms: number): bigint {
    const stamp = this.offset(ms) + toNs(ms);
    this.asked = Math.max(this.asked, ms);
    return stamp;
  }

  /** How long ago, ms, a node's stamp was at a time of the performance clock. */
  age(stampNs: bigint, ms: number): number {
    return this.best ? Number(this.offset(ms) + toNs(ms) - stampNs) / 1e6 : NaN;
  }

  /** ns, the node's time less the performance clock's, at a time of the latter, ms. */
  private offset(ms: number): bigint {
    if (!this.best) throw new Error('clock: no probe has been answered yet');
    const gap = Number(this.best.offset - this.from.offset);
    const most = SLEW * 1e6 * Math.max(0, ms - this.from.at);
    return Math.abs(gap) <= most ? this.best.offset : this.from.offset + BigInt(Math.round(Math.sign(gap) * most));
  }
}
