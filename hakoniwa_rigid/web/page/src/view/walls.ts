// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Walls: planes as gridded patches seen from inside the room only, everything else as solids with bright edges. */
import {
  BufferGeometry, EdgesGeometry, Float32BufferAttribute, FrontSide, Group, LineBasicMaterial, LineSegments, Mesh,
  MeshLambertMaterial, Quaternion, ShaderMaterial, Vector3, type Color,
} from 'three';

import { frameOf, planePatch, type HalfSpace } from '../maths/plane_patch';
import type { Scene, Shape } from '../wire/messages';
import { EDGE, FLOOR, LINE, SOLID, WALL } from './palette';
import { shapeGeometry } from './shapes';

/** lines every metre, thin at every distance, fading far away; u, v are metres in the plane */
const GRID = {
  vertexShader: `attribute vec2 metres; varying vec2 uvm; varying float far;
    void main() {
      vec4 seen = modelViewMatrix * vec4(position, 1.0);
      uvm = metres; far = -seen.z;
      gl_Position = projectionMatrix * seen;
    }`,
  fragmentShader: `uniform vec3 base; uniform vec3 line; uniform float solid; varying vec2 uvm; varying float far;
    void main() {
      vec2 distance = abs(fract(uvm - 0.5) - 0.5) / fwidth(uvm);
      float on = (1.0 - min(min(distance.x, distance.y), 1.0)) * exp(-far / 30.0);
      gl_FragColor = vec4(mix(base, line, on), mix(on * 0.6, 1.0, solid));
      #include <colorspace_fragment>
    }`,
};

function gridMaterial(base: Color): ShaderMaterial {
  const uniforms = { base: { value: base }, line: { value: LINE }, solid: { value: 1 } };
  return new ShaderMaterial({ ...GRID, uniforms, side: FrontSide });
}

/** A plane's half-space in the world. */
function halfSpace(wall: Shape): HalfSpace {
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

export class Walls {
  readonly group = new Group();
  private grids: ShaderMaterial[] = [];
  private seeThrough = false;

  show(scene: Scene): void {
    this.group.clear();
    this.grids = [];
    const planes = scene.walls.filter((wall) => wall.type === 'plane').map(halfSpace);
    planes.forEach((plane, i) => this.addPlane(planes, plane, i));
    scene.walls.filter((wall) => wall.type !== 'plane').forEach((wall) => this.addSolid(wall));
    this.overReality(this.seeThrough);
  }

  /** In passthrough only the lines of the planes are drawn: the real room is the wall. */
  overReality(seeThrough: boolean): void {
    this.seeThrough = seeThrough;
    for (const grid of this.grids) {
      grid.uniforms.solid!.value = seeThrough ? 0 : 1;
      grid.transparent = seeThrough;
      grid.depthWrite = !seeThrough;
      grid.needsUpdate = true;
    }
  }

  private addPlane(planes: HalfSpace[], { normal }: HalfSpace, i: number): void {
    const corners = planePatch(planes, i);
    if (corners.length < 3) return;
    const grid = gridMaterial(normal.z > 0.9 ? FLOOR : WALL);
    this.grids.push(grid);
    const patch = new Mesh(patchGeometry(corners, normal), grid);
    this.group.add(patch);
    this.group.add(new LineSegments(outline(corners), new LineBasicMaterial({ color: LINE })));
  }

  private addSolid(wall: Shape): void {
    try {
      const geometry = shapeGeometry(wall);
      this.group.add(new Mesh(geometry, new MeshLambertMaterial({ color: SOLID })));
      const edges = new LineBasicMaterial({ color: EDGE, transparent: true, opacity: 0.6 });
      this.group.add(new LineSegments(new EdgesGeometry(geometry, 30), edges));
    } catch (error) {
      console.warn(`wall ${wall.name ?? ''}: ${(error as Error).message}`);
    }
  }
}
