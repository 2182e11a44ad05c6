// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Drones that are pushed by hands in the simplest way that a page can be tried on: no substitute for the engine. */

/** m, m, s, kg */
const REACH = 0.13;
const RETURN = 0.06;
const MASS = 0.7;

const minus = (a, b) => a.map((x, k) => x - b[k]);
const length = (a) => Math.hypot(...a);

export class MockPhysics {
  constructor(drones) {
    this.drones = drones.map(({ name, position }) => ({ name, plan: position, position: [...position], touch: null }));
    this.hands = new Map();
    this.nextId = 1n;
  }

  /** A sample of a hand: joints (25,3) m, time s. */
  feed(name, joints, time) {
    const last = this.hands.get(name);
    const dt = last ? time - last.time : 0;
    const velocity = last && dt > 0 ? minus(joints[0], last.joints[0]).map((x) => x / dt) : [0, 0, 0];
    this.hands.set(name, { joints, time, velocity: length(velocity) > 0 ? velocity : last?.velocity ?? velocity });
  }

  /** One step of dt s; returns the contacts that began (phase 0) or ended (2). */
  step(dt, time) {
    const events = [];
    for (const drone of this.drones) {
      drone.position = drone.position.map((x, k) => x + (drone.plan[k] - x) * Math.min(1, dt / RETURN));
      const hit = this.touching(drone, time);
      if (hit) this.push(drone, hit, events);
      else if (drone.touch) {
        events.push({ ...drone.touch, phase: 2 });
        drone.touch = null;
      }
    }
    return events;
  }

  touching(drone, time) {
    for (const [name, hand] of this.hands) {
      if (time - hand.time > 0.2) continue;
      const joint = hand.joints.find((at) => length(minus(drone.position, at)) < REACH);
      if (joint) return { name, joint, velocity: hand.velocity };
    }
    return null;
  }

  push(drone, { name, joint, velocity }, events) {
    const away = minus(drone.position, joint);
    const gap = length(away) || 1;
    const speed = length(velocity);
    const approach = away.reduce((sum, x, k) => sum + x * velocity[k], 0);
    // a hand that comes takes the drone along, one that goes or rests is only in its way
    const direction = approach > 0 ? velocity.map((x) => x / speed) : away.map((x) => x / gap);
    drone.position = drone.position.map((x, k) => x + (REACH - gap) * direction[k]);
    if (drone.touch) return;
    drone.touch = {
      id: this.nextId++, phase: 0, hand: name, drone: drone.name, point: joint, normal: direction,
      impulse: direction.map((x) => x * MASS * Math.min(speed, 5)),
    };
    events.push(drone.touch);
  }
}
