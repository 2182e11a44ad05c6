// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Round trips that tell the node's clock: some at once, then one a second. */
import type { NodeClock } from '../maths/clock';
import type { Link } from './link';
import type { ClockReply } from './messages';

/** ms between probes: the first few, and the others */
const QUICK = 100;
const SLOW = 1000;
const QUICK_PROBES = 8;

export class Probes {
  private readonly client = Math.random().toString(36).slice(2);
  private id = 0;
  private sent = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly link: Link, private readonly clock: NodeClock) {
    link.on<ClockReply>('/clock_reply', (reply) => {
      if (reply.client === this.client) clock.add(Number(reply.t0), performance.now(), BigInt(reply.server_ns));
    });
  }

  /** Begins anew, on a new connection. */
  start(): void {
    clearTimeout(this.timer);
    this.clock.clear();
    this.sent = 0;
    this.probe();
  }

  private probe(): void {
    if (this.link.state !== 'open') return;
    const probe = { client: this.client, id: this.id++, t0: performance.now().toString() };
    this.link.send('/clock_probe', probe);
    this.sent += 1;
    this.timer = setTimeout(() => this.probe(), this.sent < QUICK_PROBES ? QUICK : SLOW);
  }
}
