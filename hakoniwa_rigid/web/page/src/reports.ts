// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** What the node says of each drone once a second (/diagnostics): what is wrong with it, what it is near to. */
import type { Link } from './wire/link';
import { FROZEN, LIMITED, STALE, type DiagnosticArray, type FleetState, type Scene } from './wire/messages';

/** ms after which a report is not shown any more; letters of a cause */
const OLD = 3500;
const LETTERS = 160;
/** causes by flags, where the node has not said more */
const WORDS = [
  [FROZEN, 'frozen, out of contact'], [STALE, 'stale: nothing new of it comes'], [LIMITED, 'held within its limits'],
] as const;
const NAME = /: drone (.+)$/;
/** lines of newcomers that a scene has at most */
const NEWCOMERS = 8;

/** Of one drone: what is wrong with it ('' where nothing is), m to the nearest body, which one. */
export interface Report {
  wrong: string;
  /** who owns its motion now */
  authority: string;
  clearance: number;
  nearest: string;
  at: number;
}

export class Reports {
  /** by drone, of those of the scene only: who else publishes what on the topic fills no table */
  readonly drones = new Map<string, Report>();
  /** called with every report of a drone of the scene, and with what is told of drones that come and leave */
  readonly listeners: ((name: string, report: Report) => void)[] = [];
  onNewcomers: (lines: readonly string[]) => void = () => undefined;
  private known = new Set<string>();
  private causes = new Map<string, string>();

  listen(link: Link): void {
    link.on<DiagnosticArray>('/diagnostics', (message) => this.hear(message, performance.now()));
  }

  show(scene: Scene): void {
    this.known = new Set(scene.drones.map(({ name }) => name));
    this.drones.clear();
  }

  hear({ status }: DiagnosticArray, at: number): void {
    for (const { name, level, message, values } of status) {
      if (name.endsWith(': scene')) this.onNewcomers(newcomers(values));
      const drone = NAME.exec(name)?.[1];
      if (drone === undefined || !this.known.has(drone)) continue;
      const value = (key: string) => values.find((pair) => pair.key === key)?.value ?? '';
      const clearance = Number.parseFloat(value('clearance [m]'));
      const wrong = level > 0 ? message.slice(0, LETTERS) : '';
      const report = { wrong, authority: value('authority'), clearance, nearest: value('nearest'), at };
      this.drones.set(drone, report);
      for (const listener of this.listeners) listener(drone, report);
    }
  }

  /** What is wrong, by drone, now: ms. The same map until something of it changes. */
  wrong(fleet: FleetState | undefined, now: number): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    fleet?.names.forEach((name, i) => {
      const flags = fleet.flags[i] ?? 0;
      const report = this.drones.get(name);
      const said = report && now - report.at < OLD ? report.wrong : '';
      const word = WORDS.find(([bit]) => flags & bit)?.[1] ?? '';
      if (said || word) found.set(name, said || word);
    });
    const same = found.size === this.causes.size && [...found].every(([name, why]) => this.causes.get(name) === why);
    if (!same) this.causes = found;
    return this.causes;
  }

  /** What is nearest to something, as a read-out. */
  reading(now: number): [string, string, string][] {
    const found = this.closest(now);
    if (!found) return [];
    const [name, { clearance, nearest }] = found;
    return [['closest', `${name} · ${nearest} ${clearance.toFixed(2)} m`, 'of all drones, to what it is nearest to']];
  }

  /** Reports that are not too old, now: ms. */
  fresh(now: number): [string, Report][] {
    return [...this.drones].filter(([, { at }]) => now - at < OLD);
  }

  /** The drone that is nearest to something. */
  closest(now: number): [string, Report] | undefined {
    return this.fresh(now).filter(([, { clearance }]) => Number.isFinite(clearance))
      .reduce<[string, Report] | undefined>((a, b) => (a && a[1].clearance <= b[1].clearance ? a : b), undefined);
  }
}

/** What the node tells of drones that came and left by themselves, the newest first. */
function newcomers(values: readonly { key: string; value: string }[]): string[] {
  return values.filter(({ key }) => key.startsWith('newcomers ')).slice(0, NEWCOMERS).map(({ value }) => value);
}
