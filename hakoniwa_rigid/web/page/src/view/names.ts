// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The drones' names above them, of the same size at every distance. */
import { CanvasTexture, Group, SRGBColorSpace, Sprite, SpriteMaterial } from 'three';

import type { DroneView } from './drones';
import type { Stage } from './stage';

const HEIGHT = 40;   // pixels of the picture
const SIZE = 0.038;  // of the view's height
const MOST = 26;     // CSS pixels of that: a high narrow page has no larger names
const ABOVE = 0.1;   // m
const GAP = 0.25;    // of its height, from its foot to the place above the drone
const TIGHT = 0.9;   // share of a name's height that has to be free
const MOST_STEPS = 4; // heights by which a name goes up where others are, or it is left out
const CROWD = 100;   // names; of more none gives way

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
      sprite.renderOrder = 2;
      sprite.visible = false;
      this.group.add(sprite);
      return { drone, sprite };
    });
  }

  /** Above their drones; where names of nearer ones are, higher. */
  update(stage: Stage): void {
    const size = Math.min(SIZE, MOST / stage.scale());
    for (const { drone, sprite } of this.pairs) {
      sprite.visible = drone.seen;
      sprite.center.set(0.5, -GAP);
      sprite.scale.set((size * (sprite.material.map?.image as HTMLCanvasElement).width) / HEIGHT, size, 1);
      sprite.position.copy(drone.position);
      sprite.position.z += ABOVE;
    }
    if (this.pairs.length <= CROWD) this.spread(stage);
  }

  private spread(stage: Stage): void {
    const taken: [number, number, number][] = [];
    // pixels of the page per unit of a sprite's scale
    const unit = stage.scale();
    const seen = this.pairs.filter(({ sprite }) => sprite.visible)
      .map(({ sprite }) => ({ sprite, far: stage.distance(sprite.position) }))
      .sort((a, b) => a.far - b.far);
    for (const { sprite } of seen) {
      const [x, y] = stage.project(sprite.position);
      const [half, height] = [0.5 * unit * sprite.scale.x, unit * sprite.scale.y];
      const free = (steps: number) => taken.every(([u, v, w]) =>
        Math.abs(u - x) > half + w || Math.abs(v - (y - steps * height)) > TIGHT * height);
      let steps = 0;
      while (steps < MOST_STEPS && !free(steps)) steps += 1;
      sprite.visible = free(steps);
      if (!sprite.visible) continue;
      sprite.center.y = -GAP - steps;
      taken.push([x, y - steps * height, half]);
    }
  }
}
