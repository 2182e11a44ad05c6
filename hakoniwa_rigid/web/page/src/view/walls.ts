// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Walls: planes as gridded patches seen from inside the room only, everything else as solids with edges. */
import {
  Box3, BufferGeometry, EdgesGeometry, Float32BufferAttribute, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshBasicMaterial, MeshLambertMaterial, Quaternion, Vector3, type Color, type Material,
} from 'three';

import { frameOf, planePatch, type HalfSpace } from '../maths/plane_patch';
import { distanceTo, isBetween } from '../maths/sight_line';
import type { Scene, Shape } from '../wire/messages';
import { emptied } from './dispose';
import { EDGE, FLOOR, LINE, SOLID, WALL } from './palette';
import { shapeGeometry } from './shapes';

/** m before a plane at which it begins to fade for a camera that goes behind it; opacity of what is in the way */
const FADE = 0.8;
const IN_THE_WAY = 0.16;
/** solids that are looked at: whether they are between the camera and what it looks at */
const MOST_SOLIDS = 64;

/** How a plane is drawn; `solid`: 0 where only its lines are. */
interface Grid {
  material: MeshLambertMaterial | MeshBasicMaterial;
  solid: { value: number };
}

/** A material with lines every metre, thin at every distance; darker towards the floor, as corners are. */
function gridded(material: Grid['material'], line: Color, floor: number): Grid {
  const solid = { value: 1 };
  const uniforms = { line: { value: line }, solid, floor: { value: floor } };
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', `#include <common>
        attribute vec2 metres; varying vec2 uvm; varying float far; varying float high;`)
      .replace('#include <project_vertex>', `#include <project_vertex>
        uvm = metres; far = -mvPosition.z; high = position.z;`);
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', `#include <common>
        uniform vec3 line; uniform float solid; uniform float floor; varying vec2 uvm; varying float far;
        varying float high;`)
      .replace('#include <color_fragment>', `#include <color_fragment>
        vec2 gap = abs(fract(uvm - 0.5) - 0.5) / fwidth(uvm);
        float on = (1.0 - min(min(gap.x, gap.y), 1.0)) * exp(-far / 30.0);
        diffuseColor.rgb *= 1.0 - 0.22 * exp(-max(high - floor, 0.0) / 0.35);
        diffuseColor.rgb = mix(diffuseColor.rgb, line, 0.7 * on);
        diffuseColor.a *= mix(on * 0.6, 1.0, solid);`);
  };
  return { material, solid };
}

/** What falls on a plane of that normal (world): its colours times this are its light. */
export type FallingLight = (normal: Vector3) => Color;

/** A plane's half-space in the world. */
export function halfSpace(wall: Shape): HalfSpace {
  const turn = new Quaternion(...(wall.pose?.orientation_xyzw ?? [0, 0, 0, 1]));
  const normal = new Vector3(...(wall.normal ?? [0, 0, 1])).applyQuaternion(turn).normalize();
  const shift = normal.dot(new Vector3(...(wall.pose?.position ?? [0, 0, 0])));
  return { normal, offset: (wall.offset ?? 0) + shift };
}

/** A fan of triangles with metres along the plane. */
function patchGeometry(corners: Vector3[], normal: Vector3): BufferGeometry {
  const upward = Math.abs(normal.z) > 0.9;
  const [u, v] = upward ? [new Vector3(1, 0, 0), new Vector3(0, 1, 0)] : frameOf(normal);
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(corners.flatMap((c) => c.toArray()), 3));
  geometry.setAttribute('metres', new Float32BufferAttribute(corners.flatMap((c) => [c.dot(u), c.dot(v)]), 2));
  geometry.setIndex(corners.slice(2).flatMap((_, i) => [0, i + 1, i + 2]));
  return geometry;
}

function outline(corners: Vector3[]): BufferGeometry {
  return new BufferGeometry().setFromPoints(corners.flatMap((c, i) => [c, corners[(i + 1) % corners.length]!]));
}

/** What fades: its materials, and whether it is in the way of a camera. */
interface Fading {
  materials: Material[];
  opacities: number[];
  opacity(camera: Vector3, target: Vector3): number;
  drawn: number;
}

export class Walls {
  readonly group = new Group();
  private grids: Grid[] = [];
  private fading: Fading[] = [];
  private seeThrough = false;

  /** Where nothing throws shadows, light is the same all over a plane: it is not asked at every pixel. */
  show(scene: Scene, falling: FallingLight, hasShadows: boolean): void {
    emptied(this.group);
    this.grids = [];
    this.fading = [];
    const planes = scene.walls.filter((wall) => wall.type === 'plane').map(halfSpace);
    const floors = planes.filter(({ normal }) => normal.z > 0.9).map(({ offset }) => offset);
    const floor = floors.length ? Math.max(...floors) : -1e3;
    planes.forEach((plane, i) => this.addPlane(planes, plane, i, floor, falling, hasShadows));
    scene.walls.filter((wall) => wall.type !== 'plane').forEach((wall) => this.addSolid(wall));
    this.overReality(this.seeThrough);
  }

  /** In passthrough only the lines of the planes are drawn: the real room is the wall. */
  overReality(seeThrough: boolean): void {
    this.seeThrough = seeThrough;
    for (const { material, solid } of this.grids) {
      solid.value = seeThrough ? 0 : 1;
      material.transparent = seeThrough;
      material.depthWrite = !seeThrough;
      material.needsUpdate = true;
    }
    for (const fading of this.fading) fading.drawn = NaN;
  }

  /** Walls behind which the camera is fade, and solids that are in the way; both spots m, world. */
  update(camera: Vector3, target: Vector3): void {
    if (this.seeThrough) return;
    for (const fading of this.fading) {
      const opacity = fading.opacity(camera, target);
      if (opacity === fading.drawn) continue;
      fading.drawn = opacity;
      fading.materials.forEach((material, i) => {
        const full = fading.opacities[i]!;
        const transparent = opacity < 1 || full < 1;
        if (material.transparent !== transparent) material.needsUpdate = true;
        material.transparent = transparent;
        material.opacity = opacity * full;
        material.depthWrite = opacity === 1;
        material.visible = opacity > 0.01;
      });
    }
  }

  private addPlane(
    planes: HalfSpace[], plane: HalfSpace, i: number, floor: number, falling: FallingLight, hasShadows: boolean,
  ): void {
    const corners = planePatch(planes, i);
    if (corners.length < 3) return;
    const { normal } = plane;
    const isFloor = normal.z > 0.9;
    const isShaded = isFloor && hasShadows;   // a look at the shadow map costs; walls hardly have any shadows
    const [color, low] = isFloor ? [FLOOR, -1e3] : [WALL, floor];
    const light = falling(normal);
    const grid = isShaded
      ? gridded(new MeshLambertMaterial({ color }), LINE, low)
      : gridded(new MeshBasicMaterial({ color: color.clone().multiply(light) }), LINE.clone().multiply(light), low);
    this.grids.push(grid);
    const patch = new Mesh(patchGeometry(corners, normal), grid.material);
    patch.receiveShadow = isShaded;
    const edge = new LineBasicMaterial({ color: LINE });
    this.group.add(patch, new LineSegments(outline(corners), edge));
    const opacity = (camera: Vector3) => {
      const share = Math.min(1, Math.max(0, distanceTo(plane, camera) / FADE));
      return Math.round(20 * share * share * (3 - 2 * share)) / 20;
    };
    this.fading.push({ materials: [grid.material], opacities: [1], drawn: NaN, opacity });
  }

  private addSolid(wall: Shape): void {
    try {
      const geometry = shapeGeometry(wall);
      geometry.computeBoundingBox();
      const solid = new MeshLambertMaterial({ color: SOLID });
      const mesh = new Mesh(geometry, solid);
      mesh.castShadow = mesh.receiveShadow = true;
      const edges = new LineBasicMaterial({ color: EDGE, transparent: true, opacity: 0.6 });
      this.group.add(mesh, new LineSegments(new EdgesGeometry(geometry, 30), edges));
      if (this.fading.length >= MOST_SOLIDS) return;
      const box: Box3 = geometry.boundingBox!;
      const opacity = (camera: Vector3, target: Vector3) => (isBetween(box, camera, target) ? IN_THE_WAY : 1);
      this.fading.push({ materials: [solid, edges], opacities: [1, 0.6], drawn: NaN, opacity });
    } catch (error) {
      console.warn(`wall ${wall.name ?? ''}: ${(error as Error).message}`);
    }
  }
}
