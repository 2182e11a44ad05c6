// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What tests, pictures and curious people in the console see of the player: `window.player`. */
import { Vector3 } from 'three';

import type { Store } from '../store';
import type { Stage } from '../view/stage';
import type { View } from '../view/view';
import type { Content, Touch } from './content';
import type { Playback } from './playback';

/** Times s, lengths m, world. */
export interface Player {
  state(): { time: number; duration: number; playing: boolean; drones: Record<string, number[]>; hands: number };
  contacts(): readonly Touch[];
  /** jumps to a time; resolves when the page shows it */
  seek(time: number): Promise<void>;
  /** looks at a spot from a direction, so far away that a sphere of that radius is seen; resolves as `seek` does */
  look(spot: number[], from: number[], radius: number): Promise<void>;
  /** looks at all that was flown; resolves as `seek` does */
  all(): Promise<void>;
  /** resolves when the page shows what is true now */
  shown(): Promise<void>;
  /** where a spot of the world is on the page, CSS pixels */
  project(spot: number[]): [number, number];
}

declare global {
  interface Window {
    flight: (content: Content) => void;
    player: Player;
  }
}

export function exposed(
  content: Content, stage: Stage, view: View, store: Store, playback: Playback, all: () => void,
  draw: () => Promise<void>,
): Player {
  return {
    state: () => ({
      time: playback.time, duration: playback.duration, playing: playback.playing, hands: store.bones?.length ?? 0,
      drones: Object.fromEntries((store.fleet?.names ?? []).map((name, i) =>
        [name, Array.from(store.fleet!.positions.subarray(3 * i, 3 * i + 3))])),
    }),
    contacts: () => content.contacts,
    seek: (time) => {
      playback.seek(time);
      return draw();
    },
    look: (spot, from, radius) => {
      view.director.stop();
      stage.lookAt(new Vector3().fromArray(spot), new Vector3().fromArray(from), radius);
      return draw();
    },
    all: () => {
      all();
      return draw();
    },
    shown: () => stage.shown(),
    project: (spot) => stage.project(new Vector3().fromArray(spot)),
  };
}
