// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The heads of others in the room: sent while a headset is worn, drawn as simple avatars on every page. World axes. */
import {
  BoxGeometry, Color, Group, Matrix4, Mesh, MeshLambertMaterial, Quaternion, SphereGeometry, Vector3,
} from 'three';

import { droneColour } from '../view/palette';
import type { Link } from '../wire/link';
import type { Quadruple, Triple } from '../wire/messages';

/** ms between two samples that are sent, and after which one that is not heard of is gone */
const INTERVAL = 50;
const TIMEOUT = 2000;
/** what is drawn at most, whatever is sent */
const MOST = 16;
/** m: nearer to the own eyes a head is not drawn: it would only be in the way */
const NEAREST = 0.35;
/** ms in which an avatar's gap to what is heard falls to 1/e */
const FOLLOW = 60;
const DIGITS = 1e4;

export interface HeadPose {
  id: number;
  position: Triple;
  orientation_xyzw: Quadruple;
  points?: Triple[];
}

interface Avatar {
  group: Group;
  goal: Vector3;
  turn: Quaternion;
  at: number;
  points: Vector3[] | undefined;
}

const isTriple = (value: unknown): value is Triple => isNumbers(value, 3);

function isNumbers(value: unknown, count: number): boolean {
  return Array.isArray(value) && value.length === count
    && value.every((x) => typeof x === 'number' && Number.isFinite(x));
}

/** What a server sent, if it is a head. */
export function isHead(value: unknown): value is HeadPose {
  const { id, position, orientation_xyzw: turn, points } = (value ?? {}) as Record<string, unknown>;
  return Number.isInteger(id) && isTriple(position) && isNumbers(turn, 4)
    && (points === undefined || (Array.isArray(points) && points.length === 3 && points.every(isTriple)));
}

export class Heads {
  readonly group = new Group();
  readonly avatars = new Map<number, Avatar>();
  /** spots of the world that this user has touched, by which others can align their rooms */
  points: readonly Vector3[] | undefined;
  private sent = -Infinity;
  private last = 0;
  private readonly head = new SphereGeometry(0.1, 20, 14).scale(0.85, 0.95, 1.15);
  private readonly visor = new BoxGeometry(0.06, 0.17, 0.08).translate(0.075, 0, 0.015);
  private readonly dark = new MeshLambertMaterial({ color: '#20262e' });

  constructor(private readonly link: Link) {
    link.on<{ heads?: unknown }>('/heads', ({ heads }) =>
      this.hear(Array.isArray(heads) ? heads : [], performance.now()));
  }

  /** Sends one's own: eyes in the world, whose x is ahead and z up; now in ms. */
  send(position: Vector3, turn: Quaternion, now: number): void {
    if (now - this.sent < INTERVAL) return;
    this.sent = now;
    const round = (numbers: number[]) => numbers.map((x) => Math.round(x * DIGITS) / DIGITS);
    const points = this.points?.map((point) => round(point.toArray()));
    this.link.send('/head', {
      position: round(position.toArray()), orientation_xyzw: round(turn.toArray()), ...(points && { points }),
    });
  }

  /** The spots of the one who has been here longest; undefined where nobody has touched any. */
  reference(): readonly Vector3[] | undefined {
    const ids = [...this.avatars.keys()].sort((a, b) => a - b);
    return ids.map((id) => this.avatars.get(id)!.points).find((points) => points !== undefined);
  }

  hear(heads: readonly unknown[], now: number): void {
    const known = heads.filter(isHead).slice(0, MOST);
    for (const id of [...this.avatars.keys()]) if (!known.some((head) => head.id === id)) this.remove(id);
    for (const head of known) {
      const avatar = this.avatars.get(head.id) ?? this.add(head);
      avatar.goal.fromArray(head.position);
      avatar.turn.fromArray(head.orientation_xyzw).normalize();
      avatar.points = head.points?.map((point) => new Vector3().fromArray(point));
      avatar.at = now;
    }
  }

  /** Draws them; eyes: one's own, in the world. */
  update(now: number, eyes?: Vector3): void {
    const share = 1 - Math.exp(-Math.min(Math.max(now - this.last, 0), 200) / FOLLOW);
    this.last = now;
    for (const [id, { group, goal, turn, at }] of this.avatars) {
      if (now - at > TIMEOUT) {
        this.remove(id);
        continue;
      }
      group.position.lerp(goal, share);
      group.quaternion.slerp(turn, share);
      group.visible = !eyes || eyes.distanceTo(group.position) >= NEAREST;
    }
  }

  private add({ id, position, orientation_xyzw: turn }: HeadPose): Avatar {
    const group = new Group();
    const colour = new Color().copy(droneColour(id)).lerp(new Color('#ffffff'), 0.25);
    group.add(new Mesh(this.head, new MeshLambertMaterial({ color: colour })), new Mesh(this.visor, this.dark));
    group.position.fromArray(position);
    group.quaternion.fromArray(turn);
    this.group.add(group);
    const avatar = { group, goal: new Vector3(), turn: new Quaternion(), at: 0, points: undefined };
    this.avatars.set(id, avatar);
    return avatar;
  }

  private remove(id: number): void {
    const { group } = this.avatars.get(id)!;
    this.group.remove(group);
    ((group.children[0] as Mesh).material as MeshLambertMaterial).dispose();
    this.avatars.delete(id);
  }
}

/** A headset's pose (WebXR axes: -z ahead, y up) as the world has it, of which x is ahead. */
export function headInWorld(viewer: Matrix4, toWorld: Matrix4, position: Vector3, turn: Quaternion): void {
  const matrix = new Matrix4().multiplyMatrices(toWorld, viewer);
  const [x, y, z] = [new Vector3(), new Vector3(), new Vector3()];
  matrix.extractBasis(x, y, z);
  position.setFromMatrixPosition(matrix);
  turn.setFromRotationMatrix(new Matrix4().makeBasis(z.negate(), x.negate(), y));
}
