"""Figures of a run as a compact table."""
import platform
from pathlib import Path
from typing import NamedTuple

OURS, PEER = 'hakoniwa_rigid', 'mujoco'


class Figure(NamedTuple):
    """Processor time per step of one engine in one case, µs, over the rounds."""

    case: str
    engine: str
    least: float
    median: float
    most: float


def table(figures):
    """Lines: a row for each case, in order of measurement; the ratio is that of the medians, below 1 we are faster."""
    if not figures:
        return []
    found = {(f.case, f.engine): f for f in figures}
    title = 'µs of CPU per step: median (least .. most)'
    lines = [f'{title:46s} {"hakoniwa_rigid":>30s} {"MuJoCo":>30s} {"ratio":>7s}']
    for case in dict.fromkeys(f.case for f in figures):
        ours, peer = found.get((case, OURS)), found.get((case, PEER))
        ratio = f'{ours.median / peer.median:7.2f}' if ours and peer else f'{"-":>7s}'
        lines.append(f'{case:46s} {words(ours):>30s} {words(peer):>30s} {ratio}')
    return lines


def words(figure):
    """A figure as text."""
    if figure is None:
        return '-'
    return f'{figure.median:.1f} ({figure.least:.1f} .. {figure.most:.1f})'


def processor():
    """The processor's name, as far as the system tells."""
    try:
        info = Path('/proc/cpuinfo').read_text()
    except OSError:
        return platform.processor() or platform.machine()
    names = [row.split(':', 1)[1].strip() for row in info.splitlines() if row.startswith('model name')]
    return names[0] if names else platform.machine()
