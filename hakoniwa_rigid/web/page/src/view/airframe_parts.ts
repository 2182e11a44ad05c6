// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Pieces of airframes: plates, arms, motors, ducts, legs; each has the colour of its material at its corners. */
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, Float32BufferAttribute, SphereGeometry,
  TorusGeometry, Vector3,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

export const CARBON = new Color('#2b3038');
export const SHELL = new Color('#e4e8ed');
export const METAL = new Color('#9aa4ae');
export const LENS = new Color('#07090c');
export const BOARD = new Color('#20262b');
export const BATTERY = new Color('#3c4653');
export const FRONT_LIGHT = new Color('#f4fbff');
export const REAR_LIGHT = new Color('#ff3b30');

/** Without texture coordinates and indices, so that all pieces merge. */
export function plain(geometry: BufferGeometry): BufferGeometry {
  const flat = geometry.index ? geometry.toNonIndexed() : geometry;
  flat.deleteAttribute('uv');
  return flat;
}

/** A piece of one colour. */
export function tinted(geometry: BufferGeometry, colour: Color): BufferGeometry {
  const flat = plain(geometry);
  const count = flat.attributes.position!.count;
  const tints = new Float32Array(3 * count);
  for (let i = 0; i < count; i += 1) colour.toArray(tints, 3 * i);
  return flat.setAttribute('color', new Float32BufferAttribute(tints, 3));
}

export function merged(parts: BufferGeometry[]): BufferGeometry {
  return (parts.length > 0 && mergeGeometries(parts)) || new BufferGeometry();
}

/** A box of sides x, y, z about a point. */
export function box(sides: [number, number, number], at: Vector3): BufferGeometry {
  return new BoxGeometry(...sides).translate(at.x, at.y, at.z);
}

/** An upright cylinder whose top is at a point. */
export function post(at: Vector3, radius: number, height: number, segments = 12): BufferGeometry {
  return new CylinderGeometry(radius, radius, height, segments).rotateX(Math.PI / 2)
    .translate(at.x, at.y, at.z - height / 2);
}

/** A bar, or a tube, from the middle to above or below a point, level at z. */
export function arm(to: Vector3, width: number, z: number, tube: boolean): BufferGeometry {
  const length = Math.hypot(to.x, to.y);
  const bar = tube
    ? new CylinderGeometry(width / 2, width / 2, length, 8).rotateZ(Math.PI / 2)
    : new BoxGeometry(length, width, 0.5 * width);
  return bar.translate(length / 2, 0, z).rotateZ(Math.atan2(to.y, to.x));
}

/** A motor: a can below its rotor, down to the arm. */
export function motor(at: Vector3, radius: number, foot: number): BufferGeometry {
  return post(at, radius, Math.max(at.z - foot, 0.8 * radius));
}

/** The ring around a ducted rotor. */
export function duct(at: Vector3, radius: number, height: number): BufferGeometry {
  const wall = new CylinderGeometry(radius, 0.97 * radius, height, 28, 1, true).rotateX(Math.PI / 2)
    .translate(at.x, at.y, at.z - 0.3 * height);
  const inside = new CylinderGeometry(radius, 0.97 * radius, height, 28, 1, true).scale(-1, 1, 1)
    .rotateX(Math.PI / 2).translate(at.x, at.y, at.z - 0.3 * height);
  return merged([wall, inside].map(plain));
}

/** The upper edge of a duct. */
export function rim(at: Vector3, radius: number, height: number): BufferGeometry {
  return plain(new TorusGeometry(radius, 0.1 * height, 6, 28).translate(at.x, at.y, at.z + 0.2 * height));
}

/** A flattened ball. */
export function dome(at: Vector3, half: Vector3, round = 18): BufferGeometry {
  return new SphereGeometry(1, round, Math.ceil(round / 2)).scale(half.x, half.y, half.z).translate(at.x, at.y, at.z);
}

/** A rounded body along x. */
export function pod(at: Vector3, half: Vector3): BufferGeometry {
  return new CapsuleGeometry(0.62, 0.76, 5, 14).rotateZ(Math.PI / 2)
    .scale(half.x, half.y / 0.62, half.z / 0.62).translate(at.x, at.y, at.z);
}

/** A camera that looks ahead. */
export function lens(at: Vector3, radius: number): BufferGeometry {
  return new CylinderGeometry(radius, radius, 0.7 * radius, 14).rotateZ(Math.PI / 2).translate(at.x, at.y, at.z);
}
