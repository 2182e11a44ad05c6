# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A sweep as a few lines of text: what came of each value of each axis, and why runs failed."""
from __future__ import annotations

from collections import Counter

from hakoniwa_rigid.replay.sweep.grid import Axis
from hakoniwa_rigid.replay.sweep.job import NOT_RUN, OK, Row
from hakoniwa_rigid.replay.sweep.run import Swept

MOST_VALUES, MOST_CAUSES = 20, 10


def as_text(swept: Swept) -> str:
    """Counts, a table for each axis over all values of the others, causes of failures."""
    bags = len({row['bag'] for row in swept.rows})
    good, rest = len(swept.good), len(swept.rows) - len(swept.finished)
    failed = len(swept.finished) - good
    lines = [f'{len(swept.rows)} runs of {bags} {"bag" if bags == 1 else "bags"}: {good} ok, {failed} failed'
             + (f', {rest} not run' if rest else '')]
    for axis in swept.axes:
        lines += ['', *_axis(axis, swept.rows)]
    causes = Counter(str(row['status']) for row in swept.finished if row['status'] != OK)
    if causes:
        lines += ['', 'failed']
        lines += [f'{count:7}  {cause}' for cause, count in causes.most_common(MOST_CAUSES)]
        lines += [f'         and {len(causes) - MOST_CAUSES} more causes'] if len(causes) > MOST_CAUSES else []
    return '\n'.join(lines)


def _axis(axis: Axis, rows: list[Row]) -> list[str]:
    shown = [value if isinstance(value, str) else f'{value:g}' if isinstance(value, float) else str(value).lower()
             for value in axis.values]
    width = max(len(axis.name), *map(len, shown))
    lines = [f'{axis.name:{width}}     ok  of runs  contacts, mean  largest impulse, N s  of']
    for value, word in list(zip(axis.values, shown, strict=True))[:MOST_VALUES]:
        mine = [row for row in rows if row[axis.name] == value]
        good = [row for row in mine if row['status'] == OK]
        line = f'{word:{width}}  {len(good):5}  {sum(row["status"] != NOT_RUN for row in mine):7}'
        if good:
            most = max(good, key=lambda row: row['largest_impulse'])
            mean = sum(row['contacts'] for row in good) / len(good)
            line += f'  {mean:14.4g}  {most["largest_impulse"]:20.4g}  {most.get("largest_impulse_pair", "")}'
        lines.append(line.rstrip())
    more = len(axis.values) - MOST_VALUES
    return [*lines, *([f'  and {more} more'] if more > 0 else [])]
