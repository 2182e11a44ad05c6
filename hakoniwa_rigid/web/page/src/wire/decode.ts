// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Bytes of a channel to messages: CDR by the schema that the channel brings, or JSON. */
import { parse } from '@foxglove/rosmsg';
import { MessageReader } from '@foxglove/rosmsg2-serialization';

export interface Encoded {
  encoding: string;
  schema: string;
}

export type Decoder = (data: ArrayBufferView) => unknown;

const text = new TextDecoder();

export function decoderOf(channel: Encoded): Decoder {
  if (channel.encoding === 'json') return (data) => JSON.parse(text.decode(data)) as unknown;
  if (channel.encoding !== 'cdr') throw new Error(`encoding: must be cdr or json, got ${channel.encoding}`);
  const reader = new MessageReader(parse(channel.schema, { ros2: true }));
  return (data) => reader.readMessage(data);
}
