// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * What a drone looks like: the airframe of its model, rotors where its model has them.  It is no larger than its rotors
 * and its collision shape; what is thin in that shape (legs, skids) is drawn as it is.
 */
import { BufferGeometry, PlaneGeometry, Vector3 } from 'three';

import type { DroneModel, Rotor, Shape } from '../wire/messages';
import {
  BATTERY, BOARD, box, CARBON, FRONT_LIGHT, LENS, merged, METAL, Pieces, plain, REAR_LIGHT, SHELL, tinted,
} from './airframe_parts';
import { bodyGeometry, shapeGeometry } from './shapes';

/** A rotor as drawn: its centre, m, base frame; the radius of its disc, m; turning direction seen from above. */
export interface DrawnRotor {
  centre: Vector3;
  radius: number;
  sign: 1 | -1;
}

export interface Airframe {
  collision: BufferGeometry;
  /** has the colours of its materials */
  frame: BufferGeometry;
  /** has the drone's colour */
  accent: BufferGeometry;
  /** a square around the circle of radius 1: the material draws no more than that (rotors.ts) */
  disc: BufferGeometry;
  blades: number;
  rotors: DrawnRotor[];
}

type Body = 'pod' | 'dome' | 'plates' | 'board';

/** What tells a model from others. */
export interface Style {
  body: Body;
  blades: number;
  ducts?: boolean;
  tubes?: boolean;
  feet?: boolean;
}

/** By the beginning of a model's name; the others look like `OTHER`. */
const STYLES: Record<string, Style> = {
  'api-1': { body: 'pod', blades: 2, feet: true },
  unity: { body: 'pod', blades: 5, ducts: true },
  crazyflie: { body: 'board', blades: 2 },
  hummingbird: { body: 'dome', blades: 2, tubes: true, feet: true },
  x500: { body: 'plates', blades: 2, tubes: true },
  mujoco: { body: 'plates', blades: 2 },
};
const OTHER: Style = { body: 'pod', blades: 2, feet: true };

export function styleOf(model: string): Style {
  return Object.entries(STYLES).find(([name]) => model.startsWith(name))?.[1] ?? OTHER;
}

/** m, of parts that are legs, skids, arms: their width at most; how many times longer they are at least */
const THIN = 0.03;
const LONG = 3;
/** m per m of half its width: rotors over the middle of a tall shape, and legs below it, at most */
const TALL = 0.35;
/** corners around a lamp: it is a few pixels wide, and there are four on each drone */
const LAMP = 6;
/** height of a disc, in its radii, at most */
const FLAT = 0.35;

function sidesOf({ type, size, radius = 0, height, length }: Shape): number[] {
  if (type === 'box' && size) return [...size].sort((a, b) => a - b);
  if (type === 'cylinder' || type === 'capsule') return [2 * radius, 2 * radius, height ?? length ?? 0];
  return [Infinity, Infinity, Infinity];
}

function isThin(part: Shape): boolean {
  const [, width, length] = sidesOf(part) as [number, number, number];
  return width < THIN && length > LONG * width;
}

/** A rotor that only the collision shape knows: a flat level disc. */
function isDisc({ type, radius = 0, height = Infinity, pose }: Shape): boolean {
  const level = !pose || Math.hypot(pose.orientation_xyzw[0], pose.orientation_xyzw[1]) < 0.2;
  return type === 'cylinder' && height < FLAT * radius && level;
}

/** Rotors of the model's table, or of its discs; without either four above the corners of its shape. */
function rotorsOf(model: DroneModel, half: Vector3, top: number): DrawnRotor[] {
  const discs = model.parts.filter(isDisc);
  if (model.rotors.length > 0) return fromTable(model.rotors, discs, top);
  if (discs.length > 1) {
    return discs.map(({ pose, radius }) => {
      const centre = new Vector3(...(pose?.position ?? [0, 0, 0]));
      return { centre, radius: radius!, sign: centre.x * centre.y < 0 ? -1 : 1 };
    });
  }
  const [x, y] = [0.62 * half.x, 0.62 * half.y];
  const radius = 0.52 * Math.min(half.x, half.y);
  return [[x, y], [-x, y], [-x, -y], [x, -y]].map(([a = 0, b = 0], i) => ({
    centre: new Vector3(a, b, top), radius, sign: i % 2 ? 1 : -1,
  }));
}

function fromTable(rotors: Rotor[], discs: Shape[], top: number): DrawnRotor[] {
  const fallback = 0.62 * nearest(rotors);
  return rotors.map(({ position: [x, y, z], radius, spin }) => {
    const disc = discs.find(({ pose }) => Math.hypot(pose!.position[0] - x, pose!.position[1] - y) < 0.01);
    return {
      centre: new Vector3(x, y, disc ? disc.pose!.position[2] : Math.max(z, top)),
      radius: disc?.radius ?? radius ?? fallback, sign: spin === 'cw' || spin === -1 ? -1 : 1,
    };
  });
}

/** m: half the smallest distance between two rotors, so that discs do not meet. */
function nearest(rotors: Rotor[]): number {
  const gaps = rotors.flatMap((a, i) =>
    rotors.slice(i + 1).map((b) => Math.hypot(...a.position.map((x, k) => x - (b.position[k] ?? 0)))),
  );
  return gaps.length ? Math.min(...gaps) / 2 : 0.1;
}

/** m: the middle of the hub, half its sides, how far its rotors are from it. */
interface Size {
  middle: Vector3;
  hub: Vector3;
  reach: number;
}

function raised(spot: Vector3, by: number): Vector3 {
  return spot.clone().setZ(spot.z + by);
}

/** Hull and payload in the middle: what has the colours of materials, and what has the drone's. */
const BODIES: Record<Body, (size: Size, make: Pieces) => { frame: BufferGeometry[]; accent: BufferGeometry[] }> = {
  pod: ({ middle, hub }, make) => {
    const nose = middle.clone().add(new Vector3(1.1 * hub.x, 0, -0.1 * hub.z));
    return {
      frame: [
        tinted(make.pod(middle, hub.clone().multiply(new Vector3(1.25, 0.8, 1))), SHELL),
        tinted(make.lens(nose, 0.45 * hub.z + 0.08 * hub.y), LENS),
      ],
      accent: [plain(make.pod(raised(middle, 0.45 * hub.z), hub.clone().multiply(new Vector3(0.85, 0.5, 0.7))))],
    };
  },
  dome: ({ middle, hub }, make) => ({
    frame: [tinted(make.post(raised(middle, 0.2 * hub.z), hub.x, 0.5 * hub.z, 20), CARBON),
      tinted(make.lens(middle.clone().add(new Vector3(1.05 * hub.x, 0, 0)), 0.3 * hub.z), LENS)],
    accent: [plain(make.dome(raised(middle, 0.2 * hub.z), hub.clone().multiply(new Vector3(0.85, 0.85, 1.2))))],
  }),
  plates: ({ middle, hub }, make) => {
    const up = (z: number) => raised(middle, z * hub.z);
    return {
      frame: [
        tinted(box([2 * hub.x, 2 * hub.y, 0.16 * hub.z], up(-0.35)), CARBON),
        tinted(box([2 * hub.x, 2 * hub.y, 0.16 * hub.z], up(0.45)), CARBON),
        tinted(box([1.5 * hub.x, 0.8 * hub.y, 0.7 * hub.z], up(-0.8)), BATTERY),
        tinted(make.post(up(1.9).setX(middle.x - 0.6 * hub.x), 0.06 * hub.x, 1.5 * hub.z, 8), METAL),
        tinted(box([0.12 * hub.x, 0.5 * hub.y, 0.4 * hub.z], up(0).setX(middle.x + 1.05 * hub.x)), LENS),
      ],
      accent: [plain(box([1.2 * hub.x, 1.1 * hub.y, 0.5 * hub.z], up(0.05))),
        plain(make.post(up(2.1).setX(middle.x - 0.6 * hub.x), 0.28 * hub.x, 0.25 * hub.z, 16))],
    };
  },
  board: ({ middle, hub }) => {
    const up = (z: number) => raised(middle, z * hub.z);
    return {
      frame: [
        tinted(box([2 * hub.x, 2 * hub.y, 0.25 * hub.z], up(-0.1)), BOARD),
        tinted(box([0.35 * hub.x, 1.3 * hub.y, 0.5 * hub.z], up(0.3).setX(middle.x + 0.75 * hub.x)), METAL),
        tinted(box([0.35 * hub.x, 1.3 * hub.y, 0.5 * hub.z], up(0.3).setX(middle.x - 0.75 * hub.x)), METAL),
      ],
      accent: [plain(box([1.9 * hub.x, 1.1 * hub.y, 0.9 * hub.z], up(0.75)))],
    };
  },
};

/** That of a model; `fineness` as of Pieces. */
export function airframeOf(model: DroneModel, fineness = 1): Airframe {
  const make = new Pieces(fineness);
  const style = styleOf(model.model);
  const collision = bodyGeometry(model.parts);
  collision.computeBoundingBox();
  const half = collision.boundingBox!.getSize(new Vector3()).multiplyScalar(0.5);
  const middle = collision.boundingBox!.getCenter(new Vector3());
  const high = Math.min(0.9 * half.z, TALL * Math.max(half.x, half.y));
  const rotors = rotorsOf(model, half, middle.z + high);
  const reach = Math.max(...rotors.map(({ centre }) => Math.hypot(centre.x, centre.y)));
  const level = Math.min(middle.z, ...rotors.map(({ centre }) => centre.z));
  const thin = model.parts.filter(isThin);
  // legs below say where the hull is: at the level of the rotors, not in the middle of all parts
  if (thin.length > 0) middle.setZ(Math.max(level, rotors[0]!.centre.z - 0.2 * reach));
  const wide = (style.ducts ? 0.5 : 0.3) * reach;
  const hub = new Vector3(wide, wide, Math.max(Math.min(0.6 * half.z, 0.16 * reach), 0.07 * reach));
  const body = BODIES[style.body]({ middle, hub, reach }, make);
  const width = (style.tubes ? 0.075 : 0.1) * reach;
  const frame = [...body.frame, ...thin.map((part) => tinted(shapeGeometry(part), CARBON))];
  const accent = [...body.accent];
  for (const { centre, radius } of rotors) {
    frame.push(tinted(make.arm(centre, width, middle.z, style.tubes ?? false), CARBON));
    frame.push(tinted(make.motor(centre, 0.075 * reach, middle.z - 0.4 * width), METAL));
    const foot = centre.clone().setZ(middle.z - 0.3 * width);
    if (style.ducts) {
      const height = Math.max(high, 0.3 * radius);
      frame.push(tinted(make.duct(centre, 1.04 * radius, height), CARBON));
      accent.push(make.rim(centre, 1.04 * radius, height));
    }
    if (style.feet && thin.length === 0) {
      frame.push(tinted(make.post(foot, 0.03 * reach, Math.max(high, 0.1 * reach)), CARBON));
    }
    const light = centre.clone().setZ(middle.z + 0.05 * reach);
    light.x *= 0.8;
    light.y *= 0.8;
    const lamp = make.dome(light, new Vector3().setScalar(0.035 * reach), LAMP);
    frame.push(tinted(lamp, centre.x > 0 ? FRONT_LIGHT : REAR_LIGHT));
    // sleeves on the arms: the drone's colour is seen from above and below
    accent.push(plain(make.arm(centre.clone().multiplyScalar(0.62), 1.35 * width, middle.z, style.tubes ?? false)));
  }
  return {
    collision, frame: merged(frame), accent: merged(accent), disc: new PlaneGeometry(2, 2),
    blades: style.blades, rotors,
  };
}
