// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Contacts heard and felt: a click as loud as the impulse, and a buzz of the controller whose hand it was. */
import type { Contact } from '../store';
import { BEGIN } from '../wire/messages';

/** N s: of the loudest click and the strongest buzz; below the faint one nothing is heard */
const LOUD = 0.5;
const FAINT = 2e-3;
/** s, clicks at most so often */
const PAUSE = 0.03;
const LOUDEST = 0.25;

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
  private audio: AudioContext | undefined;
  private last = -Infinity;
  muted = false;

  constructor() {
    // browsers let a page make sound only after a gesture
    addEventListener('pointerdown', () => this.wake(), { once: true });
  }

  wake(): void {
    if (typeof AudioContext === 'undefined') return;
    this.audio ??= new AudioContext();
    void this.audio.resume().catch(() => undefined);
  }

  /** `buzzers` are the controllers by the body that they move. */
  contact({ event, strength }: Contact, buzzers: ReadonlyMap<string, XRInputSource>): void {
    if (event.phase !== BEGIN || strength < FAINT) return;
    const level = Math.min(1, Math.sqrt(strength / LOUD));
    this.click(level);
    for (const body of [event.body_a, event.body_b]) {
      const gamepad = buzzers.get(body)?.gamepad as Buzzing | null | undefined;
      if (gamepad) buzz(gamepad, level, 20 + 60 * level);
    }
  }

  /** A short falling tone: deeper for a stronger hit. */
  private click(level: number): void {
    const audio = this.audio;
    if (!audio || this.muted || audio.state !== 'running' || audio.currentTime - this.last < PAUSE) return;
    const now = audio.currentTime;
    this.last = now;
    const tone = new OscillatorNode(audio, { type: 'triangle', frequency: 900 - 500 * level });
    const gain = new GainNode(audio, { gain: LOUDEST * level });
    tone.frequency.exponentialRampToValueAtTime(120, now + 0.08);
    gain.gain.exponentialRampToValueAtTime(1e-4, now + 0.12);
    tone.connect(gain).connect(audio.destination);
    tone.start(now);
    tone.stop(now + 0.13);
  }
}
