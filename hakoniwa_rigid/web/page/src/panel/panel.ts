// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What is written over the picture: connection, buttons, read-outs, contacts. */
import type { Pushes } from '../pushes';
import type { Store } from '../store';
import type { Link, LinkState } from '../wire/link';
import { conditionOf } from './condition';
import { ContactList } from './contact_list';
import { element } from './element';
import { readings, type Reading } from './readings';

/** ms between refreshes of the read-outs, and for which a word stays */
const REFRESH = 500;
const WORD = 8000;
/** ms between looks at whether the page is frozen, whatever is drawn */
const WATCH = 200;

export type Tool = 'hand' | 'camera';

export interface Actions {
  tool(tool: Tool): void;
  view(): void;
  headset(): void;
  /** more buttons, what stands below them, and more read-outs, at a time in ms */
  buttons: readonly HTMLElement[];
  below: readonly HTMLElement[];
  readings(now: number): Reading[];
}

export class Panel {
  private readonly pill = element('span', 'pill');
  private readonly world = element('span', 'world');
  private readonly note = element('div', 'note');
  private readonly pauseButton = element('button', '', 'Pause');
  private readonly stepButton = element('button', '', 'Step');
  private readonly headsetButton = element('button', 'strong', 'Enter AR');
  private readonly table = element('table', 'readings');
  private readonly list: ContactList;
  private opened = NaN;
  private fleets = 0;
  private frames = 0;
  private refreshed = performance.now();
  private said = 0;

  constructor(
    root: HTMLElement, private readonly store: Store, private readonly link: Link, private readonly pushes: Pushes,
    private readonly actions: Actions,
  ) {
    this.list = new ContactList(store);
    const head = element('header', '', element('h1', '', 'hakoniwa_rigid'), this.world, this.pill);
    const side = element(
      'aside', '', this.controls(actions), this.note, ...actions.below, this.more(), this.table, this.list.root,
    );
    root.append(head, side);
    this.headsetButton.hidden = true;
    this.note.setAttribute('role', 'alert');
    store.pausedListeners.push(() => this.showPaused());
    this.state(link.state);
    setInterval(() => this.watch(), WATCH);
  }

  state(state: LinkState): void {
    if (state === 'open') this.opened = performance.now();
    this.watch();
  }

  /** Says what is true now: live, paused, frozen, not connected. */
  private watch(): void {
    const { store, link } = this;
    const now = performance.now();
    const { word, state } = conditionOf(link.state, this.opened, store.fleetAt, store.paused, now, new Date());
    if (this.pill.textContent !== word) this.pill.textContent = word;
    this.pill.dataset.state = state;
    document.body.dataset.state = state;
    // a page without pictures, in the background say, has read-outs all the same
    if (now - this.refreshed > 2 * REFRESH) this.refresh(now);
  }

  /** The headset's button: what it offers, or that it runs. */
  headset(offered: string | undefined, running: string | undefined): void {
    this.headsetButton.hidden = !offered && !running;
    this.headsetButton.textContent = running ? 'Leave' : offered === 'immersive-ar' ? 'Enter AR' : 'Enter VR';
  }

  /** A word of the node's for the person at the page. */
  say(word: string): void {
    this.note.textContent = word;
    this.said = performance.now();
  }

  /** Counts a frame, and refreshes what is read twice a second; now in ms. */
  frame(now: number): void {
    this.frames += 1;
    this.list.refresh(now);
    if (now - this.refreshed >= REFRESH) this.refresh(now);
  }

  private refresh(now: number): void {
    const span = (now - this.refreshed) / 1000;
    if (now - this.said > WORD) this.note.textContent = '';
    const { store } = this;
    const rates = { states: (store.fleets - this.fleets) / span, frames: this.frames / span };
    [this.fleets, this.frames, this.refreshed] = [store.fleets, 0, now];
    this.world.textContent = store.scene?.world ?? '';
    const all = [...readings(store, this.pushes, rates, now), ...this.actions.readings(now)];
    this.table.replaceChildren(...all.map(([name, value, title]) => {
      const row = element('tr', '', element('td', '', name), element('td', 'value', value));
      row.title = title ?? '';
      return row;
    }));
  }

  /** In a narrow page read-outs and contacts are there on demand: they would cover the picture. */
  private more(): HTMLElement {
    const button = element('button', 'more', 'Read-outs, contacts');
    button.setAttribute('aria-expanded', 'false');
    button.onclick = () => {
      const open = button.closest('aside')!.classList.toggle('open');
      button.setAttribute('aria-expanded', String(open));
    };
    return button;
  }

  private controls({ tool, view, headset, buttons }: Actions): HTMLElement {
    const reset = element('button', '', 'Reset');
    const look = element('button', '', 'View all');
    const hand = element('button', 'tool on', 'Hand');
    const camera = element('button', 'tool', 'Camera');
    const pressed = (button: HTMLElement, on: boolean) => {
      button.setAttribute('aria-pressed', String(on));
      return button.classList.toggle('on', on);
    };
    const choose = (chosen: Tool) => {
      pressed(hand, chosen === 'hand');
      pressed(camera, chosen === 'camera');
      tool(chosen);
    };
    pressed(hand, true);
    pressed(camera, false);
    hand.onclick = () => choose('hand');
    camera.onclick = () => choose('camera');
    look.onclick = view;
    reset.onclick = () => void this.ask('/reset', {});
    this.stepButton.onclick = () => void this.ask('/step', { ticks: 1 });
    this.stepButton.disabled = true;
    this.pauseButton.onclick = () => void this.pause();
    this.headsetButton.onclick = headset;
    return element(
      'div', 'controls', this.pauseButton, this.stepButton, reset, look, hand, camera, ...buttons, this.headsetButton,
    );
  }

  private async pause(): Promise<void> {
    const paused = !this.store.paused;
    // the node tells it to all pages, too; an older one does not
    if (await this.ask('/set_paused', { paused })) this.store.pause(paused);
  }

  private showPaused(): void {
    this.pauseButton.textContent = this.store.paused ? 'Resume' : 'Pause';
    this.stepButton.disabled = !this.store.paused;
    this.watch();
  }

  private async ask(service: string, request: unknown): Promise<boolean> {
    const { success, message } = await this.link.call(service, request);
    this.say(success ? '' : message);
    return success;
  }
}
