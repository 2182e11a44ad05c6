// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A hand that closes: the tips of thumb and index meet, the other fingers curl, bones keep their lengths. */
import { Matrix4, Quaternion, Vector3 } from 'three';

import { RADII } from './joints';
import { FINGERS, type Side } from './open_hand';
import { HandPose } from './sample';

/** rad by which the joints after the knuckle are bent in all, of an open hand and of one that holds; index, others */
const OPEN = [0.15, 0.3, 0.45];
const PINCHED = [1.2, 2.2, 2.8];
const CURLED = [1.5, 2.9, 3.9];
/** m between the middles of both tips of a pinch: they touch, and the node takes less than 25 mm for one */
const TIPS = 0.016;
/** rounds in which the thumb's joints are turned to its place in the pinch */
const ROUNDS = 200;

const X = new Vector3(1, 0, 0);
const Y = new Vector3(0, 1, 0);

/** How each joint's axes are turned (wrist's axes), and its distance from the one before it along them, m. */
interface Chain {
  turns: Quaternion[];
  lengths: number[];
}

/** Joint positions of a chain that starts at the wrist. */
function along({ turns, lengths }: Chain): Vector3[] {
  const point = new Vector3();
  return turns.map((turn, k) => point.add(new Vector3(0, 0, -lengths[k]!).applyQuaternion(turn)).clone());
}

/** A finger that is bent by so much at each joint after the knuckle. */
function finger(angle: number, reaches: readonly number[], bends: readonly number[], towardsThumb: number): Chain {
  const yaw = new Quaternion().setFromAxisAngle(Y, -towardsThumb * angle);
  return {
    turns: reaches.map((_, k) => yaw.clone().multiply(
      new Quaternion().setFromAxisAngle(X, -(k < 2 ? 0 : bends[k - 2]!)))),
    lengths: reaches.map((reach, k) => reach - (reaches[k - 1] ?? 0)),
  };
}

/** Turns the joints of a chain, but its first, until its end is at a goal (cyclic coordinate descent). */
function bendTo(chain: Chain, goal: Vector3): Chain {
  const turns = chain.turns.map((turn) => turn.clone());
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let k = turns.length - 1; k > 0; k -= 1) {
      const points = along({ turns, lengths: chain.lengths });
      const [pivot, tip] = [points[k - 1]!, points.at(-1)!];
      const turn = new Quaternion().setFromUnitVectors(
        tip.clone().sub(pivot).normalize(), goal.clone().sub(pivot).normalize());
      for (let j = k; j < turns.length; j += 1) turns[j]!.premultiply(turn);
    }
  }
  return { turns, lengths: chain.lengths };
}

/** Open and closed, finger by finger. */
function build(side: Side): [Chain, Chain][] {
  const towardsThumb = side === 'right' ? -1 : 1;
  const pairs = FINGERS.map(([angle, reaches], i): [Chain, Chain] => {
    const closed = i === 1 ? PINCHED : CURLED;
    return [finger(angle, reaches, OPEN, towardsThumb), finger(angle, reaches, closed, towardsThumb)];
  });
  const index = along(pairs[1]![1]).at(-1)!;
  const thumb = pairs[0]![0];
  // the thumb meets the index finger from its own side and from the palm's
  const from = new Vector3(towardsThumb, 0, 1).normalize().multiplyScalar(TIPS);
  pairs[0] = [thumb, bendTo(thumb, index.add(from))];
  return pairs;
}

/** Each joint's turn from the one before it: between two of these a finger bends the way that fingers do. */
function fromJointToJoint({ turns, lengths }: Chain): Chain {
  return { turns: turns.map((turn, k) => (k ? turns[k - 1]!.clone().invert().multiply(turn) : turn)), lengths };
}

const CHAINS: Record<Side, [Chain, Chain][]> = { left: build('left'), right: build('right') };
const BENDS = Object.fromEntries(Object.entries(CHAINS).map(([side, pairs]) =>
  [side, pairs.map((pair) => pair.map(fromJointToJoint))])) as Record<Side, [Chain, Chain][]>;
const turn = new Quaternion();
const bend = new Quaternion();
const wristTurn = new Quaternion();
const point = new Vector3();
const step = new Vector3();
const scale = new Vector3();
const wristAt = new Vector3();

/** Fills a pose with a hand that is closed by a share, 0 open to 1, whose wrist has this pose in the world. */
export function gripHand(side: Side, wrist: Matrix4, closed: number, out: HandPose): void {
  wrist.decompose(wristAt, wristTurn, scale);
  put(out, 0, wristAt, wristTurn);
  let joint = 1;
  for (const [open, shut] of BENDS[side]) {
    point.copy(wristAt);
    turn.copy(wristTurn);
    open.turns.forEach((from, k) => {
      turn.multiply(bend.slerpQuaternions(from, shut.turns[k]!, closed));
      point.add(step.set(0, 0, -open.lengths[k]!).applyQuaternion(turn));
      put(out, joint++, point, turn);
    });
  }
  out.valid.fill(1);
}

function put(out: HandPose, i: number, at: Vector3, turned: Quaternion): void {
  at.toArray(out.positions, 3 * i);
  turned.toArray(out.orientations, 4 * i);
}

/** Where the pinch of a closed hand is, m, in the wrist's axes: between the tips of thumb and index finger. */
export function pinchOf(side: Side): Vector3 {
  const [thumb, index] = [0, 1].map((i) => along(CHAINS[side][i]![1]).at(-1)!);
  return thumb!.add(index!).multiplyScalar(0.5);
}

/** rad by which the palm of a hand that takes hold is turned from the surface towards the fingers */
const TILT = 0.2;
/** places of the table below */
const STEPS = 20;

/** Turn of a wrist whose palm faces into a surface of this normal, fingers towards `ahead`; all unit, world. */
export function facing(normal: Vector3, ahead: Vector3): Quaternion {
  const up = ahead.clone().addScaledVector(normal, -ahead.dot(normal)).normalize();
  const [s, c] = [Math.sin(TILT), Math.cos(TILT)];
  const back = up.clone().multiplyScalar(-1).multiplyScalar(c).addScaledVector(normal, s);   // wrist's z
  const out = normal.clone().multiplyScalar(c).addScaledVector(up, s);                      // wrist's y
  return new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(out.clone().cross(back), out, back));
}

/** How far parts of a hand that faces a surface reach beyond its pinch from now on, m, by how far it is closed. */
const BEYOND: Record<Side, number[]> = { left: beyond('left'), right: beyond('right') };

function beyond(side: Side): number[] {
  const into = new Vector3(0, 0, -1).applyQuaternion(facing(new Vector3(0, 0, 1), new Vector3(0, 1, 0)).invert());
  const pose = new HandPose();
  const pinch = pinchOf(side);
  const reach = Array.from({ length: STEPS + 1 }, (_, k) => {
    gripHand(side, new Matrix4(), k / STEPS, pose);
    return Math.max(...RADII.map((r, i) => into.dot(point.fromArray(pose.positions, 3 * i).sub(pinch)) + r));
  });
  // one that closes has room for what is still to come, and never has to go back
  return reach.map((_, k) => Math.max(...reach.slice(k)));
}

/** m from a surface to the pinch of a hand before it that closes, and whose foremost part then is `gap` m away. */
export function standOff(side: Side, closed: number, gap: number): number {
  const at = Math.max(0, Math.min(1, closed)) * STEPS;
  const [low, share] = [Math.floor(at), at % 1];
  const table = BEYOND[side];
  return gap + table[low]! + share * (table[Math.min(STEPS, low + 1)]! - table[low]!);
}
