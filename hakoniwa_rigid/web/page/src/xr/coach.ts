// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What a user is told: three steps from the first look to a throw, then nothing; what happens moves it on. */
export type Step = 'place' | 'push' | 'grip' | 'done';

const TEXTS: Record<Step, string> = {
  place: '1 of 3\nLook down at the floor and pinch:\nthe room goes there.',
  push: '2 of 3\nReach out and push the drone.',
  grip: '3 of 3\nPinch a drone to grip it,\nmove, and open your hand to throw.',
  done: '',
};
/** ms for which a word on something else stays */
const WORD = 6000;

export class Coach {
  step: Step = 'place';
  private word = '';
  private until = -Infinity;

  /** What is shown at a time, ms; '' for nothing. */
  text(now: number): string {
    return now < this.until ? this.word : TEXTS[this.step];
  }

  /** Something else that matters for a while, or until the next word. */
  say(word: string, now: number, ms = WORD): void {
    this.word = word;
    this.until = now + ms;
  }

  placed(): void {
    if (this.step === 'place') this.step = 'push';
  }

  /** An own hand has touched something that moves: who pushes where the room is needs no placing. */
  pushed(): void {
    if (this.step === 'place' || this.step === 'push') this.step = 'grip';
  }

  released(): void {
    this.step = 'done';
  }

  /** The room is to be placed again. */
  again(): void {
    this.step = 'place';
  }
}
