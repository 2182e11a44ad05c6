// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What `hakoniwa-rigid page` writes into flight.js (hakoniwa_rigid/static_page/flight.py): SI units, world frame. */
import type { Scene, Triple } from '../wire/messages';

export const FORMAT = 1;

/** A contact, times in s since the first frame; impulses N s on b: of its first tick, and in all. */
export interface Touch {
  begin: number;
  end: number | null;
  kind: number;
  a: string;
  b: string;
  partA: string;
  partB: string;
  position: Triple;
  normal: Triple;
  impulse: Triple;
  total: Triple;
}

/** What happened to a constraint. */
export interface Change {
  at: number;
  phase: number;
  name: string;
  a: string;
  b: string;
}

/** `parts`: where each array begins in the bytes, and its number of items; `data`: the bytes, deflated, in base64. */
export interface Content {
  format: number;
  title: string;
  scene: Scene;
  frames: number;
  startNs: string;
  duration: number;
  drones: string[];
  objects: string[];
  hands: { name: string; radii: number[] }[];
  contacts: Touch[];
  changes: Change[];
  parts: Record<string, [number, number]>;
  data: string;
}

/** The bytes of the frames. */
export async function inflated(data: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Response(stream).arrayBuffer();
}
