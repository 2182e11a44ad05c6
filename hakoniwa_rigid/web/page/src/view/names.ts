// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The drones' names above them, of the same size at every distance. */
import { CanvasTexture, Group, SRGBColorSpace, Sprite, SpriteMaterial } from 'three';

import type { DroneView } from './drones';

const HEIGHT = 40;   // pixels of the picture
const SIZE = 0.032;  // of the view's height
const ABOVE = 0.18;  // m

function picture(name: string, colour: string): CanvasTexture {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d')!;
  const font = `600 ${0.62 * HEIGHT}px system-ui, sans-serif`;
  pen.font = font;
  canvas.width = Math.ceil(pen.measureText(name).width) + HEIGHT;
  canvas.height = HEIGHT;
  pen.font = font;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.fillStyle = 'rgba(11, 15, 20, 0.7)';
  pen.beginPath();
  pen.roundRect(0, 0, canvas.width, HEIGHT, HEIGHT / 2);
  pen.fill();
  pen.fillStyle = colour;
  pen.fillText(name, canvas.width / 2, 0.54 * HEIGHT);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

export class Names {
  readonly group = new Group();
  private pairs: { drone: DroneView; sprite: Sprite }[] = [];

  show(drones: Iterable<DroneView>): void {
    for (const { sprite } of this.pairs) {
      sprite.material.map?.dispose();
      sprite.material.dispose();
    }
    this.group.clear();
    this.pairs = [...drones].map((drone) => {
      const map = picture(drone.name, `#${drone.colour.getHexString()}`);
      const look = { map, sizeAttenuation: false, depthWrite: false, transparent: true };
      const sprite = new Sprite(new SpriteMaterial(look));
      sprite.scale.set((SIZE * map.image.width) / HEIGHT, SIZE, 1);
      sprite.renderOrder = 2;
      sprite.visible = false;
      this.group.add(sprite);
      return { drone, sprite };
    });
  }

  update(): void {
    for (const { drone, sprite } of this.pairs) {
      sprite.visible = drone.seen;
      sprite.position.copy(drone.position);
      sprite.position.z += ABOVE;
    }
  }
}
