// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What comes over the socket: ROS messages as decoded, and the viewer's own JSON. SI units, world frame ENU. */

export type Triple = [number, number, number];
export type Quadruple = [number, number, number, number];

export interface Stamp {
  sec: number;
  nanosec: number;
}

export interface Header {
  stamp: Stamp;
  frame_id: string;
}

export interface Vector {
  x: number;
  y: number;
  z: number;
}

/** States of N drones: positions 3N m, orientations 4N xyzw, flags N bits. */
export interface FleetState {
  header: Header;
  names: string[];
  positions: Float64Array;
  orientations: Float64Array;
  linear_velocities: Float64Array;
  angular_velocities: Float64Array;
  flags: Uint8Array;
}

export const IN_CONTACT = 1;
export const STALE = 4;
export const LIMITED = 16;
export const FROZEN = 32;

export const BEGIN = 0;
export const END = 2;
export const KINDS = [
  'DRONE_DRONE', 'DRONE_WALL', 'DRONE_HAND', 'DRONE_OBJECT', 'OBJECT_OBJECT', 'OBJECT_WALL', 'OBJECT_HAND',
] as const;

/** Impulse N s on body_b; position m; duration s. */
export interface ContactEvent {
  header: Header;
  id: bigint;
  phase: number;
  kind: number;
  body_a: string;
  body_b: string;
  part_a: string;
  part_b: string;
  position: Vector;
  normal: Vector;
  impulse: Vector;
  peak_force: number;
  duration: number;
}

export interface ContactEventArray {
  header: Header;
  events: ContactEvent[];
}

export const GRASPED = 5;
export const RELEASED = 6;
export const PHASES = ['ATTACHED', 'DETACHED', 'TAUT', 'SLACK', 'BROKEN', 'GRASPED', 'RELEASED'] as const;

/** Impulse N s and force N on body_b. */
export interface ConstraintEvent {
  header: Header;
  id: bigint;
  phase: number;
  kind: number;
  name: string;
  body_a: string;
  body_b: string;
  impulse: Vector;
  force: Vector;
}

export interface ConstraintEventArray {
  header: Header;
  events: ConstraintEvent[];
}

/** Both anchors of every constraint, m; whether it is a cable that is taut, or at its limit. */
export interface Ties {
  stamp_ns: string | number;
  lines: [Triple, Triple][];
  loaded: boolean[];
}

/** diagnostic_msgs/DiagnosticArray. */
export interface DiagnosticArray {
  status: { level: number; name: string; message: string; values: { key: string; value: string }[] }[];
}

export interface HandJoints {
  header: Header;
  hand: string;
  names: string[];
  poses: { position: Vector; orientation: Vector & { w: number } }[];
  radii: Float32Array;
  is_valid: boolean[];
}

/** A shape in its body's base frame, a wall's in the world; lengths m. */
export interface Shape {
  type: string;
  name?: string;
  /** of a wall */
  material?: string;
  pose?: { position: Triple; orientation_xyzw: Quadruple };
  size?: Triple;
  radius?: number;
  length?: number;
  height?: number;
  semi_axes?: Triple;
  vertices?: Triple[];
  faces?: Triple[];
  normal?: Triple;
  offset?: number;
}

export interface Rotor {
  position: Triple;
  radius?: number;
  spin?: string | number;
}

export interface DroneModel {
  name: string;
  model: string;
  /** who owns its motion: correct, observe, simulate; as configured, /diagnostics says how it is */
  authority?: string;
  parts: Shape[];
  rotors: Rotor[];
  mass?: number;
  material?: string;
}

export interface Scene {
  world: string;
  frame: string;
  drones: DroneModel[];
  walls: Shape[];
  objects: {
    name: string; mass?: number; parts: Shape[]; position?: Triple; orientation_xyzw?: Quadruple; material?: string;
  }[];
  /** those that a client may move */
  hands: string[];
  hands_of_others?: string[];
  /** those of the hands that take hold by gestures */
  grasping?: string[];
  /** s without a sample after which the node takes a hand away */
  hand_timeout?: number;
}

/** Clients by number: this one, and the owner of each hand that has one. */
export interface HandOwners {
  you: number;
  owners: Record<string, number>;
}

/** Rotor speeds, rad/s, per drone and rotor. */
export interface RotorSpeeds {
  stamp_ns: string | number;
  names: string[];
  speeds: number[][];
}

export interface ObjectPoses {
  stamp_ns: string | number;
  names: string[];
  positions: Triple[];
  orientations_xyzw: Quadruple[];
}

export interface ServerStats {
  clients?: number;
  tick_rate?: number;
  dropped?: Record<string, number>;
  latency_ms?: number;
}

export interface ClockReply {
  client: string;
  id: number;
  t0: string;
  server_ns: string;
}

/** One sample of a hand as it is published: J joints in the world, WebXR's order and joint axes. */
export interface HandSample {
  stamp_ns: string;
  hand: string;
  frame_id: 'world';
  names: readonly string[];
  positions: number[][];
  orientations_xyzw: number[][];
  radii: number[];
  is_valid: boolean[];
}

export interface ServiceAnswer {
  success: boolean;
  message: string;
}

export function stampNs(stamp: Stamp): bigint {
  return BigInt(stamp.sec) * 1_000_000_000n + BigInt(stamp.nanosec);
}
