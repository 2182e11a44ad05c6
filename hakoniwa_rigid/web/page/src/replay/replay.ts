// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * What was seen, seen again: slowly, on demand, with a bar to draw the time; by itself where nothing has moved for a
 * while and the page has not been touched.  States go on coming meanwhile, and the live view goes on after it.
 */
import { element } from '../panel/element';
import { Playback } from '../player/playback';
import { Timeline } from '../player/timeline';
import type { Contact, Store } from '../store';
import type { Shown, View } from '../view/view';
import type { ReplayBuffer } from './buffer';
import type { Clip } from './clip';

/** speeds, in times of what was; ms before the last contact from which a replay begins, where there is one */
const SLOW = 0.25;
const LEAD = 700;
/** ms of trails that are drawn anew after a jump, and between their pieces */
const MEMORY = 1500;
const PIECE = 50;
/** ms: nothing has moved for so long before a replay by itself, and live view between two; m that are no motion */
const IDLE = 4000;
const REST = 6000;
const STILL = 0.01;
const LOOK = 500;

/** Starts and ends one. */
export function replayButton(replay: Replay, say: (word: string) => void): HTMLButtonElement {
  const button = element('button', 'tool', 'Replay');
  button.type = 'button';
  button.title = 'the last 10 s, slowly';
  button.onclick = () => {
    if (replay.on) replay.stop();
    else if (!replay.start()) say('nothing has been seen yet');
  };
  replay.onChange = () => {
    button.classList.toggle('on', replay.on);
    button.setAttribute('aria-pressed', String(replay.on));
  };
  return button;
}

interface Running {
  clip: Clip;
  playback: Playback;
  bar: HTMLElement;
  timeline: Timeline;
  word: HTMLElement;
  byItself: boolean;
  told: number;
  drawn: number;
  scrubbed: boolean;
}

export class Replay {
  onChange: () => void = () => undefined;
  private running: Running | undefined;
  private moved = NaN;
  private ended = -Infinity;
  private looked = -Infinity;
  private places = new Float64Array(0);

  constructor(
    private readonly root: HTMLElement, private readonly store: Store, private readonly view: View,
    private readonly buffer: ReplayBuffer, private readonly sound: (contact: Contact) => void,
  ) {
    store.sceneListeners.push(() => this.stop());
  }

  get on(): boolean {
    return this.running !== undefined;
  }

  get byItself(): boolean {
    return this.running?.byItself ?? false;
  }

  /** s of the replay, of all of it; NaN without one. */
  get time(): [number, number] {
    return [this.running?.playback.time ?? NaN, this.running?.playback.duration ?? NaN];
  }

  /** Starts one on demand: all that is kept, from just before the last contact; false where nothing is kept. */
  start(): boolean {
    const clip = this.buffer.clip();
    if (!clip) return false;
    const last = clip.contacts.at(-1);
    this.begin(clip, false);
    this.running!.playback.seek(last ? Math.max(0, (last.at - LEAD - clip.from) / 1000) : 0);
    this.running!.scrubbed = false;
    return true;
  }

  /** Live again. */
  stop(): void {
    if (!this.running) return;
    this.running.bar.remove();
    this.running = undefined;
    this.ended = performance.now();
    delete document.body.dataset.replay;
    this.view.forget();
    this.onChange();
  }

  /** Draws the replay instead of what is live; false where there is none. Now in ms, dt in s. */
  update(now: number, dt: number): boolean {
    this.watch(now);
    const { running } = this;
    if (!running) return false;
    const { playback, clip, timeline, word } = running;
    playback.pass(dt);
    if (this.view.stale || playback.time !== running.drawn) this.draw(running, playback.time);
    timeline.refresh();
    const ago = `${((now - clip.from) / 1000 - playback.time).toFixed(1)} s ago`;
    if (word.textContent !== ago) word.textContent = ago;
    if (!playback.playing && playback.time >= playback.duration && !running.scrubbed) this.stop();
    return true;
  }

  /** Where nothing moves, the page has not been touched, and there was a collision before. */
  private watch(now: number): void {
    if (now - this.looked < LOOK) return;
    this.looked = now;
    const { fleet } = this.store;
    if (!fleet) return;
    const { positions } = fleet;
    const isStill = positions.length === this.places.length
      && positions.every((x, i) => Math.abs(x - this.places[i]!) < STILL);
    if (!isStill) {
      this.places = Float64Array.from(positions);
      this.moved = now;
      if (this.byItself) this.stop();
    }
    const { director, calm } = this.view;
    if (this.byItself && !director.running) this.stop();
    if (this.running || !director.running || calm) return;
    const clip = this.buffer.lastImpact;
    if (clip && now - this.moved > IDLE && now - this.ended > REST) this.begin(clip, true);
  }

  private begin(clip: Clip, byItself: boolean): void {
    this.stop();
    const playback = new Playback((clip.to - clip.from) / 1000);
    playback.speed = SLOW;
    const timeline = new Timeline(playback, clip.contacts.map(({ at, kind, strength }) =>
      ({ at: (at - clip.from) / 1000, kind, who: '', what: '', strength, touch: undefined })));
    const live = element('button', 'strong', 'Live');
    live.onclick = () => this.stop();
    const word = element('output', 'ago', '');
    const title = byItself ? 'Replay of the last collision' : 'Replay';
    const head = element('div', 'replay_head', element('b', '', title), word, live);
    const bar = element('section', 'replay', head, timeline.root);
    bar.setAttribute('aria-label', title);
    this.running = { clip, playback, bar, timeline, word, byItself, told: 0, drawn: NaN, scrubbed: false };
    this.root.append(bar);
    document.body.dataset.replay = byItself ? 'by itself' : 'asked for';
    playback.onSeek = (time) => this.arrive(time);
    playback.playing = true;
    this.arrive(0);
    this.running.scrubbed = false;
    this.onChange();
  }

  /** After a jump: what led to the picture, so that trails and arrows are there. */
  private arrive(time: number): void {
    const { running } = this;
    if (!running) return;
    running.scrubbed = true;
    this.view.forget();
    const from = Math.max(0, time - MEMORY / 1000);
    const first = running.clip.contacts.findIndex(({ at }) => at > running.clip.from + 1000 * from);
    running.told = first < 0 ? running.clip.contacts.length : first;
    for (let at = from; at < time; at += PIECE / 1000) this.draw(running, at, true);
    this.draw(running, time, true);
  }

  private draw(running: Running, time: number, silent = false): void {
    const { clip } = running;
    const at = clip.from + 1000 * time;
    const shown: Shown = clip.at(at);
    while (running.told < clip.contacts.length && clip.contacts[running.told]!.at <= at) {
      const contact = clip.contacts[running.told++]!;
      this.view.flash(contact);
      if (!silent) this.sound(contact);
    }
    this.view.update(at, NOTHING, shown);
    running.drawn = time;
  }
}

const NOTHING = new Map<string, never>();
