// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Keys of the player: the same as its buttons. */
import type { Playback } from './playback';
import type { Entry } from './list';

const STEP = 1;      // s
const FINE = 0.05;   // s, with Shift

/** Space plays, arrows go on and back, n and p lead to the next contact and the one before. */
export function listenToKeys(playback: Playback, entries: Entry[], go: (entry: Entry) => void): void {
  /** To the neighbour of the contact that is shown: the one that was led to last, if its time is near. */
  let shown = -1;
  const lead = (way: 1 | -1) => {
    const { time } = playback;
    if (!(Math.abs((entries[shown]?.at ?? Infinity) - time) < STEP)) {
      shown = entries.filter(({ at }) => at <= time).length - (way > 0 ? 1 : 0);
    }
    shown = Math.max(0, Math.min(shown + way, entries.length - 1));
    if (entries[shown]) go(entries[shown]!);
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const { time } = playback;
    const step = event.shiftKey ? FINE : STEP;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => playback.seek(time - step),
      ArrowRight: () => playback.seek(time + step),
      Home: () => playback.seek(0),
      End: () => playback.seek(playback.duration),
      n: () => lead(1),
      p: () => lead(-1),
    };
    // a button that has the focus takes Space itself
    if (!(event.target instanceof HTMLButtonElement)) actions[' '] = () => playback.toggle();
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
