// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** All drones: those of one look share their geometry and are drawn together. */
import {
  DoubleSide, DynamicDrawUsage, Group, InstancedMesh, Matrix4, MeshBasicMaterial, MeshLambertMaterial,
  MeshStandardMaterial, Quaternion, Vector3, type BufferGeometry, type Color, type Material, type Texture,
} from 'three';

import {
  FROZEN, IN_CONTACT, STALE, type DroneModel, type FleetState, type RotorSpeeds, type Scene,
} from '../wire/messages';
import { airframeOf, type Airframe } from './airframe';
import { emptied } from './dispose';
import { BODY, CONTACT, STALE_GREY, droneColour } from './palette';
import { blurOf, rotorMaterial, visualRate } from './rotors';

const HIDDEN = new Matrix4().makeScale(0, 0, 0);
const ONE = new Vector3(1, 1, 1);
/** flags of drones that stand still */
const STILL = STALE | FROZEN;
/** fineness of the airframes of many drones that a processor draws */
const COARSE = 0.5;
/** s, for which a drone keeps the colour of a contact */
const GLOW = 0.25;

/** One drone: where it is now (world), and what its rotors do (rad). */
export interface DroneView {
  name: string;
  colour: Color;
  /** m, from its middle to the tips of its rotors */
  reach: number;
  /** m, of what is seen of it at least: the smaller one of its collision shape and its rotors */
  width: number;
  position: Vector3;
  orientation: Quaternion;
  flags: number;
  seen: boolean;
  glow: number;
  still: boolean;
  angles: Float64Array;
  flock: Flock;
  slot: number;
}

/** Drones of one look: an instanced mesh for each of their materials. */
class Flock {
  readonly bodies: InstancedMesh[];
  readonly accents: InstancedMesh;
  readonly discs: InstancedMesh;
  readonly shells: InstancedMesh;

  constructor(readonly look: Airframe, count: number, parent: Group, mirrored: Texture | null) {
    const mesh = (geometry: BufferGeometry, material: Material, n: number) => {
      const made = new InstancedMesh(geometry, material, n);
      made.instanceMatrix.setUsage(DynamicDrawUsage);
      made.frustumCulled = false;
      for (let i = 0; i < n; i += 1) made.setMatrixAt(i, HIDDEN);
      parent.add(made);
      return made;
    };
    const shiny = { roughness: 0.45, metalness: 0.1, envMap: mirrored, envMapIntensity: 0.3 };
    const solid = (vertexColors: boolean) => (mirrored
      ? new MeshStandardMaterial({ color: BODY, vertexColors, ...shiny })
      : new MeshLambertMaterial({ color: BODY, vertexColors }));
    const frame = mesh(look.frame, solid(true), count);
    this.accents = mesh(look.accent, solid(false), count);
    for (const part of [frame, this.accents]) {
      part.castShadow = true;
      part.receiveShadow = mirrored !== null;
    }
    this.discs = mesh(look.disc, rotorMaterial(look.blades), count * look.rotors.length);
    for (let i = 0; i < this.discs.count; i += 1) this.discs.setColorAt(i, BODY);
    const glass = { transparent: true, depthWrite: false, side: DoubleSide };
    this.shells = mesh(look.collision, new MeshBasicMaterial({ color: '#9fb4c9', opacity: 0.2, ...glass }), count);
    this.bodies = [frame, this.accents, this.shells];
  }

  refresh(): void {
    for (const mesh of [...this.bodies, this.discs]) mesh.instanceMatrix.needsUpdate = true;
    for (const { instanceColor } of [this.accents, this.discs]) if (instanceColor) instanceColor.needsUpdate = true;
  }
}

export class Drones {
  readonly group = new Group();
  readonly views = new Map<string, DroneView>();
  private flocks: Flock[] = [];
  private names: string[] = [];
  private order: (DroneView | undefined)[] = [];
  private speeds: (readonly number[] | undefined)[] = [];
  private readonly matrix = new Matrix4();
  private readonly rotor = new Matrix4();
  /** rotors do not turn, and are as blurred as they are fast */
  calm = false;
  private shellsShown = false;

  /** Made anew; where airframes have more triangles than `most` in all, they are coarse. */
  show(scene: Scene, mirrored: Texture | null, most = Infinity): void {
    emptied(this.group);
    this.views.clear();
    this.flocks = [];
    this.names = [];
    const looks = new Map<string, DroneModel[]>();
    for (const drone of scene.drones) {
      const key = JSON.stringify([drone.model, drone.parts, drone.rotors]);
      looks.set(key, [...(looks.get(key) ?? []), drone]);
    }
    const order = new Map(scene.drones.map(({ name }, i) => [name, i]));
    for (const { airframe, drones } of airframesOf([...looks.values()], most)) {
      const flock = new Flock(airframe, drones.length, this.group, mirrored);
      flock.shells.visible = this.shellsShown;
      this.flocks.push(flock);
      drones.forEach(({ name }, slot) => {
        const colour = droneColour(order.get(name) ?? 0);
        flock.accents.setColorAt(slot, colour);
        this.views.set(name, {
          name, colour, reach: reachOf(flock.look), width: widthOf(flock.look), slot, flock, flags: 0, seen: false,
          glow: 0, still: false,
          position: new Vector3(), orientation: new Quaternion(),
          angles: Float64Array.from(flock.look.rotors, (_, k) => slot + k),
        });
      });
    }
  }

  /** Collision shapes are drawn over the airframes, or are not. */
  set shells(on: boolean) {
    this.shellsShown = on;
    for (const { shells } of this.flocks) shells.visible = on;
  }

  /** Draws the newest states; dt is the time since the last frame, s. */
  update(fleet: FleetState | undefined, rotors: RotorSpeeds | undefined, dt: number): void {
    if (!fleet) return;
    if (fleet.names.length !== this.names.length || fleet.names.some((name, i) => name !== this.names[i])) {
      this.names = fleet.names;
      this.order = fleet.names.map((name) => this.views.get(name));
    }
    if (rotors) this.speeds = this.names.map((name) => rotors.speeds[rotors.names.indexOf(name)]);
    for (let i = 0; i < this.order.length; i += 1) {
      const view = this.order[i];
      if (!view) continue;
      view.position.fromArray(fleet.positions, 3 * i);
      view.orientation.fromArray(fleet.orientations, 4 * i);
      view.flags = fleet.flags[i] ?? 0;
      view.seen = Number.isFinite(view.position.x);
      if (!view.seen) view.position.set(0, 0, -1e6);   // not there yet: out of sight
      this.place(view, dt);
      this.turn(view, this.speeds[i], dt);
    }
    this.flocks.forEach((flock) => flock.refresh());
  }

  private place(view: DroneView, dt: number): void {
    this.matrix.compose(view.position, view.orientation, ONE);
    for (const mesh of view.flock.bodies) mesh.setMatrixAt(view.slot, this.matrix);
    const glow = view.flags & IN_CONTACT ? 1 : Math.max(0, view.glow - dt / GLOW);
    const still = (view.flags & STILL) !== 0;
    if (glow !== view.glow || still !== view.still) {
      COLOUR.copy(still ? STALE_GREY : view.colour).lerp(CONTACT, glow);
      view.flock.accents.setColorAt(view.slot, COLOUR);
    }
    view.glow = glow;
    view.still = still;
  }

  private turn(view: DroneView, speeds: readonly number[] | undefined, dt: number): void {
    const { look, discs } = view.flock;
    look.rotors.forEach(({ centre, radius, sign }, k) => {
      const rate = this.calm ? 0 : visualRate(speeds?.[k]);
      const angle = (view.angles[k] ?? 0) + sign * rate * dt;
      view.angles[k] = angle % (2 * Math.PI);
      this.rotor.makeRotationZ(angle).scale(SCALE.setScalar(radius)).setPosition(centre).premultiply(this.matrix);
      const slot = view.slot * look.rotors.length + k;
      discs.setMatrixAt(slot, this.rotor);
      discs.setColorAt(slot, COLOUR.setScalar(blurOf(speeds?.[k])));
    });
  }
}

/** Those of drones that look alike. */
function airframesOf(alike: DroneModel[][], most: number): { airframe: Airframe; drones: DroneModel[] }[] {
  const made = (fineness: number) =>
    alike.map((drones) => ({ airframe: airframeOf(drones[0]!, fineness), drones }));
  const fine = made(1);
  const all = fine.reduce((sum, { airframe, drones }) => sum + drones.length * trianglesOf(airframe), 0);
  return all > most ? made(COARSE) : fine;
}

function trianglesOf({ frame, accent }: Airframe): number {
  return [frame, accent].reduce((sum, { index }) => sum + (index?.count ?? 0) / 3, 0);
}

function reachOf({ rotors }: Airframe): number {
  return Math.max(0.05, ...rotors.map(({ centre, radius }) => Math.hypot(centre.x, centre.y) + radius));
}

function widthOf({ collision, rotors }: Airframe): number {
  const { min, max } = collision.boundingBox!;
  const rotorsWidth = 2 * Math.max(...rotors.map(({ centre, radius }) => Math.abs(centre.y) + radius));
  return Math.max(0.02, Math.min(Math.max(max.x - min.x, max.y - min.y), rotorsWidth));
}

const COLOUR = BODY.clone();
const SCALE = new Vector3();
