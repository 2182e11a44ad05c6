// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The node's clock, learnt by round trips: the shortest one of the last half minute bounds the error best. */

/** ms: older round trips are forgotten, because clocks drift */
export const WINDOW = 30_000;

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

  /** One answered probe: sent and received in ms of this page's performance clock, and the node's time in between. */
  add(sent: number, received: number, nodeNs: bigint): void {
    if (!(received >= sent)) return;
    const trip = { at: received, roundTrip: received - sent, offset: nodeNs - toNs((sent + received) / 2) };
    this.trips = this.trips.filter((t) => received - t.at <= WINDOW);
    this.trips.push(trip);
    this.best = this.trips.reduce((a, b) => (b.roundTrip <= a.roundTrip ? b : a));
  }

  /** After a new connection: another node may have answered. */
  clear(): void {
    this.trips = [];
    this.best = undefined;
  }

  get known(): boolean {
    return this.best !== undefined;
  }

  /** ms, the round trip that the offset comes from; its half is the largest possible error. */
  get roundTrip(): number {
    return this.best?.roundTrip ?? NaN;
  }

  /** The node's time, ns, at a time of the performance clock, ms. */
  nodeTime(ms: number): bigint {
    if (!this.best) throw new Error('clock: no probe has been answered yet');
    return this.best.offset + toNs(ms);
  }

  /** How long ago, ms, a node's stamp was at a time of the performance clock. */
  age(stampNs: bigint, ms: number): number {
    return this.best ? Number(this.nodeTime(ms) - stampNs) / 1e6 : NaN;
  }
}
