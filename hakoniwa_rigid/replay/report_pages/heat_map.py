# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A grid of values as inline SVG: one colour, stronger for larger values, the values written where there is room."""
from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from .page import escaped

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 420, 72, 8, 20, 38
MOST_VALUES = 24                # rows, and columns
TALLEST, LOWEST = 30, 12        # height of a cell
MOST_WRITTEN, MOST_LONG = 9, 6  # columns up to which the values are written, and with four digits
MOST_LABELS, MOST_LETTERS = 8, 10
PALEST = 0.06                   # opacity of the least value
SAME = 1e-9                     # values that differ by this part of them are the same


def heat_map(title: str, x_name: str, x_values: Sequence[str], y_name: str, y_values: Sequence[str],
             values: Sequence[Sequence[float | None]]) -> str:
    """<figure> of values[y][x]; None: no run, or none that gave a result, a cross.  At most MOST_VALUES of each axis,
    evenly chosen; the caption says so."""
    columns, rows = _chosen(len(x_values)), _chosen(len(y_values))
    few = [f'{len(kept)} of {len(all_)} values of {name}' for kept, all_, name in
           ((columns, x_values, x_name), (rows, y_values, y_name)) if len(kept) < len(all_)]
    wide, high = (WIDTH - LEFT - RIGHT) / len(columns), max(LOWEST, min(TALLEST, 300 / len(rows)))
    bottom = TOP + high * len(rows)
    known = [v for row in values for v in row if v is not None and isfinite(v)]
    low, size = min(known, default=0.0), (max(known, default=0.0) - min(known, default=0.0))
    cells, texts = [], []
    for r, y in enumerate(rows):
        for c, x in enumerate(columns):
            value = values[y][x]
            left, top = LEFT + c * wide, TOP + r * high
            if value is None or not isfinite(value):
                cells.append(f'<path class="rule" stroke="#5b6570" d="M{left + 3:.1f} {top + 3:.1f}'
                             f'L{left + wide - 3:.1f} {top + high - 3:.1f}M{left + 3:.1f} {top + high - 3:.1f}'
                             f'L{left + wide - 3:.1f} {top + 3:.1f}"/>')
                continue
            share = (value - low) / size if size > SAME * abs(low) else 0.5
            opacity = PALEST + (0.9 - PALEST) * share
            cells.append(f'<rect class="cell" fill="#0072b2" fill-opacity="{opacity:.3f}" x="{left:.1f}" y="{top:.1f}" '
                         f'width="{wide - 1:.1f}" height="{high - 1:.1f}"><title>'
                         f'{_named(x_name, x_values[x], y_name, y_values[y])}: {value:.6g}</title></rect>')
            if len(columns) <= MOST_WRITTEN and high >= 16:
                texts.append(f'<text x="{left + 0.5 * wide:.1f}" y="{top + 0.5 * high + 4:.1f}">'
                             f'{_written(value, len(columns))}</text>')
    axis = _axis_texts(x_name, [x_values[x] for x in columns], y_name, [y_values[y] for y in rows], wide, high)
    caption = '; '.join([title, *few])
    return (f'<figure><figcaption>{escaped(caption)}</figcaption>\n<svg viewBox="0 0 {WIDTH} {bottom + BOTTOM:.0f}" '
            f'role="img" aria-label="{escaped(caption)}" fill="none">\n' + '\n'.join(cells)
            + f'\n<g class="cells" fill="#1d232b" font-size="11" text-anchor="middle">{"".join(texts)}</g>'
            + f'\n<g class="axis" fill="#5b6570" font-size="12">{"".join(axis)}</g>\n</svg></figure>')


def _axis_texts(x_name: str, x_values: Sequence[str], y_name: str, y_values: Sequence[str], wide: float,
                high: float) -> list[str]:
    """Names and values beside and below the cells."""
    bottom = TOP + high * len(y_values)
    found = [f'<text x="{LEFT - 5}" y="{TOP + (r + 0.5) * high + 4:.1f}" text-anchor="end">{_label(y_values[r])}</text>'
             for r in _labelled(len(y_values), 2 * MOST_LABELS) if y_values[r]]
    found += [f'<text x="{LEFT + (c + 0.5) * wide:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">'
              f'{_label(x_values[c])}</text>' for c in _labelled(len(x_values), MOST_LABELS)]
    found.append(f'<text x="{0.5 * (LEFT + WIDTH - RIGHT):.0f}" y="{bottom + 31:.1f}" text-anchor="middle">'
                 f'{escaped(x_name, 60)}</text>')
    if y_name:
        # above its values: a long name has no room beside a few rows
        found.append(f'<text x="2" y="{TOP - 7}">{escaped(y_name, 60)}</text>')
    return found


def _chosen(count: int) -> list[int]:
    """At most MOST_VALUES of them, evenly, both ends among them."""
    if count <= MOST_VALUES:
        return list(range(count))
    return sorted({round(k * (count - 1) / (MOST_VALUES - 1)) for k in range(MOST_VALUES)})


def _labelled(count: int, most: int) -> range:
    return range(0, count, -(-count // most))


def _written(value: float, columns: int) -> str:
    return f'{value:.4g}' if columns <= MOST_LONG else f'{value:.3g}'


def _label(text: str) -> str:
    return escaped(text, MOST_LETTERS)


def _named(x_name: str, x: str, y_name: str, y: str) -> str:
    return escaped(f'{x_name} {x}' + (f', {y_name} {y}' if y_name else ''), 80)
