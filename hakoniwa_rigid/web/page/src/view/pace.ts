// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Fewer pictures and pixels where drawing costs too much: a processor that draws has hands to follow, too. */

/** pictures per s and core where the processor draws: some 40 ms each, and what moves the drones may run beside it */
const PER_CORE = 8;
/** of the time from a picture's beginning to the next one's, the share that a processor may draw */
const SHARE = 2 / 3;
/** frames per s below which the picture is made coarser, s between looks, the factor, and the coarsest */
const SLOW = 24;
const LOOK = 1;
const COARSER = 0.75;
const COARSEST = 0.5;
/** share of a frame by which a picture may be early: frames come when they come */
const EARLY = 0.2;

/** Pictures per s at most. */
export function mostPictures(graphicsCard: boolean, cores: number): number {
  return graphicsCard ? Infinity : PER_CORE * cores;
}

export class Pace {
  /** device pixels per CSS pixel */
  ratio: number;
  private frames = 0;
  private looks = 0;
  private since = NaN;
  private last = NaN;
  private drawn = -Infinity;
  private took = 0;

  /** With `fixed` the ratio stays as it is; `most` pictures are drawn per s; before pixels, `tiers` are given up. */
  constructor(
    wanted: number, private readonly fixed: boolean, private readonly most = Infinity, private tiers = 0,
  ) {
    this.ratio = wanted;
  }

  /** Whether a picture is to be drawn at a time in s. */
  due(now: number): boolean {
    const since = now - this.drawn;
    if (since * this.most < 1 - EARLY || since * SHARE < this.took) return false;
    this.drawn = now;
    return true;
  }

  /** A picture of the processor's took so long, s: what moves the drones comes before the next. */
  done(took: number): void {
    this.took = took;
  }

  /** Counts a frame at a time in s; says what has to change: the tier of quality, or the ratio, which has changed. */
  frame(now: number): 'tier' | 'ratio' | undefined {
    // a page that was hidden draws nothing: that is not slow
    if (!(now - this.last < LOOK)) [this.since, this.frames] = [now, 0];
    this.last = now;
    this.frames += 1;
    const span = now - this.since;
    if (span < LOOK) return undefined;
    const slow = (this.frames - 1) / span < Math.min(SLOW, 0.7 * this.most);
    [this.since, this.frames] = [now, 1];
    this.looks += 1;
    // shaders are compiled at the first pictures
    if (!slow || this.looks === 1) return undefined;
    if (this.tiers > 0) {
      this.tiers -= 1;
      return 'tier';
    }
    if (this.fixed || this.ratio <= COARSEST) return undefined;
    this.ratio = Math.max(COARSEST, COARSER * this.ratio);
    return 'ratio';
  }
}
