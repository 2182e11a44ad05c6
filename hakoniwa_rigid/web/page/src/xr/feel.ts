// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Contacts felt: a buzz of the controller whose hand it was, as strong as the impulse. */
import type { Sound } from '../sound/sound';
import type { Contact } from '../store';
import { BEGIN } from '../wire/messages';

/** N s: of the strongest buzz; below the faint one nothing is felt */
const STRONG = 0.5;
const FAINT = 2e-3;

/** What browsers have of one interface or the other. */
interface Buzzing {
  hapticActuators?: readonly { pulse?(strength: number, ms: number): Promise<unknown> }[];
  vibrationActuator?: { playEffect?(kind: string, effect: object): Promise<unknown> } | null;
}

/** Strength 0 to 1, for so many ms; what cannot buzz does not. */
function buzz({ hapticActuators, vibrationActuator }: Buzzing, strength: number, ms: number): void {
  const effect = { duration: ms, strongMagnitude: strength, weakMagnitude: strength };
  const done = hapticActuators?.[0]?.pulse?.(strength, ms) ?? vibrationActuator?.playEffect?.('dual-rumble', effect);
  done?.catch(() => undefined);   // a controller that is gone
}

export class Feel {
  constructor(private readonly sound: Sound) {}

  get muted(): boolean {
    return this.sound.muted;
  }

  set muted(off: boolean) {
    this.sound.muted = off;
  }

  /** A headset's session has no gesture of the page's own: its button is one. */
  wake(): void {
    this.sound.wake();
  }

  /** `buzzers` are the controllers by the body that they move. */
  contact({ event, strength }: Contact, buzzers: ReadonlyMap<string, XRInputSource>): void {
    if (event.phase !== BEGIN || strength < FAINT) return;
    const level = Math.min(1, Math.sqrt(strength / STRONG));
    for (const body of [event.body_a, event.body_b]) {
      const gamepad = buzzers.get(body)?.gamepad as Buzzing | null | undefined;
      if (gamepad) buzz(gamepad, level, 20 + 60 * level);
    }
  }
}
