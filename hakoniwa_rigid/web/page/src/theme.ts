// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Dark or light: as the system has it, or as it was chosen here, which is remembered. */
import type { ThemeName } from './view/palette';

const KEY = 'hakoniwa_rigid.theme';

/** What a page keeps from visit to visit; nothing where the browser forbids it. */
export const memory = {
  get(key: string): string | null {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key: string, value: string): void {
    try {
      localStorage.setItem(key, value);
    } catch {
      // the choice holds for this visit
    }
  },
};

export class Theme {
  private readonly system = matchMedia('(prefers-color-scheme: light)');
  private chosen: ThemeName | undefined;

  /** Calls the listener now and at every change. */
  constructor(private readonly listener: (name: ThemeName) => void) {
    const kept = memory.get(KEY);
    if (kept === 'dark' || kept === 'light') this.chosen = kept;
    this.system.addEventListener('change', () => this.show());
    this.show();
  }

  get name(): ThemeName {
    return this.chosen ?? (this.system.matches ? 'light' : 'dark');
  }

  /** The other one, from now on and at the next visit. */
  toggle(): void {
    this.chosen = this.name === 'dark' ? 'light' : 'dark';
    memory.set(KEY, this.chosen);
    this.show();
  }

  private show(): void {
    document.documentElement.dataset.theme = this.name;
    this.listener(this.name);
  }
}
