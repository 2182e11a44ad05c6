// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What a drone looks like: hub, arms and rotors where its model has them, inside its collision shape. */
import { BoxGeometry, BufferGeometry, CircleGeometry, CylinderGeometry, SphereGeometry, Vector3 } from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

import type { DroneModel, Rotor } from '../wire/messages';
import { bodyGeometry } from './shapes';

/** A rotor as drawn: its centre, m, base frame; the radius of its disc, m; turning direction seen from above. */
export interface DrawnRotor {
  centre: Vector3;
  radius: number;
  sign: 1 | -1;
}

export interface Airframe {
  collision: BufferGeometry;
  frame: BufferGeometry;
  accent: BufferGeometry;
  blade: BufferGeometry;
  disc: BufferGeometry;
  rotors: DrawnRotor[];
}

/** Without a rotor table, four rotors above the corners of the collision shape: the picture of a quadrotor. */
function rotorsOf(model: DroneModel, half: Vector3, top: number): DrawnRotor[] {
  if (model.rotors.length === 0) {
    const [x, y] = [0.62 * half.x, 0.62 * half.y];
    const radius = 0.52 * Math.min(half.x, half.y);
    return [[x, y], [-x, y], [-x, -y], [x, -y]].map(([a = 0, b = 0], i) => ({
      centre: new Vector3(a, b, top), radius, sign: i % 2 ? 1 : -1,
    }));
  }
  const fallback = 0.62 * nearest(model.rotors);
  return model.rotors.map(({ position, radius, spin }) => ({
    centre: new Vector3(position[0], position[1], Math.max(position[2], top)),
    radius: radius ?? fallback,
    sign: spin === 'cw' || spin === -1 ? -1 : 1,
  }));
}

/** m: half the smallest distance between two rotors, so that discs do not meet. */
function nearest(rotors: Rotor[]): number {
  const gaps = rotors.flatMap((a, i) =>
    rotors.slice(i + 1).map((b) => Math.hypot(...a.position.map((x, k) => x - (b.position[k] ?? 0)))),
  );
  return gaps.length ? Math.min(...gaps) / 2 : 0.1;
}

function plain(geometry: BufferGeometry): BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  flat.deleteAttribute('uv');
  return flat;
}

function merged(parts: BufferGeometry[]): BufferGeometry {
  return mergeGeometries(parts.map(plain)) ?? new BufferGeometry();
}

/** A bar from the hub to a rotor. */
function arm(to: Vector3, width: number, z: number): BufferGeometry {
  const length = Math.hypot(to.x, to.y);
  return new BoxGeometry(length, width, 0.6 * width)
    .translate(length / 2, 0, z)
    .rotateZ(Math.atan2(to.y, to.x));
}

function motor(at: Vector3, radius: number, foot: number): BufferGeometry {
  const height = Math.max(at.z - foot, radius);
  return new CylinderGeometry(radius, radius, height, 12).rotateX(Math.PI / 2).translate(at.x, at.y, at.z - height / 2);
}

export function airframeOf(model: DroneModel): Airframe {
  const collision = bodyGeometry(model.parts);
  collision.computeBoundingBox();
  const half = collision.boundingBox!.getSize(new Vector3()).multiplyScalar(0.5);
  const middle = collision.boundingBox!.getCenter(new Vector3());
  const rotors = rotorsOf(model, half, middle.z + 0.9 * half.z);
  const reach = Math.max(...rotors.map(({ centre }) => Math.hypot(centre.x, centre.y)));
  const width = 0.09 * reach;
  const z = middle.z;
  const hub = new Vector3(0.3, 0.3, 0).multiplyScalar(reach).setZ(Math.max(0.55 * half.z, 0.05 * reach));
  const frame = merged([
    new SphereGeometry(1, 20, 12).scale(1.25 * hub.x, hub.y, hub.z * 1.3).translate(middle.x, middle.y, z),
    ...rotors.map(({ centre }) => motor(centre, 0.6 * width, z)),
  ]);
  const accent = merged([
    ...rotors.map(({ centre }) => arm(centre, width, z)),
    new BoxGeometry(0.5 * hub.x, 0.6 * hub.y, 0.5 * hub.z).translate(middle.x + 1.1 * hub.x, middle.y, z),
  ]);
  // one rotor of radius 1: two blades, each pitched a little
  const blade = merged([1, -1].map((side) =>
    new BoxGeometry(1, 0.13, 0.02).rotateX(0.3 * side).translate(0.5 * side, 0, 0),
  ));
  return { collision, frame, accent, blade, disc: plain(new CircleGeometry(1, 32)), rotors };
}
