// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The package's own messages with everything they are made of, as a viewer node advertises them. */
import { readFileSync } from 'node:fs';

const MESSAGES = new URL('../../../../../msg/', import.meta.url);
/** the few foreign types that they use */
const FOREIGN = {
  'std_msgs/Header': 'builtin_interfaces/Time stamp\nstring frame_id',
  'builtin_interfaces/Time': 'int32 sec\nuint32 nanosec',
  'geometry_msgs/Point': 'float64 x\nfloat64 y\nfloat64 z',
  'geometry_msgs/Vector3': 'float64 x\nfloat64 y\nfloat64 z',
  'geometry_msgs/Quaternion': 'float64 x\nfloat64 y\nfloat64 z\nfloat64 w',
  'geometry_msgs/Pose': 'Point position\nQuaternion orientation',
};
const RULE = '='.repeat(80);

function own(name) {
  return readFileSync(new URL(`${name}.msg`, MESSAGES), 'utf8');
}

/** Concatenated definition of a message of this package. */
export function schemaOf(name) {
  const parts = name === 'ContactEventArray' ? { 'hakoniwa_rigid/ContactEvent': own('ContactEvent') } : {};
  const foreign = Object.entries({ ...parts, ...FOREIGN }).map(([type, text]) => `${RULE}\nMSG: ${type}\n${text}`);
  return [own(name), ...foreign].join('\n');
}
