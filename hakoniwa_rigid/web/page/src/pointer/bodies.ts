// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What can be held: drones and objects, by the shapes that the node sees, where the newest states have them. */
import { type BufferGeometry, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Ray, Raycaster, Vector3 } from 'three';

import type { Store } from '../store';
import { bodyGeometry } from '../view/shapes';
import type { Scene, Shape } from '../wire/messages';

/** ms over which a state is extrapolated at most: later ones are those of bodies that have stopped being reported */
const LONGEST = 100;
/** m/s: of an object that seems to be faster, two poses are of two lives (a reset) */
const FASTEST = 20;
const ONE = new Vector3(1, 1, 1);

export interface Body {
  name: string;
  kind: 'drone' | 'object';
  /** of drones: who owns their motion; '' where the viewer does not say */
  authority: string;
  /** kg; 0 where it is not known */
  mass: number;
  shape: BufferGeometry;
  /** m, of a ball around its origin that has all of it */
  reach: number;
}

/** Pose and velocity now, world; m, m/s. */
export interface Motion {
  position: Vector3;
  turn: Quaternion;
  velocity: Vector3;
}

/** A spot of a body's surface, and the normal there: both in the body's axes. */
export interface Grip {
  body: Body;
  spot: Vector3;
  normal: Vector3;
}

/** When a pose came, and its stamp, ms; where it was, m; how fast since the one before, m/s. */
interface Sighting {
  at: number;
  stamp: number;
  position: Vector3;
  velocity: Vector3;
}

export class Bodies {
  readonly list: Body[] = [];
  private readonly byName = new Map<string, Body>();
  private readonly sightings = new Map<string, Sighting>();
  private seenPoses: unknown;
  private names: unknown;
  private rows = new Map<string, number>();
  private readonly mesh = new Mesh(undefined, new MeshBasicMaterial());
  private readonly caster = new Raycaster();
  private readonly ball = new Vector3();
  private readonly motion: Motion = { position: new Vector3(), turn: new Quaternion(), velocity: new Vector3() };

  constructor(private readonly store: Store) {
    store.sceneListeners.push((scene) => this.show(scene));
  }

  get(name: string): Body | undefined {
    return this.byName.get(name);
  }

  /** Who owns a drone's motion from now on. */
  own(name: string, authority: string): void {
    const body = this.byName.get(name);
    if (body && authority) body.authority = authority;
  }

  private show(scene: Scene): void {
    this.list.length = 0;
    this.byName.clear();
    this.sightings.clear();
    const shapes = new Map<string, BufferGeometry>();
    const add = (name: string, kind: Body['kind'], authority: string, mass: number, parts: Shape[]) => {
      const key = JSON.stringify(parts);
      const shape = shapes.get(key) ?? bodyGeometry(parts);
      shapes.set(key, shape);
      shape.computeBoundingSphere();
      const { center, radius } = shape.boundingSphere!;
      const body = { name, kind, authority, mass, shape, reach: center.length() + radius };
      this.list.push(body);
      this.byName.set(name, body);
    };
    for (const { name, parts, authority, mass } of scene.drones) add(name, 'drone', authority ?? '', mass ?? 0, parts);
    for (const { name, parts, mass } of scene.objects) add(name, 'object', '', mass ?? 0, parts);
  }

  /** Where a body is now, ms; undefined where it has not been seen. The same object is filled again and again. */
  where(name: string, now: number): Motion | undefined {
    const { fleet, fleetAt, objects } = this.store;
    const out = this.motion;
    const i = this.row(name);
    if (fleet && i !== undefined) {
      out.position.fromArray(fleet.positions, 3 * i);
      out.turn.fromArray(fleet.orientations, 4 * i);
      out.velocity.fromArray(fleet.linear_velocities, 3 * i);
      this.extrapolate(now - fleetAt);
    } else {
      this.look();
      const k = objects?.names.indexOf(name) ?? -1;
      const sighting = this.sightings.get(name);
      if (!objects || k < 0 || !sighting) return this.start(name);
      out.position.fromArray(objects.positions[k]!);
      out.turn.fromArray(objects.orientations_xyzw[k]!);
      out.velocity.copy(sighting.velocity);
      this.extrapolate(now - sighting.at);
    }
    return Number.isFinite(out.position.x + out.turn.w) ? out : undefined;
  }

  /** Of a drone in the newest states. */
  private row(name: string): number | undefined {
    const names = this.store.fleet?.names;
    if (names && names !== this.names) {
      this.names = names;
      this.rows = new Map(names.map((each, i) => [each, i]));
    }
    return this.rows.get(name);
  }

  private extrapolate(age: number): void {
    this.motion.position.addScaledVector(this.motion.velocity, Math.max(0, Math.min(age, LONGEST)) / 1000);
  }

  /** An object that has not been reported yet is where it starts. */
  private start(name: string): Motion | undefined {
    const known = this.store.scene?.objects.find((object) => object.name === name);
    if (!known?.position) return undefined;
    this.motion.position.fromArray(known.position);
    this.motion.turn.fromArray(known.orientation_xyzw ?? [0, 0, 0, 1]);
    this.motion.velocity.set(0, 0, 0);
    return this.motion;
  }

  /** Velocities of objects, of which only poses are reported. */
  private look(): void {
    const { objects } = this.store;
    if (!objects || objects === this.seenPoses) return;
    this.seenPoses = objects;
    const now = performance.now();
    const stamp = Number(BigInt(objects.stamp_ns) / 1000n) / 1000;
    objects.names.forEach((name, k) => {
      const position = new Vector3().fromArray(objects.positions[k]!);
      const last = this.sightings.get(name);
      const velocity = new Vector3();
      const dt = last ? (stamp - last.stamp) / 1000 : 0;
      if (last && dt > 0) velocity.copy(position).sub(last.position).divideScalar(dt);
      if (velocity.length() > FASTEST) velocity.set(0, 0, 0);
      this.sightings.set(name, { at: now, stamp, position, velocity });
    });
  }

  /** What a ray (world) meets first; `only` of that name. */
  pick(ray: Ray, now: number, only?: string): { grip: Grip; distance: number } | undefined {
    let found: { grip: Grip; distance: number } | undefined;
    this.caster.ray.copy(ray);
    for (const body of this.list) {
      if (only !== undefined && body.name !== only) continue;
      const motion = this.where(body.name, now);
      // bodies that the ray passes at a distance are not looked at more closely
      if (!motion || ray.distanceToPoint(this.ball.copy(motion.position)) > body.reach) continue;
      this.mesh.geometry = body.shape;
      this.mesh.matrixWorld.compose(motion.position, motion.turn, ONE);
      const [hit] = this.caster.intersectObject(this.mesh, false);
      if (!hit?.face || (found && found.distance <= hit.distance)) continue;
      const spot = hit.point.clone().applyMatrix4(new Matrix4().copy(this.mesh.matrixWorld).invert());
      found = { grip: { body, spot, normal: hit.face.normal.clone() }, distance: hit.distance };
    }
    return found;
  }

  /** A grip in the world now: where it is, m, its normal, the velocity of its body, m/s; false: it is out of sight. */
  place({ body, spot, normal }: Grip, now: number, at: Vector3, out: Vector3, velocity: Vector3): boolean {
    const motion = this.where(body.name, now);
    if (!motion) return false;
    at.copy(spot).applyQuaternion(motion.turn).add(motion.position);
    out.copy(normal).applyQuaternion(motion.turn).normalize();
    velocity.copy(motion.velocity);
    return true;
  }
}
