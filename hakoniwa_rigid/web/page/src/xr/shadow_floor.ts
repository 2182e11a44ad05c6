// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** In passthrough the real floor is the floor: a plane that shows nothing but the shadows of what flies above it. */
import {
  DirectionalLight, Group, Mesh, PlaneGeometry, ShadowMaterial, Vector3, type Object3D, type WebGLRenderer,
} from 'three';

/** m: of the square around the user in which shadows fall, and of the light above it */
const SIDE = 8;
const ABOVE = 6;
/** pixels of the map, of either side */
const MAP = 1024;
const DARKNESS = 0.38;

export class ShadowFloor {
  readonly group = new Group();
  private readonly light = new DirectionalLight('#ffffff', 0);   // it darkens the floor, and lights nothing
  private casters: Object3D[] = [];
  private usual = false;

  constructor(private readonly renderer: WebGLRenderer) {
    const floor = new Mesh(new PlaneGeometry(SIDE, SIDE), new ShadowMaterial({ opacity: DARKNESS }));
    floor.receiveShadow = true;
    floor.position.z = 0.002;
    const { light } = this;
    light.castShadow = true;
    light.shadow.mapSize.set(MAP, MAP);
    const half = SIDE / 2;
    const sides = { left: -half, right: half, top: half, bottom: -half };
    Object.assign(light.shadow.camera, { ...sides, near: 0.5, far: ABOVE + 1 });
    this.group.add(floor, light, light.target);
    this.group.visible = false;
  }

  /** The meshes of a group throw shadows from now on, or none any more. */
  show(on: boolean, ...groups: Group[]): void {
    // outside, the quality of pictures says whether there are shadows
    if (!this.group.visible) this.usual = this.renderer.shadowMap.enabled;
    this.group.visible = on;
    this.renderer.shadowMap.enabled = on || this.usual;
    this.casters.forEach((mesh) => (mesh.castShadow = false));
    this.casters = [];
    if (!on) return;
    for (const group of groups) {
      group.traverse((mesh) => {
        const material = (mesh as Mesh).material;
        // what is seen through throws none
        if (!(mesh as Mesh).isMesh || Array.isArray(material) || material.transparent || mesh.castShadow) return;
        mesh.castShadow = true;
        this.casters.push(mesh);
      });
    }
  }

  /** Around a spot of the world. */
  centre({ x, y }: Vector3): void {
    this.group.position.set(x, y, 0);
    this.light.position.set(0.4, 0.3, ABOVE);
    this.light.target.position.set(0, 0, 0);
  }
}
