// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** The contacts of a flight in order of time; each row is a button that leads to it. */
import { element } from '../panel/element';
import { KINDS, PHASES } from '../wire/messages';
import type { Content, Touch } from './content';

/** rows that are made; a flight with more shows the strongest of its contacts */
const MOST_ROWS = 1000;

export interface Entry {
  at: number;
  kind: string;
  who: string;
  what: string;
  strength: number;
  touch: Touch | undefined;
}

function norm(vector: readonly number[]): number {
  return Math.hypot(...vector);
}

/** Three decimals; what is less is not nothing. */
function impulseText(impulse: number): string {
  return impulse > 0 && impulse < 5e-4 ? '< 0.001 N·s' : `${impulse.toFixed(3)} N·s`;
}

/** Contacts and what happened to constraints, in order of time. */
export function entriesOf({ contacts, changes }: Content): Entry[] {
  const touches = contacts.map((touch): Entry => ({
    at: touch.begin, kind: KINDS[touch.kind] ?? '?', who: `${touch.a} · ${touch.b}`,
    what: impulseText(norm(touch.total)), strength: norm(touch.impulse), touch,
  }));
  const others = changes.map(({ at, phase, name }): Entry => ({
    at, kind: 'CONSTRAINT', who: name, what: (PHASES[phase] ?? '?').toLowerCase(), strength: Infinity, touch: undefined,
  }));
  const all = [...touches, ...others];
  const kept = all.length > MOST_ROWS ? all.sort((a, b) => b.strength - a.strength).slice(0, MOST_ROWS) : all;
  return kept.sort((a, b) => a.at - b.at);
}

export class List {
  readonly root: HTMLElement;
  private readonly rows: HTMLButtonElement[];
  private current = -1;

  constructor(private readonly entries: Entry[], go: (entry: Entry) => void) {
    this.rows = entries.map((entry) => {
      const row = element(
        'button', 'row', element('i', '', `${entry.at.toFixed(2)} s`), element('span', 'who', entry.who),
        element('b', '', entry.what),
      );
      row.type = 'button';
      row.dataset.kind = entry.kind;
      row.title = `${entry.kind.toLowerCase().replace('_', ' – ')} at ${entry.at.toFixed(3)} s`;
      row.onclick = () => go(entry);
      return row;
    });
    const items = this.rows.map((row) => element('li', '', row));
    const text = entries.length ? `Contacts (${entries.length})` : 'No contacts';
    this.root = element('section', 'contacts', element('h2', '', text), element('ol', '', ...items));
  }

  /** Marks the last contact that has begun at a time, s, and scrolls to it. */
  show(time: number): void {
    let found = -1;
    while (found + 1 < this.entries.length && this.entries[found + 1]!.at <= time + 1e-6) found += 1;
    if (found === this.current) return;
    this.rows[this.current]?.removeAttribute('aria-current');
    this.current = found;
    const row = this.rows[found];
    row?.setAttribute('aria-current', 'true');
    const scroller = this.root.querySelector('ol')!;
    // whole rows at the top
    const first = this.rows[Math.max(0, found - Math.floor(scroller.clientHeight / 2 / (row?.offsetHeight || 1)))];
    scroller.scrollTop = row && first ? first.offsetTop : 0;
  }
}
