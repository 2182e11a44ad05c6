// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';

import { decoderOf } from '../../src/wire/decode';
import { stampNs, type ContactEventArray, type FleetState, type HandJoints } from '../../src/wire/messages';
import { schemaOf } from '../browser/schemas.js';
import bytes from './messages.cdr.json';   // as ROS 2 itself serialises them

function decode<T>(name: keyof typeof bytes): T {
  return decoderOf({ encoding: 'cdr', schema: schemaOf(name) })(Buffer.from(bytes[name], 'base64')) as T;
}

test('a fleet state is read as ROS wrote it', () => {
  const fleet = decode<FleetState>('FleetState');
  expect(stampNs(fleet.header.stamp)).toBe(1_700_000_000_123_456_789n);
  expect(fleet.header.frame_id).toBe('world');
  expect(fleet.names).toEqual(['d0', 'Drone-1', 'x']);
  expect(fleet.positions).toBeInstanceOf(Float64Array);
  fleet.positions.forEach((x, i) => expect(x).toBeCloseTo(0.1 * i - 0.3, 15));
  expect(Array.from(fleet.orientations.subarray(4, 8))).toEqual([0.5, -0.5, 0.5, -0.5]);
  expect(Array.from(fleet.angular_velocities)[3]).toBe(-1);
  expect(Array.from(fleet.flags)).toEqual([0, 1, 6]);
});

test('a contact event keeps its 64-bit id, its phase and its vectors', () => {
  const { events } = decode<ContactEventArray>('ContactEventArray');
  expect(events).toHaveLength(1);
  expect(events[0]).toMatchObject({
    id: 2n ** 60n + 1n, phase: 2, kind: 2, body_a: 'd0', body_b: 'right', part_a: 'hub', part_b: 'index_tip',
    position: { x: 1.5, y: 0, z: 0 }, normal: { x: 0, y: -1, z: 0 }, impulse: { x: 0.25, y: 0, z: -0.5 },
    peak_force: 12, duration: 0.0125, energy_lost: 0.375,
  });
});

test('a hand has poses, radii and what is tracked', () => {
  const hand = decode<HandJoints>('HandJoints');
  expect(hand.poses[0]?.position).toEqual({ x: 1, y: 2, z: 3 });
  expect(hand.poses[1]?.orientation).toEqual({ x: 0.6, y: 0, z: 0, w: 0.8 });
  expect(hand.radii[1]).toBeCloseTo(0.0065, 8);
  expect(hand.is_valid).toEqual([true, false]);
});

test('JSON is read too, and nothing else', () => {
  const json = decoderOf({ encoding: 'json', schema: '' });
  expect(json(new TextEncoder().encode('{"world": "gym"}'))).toEqual({ world: 'gym' });
  expect(() => decoderOf({ encoding: 'protobuf', schema: '' })).toThrow('encoding: must be cdr or json, got protobuf');
});

test('bytes that are cut short are refused', () => {
  const cut = Buffer.from(bytes.FleetState, 'base64').subarray(0, 60);
  expect(() => decoderOf({ encoding: 'cdr', schema: schemaOf('FleetState') })(cut)).toThrow();
});
