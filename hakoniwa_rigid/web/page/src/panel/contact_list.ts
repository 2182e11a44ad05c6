/** The latest contacts, newest first: who, how strong, how long. One row per contact, brought up to date. */
import type { Contact, Store } from '../store';
import { BEGIN, END } from '../wire/messages';
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
  private readonly rows = new Map<bigint, Row>();

  constructor(store: Store) {
    store.contactListeners.push((contact) => this.add(contact));
  }

  refresh(now: number): void {
    for (const { root, at } of this.rows.values()) root.classList.toggle('old', now - at > FRESH);
  }

  private add({ event, kind, strength, at }: Contact): void {
    let row = this.rows.get(event.id);
    if (!row) {
      const [a, b] = [event.body_a, event.body_b];
      row = { at, root: element('div', 'row'), strength: element('b', ''), lasted: element('i', '') };
      row.root.dataset.kind = kind;
      row.root.append(element('span', 'who', `${a} · ${b}`), row.strength, row.lasted);
      row.root.title = `${kind}: ${event.part_a} on ${event.part_b}`;
      this.rows.set(event.id, row);
      this.root.querySelector('h2')!.after(row.root);
      this.shorten();
    }
    row.at = at;
    // an end repeats the sum of the whole contact
    if (event.phase !== BEGIN || strength > 0) row.strength.textContent = `${strength.toFixed(3)} N·s`;
    row.lasted.textContent = event.phase === END ? `${(1000 * event.duration).toFixed(0)} ms` : '…';
  }

  private shorten(): void {
    for (const [id, { root }] of this.rows) {
      if (this.rows.size <= ROWS) return;
      root.remove();
      this.rows.delete(id);
    }
  }
}
