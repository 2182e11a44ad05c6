// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** A stand-in for the viewer node: serves the built page and speaks the Foxglove WebSocket protocol, drones and all. */
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

import { parse } from '@foxglove/rosmsg';
import { MessageWriter } from '@foxglove/rosmsg2-serialization';
import { WebSocketServer } from 'ws';

import { MockPhysics } from './mock_physics.js';
import { schemaOf } from './schemas.js';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };
const RATE = 200;   // Hz
const CDR = { '/fleet/states_corrected': 'FleetState', '/contact_events': 'ContactEventArray' };
const JSON_TOPICS = ['/scene', '/clock_reply', '/server_stats', '/rotors', '/diagnostics', '/heads'];
const SERVICES = ['/reset', '/set_paused', '/step', '/set_enabled'];

const nowNs = () => BigInt(Math.round((performance.timeOrigin + performance.now()) * 1e6));
const stampOf = (ns) => ({ sec: Number(ns / 1_000_000_000n), nanosec: Number(ns % 1_000_000_000n) });
const vector = ([x, y, z]) => ({ x, y, z });

export class MockNode {
  constructor(scene, starts, folder) {
    this.scene = scene;
    this.folder = folder;
    this.physics = new MockPhysics(starts);
    this.writers = Object.fromEntries(Object.entries(CDR).map(([topic, name]) =>
      [topic, new MessageWriter(parse(schemaOf(name), { ros2: true }))]));
    this.channels = [
      ...Object.entries(CDR).map(([topic, name]) => ({
        topic, encoding: 'cdr', schemaName: `hakoniwa_rigid/msg/${name}`, schema: schemaOf(name),
        schemaEncoding: 'ros2msg',
      })),
      ...JSON_TOPICS.map((topic) => ({ topic, encoding: 'json', schemaName: '', schema: '', schemaEncoding: '' })),
    ].map((channel, i) => ({ id: i + 1, ...channel }));
    this.clients = new Map();
    this.samples = [];
    this.calls = [];
    this.paused = false;
    this.flags = new Map();   // bits of drones beside those of contacts
  }

  async start() {
    this.server = createServer((request, response) => void this.serve(request, response));
    this.sockets = new WebSocketServer({
      server: this.server, path: '/ws', handleProtocols: (offered) => [...offered][0],
    });
    this.sockets.on('connection', (socket) => this.greet(socket));
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    this.timer = setInterval(() => this.tick(), 1000 / RATE);
    return `http://127.0.0.1:${this.server.address().port}/`;
  }

  stop() {
    clearInterval(this.timer);
    this.drop();
    this.server.close();
  }

  /** Closes all connections. */
  drop() {
    for (const socket of this.clients.keys()) socket.terminate();
  }

  async serve({ url }, response) {
    const path = normalize(new URL(url, 'http://page').pathname);
    const file = join(this.folder, path === '/' ? 'index.html' : path);
    try {
      const body = await readFile(file);
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  }

  greet(socket) {
    this.clients.set(socket, { subscriptions: new Map(), channels: new Map() });
    socket.on('close', () => this.clients.delete(socket));
    socket.on('message', (data, binary) => (binary ? this.hearBytes(socket, data) : this.hearText(socket, data)));
    const capabilities = ['clientPublish', 'services'];
    socket.send(JSON.stringify({ op: 'serverInfo', name: 'mock', capabilities, supportedEncodings: ['json'] }));
    socket.send(JSON.stringify({ op: 'advertise', channels: this.channels }));
    const services = SERVICES.map((name, id) => ({ id, name, type: name, requestSchema: '', responseSchema: '' }));
    socket.send(JSON.stringify({ op: 'advertiseServices', services }));
  }

  hearText(socket, data) {
    const message = JSON.parse(data.toString());
    const client = this.clients.get(socket);
    if (message.op === 'subscribe') {
      for (const { id, channelId } of message.subscriptions) {
        const { topic } = this.channels.find((channel) => channel.id === channelId);
        client.subscriptions.set(topic, id);
        if (topic === '/scene') this.sendTo(socket, topic, this.encode(topic, this.scene));
      }
    }
    if (message.op === 'advertise') for (const { id, topic } of message.channels) client.channels.set(id, topic);
  }

  hearBytes(socket, data) {
    if (data[0] === 2) return this.answer(socket, data);
    const topic = this.clients.get(socket).channels.get(data.readUInt32LE(1));
    const message = JSON.parse(data.subarray(5).toString());
    if (topic === '/clock_probe') {
      this.publish('/clock_reply', { ...message, server_ns: nowNs().toString() });
    } else if (topic === '/head') {
      this.relayHead(socket, message);
    } else if (topic.startsWith('/hands/')) {
      this.samples.push({ ...message, at: nowNs() });
      this.physics.feed(topic.slice('/hands/'.length), message.positions, performance.now() / 1000);
    }
    return undefined;
  }

  /** To all but its sender, under an id of this node's; heads of those who left are gone. */
  relayHead(socket, message) {
    const own = this.clients.get(socket);
    own.head = { ...message, id: (own.id ??= this.nextId = (this.nextId ?? 0) + 1) };
    for (const other of this.clients.keys()) {
      const heads = [...this.clients].filter(([of, { head }]) => of !== other && head).map(([, { head }]) => head);
      if (heads.length) this.sendTo(other, '/heads', this.encode('/heads', { heads }));
    }
  }

  answer(socket, data) {
    const [service, call, size] = [1, 5, 9].map((at) => data.readUInt32LE(at));
    const request = JSON.parse(data.subarray(13 + size).toString());
    this.calls.push({ service: SERVICES[service], request });
    if (SERVICES[service] === '/set_paused') this.paused = request.paused;
    const head = Buffer.from(data.subarray(0, 13 + size));
    head[0] = 3;
    head.writeUInt32LE(service, 1);
    head.writeUInt32LE(call, 5);
    socket.send(Buffer.concat([head, Buffer.from(JSON.stringify({ success: true, message: '' }))]));
  }

  tick() {
    if (this.paused) return;
    const stamp = stampOf(nowNs());
    const header = { stamp, frame_id: 'world' };
    const events = this.physics.step(1 / RATE, performance.now() / 1000);
    const { drones } = this.physics;
    const n = drones.length;
    this.publish('/fleet/states_corrected', {
      header, names: drones.map(({ name }) => name), positions: drones.flatMap(({ position }) => position),
      orientations: drones.flatMap(() => [0, 0, 0, 1]), linear_velocities: new Array(3 * n).fill(0),
      angular_velocities: new Array(3 * n).fill(0),
      flags: drones.map(({ name, touch }) => (touch ? 3 : 0) | (this.flags.get(name) ?? 0)),
    });
    if (events.length > 0) this.publish('/contact_events', { header, events: events.map((e) => eventOf(header, e)) });
  }

  encode(topic, message) {
    return this.writers[topic]?.writeMessage(message) ?? Buffer.from(JSON.stringify(message));
  }

  publish(topic, message) {
    const data = this.encode(topic, message);
    for (const socket of this.clients.keys()) this.sendTo(socket, topic, data);
  }

  sendTo(socket, topic, data) {
    const id = this.clients.get(socket)?.subscriptions.get(topic);
    if (id === undefined) return;
    const head = Buffer.alloc(13);
    head[0] = 1;
    head.writeUInt32LE(id, 1);
    head.writeBigUInt64LE(nowNs(), 5);
    socket.send(Buffer.concat([head, data]));
  }
}

/** A ContactEvent of a drone and a hand; body_a is the lexically smaller name, the impulse is the one on body_b. */
function eventOf(header, { id, phase, hand, drone, point, normal, impulse }) {
  const [body_a, body_b] = [hand, drone].sort();
  const sign = body_b === drone ? 1 : -1;
  const zero = vector([0, 0, 0]);
  return {
    header, id, phase, kind: 2, body_a, body_b, part_a: '', part_b: '', position: vector(point),
    normal: vector(normal.map((x) => sign * x)), depth: 0, impulse: vector(impulse.map((x) => sign * x)), peak_force: 0,
    duration: 0.01, relative_velocity_before: zero, relative_velocity_after: zero, restitution: 0.5, friction: 0.5,
    delta_v_a: zero, delta_v_b: zero, delta_omega_a: zero, delta_omega_b: zero, energy_lost: 0,
  };
}
