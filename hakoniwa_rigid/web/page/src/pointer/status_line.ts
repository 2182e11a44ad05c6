// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What the own hand does, in a line that screen readers read out; and which keys do what. */
import type { Bodies } from './bodies';
import type { News } from './hand_driver';
import { element } from '../panel/element';

/** ms for which a line stays */
const STAYS = 6000;
const HINTS = {
  mouse: 'press a drone: hold, let go in motion: throw · beside it: push · wheel or Shift: depth · '
    + 'right drag or Alt: turn · middle drag or Ctrl: move the view · keys: ?',
  touch: 'one finger: hold or push · two: turn and zoom · three: move the view',
};
const KEYS = 'Keys on the picture: Tab or arrows choose a body · Enter or Space hold it and let go · arrows, Page Up '
  + 'and Page Down move it, slowly with Shift · T throw · P push with an open hand · Escape let go, choose nothing. '
  + 'Gamepad: bumpers choose · A hold · sticks move · X throw · Y push.';

export class StatusLine {
  readonly root: HTMLElement;
  private readonly line = element('div', 'hand-status');
  private readonly hint = element('div', 'hand-hint');
  private readonly keys = element('div', 'hand-keys', KEYS);
  private said = 0;

  constructor(private readonly bodies: Bodies, canvas: HTMLElement) {
    this.line.setAttribute('role', 'status');
    this.line.setAttribute('aria-live', 'polite');
    this.keys.id = 'hand-keys';
    const help = element('button', 'hand-help', '?');
    help.setAttribute('aria-label', 'Keys and gamepad');
    help.setAttribute('aria-expanded', 'false');
    help.setAttribute('aria-controls', this.keys.id);
    help.onclick = () => {
      const open = this.root.classList.toggle('open');
      help.setAttribute('aria-expanded', String(open));
    };
    this.root = element('div', 'hand-words', this.line, element('div', 'hand-foot', this.hint, help), this.keys);
    this.forPointer(matchMedia('(pointer: coarse)').matches);
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'application');
    canvas.setAttribute('aria-label', 'The scene, seen by a camera');
    canvas.setAttribute('aria-describedby', this.keys.id);
    canvas.addEventListener('pointerdown', ({ pointerType }) => this.forPointer(pointerType === 'touch'));
  }

  get text(): string {
    return this.line.textContent ?? '';
  }

  private forPointer(touch: boolean): void {
    const hint = touch ? HINTS.touch : HINTS.mouse;
    if (this.hint.textContent !== hint) this.hint.textContent = hint;
  }

  say(text: string, mood: 'plain' | 'good' | 'bad' = 'plain'): void {
    this.line.textContent = text;
    this.line.dataset.mood = mood;
    this.said = performance.now();
  }

  /** Takes a line away that has been there for long, unless it is still true. */
  refresh(now: number, lasts: boolean): void {
    if (lasts) this.said = now;
    else if (this.text && now - this.said > STAYS) this.say('');
  }

  /** Says what has happened to the hand. */
  tell(news: News): void {
    const body = this.bodies.get(news.name);
    const observed = body?.authority === 'observe';
    switch (news.what) {
      case 'reaching': return this.say(`reaching for ${news.name}`);
      case 'holding':
        if (!observed) return this.say(`holding ${news.name}`, 'good');
        return this.say(`holding ${news.name}: it is only observed, so its simulator moves it and no hand does`, 'bad');
      case 'missed': return this.say(`could not take hold of ${news.name}`, 'bad');
      case 'lost': return this.say(`${news.name} has slipped out of the hand`, 'bad');
      case 'released': return this.say(`released ${news.name}${goesBack(body?.authority)}`);
      case 'thrown':
        return this.say(`threw ${news.name} at ${news.speed.toFixed(1)} m/s${goesBack(body?.authority)}`, 'good');
      case 'refused': return this.say(`no hand for this page: ${news.why}`, 'bad');
      case 'pushing': return this.say('an open hand pushes');
      default: return this.say('');
    }
  }
}

/** A drone with a plan goes back to it, whatever a hand did. */
function goesBack(authority = ''): string {
  return authority === 'correct' ? ': it returns to its plan' : '';
}
