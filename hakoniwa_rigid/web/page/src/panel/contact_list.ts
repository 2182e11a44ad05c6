// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/**
 * The latest contacts, newest first: who, how strong, how long. One row per contact, and per constraint, brought up to
 * date.
 */
import type { Contact, Store } from '../store';
import { BEGIN, END, PHASES, type ConstraintEvent } from '../wire/messages';
import { element } from './element';

const ROWS = 14;
/** ms after which a row is drawn as old */
const FRESH = 1500;

interface Row {
  root: HTMLElement;
  strength: HTMLElement;
  lasted: HTMLElement;
  at: number;
}

export class ContactList {
  readonly root = element('section', 'contacts', element('h2', '', 'Contacts'));
  private readonly rows = new Map<string, Row>();

  constructor(store: Store) {
    store.contactListeners.push((contact) => this.add(contact));
    store.constraintListeners.add((event) => this.addConstraint(event, performance.now()));
  }

  refresh(now: number): void {
    for (const { root, at } of this.rows.values()) root.classList.toggle('old', now - at > FRESH);
  }

  private add({ event, kind, strength, at }: Contact): void {
    const row = this.row(`${event.id}`, kind, `${event.body_a} · ${event.body_b}`, at);
    row.root.title = `${kind}: ${event.part_a} on ${event.part_b}`;
    // an end repeats the sum of the whole contact
    if (event.phase !== BEGIN || strength > 0) row.strength.textContent = `${strength.toFixed(3)} N·s`;
    row.lasted.textContent = event.phase === END ? `${(1000 * event.duration).toFixed(0)} ms` : '…';
  }

  private addConstraint(event: ConstraintEvent, at: number): void {
    const row = this.row(`constraint ${event.id}`, 'CONSTRAINT', event.name, at);
    row.root.title = `${event.body_a} · ${event.body_b}`;
    const [impulse, force] = [event.impulse, event.force].map(({ x, y, z }) => Math.hypot(x, y, z));
    row.strength.textContent = impulse ? `${impulse.toFixed(3)} N·s` : force ? `${force.toFixed(2)} N` : '';
    row.lasted.textContent = (PHASES[event.phase] ?? '?').toLowerCase();
  }

  /** The row of a key, made where there is none. */
  private row(key: string, kind: string, who: string, at: number): Row {
    let row = this.rows.get(key);
    if (!row) {
      row = { at, root: element('div', 'row'), strength: element('b', ''), lasted: element('i', '') };
      row.root.dataset.kind = kind;
      row.root.append(element('span', 'who', who), row.strength, row.lasted);
      this.rows.set(key, row);
      this.root.querySelector('h2')!.after(row.root);
      this.shorten();
    }
    row.at = at;
    return row;
  }

  private shorten(): void {
    for (const [id, { root }] of this.rows) {
      if (this.rows.size <= ROWS) return;
      root.remove();
      this.rows.delete(id);
    }
  }
}
