// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Who came and who left lately, and why where the node has said so: the newest first. */
import type { Scene } from '../wire/messages';
import { element } from './element';

/** rows, and letters of a reason */
const ROWS = 6;
const LETTERS = 120;
/** as the node words it in /diagnostics */
const LINE = /^(.+?) (came|left): (.+)$/;

type Word = 'came' | 'left';

/** `at`: the time of day, '' of what was before the page; `why`: '' until the node says it. */
export interface Coming {
  name: string;
  word: Word;
  why: string;
  at: string;
}

export class Comings {
  readonly root = element('section', 'comings');
  readonly rows: Coming[] = [];
  private world: string | undefined;
  private names = new Set<string>();

  /** Another scene: of the same world, the difference is what came and left; at: the time of day. */
  scene({ world, drones, objects }: Scene, at: string): void {
    const names = new Set([...drones, ...objects].map(({ name }) => name));
    if (world === this.world) {
      for (const name of this.names) if (!names.has(name)) this.add({ name, word: 'left', why: '', at });
      for (const name of names) if (!this.names.has(name)) this.add({ name, word: 'came', why: '', at });
    } else this.rows.length = 0;
    [this.world, this.names] = [world, names];
    this.show();
  }

  /** What the node has told of newcomers, the newest first. */
  told(lines: readonly string[]): void {
    for (const line of [...lines].reverse()) {
      const [, name, word, reason] = LINE.exec(line) ?? [];
      if (!name || !reason) continue;
      const why = reason.slice(0, LETTERS);
      const alike = this.rows.filter((row) => row.name === name && row.word === word);
      if (alike.some((row) => row.why === why)) continue;
      const row = alike.find((one) => !one.why);
      if (row) row.why = why;
      else this.add({ name, word: word as Word, why, at: '' });
    }
    this.show();
  }

  private add(coming: Coming): void {
    this.rows.unshift(coming);
    this.rows.length = Math.min(this.rows.length, ROWS);
  }

  private show(): void {
    const rows = this.rows.map(({ name, word, why, at }) =>
      element('div', 'coming', element('b', '', name), element('span', '', [word, at, why && `(${why})`]
        .filter(Boolean).join(' '))));
    this.root.replaceChildren(...(rows.length ? [element('h2', '', 'Came and left'), ...rows] : []));
  }
}
