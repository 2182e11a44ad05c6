# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The books of a soak: what was read of the processes and of /diagnostics over time, as a table, a picture and
verdicts. Knows no ROS."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

__all__ = ['MOST_THERE', 'Sample', 'draw', 'handles_of', 'missed_by', 'slope', 'table', 'threads_of', 'verdicts']

SLOPE_BAR = 1.0  # MB/h
SETTLED = 600.0  # s after which memory is flat; of a shorter run a third of it
LEAST = 3600.0  # s of a run whose memory is judged: a page of 4 kB in a minute is 0.2 MB/h
SHOWN = 5  # causes in the picture; the rest is one
ROWS = 24  # of the table
MOST_THERE = 16  # drones and hands that came and are there at a time


@dataclass(frozen=True)
class Sample:
    """At `time` s: of the node and the viewer memory in MB, open files, threads; since the sample before the latency of
    poses (s), ticks, those missed by cause, dropped steps; drones and hands that came and left by services and topics,
    and calls of the services that were refused. bags: files of recordings that there are."""

    time: float
    node_rss: float
    viewer_rss: float
    node_handles: int
    viewer_handles: int
    node_threads: int
    viewer_threads: int
    latency_p50: float
    latency_p99: float
    ticks: int
    missed: dict[str, int]
    overrun_steps: int
    bags: int
    spawned: int = 0
    removed: int = 0
    appeared: int = 0
    vanished: int = 0
    refused: int = 0

    @property
    def came(self) -> int:
        """Drones and hands."""
        return self.spawned + self.appeared

    @property
    def left(self) -> int:
        """Drones and hands."""
        return self.removed + self.vanished

    @property
    def all_missed(self) -> int:
        """Ticks missed, of all causes."""
        return sum(self.missed.values())


def missed_by(values: dict[str, str]) -> dict[str, int]:
    """Ticks missed so far by cause, of a report; what has no cause there as `unknown`."""
    head = 'ticks_missed '
    found = {key.removeprefix(head): int(value) for key, value in values.items() if key.startswith(head)}
    rest = int(values.get('ticks_missed', 0)) - sum(found.values())
    return {**found, 'unknown': rest} if rest else found


def since(now: dict[str, int], before: dict[str, int]) -> dict[str, int]:
    """What was counted between two readings."""
    return {cause: count - before.get(cause, 0) for cause, count in now.items() if count != before.get(cause, 0)}


def handles_of(pid: int) -> int:
    """Open files of a process; 0 where it is gone."""
    try:
        return sum(1 for _ in Path(f'/proc/{pid}/fd').iterdir())
    except OSError:
        return 0


def threads_of(pid: int) -> int:
    """Threads of a process; 0 where it is gone."""
    try:
        return sum(1 for _ in Path(f'/proc/{pid}/task').iterdir())
    except OSError:
        return 0


def slope(times: Sequence[float], values: Sequence[float]) -> float:
    """Per hour, of the straight line through values at times (s) that are at least SETTLED, or a third of the whole;
    NaN for fewer than two."""
    t, v = np.array(times, dtype=float), np.array(values, dtype=float)
    on = t >= min(SETTLED, t.max(initial=0.0) / 3.0)
    if on.sum() < 2 or np.ptp(t[on]) == 0.0:
        return float('nan')
    return float(np.polyfit(t[on], v[on], 1)[0] * 3600.0)


def verdicts(samples: Sequence[Sample]) -> list[tuple[str, bool]]:
    """What the project promises of hours of everything, and whether this run kept it."""
    times, bars = [s.time for s in samples], []
    for who in ('node', 'viewer'):
        grown = slope(times, [getattr(s, f'{who}_rss') for s in samples])
        short = '' if times[-1] >= LEAST else f'; not judged before {LEAST / 60.0:g} min'
        bars.append((f'memory of the {who} flat: {grown:+.2f} MB/h, bar {SLOPE_BAR:g}{short}',
                     grown < SLOPE_BAR or bool(short)))
    late = [s for s in samples if s.time >= min(SETTLED, times[-1] / 3.0)]
    quarter = -(-len(late) // 4)
    for what in ('node_handles', 'viewer_handles', 'node_threads', 'viewer_threads'):
        # some are open, or closed, for a moment only: what is seen in half of the samples
        values = [getattr(s, what) for s in late]
        grown = _middle(values[-quarter:]) - _middle(values[:quarter])
        bars.append((f'{what.replace("_", ": ")} do not grow: {grown:+d}', grown <= 0))
    total, causes = sum(s.all_missed for s in samples), _sums(samples)
    bars.append((f'every missed tick has its cause: {total} missed, {causes.get("unknown", 0)} without',
                 not causes.get('unknown')))
    return [*bars, _turnover(samples)]


def _turnover(samples: Sequence[Sample]) -> tuple[str, bool]:
    """The verdict on drones and hands that came and left: both ways, and all but the last have left."""
    spawned, removed, appeared, vanished, refused = (
        sum(getattr(s, key) for s in samples) for key in ('spawned', 'removed', 'appeared', 'vanished', 'refused'))
    text = (f'drones and hands come and leave: by services {spawned} came, {removed} left, {refused} calls refused; '
            f'by topics {appeared} came, {vanished} left')
    there = spawned + appeared - removed - vanished
    return text, not refused and spawned > 0 and appeared > 0 and there <= MOST_THERE


def _middle(values: Sequence[int]) -> int:
    return sorted(values)[(len(values) - 1) // 2]


def _sums(samples: Sequence[Sample]) -> dict[str, int]:
    total: dict[str, int] = {}
    for sample in samples:
        for cause, count in sample.missed.items():
            total[cause] = total.get(cause, 0) + count
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def table(samples: Sequence[Sample]) -> str:
    """As Markdown: some rows over time, and how often each cause."""
    head = ('time', 'RSS node, viewer MB', 'handles', 'threads', 'latency p50/p99 ms', 'ticks', 'missed',
            'steps dropped', 'drones and hands that came, left')
    every = max(-(-len(samples) // ROWS), 1)
    rows = [head]
    for k in range(0, len(samples), every):
        some = samples[k:k + every]
        s = some[-1]
        rows.append((f'{s.time / 60.0:.1f} min', f'{s.node_rss:.1f}, {s.viewer_rss:.1f}',
                     f'{s.node_handles}, {s.viewer_handles}', f'{s.node_threads}, {s.viewer_threads}',
                     f'{1e3 * float(np.median([x.latency_p50 for x in some])):.2f} / '
                     f'{1e3 * max(x.latency_p99 for x in some):.2f}', str(sum(x.ticks for x in some)),
                     str(sum(x.all_missed for x in some)), str(sum(x.overrun_steps for x in some)),
                     f'{sum(x.came for x in some)}, {sum(x.left for x in some)}'))
    lines = ['| ' + ' | '.join(row) + ' |' for row in rows]
    causes = [f'| {cause} | {count} |' for cause, count in _sums(samples).items()]
    return '\n'.join([lines[0], '|---' * len(head) + '|', *lines[1:], '', '| missed because of | ticks |', '|---|---|',
                      *causes])


def plain(samples: Sequence[Sample]) -> list[dict]:
    """For JSON."""
    return [asdict(s) for s in samples]


def draw(samples: Sequence[Sample], path: Path) -> None:
    """The picture: memory, handles and threads, latency, missed ticks by cause over time."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    minutes = [s.time / 60.0 for s in samples]
    figure, axes = pyplot.subplots(4, 1, sharex=True, figsize=(9, 10), constrained_layout=True)
    for who in ('node', 'viewer'):
        axes[0].plot(minutes, [getattr(s, f'{who}_rss') for s in samples], label=who)
        axes[1].plot(minutes, [getattr(s, f'{who}_handles') for s in samples], label=f'{who}, handles')
        axes[1].plot(minutes, [getattr(s, f'{who}_threads') for s in samples], '--', label=f'{who}, threads')
    for share in ('p50', 'p99'):
        axes[2].plot(minutes, [1e3 * getattr(s, f'latency_{share}') for s in samples], label=share)
    axes[2].set_yscale('log')
    below = np.zeros(len(samples))
    width = max(minutes[-1] / len(minutes), 1e-3) * 0.9
    causes = list(_sums(samples))
    groups = [(cause, [cause]) for cause in causes[:SHOWN]] + [('others', causes[SHOWN:])]
    for label, group in groups:
        if group:
            counts = np.array([sum(s.missed.get(cause, 0) for cause in group) for s in samples])
            axes[3].bar(minutes, counts, width, bottom=below, label=label)
            below += counts
    for axis, title in zip(axes, ('memory, MB', 'handles, threads', 'latency of poses, ms', 'missed ticks by cause'),
                           strict=True):
        axis.set_ylabel(title)
        axis.grid(alpha=0.3)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize='small')
    axes[3].set_xlabel('minutes')
    figure.savefig(path, dpi=90)
    pyplot.close(figure)
