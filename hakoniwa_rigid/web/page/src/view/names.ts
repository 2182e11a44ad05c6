// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Labels beside the drones: their names, and what is wrong with them; of the same size at every distance. */
import { CanvasTexture, Group, SRGBColorSpace, Sprite, SpriteMaterial, Vector3 } from 'three';

import { labelPlaces, type Labelled } from '../maths/label_places';
import type { DroneView } from './drones';
import { labelColours } from './palette';
import type { Stage } from './stage';

/** CSS pixels; texels per pixel of it */
const HEIGHT = 21;
const FINE = 2;
/** labels at most, of the nearest drones and those in trouble: each looks at all others */
const MOST = 60;
/** drones, the nearest, that no label covers */
const MOST_IN_THE_WAY = 200;
/** letters of a label; ms between two pictures of one label */
const LETTERS = 44;
const OFTEN = 500;
/** CSS pixels of a drone's width at which its label begins to be seen, and is seen as a whole */
const FAINT = 9;
const CLEAR = 34;
/** half the height of a drone over its half width, seen from the side */
const FLAT = 0.3;

interface Label {
  drone: DroneView;
  sprite: Sprite;
  text: string;
  at: number;
  width: number;
  place: number | undefined;
  /** CSS pixels, middle and half sides; none where it is not shown */
  box: [number, number, number, number] | undefined;
}

export interface Shown {
  name: string;
  text: string;
  label: [number, number, number, number];
  drone: [number, number, number, number];
}

/** A pill with a dot in the drone's colour. */
function picture(text: string, colour: string): [CanvasTexture, number] {
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d')!;
  const font = '600 12px system-ui, sans-serif';
  pen.font = font;
  const width = Math.ceil(pen.measureText(text).width) + 28;
  Object.assign(canvas, { width: FINE * width, height: FINE * HEIGHT });
  pen.scale(FINE, FINE);
  pen.font = font;
  pen.textBaseline = 'middle';
  const { ground, ink } = labelColours();
  pen.fillStyle = ground;
  pen.beginPath();
  pen.roundRect(0, 0, width, HEIGHT, HEIGHT / 2);
  pen.fill();
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(11, HEIGHT / 2, 4, 0, 7);
  pen.fill();
  pen.fillStyle = ink;
  pen.fillText(text, 20, 0.53 * HEIGHT);
  const texture = new CanvasTexture(canvas);
  texture.colorSpace = SRGBColorSpace;
  return [texture, width];
}

export class Names {
  readonly group = new Group();
  private labels: Label[] = [];
  private readonly spot = new Vector3();
  private drones: ReadonlyMap<string, Labelled> = new Map();

  show(drones: Iterable<DroneView>): void {
    for (const { sprite } of this.labels) {
      sprite.material.map?.dispose();
      sprite.material.dispose();
    }
    this.group.clear();
    this.labels = [...drones].map((drone) => {
      const look = { sizeAttenuation: false, depthWrite: false, depthTest: false, transparent: true, fog: false };
      const sprite = new Sprite(new SpriteMaterial(look));
      sprite.renderOrder = 2;
      sprite.visible = false;
      this.group.add(sprite);
      return { drone, sprite, text: '', at: -Infinity, width: 0, place: undefined, box: undefined };
    });
  }

  /** Beside their drones; `wrong`: what is wrong with one, now: ms. */
  update(stage: Stage, now: number, wrong: ReadonlyMap<string, string>): void {
    const scale = stage.scale();
    const seen: { label: Label; item: Labelled; share: number; rank: number }[] = [];
    for (const label of this.labels) {
      const { drone, sprite } = label;
      sprite.visible = false;
      label.box = undefined;
      const depth = drone.seen ? stage.depth(drone.position) : -1;
      if (depth <= 0.05) continue;
      const [x, y] = stage.project(drone.position);
      const size = (scale * drone.reach) / depth;
      const isWrong = wrong.has(drone.name);
      const share = isWrong ? 1 : Math.min(1, (2 * size - FAINT) / (CLEAR - FAINT));
      const halfY = size * Math.min(1, stage.tilt(drone.position) + FLAT);
      const item = { x, y, halfX: size, halfY, width: 0, height: HEIGHT, before: label.place };
      seen.push({ label, item, share, rank: isWrong ? depth - 1e6 : depth });
    }
    seen.sort((a, b) => a.rank - b.rank);
    const shown = seen.slice(0, MOST).filter(({ share }) => share > 0);
    for (const { label, item } of shown) item.width = this.write(label, now, wrong);
    this.drones = new Map(seen.map(({ label, item }) => [label.drone.name, item]));
    const near = seen.slice(0, MOST_IN_THE_WAY).map(({ item }) => item);
    const places = labelPlaces(shown.map(({ item }) => item), stage.free(), near);
    shown.forEach(({ label, item, share }, i) => {
      const place = stage.renderer.xr.isPresenting ? { dx: 0, dy: -40, place: 0 } : places[i];
      label.place = place?.place;
      if (!place) return;
      const { sprite, drone } = label;
      sprite.visible = true;
      sprite.material.opacity = share;
      sprite.scale.set(item.width / scale, HEIGHT / scale, 1);
      sprite.center.set(0.5 - place.dx / item.width, 0.5 + place.dy / HEIGHT);
      sprite.position.copy(this.spot.copy(drone.position));
      label.box = [item.x + place.dx, item.y + place.dy, item.width / 2, HEIGHT / 2];
    });
  }

  /** What is shown now, for tests: boxes as middle and half sides, CSS pixels. */
  get shown(): Shown[] {
    return this.labels.flatMap(({ drone: { name }, text, box }) => {
      const drone = this.drones.get(name);
      return box && drone ? [{ name, text, label: box, drone: [drone.x, drone.y, drone.halfX, drone.halfY] }] : [];
    });
  }

  /** Draws a label anew where its text is another, not too often; its width, CSS pixels. */
  private write(label: Label, now: number, wrong: ReadonlyMap<string, string>): number {
    const { drone, sprite } = label;
    const why = wrong.get(drone.name);
    const whole = why ? `${drone.name}: ${why}` : drone.name;
    const text = whole.length > LETTERS ? `${whole.slice(0, LETTERS - 1)}…` : whole;
    if (text === label.text || Math.abs(now - label.at) < OFTEN) return label.width;
    sprite.material.map?.dispose();
    const [map, width] = picture(text, `#${drone.colour.getHexString()}`);
    if (!sprite.material.map) sprite.material.needsUpdate = true;
    Object.assign(sprite.material, { map });
    Object.assign(label, { text, at: now, width });
    return width;
  }
}
