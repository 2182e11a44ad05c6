# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Lines, stems and marks over two axes, as inline SVG.  Numbers only in, text only out; equal calls give equal text."""
from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

import numpy as np

from .page import escaped

WIDTH, HEIGHT = 420, 260        # of the SVG's own units; a phone shows them as they are, a desk a little larger
LEFT, RIGHT, TOP, BOTTOM = 66, 12, 10, 36
MOST_POINTS = 400               # of a line
MOST_MARKS = 200                # stems of a role
LARGEST = 1e12                  # beyond it a number is no place: it is not drawn
MOST_TICKS = 7
# how lines of a role look, also where styles are forbidden; roles: expected, actual, error, limit, rule
LOOKS = {'expected': 'stroke="#0072b2" stroke-width="5" stroke-opacity=".45"',
         'actual': 'stroke="#d55e00" stroke-width="1.8"',
         'error': 'stroke="#1d232b" stroke-width="1.6"',
         'limit': 'stroke="#b3261e" stroke-width="1.2" stroke-dasharray="5 4"',
         'rule': 'stroke="#1d232b" stroke-width="1" stroke-dasharray="2 3"'}
DASHES = ('', ' stroke-dasharray="7 4"')    # of the first and of the second of several lines of a role


class _Line(NamedTuple):
    role: str
    x: np.ndarray
    y: np.ndarray
    number: int


class _Stem(NamedTuple):
    role: str
    x: float
    y: float
    strong: bool


@dataclass
class Chart:
    """A picture that is filled by calls; equal_axes: a metre is as long in both directions.  words: what a screen
    reader says of it."""

    title: str
    x_label: str
    y_label: str
    equal_axes: bool = False
    x_range: tuple[float, float] | None = None
    mirrored: bool = False      # what is below 0 is a size, too
    _lines: list[_Line] = field(default_factory=list)
    _stems: list[_Stem] = field(default_factory=list)
    _rules: list[tuple[str, str, float]] = field(default_factory=list)
    _places: list[tuple[float, float]] = field(default_factory=list)

    def line(self, role: str, x: np.ndarray, y: np.ndarray, number: int = 0) -> None:
        """A line through the points (N,), broken where a number is none; at most MOST_POINTS of them are kept, the
        highest and lowest of every stretch.  number: 0 solid, 1 dashed."""
        x, y = (np.asarray(v, dtype=float) for v in (x, y))
        rows = rows_of_extremes(y, MOST_POINTS) if not self.equal_axes else rows_evenly(len(x), MOST_POINTS)
        self._lines.append(_Line(role, _drawable(x[rows]), _drawable(y[rows]), number))

    def stems(self, role: str, x: list[float], y: list[float], strong: list[bool]) -> None:
        """A line from 0 to y at every x; those that are not `strong` are faint.  Of more than MOST_MARKS the strong
        and long ones."""
        rows = [k for k in range(len(x)) if _is_drawable(x[k]) and _is_drawable(y[k])]
        rows = sorted(sorted(rows, key=lambda k: (not strong[k], -abs(y[k])))[:MOST_MARKS])
        self._stems += [_Stem(role, x[k], y[k], strong[k]) for k in rows]

    def upright(self, x: float) -> None:
        """A dotted line over the whole height."""
        self._rules.append(('x', 'rule', x))

    def level(self, y: float) -> None:
        """A dashed line over the whole width: a limit."""
        self._rules.append(('y', 'limit', y))

    def place(self, x: float, y: float) -> None:
        """A ring around a point."""
        if _is_drawable(x) and _is_drawable(y):
            self._places.append((x, y))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to see."""
        return not self._stems and not any(np.isfinite(line.x).any() for line in self._lines)

    def svg(self) -> str:
        """The picture with its caption, as <figure>."""
        x, y = self._ranges()
        to_x, to_y = _scale(x, LEFT, WIDTH - RIGHT), _scale(y, HEIGHT - BOTTOM, TOP)
        parts = [*self._axes(x, y, to_x, to_y)]
        for axis, role, value in self._rules:
            low, high = x if axis == 'x' else y
            if low <= value <= high:
                at = to_x(value) if axis == 'x' else to_y(value)
                path = f'M{at:.1f} {TOP}V{HEIGHT - BOTTOM}' if axis == 'x' else f'M{LEFT} {at:.1f}H{WIDTH - RIGHT}'
                parts.append(f'<path class="{role}" {LOOKS[role]} d="{path}"/>')
        parts += [self._path(line, to_x, to_y) for line in self._lines]
        parts += self._drawn_stems(to_x, to_y)
        parts += [f'<circle class="rule" {LOOKS["rule"]} cx="{to_x(px):.1f}" cy="{to_y(py):.1f}" r="8"/>'
                  for px, py in self._places]
        title = escaped(self.title)
        return (f'<figure><figcaption>{title}</figcaption>\n<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
                f'aria-label="{title}" fill="none" stroke-linejoin="round">\n' + '\n'.join(parts) + '\n</svg></figure>')

    def _ranges(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """What is shown of both axes."""
        lines, points = self._lines, [*((s.x, s.y) for s in self._stems), *self._places]
        levels = [v for axis, _, v in self._rules if axis == 'y'] + ([0.0] if self._stems else [])
        xs = np.concatenate([*(line.x for line in lines), [p[0] for p in points]])
        ys = np.concatenate([*(line.y for line in lines), [p[1] for p in points], levels])
        x, y = self.x_range or _range(xs), _range(ys, 0.06)
        if self.equal_axes:
            x = _range(xs, 0.06)
            across = (WIDTH - LEFT - RIGHT) / (HEIGHT - TOP - BOTTOM)
            size = max((x[1] - x[0]) / across, y[1] - y[0])
            (cx, cy) = (0.5 * (x[0] + x[1]), 0.5 * (y[0] + y[1]))
            x, y = (cx - 0.5 * size * across, cx + 0.5 * size * across), (cy - 0.5 * size, cy + 0.5 * size)
        return x, y

    def _axes(self, x, y, to_x, to_y):
        grid, texts = [], []
        for value in ticks(*x):
            at = to_x(value)
            grid.append(f'M{at:.1f} {TOP}V{HEIGHT - BOTTOM}')
            texts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 14}" text-anchor="middle">{number(value)}</text>')
        for value in ticks(*y):
            at, size = to_y(value), abs(value) if self.mirrored else value
            grid.append(f'M{LEFT} {at:.1f}H{WIDTH - RIGHT}')
            texts.append(f'<text x="{LEFT - 5}" y="{at + 4:.1f}" text-anchor="end">{number(size)}</text>')
        middle = 0.5 * (TOP + HEIGHT - BOTTOM)
        texts.append(f'<text x="{0.5 * (LEFT + WIDTH - RIGHT):.0f}" y="{HEIGHT - 5}" text-anchor="middle">'
                     f'{escaped(self.x_label)}</text>')
        texts.append(f'<text transform="translate(12 {middle:.0f}) rotate(-90)" text-anchor="middle">'
                     f'{escaped(self.y_label)}</text>')
        yield f'<path class="grid" stroke="#e8ebef" d="{"".join(grid)}"/>'
        yield (f'<path class="frame" stroke="#d5dae0" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"/>\n'
               f'<g class="axis" fill="#5b6570" font-size="12">{"".join(texts)}</g>')

    def _path(self, line: _Line, to_x, to_y) -> str:
        words, pen_down = [], False
        for px, py in zip(line.x.tolist(), line.y.tolist(), strict=True):
            if px != px or py != py:
                pen_down = False
                continue
            words.append(f'{"L" if pen_down else "M"}{to_x(px):.1f} {to_y(py):.1f}')
            pen_down = True
        # a single point is a dot
        more = 'h.1' if len(words) == 1 else ''
        return (f'<path class="{line.role}" {LOOKS[line.role]}{DASHES[min(line.number, 1)]} stroke-linecap="round" '
                f'd="{"".join(words)}{more}"/>')

    def _drawn_stems(self, to_x, to_y):
        if not self._stems:
            return
        zero = to_y(0.0)
        yield f'<path class="frame" stroke="#d5dae0" d="M{LEFT} {zero:.1f}H{WIDTH - RIGHT}"/>'
        for role in dict.fromkeys(stem.role for stem in self._stems):
            for strong in (False, True):
                stems = [s for s in self._stems if s.role == role and s.strong == strong]
                if stems:
                    path = ''.join(f'M{to_x(s.x):.1f} {zero:.1f}V{to_y(s.y):.1f}' for s in stems)
                    ends = ''.join(f'M{to_x(s.x):.1f} {to_y(s.y):.1f}h.1' for s in stems)
                    faint = '' if strong else ' stroke-opacity=".35"'
                    colour = LOOKS[role].partition(' ')[0]
                    yield (f'<path class="{role}" {colour}{faint} stroke-width="2" d="{path}"/>'
                           f'<path class="{role}" {colour}{faint} stroke-width="7" stroke-linecap="round" d="{ends}"/>')


def rows_of_extremes(y: np.ndarray, most: int) -> np.ndarray:
    """At most `most` rows, rising: the least and the largest of every stretch of equal length, and both ends."""
    n = len(y)
    if n <= most:
        return np.arange(n)
    edges = np.linspace(0, n, most // 2).astype(int)     # one stretch fewer than half: the ends take two rows
    kept = {0, n - 1}
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        piece = y[low:high]
        known = np.flatnonzero(np.isfinite(piece))
        if len(known):
            kept |= {low + int(known[np.argmin(piece[known])]), low + int(known[np.argmax(piece[known])])}
        else:
            kept.add(low)    # so that the line is broken there
    return np.array(sorted(kept))


def rows_evenly(n: int, most: int) -> np.ndarray:
    """At most `most` rows of n, both ends among them."""
    return np.arange(n) if n <= most else np.unique(np.linspace(0, n - 1, most).astype(int))


def ticks(low: float, high: float) -> list[float]:
    """At most MOST_TICKS round numbers."""
    span = high - low
    if not (span > 0.0 and isfinite(span)):
        return [low]
    step = 10.0 ** floor(log10(span / (MOST_TICKS - 1)))
    while span / step > MOST_TICKS - 1:
        step *= 2.5 if f'{step:e}'.startswith('2') else 2.0
    first = ceil(low / step - 1e-9)
    # beside a large offset the steps may be lost in rounding
    return sorted({k * step for k in range(first, first + MOST_TICKS) if k * step <= high + 1e-9 * span})


def number(value: float) -> str:
    """Short: 0.002, 1e-07, -3."""
    return f'{value:.6g}' if value else '0'


def _is_drawable(value: float) -> bool:
    return abs(value) < LARGEST     # NaN is not


def _drawable(values: np.ndarray) -> np.ndarray:
    return np.where(np.abs(values) < LARGEST, values, np.nan)


def _range(values: np.ndarray, margin: float = 0.0) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    if not len(known):
        return 0.0, 1.0
    low, high = float(known.min()), float(known.max())
    least = 1e-9 * max(abs(low), abs(high), 1.0)     # what is the same everywhere is a level line
    if high - low < least:
        low, high = low - max(least, 0.5e-3), high + max(least, 0.5e-3)
    return low - margin * (high - low), high + margin * (high - low)


def _scale(values: tuple[float, float], at_low: float, at_high: float):
    low, high = values

    def place(value: float) -> float:
        share = (value - low) / (high - low)
        return at_low + min(max(share, -1.0), 2.0) * (at_high - at_low)
    return place
