// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The bar below: play, the time that can be drawn, contacts on it, how fast. */
import { element } from '../panel/element';
import type { Playback } from './playback';
import type { Entry } from './list';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
/** as in style.css: told apart by people who see red and green alike */
const COLOURS: Record<string, string> = {
  DRONE_DRONE: '#d55e00', DRONE_WALL: '#3a93d0', OBJECT_WALL: '#3a93d0', DRONE_HAND: '#e69f00', OBJECT_HAND: '#e69f00',
};
const OTHER = '#8494a5';
/** steps of the slider per s */
const STEPS = 100;

function clockText(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${(seconds % 60).toFixed(2).padStart(5, '0')}`;
}

export class Timeline {
  readonly root: HTMLElement;
  private readonly button = element('button', 'play', 'Play');
  private readonly slider = element('input', 'scrub');
  private readonly clock = element('output', 'clock');
  private readonly speed = element('select', '');
  private readonly marks = element('canvas', 'marks');

  constructor(private readonly playback: Playback, private readonly entries: Entry[]) {
    const { duration } = playback;
    Object.assign(this.slider, { type: 'range', min: '0', max: String(Math.ceil(duration * STEPS)), step: '1' });
    this.slider.setAttribute('aria-label', 'time');
    this.speed.setAttribute('aria-label', 'speed');
    const option = (x: number, chosen: boolean) => new Option(`${x} ×`, String(x), chosen, chosen);
    this.speed.append(...SPEEDS.map((x) => option(x, x === playback.speed)));
    this.button.type = 'button';
    this.button.onclick = () => playback.toggle();
    this.slider.oninput = () => playback.seek(Number(this.slider.value) / STEPS);
    this.speed.onchange = () => (playback.speed = Number(this.speed.value));
    const track = element('div', 'track', this.marks, this.slider);
    this.root = element('nav', 'timeline', this.button, this.clock, track, this.speed);
    this.root.setAttribute('aria-label', 'playback');
    new ResizeObserver(() => this.drawMarks()).observe(this.marks);
  }

  /** Shows where the playback is. */
  refresh(): void {
    const { time, duration, playing } = this.playback;
    const text = `${clockText(time)} of ${clockText(duration)}`;
    if (this.clock.value !== text) {
      this.clock.value = text;
      this.slider.value = String(Math.round(time * STEPS));
      this.slider.setAttribute('aria-valuetext', `${time.toFixed(1)} of ${duration.toFixed(1)} s`);
    }
    const word = playing ? 'Pause' : 'Play';
    if (this.button.textContent !== word) this.button.textContent = word;
  }

  /** One line per contact, as high as it was strong. */
  private drawMarks(): void {
    const ratio = Math.min(devicePixelRatio, 2);
    const { clientWidth: width, clientHeight: height } = this.marks;
    Object.assign(this.marks, { width: Math.max(1, width * ratio), height: Math.max(1, height * ratio) });
    const pen = this.marks.getContext('2d')!;
    pen.scale(ratio, ratio);
    const least = 7;   // px, half of the slider's knob: where it is at either end
    for (const { at, kind, strength } of this.entries) {
      const share = Number.isFinite(strength) ? Math.min(1, 0.35 + 0.3 * Math.log10(1 + 10 * strength)) : 0.35;
      pen.fillStyle = COLOURS[kind] ?? OTHER;
      const x = least + (at / (this.playback.duration || 1)) * (width - 2 * least);
      pen.fillRect(x - 0.75, height * (1 - share), 1.5, height * share);
    }
  }
}
