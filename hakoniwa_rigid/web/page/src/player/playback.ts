// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Where the playback is: a time that goes on, jumps and ends. */
export class Playback {
  time = 0;
  speed = 1;
  playing = false;
  /** called with the time, s, after every jump */
  onSeek: (time: number) => void = () => undefined;

  constructor(readonly duration: number) {}

  /** Goes on by so many s of the reader's time. */
  pass(seconds: number): void {
    if (!this.playing) return;
    this.time = Math.min(this.duration, this.time + this.speed * seconds);
    if (this.time >= this.duration) this.playing = false;
  }

  /** Plays or stops; at the end, from the beginning. */
  toggle(): void {
    if (!this.playing && this.time >= this.duration) this.seek(0);
    this.playing = !this.playing;
  }

  seek(time: number): void {
    this.time = Math.max(0, Math.min(time, this.duration));
    this.onSeek(this.time);
  }
}
