// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Drones that something is wrong with, and why. */
import { element } from './element';

const ROWS = 6;

export class Troubles {
  readonly root = element('section', 'troubles');
  private shown: ReadonlyMap<string, string> | undefined;

  show(wrong: ReadonlyMap<string, string>): void {
    if (wrong === this.shown) return;
    this.shown = wrong;
    const rows = [...wrong].slice(0, ROWS).map(([name, why]) =>
      element('div', 'trouble', element('b', '', name), element('span', '', why)));
    const more = wrong.size > ROWS ? [element('div', 'trouble', `and ${wrong.size - ROWS} more`)] : [];
    this.root.replaceChildren(...(rows.length ? [element('h2', '', 'Drones in trouble'), ...rows, ...more] : []));
  }
}
