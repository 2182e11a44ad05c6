// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Collision shapes as triangles, in their body's base frame (z is their axis of symmetry). */
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, ConeGeometry, CylinderGeometry, Float32BufferAttribute, Matrix4,
  Quaternion, SphereGeometry, Vector3,
} from 'three';
import { mergeGeometries } from 'three/addons/utils/BufferGeometryUtils.js';

import type { Shape } from '../wire/messages';

const ROUND = 24;   // segments of a circle
const ONE = new Vector3(1, 1, 1);

function need<K extends keyof Shape>(shape: Shape, key: K): NonNullable<Shape[K]> {
  const value = shape[key];
  if (value === undefined || value === null) throw new Error(`${shape.type}: ${key} is missing`);
  return value;
}

/** Triangles of vertices and faces, each with its own flat normal. */
function faceted(shape: Shape): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(need(shape, 'vertices').flat(), 3));
  geometry.setIndex(need(shape, 'faces').flat());
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/** three.js turns its round solids about y; ours stand along z. */
function upright(geometry: BufferGeometry): BufferGeometry {
  return geometry.rotateX(Math.PI / 2);
}

const MAKERS: Record<string, (shape: Shape) => BufferGeometry> = {
  box: (s) => new BoxGeometry(...need(s, 'size')),
  sphere: (s) => new SphereGeometry(need(s, 'radius'), ROUND, ROUND / 2),
  capsule: (s) => upright(new CapsuleGeometry(need(s, 'radius'), need(s, 'length'), 8, ROUND)),
  cylinder: (s) => upright(new CylinderGeometry(need(s, 'radius'), need(s, 'radius'), need(s, 'height'), ROUND)),
  cone: (s) => upright(new ConeGeometry(need(s, 'radius'), need(s, 'height'), ROUND)),
  ellipsoid: (s) => new SphereGeometry(1, ROUND, ROUND / 2).scale(...need(s, 'semi_axes')),
  hull: faceted,
  mesh: faceted,
  heightfield: faceted,
};

/** One shape at its pose; throws on a type it does not know. */
export function shapeGeometry(shape: Shape): BufferGeometry {
  const make = MAKERS[shape.type];
  if (!make) throw new Error(`shape: unknown type ${shape.type}`);
  const made = make(shape);
  const geometry = made.index ? made.toNonIndexed() : made;
  geometry.deleteAttribute('uv');
  if (shape.pose) {
    const { position, orientation_xyzw } = shape.pose;
    const turn = new Quaternion(...orientation_xyzw);
    geometry.applyMatrix4(new Matrix4().compose(new Vector3(...position), turn, ONE));
  }
  return geometry;
}

/** All parts of a body as one geometry; parts of unknown type are left out with a warning. */
export function bodyGeometry(parts: Shape[]): BufferGeometry {
  const geometries = parts.flatMap((part) => {
    try {
      return [shapeGeometry(part)];
    } catch (error) {
      console.warn((error as Error).message);
      return [];
    }
  });
  return (geometries.length > 0 && mergeGeometries(geometries)) || new BoxGeometry(0.2, 0.2, 0.05);
}
