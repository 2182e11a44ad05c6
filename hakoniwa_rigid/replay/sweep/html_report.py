# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A sweep as one HTML page: heat maps over pairs of axes, and the runs as a table that a click on its head sorts.

Bounded: MOST_MAPS pairs of axes, MOST_ROWS runs, MOST_BYTES in all; the table of the sweep has every run.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from hakoniwa_rigid.replay.report_pages import page
from hakoniwa_rigid.replay.report_pages.heat_map import heat_map
from hakoniwa_rigid.replay.sweep.grid import Axis
from hakoniwa_rigid.replay.sweep.job import OK, Row
from hakoniwa_rigid.replay.sweep.run import Swept

MOST_ROWS, MOST_MAPS = 300, 6
MOST_BYTES = 2_000_000
BAG = 'bag'
SHOWN = ('status', 'contacts', 'first_contact_s', 'largest_impulse', 'largest_impulse_pair', 'impulse_sum', 'refused',
         'ticks')
HEADS = {'first_contact_s': 'first contact, s', 'largest_impulse': 'largest impulse, N s',
         'largest_impulse_pair': 'of', 'impulse_sum': 'sum of impulses, N s'}
# heads are links to nothing without it: the table reads as it is
SORT = """for(const t of document.querySelectorAll('table.sortable'))[...t.tHead.rows[0].cells].forEach((h,k)=>{
h.tabIndex=0;h.style.cursor='pointer';h.title='sort';
const sort=()=>{const up=h.getAttribute('aria-sort')!=='ascending',b=t.tBodies[0];
for(const c of t.tHead.rows[0].cells)c.removeAttribute('aria-sort');
h.setAttribute('aria-sort',up?'ascending':'descending');
const v=r=>r.cells[k].textContent,n=s=>s===''?NaN:Number(s);
[...b.rows].sort((p,q)=>{const x=v(p),y=v(q),m=n(x),o=n(y);
return(up?1:-1)*(isNaN(m)||isNaN(o)?x.localeCompare(y):m-o)}).forEach(r=>b.append(r))};
h.onclick=sort;h.onkeydown=e=>{if(e.key==='Enter')sort()}});"""


def as_html(swept: Swept) -> str:
    """The page."""
    mark = ' class="good"' if len(swept.good) == len(swept.rows) else ''
    parts = [f'<h1{mark}>{page.escaped(headline(swept), 800)}</h1>']
    maps = _maps(swept) if swept.good else []
    parts += [page.heading('Over pairs of axes' if len(_axes(swept)) > 1 else 'Over the axis'), page.charts(maps)
              ] if maps else []
    parts += [page.heading('Runs'), _table(swept)]
    return page.page(headline(swept), parts, SORT)


def headline(swept: Swept) -> str:
    """'8 runs of 2 bags: 8 ok; largest impulse 2.88 N s (ball - floor) at restitution 0.8, friction 0.1'."""
    bags = len({row[BAG] for row in swept.rows})
    good, rest = len(swept.good), len(swept.rows) - len(swept.finished)
    counts = [f'{good} ok', *([f'{len(swept.finished) - good} failed'] if len(swept.finished) > good else []),
              *([f'{rest} not run'] if rest else [])]
    text = f'{len(swept.rows)} runs of {bags} {"bag" if bags == 1 else "bags"}: {", ".join(counts)}'
    if not swept.good:
        return text
    most = max(swept.good, key=lambda row: row['largest_impulse'])
    if not most['largest_impulse']:
        return f'{text}; no contacts'
    at = ', '.join(f'{axis.name} {word(most[axis.name])}' for axis in swept.axes)
    return f'{text}; largest impulse {most["largest_impulse"]:.4g} N s ({most["largest_impulse_pair"]}) at {at}'


def word(value: object) -> str:
    """A value of an axis as it was given."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'{value:g}' if isinstance(value, float) else str(value)


def _axes(swept: Swept) -> list[Axis]:
    """Those of the grid, and the bags where there are several; those of one value say nothing."""
    bags = tuple(dict.fromkeys(row[BAG] for row in swept.rows))
    axes = [axis for axis in (*swept.axes, Axis(BAG, bags)) if len(axis.values) > 1]
    return axes or [swept.axes[0]]


def _maps(swept: Swept) -> list[str]:
    axes = _axes(swept)
    pairs = list(combinations(axes, 2))[:MOST_MAPS] or [(axes[0], None)]
    made = []
    for x, y in pairs:
        others = [axis.name for axis in axes if axis is not x and axis is not y]
        over = f' over {", ".join(others)}' if others else ''
        made += [_map(swept.good, x, y, f'contacts{", mean" + over if over else ""}', 'contacts', _mean),
                 _map(swept.good, x, y, f'largest impulse{over}, N s', 'largest_impulse', max)]
    return made


def _map(rows: Sequence[Row], x: Axis, y: Axis | None, title: str, column: str,
         joined: Callable[[list[float]], float]) -> str:
    found: dict[tuple, list[float]] = {}
    for row in rows:
        found.setdefault((row[x.name], row[y.name] if y else ''), []).append(float(row[column]))
    y_values = y.values if y else ('',)
    values = [[joined(found[a, b]) if (a, b) in found else None for a in x.values] for b in y_values]
    return heat_map(title, x.name, list(map(word, x.values)), y.name if y else '', list(map(word, y_values)), values)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _table(swept: Swept) -> str:
    columns = [BAG, *(axis.name for axis in swept.axes), *SHOWN]
    rows = [[_cell(row.get(name)) for name in columns] for row in swept.rows[:MOST_ROWS]]
    bad = [k for k, row in enumerate(swept.rows[:MOST_ROWS]) if row['status'] != OK]
    shown = page.table([HEADS.get(name, name) for name in columns], rows, MOST_ROWS, bad=bad,
                       text=(columns.index('status'),), classes='sortable')
    if len(swept.rows) <= MOST_ROWS:
        return shown
    return page.paragraph(f'The first {MOST_ROWS} of {len(swept.rows)} runs; the table of the sweep has all.') + shown


def _cell(value: object) -> str:
    if value is None:
        return ''
    return f'{value:.6g}' if isinstance(value, float) else word(value)
