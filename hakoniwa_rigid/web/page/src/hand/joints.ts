// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** WebXR's 25 joints: names in its order, bones between them, and the radii of a grown-up's hand. */

const FINGERS = ['thumb', 'index-finger', 'middle-finger', 'ring-finger', 'pinky-finger'];
const BONES = ['metacarpal', 'phalanx-proximal', 'phalanx-intermediate', 'phalanx-distal', 'tip'];

export const JOINTS: readonly XRHandJoint[] = [
  'wrist',
  ...FINGERS.flatMap((finger) =>
    BONES.filter((bone) => !(finger === 'thumb' && bone === 'phalanx-intermediate')).map((bone) => `${finger}-${bone}`),
  ),
] as XRHandJoint[];

/** m, where a tracker gives none */
export const RADII: readonly number[] = [
  21.5, 19.4, 12.3, 9.8, 8.8, 21.2, 10.3, 8.5, 7.6, 6.6, 21.2, 11.2, 8.0, 7.6, 6.6, 19.1, 9.9, 7.6, 7.2, 6.2, 18.1,
  8.5, 6.8, 6.4, 5.4,
].map((mm) => mm / 1000);

type Bones = readonly (readonly [number, number])[];

/** Bones from the root along every finger of the given joint counts; `first` is the thumb's first joint. */
function chains(root: number, first: number, counts: number[]): Bones {
  let joint = first;
  return counts.flatMap((count) => {
    const chain: [number, number][] = [];
    let inner = root;
    for (let k = 0; k < count; k += 1) {
      chain.push([inner, joint]);
      inner = joint++;
    }
    return chain;
  });
}

const BY_COUNT = new Map<number, Bones>([
  [25, chains(0, 1, [4, 5, 5, 5, 5])],   // WebXR
  [26, chains(1, 2, [4, 5, 5, 5, 5])],   // OpenXR: a palm joint first
  [21, chains(0, 1, [4, 4, 4, 4, 4])],   // MediaPipe: no metacarpals
]);

/** Pairs of joints that a bone connects, of a hand of so many joints. */
export function bonesOf(joints: number): Bones {
  return BY_COUNT.get(joints) ?? [];
}
