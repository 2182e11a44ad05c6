// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Contacts heard: as loud as their impulse, of the materials that met; made here, from no file. */
import type { Contact, Store } from '../store';
import { memory } from '../theme';
import { BEGIN } from '../wire/messages';
import { VOICES, voicesOf, type Voice, type VoiceName } from './voices';

const KEY = 'hakoniwa_rigid.sound';
/** N s: of the loudest, and below which nothing is heard */
const LOUD = 0.6;
const FAINT = 2e-3;
/** s, a contact is heard at most so often; contacts that are heard at the same time: a crowd is no louder than these */
const PAUSE = 0.025;
const MOST = 8;
const LOUDEST = 0.5;
/** s of noise, made once */
const NOISE = 0.25;

/** From 0 to 1: how loud an impulse, N s, is. */
export function loudness(strength: number): number {
  return strength < FAINT ? 0 : Math.min(1, Math.sqrt(strength / LOUD));
}

export class Sound {
  private audio: AudioContext | undefined;
  private out: AudioNode | undefined;
  private noise: AudioBuffer | undefined;
  private voices = new Map<string, VoiceName>();
  private last = -Infinity;
  private sounding = 0;
  private off = memory.get(KEY) === 'off';

  constructor(store: Store) {
    // browsers let a page make sound only after a gesture
    for (const input of ['pointerdown', 'keydown'] as const) addEventListener(input, () => this.wake(), { once: true });
    store.sceneListeners.push((scene) => (this.voices = voicesOf(scene)));
  }

  get muted(): boolean {
    return this.off;
  }

  /** Remembered, too. */
  set muted(off: boolean) {
    this.off = off;
    memory.set(KEY, off ? 'off' : 'on');
  }

  /** To be called by a gesture. */
  wake(): void {
    if (typeof AudioContext === 'undefined') return;
    this.audio ??= new AudioContext();
    void this.audio.resume().catch(() => undefined);
  }

  /** Sounds a contact that begins; one that is seen again sounds again. */
  contact({ event, strength }: Contact): void {
    const level = event.phase === BEGIN ? loudness(strength) : 0;
    const { audio } = this;
    if (level === 0 || this.off || !audio || audio.state !== 'running') return;
    if (audio.currentTime - this.last < PAUSE || this.sounding >= MOST) return;
    this.last = audio.currentTime;
    const names = new Set([event.body_a, event.body_b].map((name) => this.voices.get(name) ?? 'plastic'));
    for (const name of names) this.strike(audio, VOICES[name], (level * LOUDEST) / names.size, level);
  }

  /** A harder hit is deeper, and rings longer. */
  private strike(audio: AudioContext, { tones, noise }: Voice, gain: number, level: number): void {
    const now = audio.currentTime;
    for (const [frequency, share, seconds] of tones) {
      const tone = new OscillatorNode(audio, { type: 'sine', frequency: frequency * (1.15 - 0.2 * level) });
      tone.frequency.exponentialRampToValueAtTime(0.9 * frequency, now + seconds);
      this.play(audio, tone, gain * share, seconds * (0.6 + 0.6 * level));
    }
    const [frequency, share, seconds] = noise;
    this.noise ??= noiseOf(audio);
    const burst = new AudioBufferSourceNode(audio, { buffer: this.noise });
    const filter = new BiquadFilterNode(audio, { type: 'lowpass', frequency, Q: 0.9 });
    burst.connect(filter);
    this.play(audio, burst, gain * share, seconds, filter);
  }

  private play(
    audio: AudioContext, source: AudioScheduledSourceNode, peak: number, seconds: number, last: AudioNode = source,
  ): void {
    const now = audio.currentTime;
    const gain = new GainNode(audio, { gain: peak });
    gain.gain.exponentialRampToValueAtTime(1e-4, now + seconds);
    last.connect(gain).connect(this.output(audio));
    this.sounding += 1 / 4;
    source.onended = () => {
      this.sounding -= 1 / 4;
      gain.disconnect();
    };
    source.start(now);
    source.stop(now + seconds);
  }

  /** Many at once are pressed together, and are no louder than one. */
  private output(audio: AudioContext): AudioNode {
    if (!this.out) {
      this.out = new DynamicsCompressorNode(audio, { threshold: -14, ratio: 8, attack: 0.002, release: 0.12 });
      this.out.connect(audio.destination);
    }
    return this.out;
  }
}

/** Noise that is the same in every page: a linear congruential generator's. */
function noiseOf(audio: AudioContext): AudioBuffer {
  const buffer = new AudioBuffer({ length: Math.ceil(NOISE * audio.sampleRate), sampleRate: audio.sampleRate });
  const samples = buffer.getChannelData(0);
  let state = 1;
  for (let i = 0; i < samples.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    samples[i] = state / 2 ** 31 - 1;
  }
  return buffer;
}
