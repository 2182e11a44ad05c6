// Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
/** Where labels stand: beside their drones, over no drone and no other label, inside what panels leave free. */

/** CSS pixels: middle and half sides of what is labelled, the sides of its label, where it stood before. */
export interface Labelled {
  x: number;
  y: number;
  halfX: number;
  halfY: number;
  width: number;
  height: number;
  before?: number;
}

/** CSS pixels, from the left and the top of the page. */
export interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Middle of a label less that of what it belongs to, CSS pixels; which of the places it is. */
export interface Place {
  dx: number;
  dy: number;
  place: number;
}

/** to the right and left, above and below, at the corners: in this order */
const PLACES = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]] as const;
/** CSS pixels between a label and what it belongs to, and between two labels */
const GAP = 5;
const APART = 3;

function offset({ halfX, halfY, width, height }: Labelled, place: number): [number, number] {
  const [a, b] = PLACES[place]!;
  // at a corner it is nearer: what is labelled is round
  const share = a !== 0 && b !== 0 ? 0.75 : 1;
  return [a * (share * halfX + GAP + width / 2), b * (share * halfY + GAP + height / 2)];
}

/** Middle and half sides, CSS pixels. */
type Box = readonly [number, number, number, number];

function overlap([x, y, halfX, halfY]: Box, [u, v, w, h]: Box): boolean {
  return Math.abs(x - u) < halfX + w && Math.abs(y - v) < halfY + h;
}

/** The place of each, in order of their right to one, over none of `others`; undefined for those that have none. */
export function labelPlaces(
  labelled: readonly Labelled[], bounds: Bounds, others: readonly Labelled[] = labelled,
): (Place | undefined)[] {
  const taken: Box[] = [];
  return labelled.map((item) => {
    const order = item.before === undefined ? [0, 1, 2, 3, 4, 5, 6, 7] : [item.before, 0, 1, 2, 3, 4, 5, 6, 7];
    const [halfX, halfY] = [item.width / 2, item.height / 2];
    for (const place of order) {
      const [dx, dy] = offset(item, place);
      const [x, y] = [item.x + dx, item.y + dy];
      const inside = x - halfX >= bounds.left && x + halfX <= bounds.right && y - halfY >= bounds.top
        && y + halfY <= bounds.bottom;
      if (!inside || taken.some((other) => overlap([x, y, halfX + APART, halfY + APART], other))) continue;
      if (others.some((other) => other !== item
        && overlap([x, y, halfX, halfY], [other.x, other.y, other.halfX, other.halfY]))) continue;
      taken.push([x, y, halfX, halfY]);
      return { dx, dy, place };
    }
    return undefined;
  });
}
