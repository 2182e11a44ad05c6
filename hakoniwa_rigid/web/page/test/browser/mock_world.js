// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The room that the stand-in shows: planes, a table, a pillar, drones of two models. */

const at = (...position) => ({ position, orientation_xyzw: [0, 0, 0, 1] });
const plane = (name, normal, offset) => ({ name, type: 'plane', normal, offset, pose: at(0, 0, 0) });
const CORNERS = [[1, 1], [-1, 1], [-1, -1], [1, -1]];
const BIG = {
  model: 'api-1', mass: 0.68, parts: [{ type: 'box', size: [0.5, 0.5, 0.1], pose: at(0, 0, 0) }],
  rotors: CORNERS.map(([x, y], i) => ({ position: [0.25 * x, 0.25 * y, 0], radius: 0.12, spin: i % 2 ? 'cw' : 'ccw' })),
};
const SMALL = {
  model: 'unity', mass: 0.71, parts: [{ type: 'box', size: [0.2, 0.2, 0.05], pose: at(0, 0, 0) }], rotors: [],
};

export const WALLS = [
  plane('floor', [0, 0, 1], 0), plane('ceiling', [0, 0, -1], -4), plane('east', [-1, 0, 0], -5),
  plane('west', [1, 0, 0], -5), plane('north', [0, -1, 0], -4), plane('south', [0, 1, 0], -4),
  { name: 'table', type: 'box', size: [1.2, 0.8, 0.05], pose: at(0.2, -1.1, 0.72) },
  { name: 'pillar', type: 'cylinder', radius: 0.15, height: 4, pose: at(2.4, 1.6, 2) },
];

/** Scene and starts of n drones, a ring of them around the first. */
export function roomOf(n) {
  const starts = Array.from({ length: n }, (_, i) => {
    const ring = Math.ceil(i / 8);
    const angle = (2 * Math.PI * i) / 8 + 0.4 * ring;
    const [x, y] = [1.1 * ring * Math.cos(angle), 1.1 * ring * Math.sin(angle)];
    return { name: `d${i}`, position: [x, y, 1.4 + 0.12 * (i % 3)] };
  });
  const drones = starts.map(({ name }, i) => ({ name, ...(i % 2 ? BIG : SMALL) }));
  const scene = { world: 'mock_room', frame: 'world', drones, walls: WALLS, objects: [], hands: ['left', 'right'] };
  return { scene, starts };
}
