// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The socket: connects and connects again, subscribes to what is wanted, publishes JSON and calls services. */
import { FoxgloveClient, type Channel, type Service } from '@foxglove/ws-protocol';

import { decoderOf, type Decoder } from './decode';
import type { ServiceAnswer } from './messages';

export type LinkState = 'connecting' | 'open' | 'closed';
type Listener = (message: never, topic: string) => void;

const PROTOCOLS = ['foxglove.sdk.v1', FoxgloveClient.SUPPORTED_SUBPROTOCOL];
/** ms, wait before connecting again: doubled from the first to the last */
const FIRST_WAIT = 250;
const LAST_WAIT = 4000;
/** ms, how long a service may take */
const PATIENCE = 5000;
/** bytes waiting to be sent beyond which samples are dropped: a newer one will follow */
const BACKLOG = 65_536;

interface Call {
  done(answer: ServiceAnswer): void;
  timer: ReturnType<typeof setTimeout>;
}

export class Link {
  state: LinkState = 'connecting';
  onState: (state: LinkState) => void = () => undefined;
  /** what the node has to say: why it refused something, mostly */
  onWord: (word: string) => void = () => undefined;
  /** connections so far, and messages that could not be decoded */
  opened = 0;
  broken = 0;
  private client: FoxgloveClient | undefined;
  private socket: WebSocket | undefined;
  private wait = FIRST_WAIT;
  private listeners: { matches: (topic: string) => boolean; listener: Listener }[] = [];
  private decoders = new Map<number, { decode: Decoder; topic: string; channel: number }>();
  private services = new Map<string, Service>();
  private published = new Map<string, number>();
  private calls = new Map<number, Call>();
  private nextCall = 1;
  private readonly text = new TextEncoder();

  constructor(private readonly address: string) {}

  /** Calls the listener with every message of a topic, or of all topics below a name that ends in '/'. */
  on<T>(topic: string, listener: (message: T, topic: string) => void): void {
    const matches = topic.endsWith('/') ? (t: string) => t.startsWith(topic) : (t: string) => t === topic;
    this.listeners.push({ matches, listener: listener as Listener });
  }

  open(): void {
    this.change('connecting');
    const socket = new WebSocket(this.address, PROTOCOLS);
    const client = new FoxgloveClient({ ws: socket });
    this.socket = socket;
    this.client = client;
    client.on('open', () => {
      this.wait = FIRST_WAIT;
      this.opened += 1;
      this.change('open');
    });
    client.on('close', () => this.closed());
    client.on('error', () => undefined);   // a close follows
    client.on('advertise', (channels) => channels.forEach((c) => this.subscribe(c)));
    client.on('unadvertise', (ids) => this.forget(ids));
    client.on('advertiseServices', (services) => services.forEach((s) => this.services.set(s.name, s)));
    client.on('status', ({ message }) => this.onWord(message));
    client.on('message', ({ subscriptionId, data }) => this.receive(subscriptionId, data));
    client.on('serviceCallResponse', ({ callId, data }) => this.answered(callId, data));
    client.on('serviceCallFailure', ({ callId, message }) => this.finish(callId, { success: false, message }));
  }

  /** Publishes a JSON message; false if it could not be sent now. */
  send(topic: string, message: unknown): boolean {
    if (this.state !== 'open' || !this.client || !this.socket || this.socket.bufferedAmount > BACKLOG) return false;
    let id = this.published.get(topic);
    if (id === undefined) {
      id = this.client.advertise({ topic, encoding: 'json', schemaName: '' });
      this.published.set(topic, id);
    }
    this.client.sendMessage(id, this.text.encode(JSON.stringify(message)));
    return true;
  }

  call(name: string, request: unknown): Promise<ServiceAnswer> {
    const service = this.services.get(name);
    const { client } = this;
    if (!service || !client) return Promise.resolve({ success: false, message: `${name} is not offered` });
    const callId = this.nextCall++;
    return new Promise((done) => {
      const late = () => this.finish(callId, { success: false, message: `${name} did not answer` });
      this.calls.set(callId, { done, timer: setTimeout(late, PATIENCE) });
      const data = this.text.encode(JSON.stringify(request));
      client.sendServiceCallRequest({ serviceId: service.id, callId, encoding: 'json', data });
    });
  }

  offers(service: string): boolean {
    return this.services.has(service);
  }

  private subscribe(channel: Channel): void {
    if (!this.client || !this.listeners.some(({ matches }) => matches(channel.topic))) return;
    let decode: Decoder;
    try {
      decode = decoderOf(channel);
    } catch (error) {
      console.warn(`${channel.topic}: ${(error as Error).message}`);
      return;
    }
    this.decoders.set(this.client.subscribe(channel.id), { decode, topic: channel.topic, channel: channel.id });
  }

  private forget(channels: number[]): void {
    for (const [subscription, { channel }] of this.decoders) {
      if (channels.includes(channel)) this.decoders.delete(subscription);
    }
  }

  private receive(subscription: number, data: ArrayBufferView): void {
    const known = this.decoders.get(subscription);
    if (!known) return;
    let message: unknown;
    try {
      message = known.decode(data);
    } catch {
      this.broken += 1;
      return;
    }
    for (const { matches, listener } of this.listeners) {
      if (matches(known.topic)) listener(message as never, known.topic);
    }
  }

  private answered(callId: number, data: ArrayBufferView): void {
    try {
      this.finish(callId, JSON.parse(new TextDecoder().decode(data)) as ServiceAnswer);
    } catch {
      this.finish(callId, { success: false, message: 'the answer is no JSON' });
    }
  }

  private finish(callId: number, answer: ServiceAnswer): void {
    const call = this.calls.get(callId);
    if (!call) return;
    clearTimeout(call.timer);
    this.calls.delete(callId);
    call.done(answer);
  }

  private closed(): void {
    this.decoders.clear();
    this.services.clear();
    this.published.clear();
    for (const id of [...this.calls.keys()]) this.finish(id, { success: false, message: 'the connection was lost' });
    this.change('closed');
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, LAST_WAIT);
  }

  private change(state: LinkState): void {
    this.state = state;
    this.onState(state);
  }
}

/** The socket's address beside the page's, the token with it. */
export function socketAddress(page: URL): string {
  const socket = new URL('ws', page);
  socket.protocol = page.protocol === 'https:' ? 'wss:' : 'ws:';
  const asked = page.searchParams.get('ws');   // another node's socket, for development
  const address = new URL(asked ?? socket.href);
  const token = page.searchParams.get('token');
  // the token is for the host that the page came from
  if (token && address.host === page.host) address.searchParams.set('token', token);
  return address.href;
}
