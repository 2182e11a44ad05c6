// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The frames of a flight, and the picture at any time between them. */
import type { Bones } from '../view/hands';
import type { FleetState, ObjectPoses, Quadruple, Ties, Triple } from '../wire/messages';
import type { Content } from './content';

/** as of hakoniwa_rigid/static_page/flight.py */
const UNIT = 32767;
const PER_METRE = 10_000;
const ABSENT = -32768;
/** s and m between two frames, beyond which nothing is put between them: a pause, a jump */
const PAUSE = 0.25;
const JUMP = 0.5;

interface Poses {
  at: Float32Array;
  turned: Int16Array;
  count: number;
}

interface Hand {
  name: string;
  radii: number[];
  at: Float32Array;
  bones: Int16Array;
}

export class Frames {
  readonly times: Float64Array;
  private readonly drones: Poses;
  private readonly objects: Poses;
  private readonly flags: Uint8Array;
  private readonly hands: Hand[];
  private readonly ties: Ties[] = [];

  constructor(private readonly content: Content, buffer: ArrayBuffer) {
    const of = (name: string): [number, number] => content.parts[name] ?? [0, 0];
    const poses = (kind: string, count: number): Poses => ({
      at: new Float32Array(buffer, ...of(`${kind}At`)), turned: new Int16Array(buffer, ...of(`${kind}Turned`)), count,
    });
    this.times = new Float64Array(buffer, ...of('times'));
    this.drones = poses('drones', content.drones.length);
    this.objects = poses('objects', content.objects.length);
    this.flags = new Uint8Array(buffer, ...of('flags'));
    this.hands = content.hands.map((hand, k) => ({
      ...hand, at: new Float32Array(buffer, ...of(`hand${k}At`)), bones: new Int16Array(buffer, ...of(`hand${k}Bones`)),
    }));
    this.readTies(
      new Uint32Array(buffer, ...of('ties')), new Float32Array(buffer, ...of('tieEnds')),
      new Uint8Array(buffer, ...of('tieLoads')),
    );
  }

  /** The drones at a time, s. */
  fleet(time: number): FleetState {
    const [k, share] = this.place(time);
    const [positions, orientations] = between(this.drones, k, this.next(k), share);
    const n = this.drones.count;
    const none = new Float64Array(0);
    return {
      header: { stamp: { sec: 0, nanosec: 0 }, frame_id: 'world' }, names: this.content.drones, positions, orientations,
      linear_velocities: none, angular_velocities: none, flags: this.flags.subarray(n * k, n * (k + 1)),
    };
  }

  objectPoses(time: number): ObjectPoses {
    const [k, share] = this.place(time);
    const [positions, turns] = between(this.objects, k, this.next(k), share);
    const { objects: names } = this.content;
    const seen = names.map((_, i) => i).filter((i) => Number.isFinite(positions[3 * i]));
    return {
      stamp_ns: 0, names: seen.map((i) => names[i]!),
      positions: seen.map((i) => Array.from(positions.subarray(3 * i, 3 * i + 3)) as Triple),
      orientations_xyzw: seen.map((i) => Array.from(turns.subarray(4 * i, 4 * i + 4)) as Quadruple),
    };
  }

  tiesAt(time: number): Ties | undefined {
    return this.ties[this.place(time)[0]];
  }

  /** The hands that are there at a time, s: ends of their bones, NaN where one is not tracked. */
  bones(time: number): Bones[] {
    const [k, share] = this.place(time);
    return this.hands.flatMap((hand) => {
      const ends = this.ends(hand, k, this.next(k), share);
      return ends.some((x) => !Number.isNaN(x)) ? [{ ends, radii: hand.radii }] : [];
    });
  }

  /** The box around all drones in all frames: least and most of x, y, z, m; undefined where there is none. */
  extent(): [Triple, Triple] | undefined {
    const low: Triple = [Infinity, Infinity, Infinity];
    const high: Triple = [-Infinity, -Infinity, -Infinity];
    this.drones.at.forEach((x, i) => {
      if (!Number.isFinite(x)) return;
      low[i % 3] = Math.min(low[i % 3]!, x);
      high[i % 3] = Math.max(high[i % 3]!, x);
    });
    return low[0] <= high[0] ? [low, high] : undefined;
  }

  private next(k: number): number {
    return Math.min(k + 1, this.times.length - 1);
  }

  /** The last frame that is not after a time, and the share of the way to the next one. */
  private place(time: number): [number, number] {
    const { times } = this;
    let [low, high] = [0, times.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle]! <= time) low = middle;
      else high = middle - 1;
    }
    const gap = (times[low + 1] ?? NaN) - times[low]!;
    return [low, gap <= PAUSE ? Math.max(0, Math.min((time - times[low]!) / gap, 1)) : 0];
  }

  private ends({ radii, at, bones }: Hand, k: number, next: number, share: number): Float64Array {
    const ends = new Float64Array(6 * radii.length);
    const [from, to] = [6 * radii.length * k, 6 * radii.length * next];
    for (let i = 0; i < ends.length; i += 1) {
      const [a, b] = [bones[from + i]!, bones[to + i]!];
      const here = a === ABSENT ? NaN : at[3 * k + (i % 3)]! + a / PER_METRE;
      const there = b === ABSENT ? here : at[3 * next + (i % 3)]! + b / PER_METRE;
      ends[i] = here + share * (there - here);
    }
    return ends;
  }

  private readTies(counts: Uint32Array, ends: Float32Array, loads: Uint8Array): void {
    let first = 0;
    for (const count of counts) {
      const point = (i: number) => Array.from(ends.subarray(3 * i, 3 * i + 3)) as Triple;
      const rows = Array.from({ length: count }, (_, i) => first + i);
      this.ties.push({
        stamp_ns: 0, lines: rows.map((i) => [point(2 * i), point(2 * i + 1)]), loaded: rows.map((i) => loads[i] === 1),
      });
      first += count;
    }
  }
}

/** Positions and orientations of bodies between two frames. */
function between({ at, turned, count }: Poses, k: number, next: number, share: number): [Float64Array, Float64Array] {
  const positions = new Float64Array(3 * count);
  const turns = new Float64Array(4 * count);
  for (let i = 0; i < count; i += 1) {
    const [a, b] = [3 * (count * k + i), 3 * (count * next + i)];
    const gap = Math.hypot(at[b]! - at[a]!, at[b + 1]! - at[a + 1]!, at[b + 2]! - at[a + 2]!);
    const part = gap < JUMP ? share : 0;
    for (let c = 0; c < 3; c += 1) positions[3 * i + c] = at[a + c]! + (part ? part * (at[b + c]! - at[a + c]!) : 0);
    turn(turned, 4 * (count * k + i), 4 * (count * next + i), part, turns, 4 * i);
  }
  return [positions, turns];
}

/** A unit quaternion on the straight way between two. */
function turn(of: Int16Array, a: number, b: number, share: number, out: Float64Array, to: number): void {
  let dot = 0;
  for (let c = 0; c < 4; c += 1) dot += of[a + c]! * of[b + c]!;
  let square = 0;
  for (let c = 0; c < 4; c += 1) {
    const x = ((1 - share) * of[a + c]! + (dot < 0 ? -share : share) * of[b + c]!) / UNIT;
    out[to + c] = x;
    square += x * x;
  }
  for (let c = 0; c < 4; c += 1) out[to + c]! /= Math.sqrt(square) || 1;
}
