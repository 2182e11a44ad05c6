// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Light: a sun with soft shadows around what is looked at, the sky, an environment that smooth surfaces mirror. */
import {
  BackSide, BoxGeometry, Color, DirectionalLight, Group, HemisphereLight, Mesh, MeshBasicMaterial, PMREMGenerator,
  Scene, Vector3, type Texture, type WebGLRenderer,
} from 'three';

import type { ThemeName } from './palette';
import type { Tier } from './quality';

/** m: half the side of the square in which the sun throws shadows, and how far off it is */
const LIT = 4.5;
const FAR = 12;
/** where the sun stands, and how strongly sun and sky shine */
const SUNWARDS = new Vector3(0.34, 1, 0.22).normalize();
const STRENGTH = { dark: { sun: 1.6, sky: 1.9 }, light: { sun: 1.35, sky: 1.9 } };
const SKY = { dark: ['#dbe8ff', '#8a857c'], light: ['#ffffff', '#cfc8bd'] } as const;

export class Light {
  readonly group = new Group();
  private readonly sun = new DirectionalLight('#fff4e4', 1);
  private readonly sky = new HemisphereLight();
  private readonly mirrored: Texture | null = null;

  constructor(private readonly renderer: WebGLRenderer, private tier: Tier) {
    this.group.add(this.sky, this.sun, this.sun.target);
    const { shadow } = this.sun;
    Object.assign(shadow.camera, { left: -LIT, right: LIT, top: LIT, bottom: -LIT, near: 0.5, far: 2 * FAR });
    shadow.radius = 3;
    shadow.bias = -4e-4;
    shadow.normalBias = 0.01;
    if (tier.environment) this.mirrored = studio(renderer);
    this.use(tier);
  }

  get environment(): Texture | null {
    return this.tier.environment ? this.mirrored : null;
  }

  /** Shadows as a tier has them. */
  use(tier: Tier): void {
    this.tier = tier;
    this.renderer.shadowMap.enabled = tier.shadowMap > 0;
    this.sun.castShadow = tier.shadowMap > 0;
    this.sun.shadow.map?.dispose();
    this.sun.shadow.map = null;
    this.sun.shadow.mapSize.setScalar(tier.shadowMap || 16);
  }

  style(theme: ThemeName): void {
    const { sun, sky } = STRENGTH[theme];
    this.sun.intensity = sun;
    this.sky.intensity = sky;
    this.sky.color.set(SKY[theme][0]);
    this.sky.groundColor.set(SKY[theme][1]);
  }

  /** What a dull surface of that normal (three.js axes) sends on, before its own colour. */
  falling(normal: Vector3): Color {
    const sun = Math.max(0, normal.dot(SUNWARDS)) * this.sun.intensity;
    const sky = this.sky.groundColor.clone().lerp(this.sky.color, 0.5 + 0.5 * normal.y);
    return sky.multiplyScalar(this.sky.intensity).add(this.sun.color.clone().multiplyScalar(sun))
      .multiplyScalar(1 / Math.PI);
  }

  /** Shadows fall around a spot, three.js axes; in steps of texels, so that their edges do not swim. */
  follow(spot: Vector3): void {
    const step = (2 * LIT) / (this.tier.shadowMap || 16);
    const { target } = this.sun;
    target.position.copy(spot).divideScalar(step).round().multiplyScalar(step);
    this.sun.position.copy(SUNWARDS).multiplyScalar(FAR).add(target.position);
    target.updateMatrixWorld();
  }
}

/** A grey studio with a large lamp above and two at the sides, as an environment map. */
function studio(renderer: WebGLRenderer): Texture {
  const scene = new Scene();
  const add = (size: [number, number, number], at: [number, number, number], light: number, side?: typeof BackSide) => {
    const material = new MeshBasicMaterial({ color: new Color().setScalar(light), ...(side ? { side } : {}) });
    const mesh = new Mesh(new BoxGeometry(...size), material);
    mesh.position.set(...at);
    scene.add(mesh);
    return mesh;
  };
  const meshes = [
    add([12, 8, 12], [0, 2, 0], 0.5, BackSide), add([5, 0.2, 5], [0, 5, 0], 6), add([0.2, 2.5, 4], [-5.5, 2.5, 0], 4),
    add([4, 2.5, 0.2], [1, 2.5, -5.5], 3), add([12, 0.2, 12], [0, -1.8, 0], 0.25),
  ];
  const generator = new PMREMGenerator(renderer);
  const { texture } = generator.fromScene(scene, 0.04);
  generator.dispose();
  for (const { geometry, material } of meshes) {
    geometry.dispose();
    material.dispose();
  }
  return texture;
}
