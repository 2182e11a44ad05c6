// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Pieces of airframes: plates, arms, motors, ducts, legs; each has the colour of its material at its corners. */
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, Float32BufferAttribute, SphereGeometry,
  TorusGeometry, Vector3,
} from 'three';
import { mergeGeometries, mergeVertices } from 'three/addons/utils/BufferGeometryUtils.js';

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

/** m, and parts of a normal or a colour: corners that differ by less are one */
const SAME = 1e-6;

/** One geometry; corners that triangles share are there once. */
export function merged(parts: BufferGeometry[]): BufferGeometry {
  return parts.length > 0 ? mergeVertices(mergeGeometries(parts), SAME) : new BufferGeometry();
}

/** A box of sides x, y, z about a point. */
export function box(sides: [number, number, number], at: Vector3): BufferGeometry {
  return new BoxGeometry(...sides).translate(at.x, at.y, at.z);
}

/** What is round in an airframe; `fineness` 1: as it is looked at from near, less: of so many times fewer corners. */
export class Pieces {
  constructor(private readonly fineness: number) {}

  /** An upright cylinder whose top is at a point. */
  post(at: Vector3, radius: number, height: number, corners = 12): BufferGeometry {
    return new CylinderGeometry(radius, radius, height, this.round(corners)).rotateX(Math.PI / 2)
      .translate(at.x, at.y, at.z - height / 2);
  }

  /** A bar, or a tube, from the middle to above or below a point, level at z. */
  arm(to: Vector3, width: number, z: number, tube: boolean): BufferGeometry {
    const length = Math.hypot(to.x, to.y);
    const bar = tube
      ? new CylinderGeometry(width / 2, width / 2, length, this.round(8)).rotateZ(Math.PI / 2)
      : new BoxGeometry(length, width, 0.5 * width);
    return bar.translate(length / 2, 0, z).rotateZ(Math.atan2(to.y, to.x));
  }

  /** A motor: a can below its rotor, down to the arm. */
  motor(at: Vector3, radius: number, foot: number): BufferGeometry {
    return this.post(at, radius, Math.max(at.z - foot, 0.8 * radius));
  }

  /** The ring around a ducted rotor. */
  duct(at: Vector3, radius: number, height: number): BufferGeometry {
    const wall = () => new CylinderGeometry(radius, 0.97 * radius, height, this.round(28), 1, true);
    return mergeGeometries([wall(), wall().scale(-1, 1, 1)].map((side) => plain(
      side.rotateX(Math.PI / 2).translate(at.x, at.y, at.z - 0.3 * height))));
  }

  /** The upper edge of a duct. */
  rim(at: Vector3, radius: number, height: number): BufferGeometry {
    return plain(new TorusGeometry(radius, 0.1 * height, this.round(6), this.round(28))
      .translate(at.x, at.y, at.z + 0.2 * height));
  }

  /** A flattened ball. */
  dome(at: Vector3, half: Vector3, corners = 18): BufferGeometry {
    const around = this.round(corners);
    return new SphereGeometry(1, around, Math.ceil(around / 2)).scale(half.x, half.y, half.z)
      .translate(at.x, at.y, at.z);
  }

  /** A rounded body along x. */
  pod(at: Vector3, half: Vector3): BufferGeometry {
    return new CapsuleGeometry(0.62, 0.76, Math.ceil(5 * this.fineness), this.round(14)).rotateZ(Math.PI / 2)
      .scale(half.x, half.y / 0.62, half.z / 0.62).translate(at.x, at.y, at.z);
  }

  /** A camera that looks ahead. */
  lens(at: Vector3, radius: number): BufferGeometry {
    return new CylinderGeometry(radius, radius, 0.7 * radius, this.round(14)).rotateZ(Math.PI / 2)
      .translate(at.x, at.y, at.z);
  }

  /** Corners of a circle. */
  private round(corners: number): number {
    return Math.max(4, Math.ceil(corners * this.fineness));
  }
}
