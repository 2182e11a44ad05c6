// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What materials sound like when they are hit: tones that ring out, and a burst of filtered noise. */
import type { Scene } from '../wire/messages';

/** Tones: Hz, their loudness, s until they are silent; noise: Hz of its filter, loudness, s. */
export interface Voice {
  tones: readonly (readonly [number, number, number])[];
  noise: readonly [number, number, number];
}

export const VOICES = {
  plastic: { tones: [[1150, 0.5, 0.09], [1840, 0.25, 0.06]], noise: [3200, 0.5, 0.04] },
  concrete: { tones: [[95, 0.9, 0.14]], noise: [520, 0.9, 0.09] },
  wood: { tones: [[310, 0.8, 0.12], [720, 0.35, 0.08]], noise: [1300, 0.5, 0.05] },
  metal: { tones: [[620, 0.45, 0.5], [1480, 0.35, 0.42], [2710, 0.2, 0.3]], noise: [5200, 0.3, 0.03] },
  glass: { tones: [[2300, 0.4, 0.25], [3900, 0.3, 0.2]], noise: [7000, 0.4, 0.03] },
  rubber: { tones: [[150, 0.8, 0.16]], noise: [380, 0.35, 0.06] },
  skin: { tones: [[120, 0.6, 0.08]], noise: [260, 0.8, 0.07] },
} as const satisfies Record<string, Voice>;
export type VoiceName = keyof typeof VOICES;

/** Words in the name of a material, and whose voice it has. */
const WORDS: readonly (readonly [RegExp, VoiceName])[] = [
  [/wood|timber|plywood|table|door/, 'wood'], [/metal|steel|alumin|iron/, 'metal'], [/glass|window/, 'glass'],
  [/rubber|foam|net|mat|soft|cloth/, 'rubber'], [/skin|hand|person/, 'skin'],
  [/concrete|stone|brick|wall|floor|tile|plaster/, 'concrete'], [/plastic|carbon|drone/, 'plastic'],
];

function spoken(material: string | undefined): VoiceName | undefined {
  const name = (material ?? '').toLowerCase();
  return WORDS.find(([word]) => word.test(name))?.[1];
}

/** The voice of each body of a scene, by its name: of its material, or of what it is. */
export function voicesOf(scene: Scene): Map<string, VoiceName> {
  return new Map([
    ...scene.walls.map(({ name = '', material }) =>
      [name.split('/')[0]!, spoken(material) ?? spoken(name) ?? 'concrete'] as const),
    ...scene.objects.map(({ name, material }) => [name, spoken(material) ?? spoken(name) ?? 'wood'] as const),
    ...[...scene.hands, ...(scene.hands_of_others ?? [])].map((name) => [name, 'skin'] as const),
    ...scene.drones.map(({ name, material }) => [name, spoken(material) ?? 'plastic'] as const),
  ]);
}
