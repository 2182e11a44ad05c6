// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * The node's clock, learnt by round trips: the shortest one of the last half minute bounds the error best.
 *
 * What a better one corrects is slewed, as NTP does, and stepped only beyond what a network explains: a stamp that jumps
 * by 20 ms makes a hand of 1 m/s jump by 2 cm, and one that goes back is refused.
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
  /** ns, the offset that was in use at the time of the last answer, ms, from where on it goes to the best one's */
  private from = { at: 0, offset: 0n };

  /** One answered probe: sent and received in ms of this page's performance clock, and the node's time in between. */
  add(sent: number, received: number, nodeNs: bigint): void {
    if (!(received >= sent)) return;
    const trip = { at: received, roundTrip: received - sent, offset: nodeNs - toNs((sent + received) / 2) };
    const inUse = this.best ? this.offset(received) : trip.offset;
    this.trips = this.trips.filter((t) => received - t.at <= WINDOW);
    this.trips.push(trip);
    this.best = this.trips.reduce((a, b) => (b.roundTrip <= a.roundTrip ? b : a));
    const gap = Math.abs(Number(this.best.offset - inUse));
    this.from = { at: received, offset: gap > STEP * 1e6 ? this.best.offset : inUse };
  }

  /** After a new connection: another node may have answered. */
  clear(): void {
    this.trips = [];
    this.best = undefined;
  }

  get known(): boolean {
    return this.best !== undefined;
  }

  /** ms, the round trip that the offset comes from or goes to; half of that is the largest possible error of it. */
  get roundTrip(): number {
    return this.best?.roundTrip ?? NaN;
  }

  /** The node's time, ns, at a time of the performance clock, ms. */
  nodeTime(ms: number): bigint {
    return this.offset(ms) + toNs(ms);
  }

  /** How long ago, ms, a node's stamp was at a time of the performance clock. */
  age(stampNs: bigint, ms: number): number {
    return this.best ? Number(this.nodeTime(ms) - stampNs) / 1e6 : NaN;
  }

  /** ns, the node's time less the performance clock's, at a time of the latter, ms. */
  private offset(ms: number): bigint {
    if (!this.best) throw new Error('clock: no probe has been answered yet');
    const gap = Number(this.best.offset - this.from.offset);
    const most = SLEW * 1e6 * Math.max(0, ms - this.from.at);
    return Math.abs(gap) <= most ? this.best.offset : this.from.offset + BigInt(Math.round(Math.sign(gap) * most));
  }
}
