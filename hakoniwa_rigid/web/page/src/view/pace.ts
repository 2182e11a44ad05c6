/** Fewer pixels where drawing is too slow: a processor that draws by itself still has hands to follow. */

/** frames per s below which the picture is made coarser, s between looks, the factor, and the coarsest */
const SLOW = 24;
const LOOK = 1;
const COARSER = 0.75;
const COARSEST = 0.5;

export class Pace {
  /** device pixels per CSS pixel */
  ratio: number;
  private frames = 0;
  private since = NaN;
  private last = NaN;

  /** With `fixed` the ratio stays as it is. */
  constructor(wanted: number, private readonly fixed: boolean) {
    this.ratio = wanted;
  }

  /** Counts a frame at a time in s; true if the ratio has changed. */
  frame(now: number): boolean {
    // a page that was hidden draws nothing: that is not slow
    if (!(now - this.last < LOOK)) [this.since, this.frames] = [now, 0];
    this.last = now;
    this.frames += 1;
    const span = now - this.since;
    if (span < LOOK) return false;
    const slow = (this.frames - 1) / span < SLOW;
    [this.since, this.frames] = [now, 1];
    if (!slow || this.fixed || this.ratio <= COARSEST) return false;
    this.ratio = Math.max(COARSEST, COARSER * this.ratio);
    return true;
  }
}
