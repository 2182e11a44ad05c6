// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Frames that are played again, and what is between them. */
import { stateBetween } from '../maths/between';
import type { Contact } from '../store';
import type { Bones } from '../view/hands';
import type { Shown } from '../view/view';
import type { FleetState, ObjectPoses, Quadruple, Ties, Triple } from '../wire/messages';
import type { Frame } from './buffer';

/** ms between two frames, beyond which nothing is put between them: a pause, a lost connection */
const PAUSE = 250;
const NONE = new Float64Array(0);

export class Clip {
  constructor(private readonly frames: readonly Frame[], readonly contacts: readonly Contact[]) {}

  /** ms of the performance clock */
  get from(): number {
    return this.frames[0]!.at;
  }

  get to(): number {
    return this.frames.at(-1)!.at;
  }

  /** What was shown at a time, ms of the performance clock. */
  at(time: number): Shown {
    const [frame, next, share] = this.place(time);
    const same = frame.names.length === next.names.length && frame.objectNames.length === next.objectNames.length;
    const part = same ? share : 0;
    return {
      fleet: fleetOf(frame, next, part), objects: objectsOf(frame, next, part), rotors: undefined,
      ties: frame.ties as Ties | undefined, bones: handsOf(frame, next, part),
    };
  }

  private place(time: number): [Frame, Frame, number] {
    const { frames } = this;
    let [low, high] = [0, frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames[middle]!.at <= time) low = middle;
      else high = middle - 1;
    }
    const frame = frames[low]!;
    const next = frames[Math.min(low + 1, frames.length - 1)]!;
    const gap = next.at - frame.at;
    return [frame, next, gap > 0 && gap <= PAUSE ? Math.max(0, Math.min((time - frame.at) / gap, 1)) : 0];
  }
}

/** Positions and orientations of n bodies between two frames. */
function statesBetween(from: Frame['drones'], to: Frame['drones'], n: number, share: number): [Float64Array, Float64Array] {
  const positions = new Float64Array(3 * n);
  const turns = new Float64Array(4 * n);
  for (let i = 0; i < n; i += 1) stateBetween(from, to, i, share, positions, turns);
  return [positions, turns];
}

function fleetOf(frame: Frame, next: Frame, share: number): FleetState {
  const [positions, orientations] = statesBetween(frame.drones, next.drones, frame.names.length, share);
  return {
    header: { stamp: { sec: 0, nanosec: 0 }, frame_id: 'world' }, names: frame.names, positions, orientations,
    linear_velocities: NONE, angular_velocities: NONE, flags: frame.flags,
  };
}

function objectsOf(frame: Frame, next: Frame, share: number): ObjectPoses {
  const [positions, turns] = statesBetween(frame.objects, next.objects, frame.objectNames.length, share);
  return {
    stamp_ns: 0, names: frame.objectNames,
    positions: frame.objectNames.map((_, i) => Array.from(positions.subarray(3 * i, 3 * i + 3)) as Triple),
    orientations_xyzw: frame.objectNames.map((_, i) => Array.from(turns.subarray(4 * i, 4 * i + 4)) as Quadruple),
  };
}

function handsOf(frame: Frame, next: Frame, share: number): Bones[] {
  return frame.hands.map((hand, k) => {
    const other = next.hands[k];
    if (!other || other.ends.length !== hand.ends.length) return hand;
    return { ends: hand.ends.map((x, i) => x + share * (other.ends[i]! - x)), radii: hand.radii };
  });
}
