// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Constraints: a line between the anchors of each, amber where it is a cable that is taut, or gives all it may. */
import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments } from 'three';

import type { Ties as Lines } from '../wire/messages';
import { CONTACT, EDGE } from './palette';

export class Ties {
  readonly group = new Group();
  private readonly slack = lines(EDGE);
  private readonly loaded = lines(CONTACT);
  private drawn: Lines | undefined;

  constructor() {
    this.group.add(this.slack, this.loaded);
  }

  update(ties: Lines | undefined): void {
    if (!ties || ties === this.drawn) return;
    this.drawn = ties;
    for (const [segments, loaded] of [[this.slack, false], [this.loaded, true]] as const) {
      const ends = ties.lines.filter((_, i) => ties.loaded[i] === loaded).flat(2);
      segments.geometry.dispose();
      segments.geometry = new BufferGeometry().setAttribute('position', new BufferAttribute(new Float32Array(ends), 3));
      segments.visible = ends.length > 0;
    }
  }
}

function lines(color: LineBasicMaterial['color']): LineSegments {
  const made = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color }));
  made.frustumCulled = false;
  made.visible = false;
  return made;
}
