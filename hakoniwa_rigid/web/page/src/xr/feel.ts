// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Contacts felt: a buzz of the controller whose hand it was, as strong as the impulse. */
import { loudness, type Sound } from '../sound/sound';
import type { Contact } from '../store';
import { BEGIN } from '../wire/messages';

export class Feel {
  constructor(private readonly sound: Sound) {}

  /** A headset's session has no gesture of the page's own: its button is one. */
  wake(): void {
    this.sound.wake();
  }

  /** `buzzers` are the controllers by the body that they move. */
  contact({ event, strength }: Contact, buzzers: ReadonlyMap<string, XRInputSource>): void {
    const level = event.phase === BEGIN ? loudness(strength) : 0;
    if (level === 0) return;
    for (const body of [event.body_a, event.body_b]) {
      const actuator = buzzers.get(body)?.gamepad?.hapticActuators?.[0];
      void actuator?.pulse(level, 20 + 60 * level);
    }
  }
}
