# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the machine could do: memory by the size of what is read, sums and products, divisions and roots."""
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from hakoniwa_rigid.engine.maths.entries import wide

from .report import number, paragraph
from .timing import seconds

CACHES = Path('/sys/devices/system/cpu/cpu0/cache')
# bytes, where the system does not tell
USUAL = (32 << 10, 1 << 20, 16 << 20)
BEYOND, MOST = 4, 1 << 30               # times the last cache is surely memory; no more bytes than this


class Limits(NamedTuple):
    """levels: (name, bytes of the working set up to which it counts, GB/s); GFLOP/s of sums and products in vector
    registers and one by one; ns of a division or root in vector registers."""

    levels: tuple
    vector: float
    scalar: float
    slow: float

    def bandwidth(self, size):
        """GB/s for a working set of so many bytes."""
        return next((rate for _, most, rate in self.levels if size <= most), self.levels[-1][2])

    def least(self, count, size):
        """ns that a Count needs at least: (for its bytes from and to where `size` bytes lie, for its arithmetic)."""
        quick = (count.flops - count.slow) / self.vector
        return (count.read + count.written) / self.bandwidth(size), quick + count.slow * self.slow


@njit(error_model='numpy')
def _stream(a, b, times):
    wide()
    for _ in range(times):
        for k in range(len(a)):
            b[k] = 0.5 * b[k] + a[k]


@njit(error_model='numpy')
def _lanes(lanes, times):
    wide()
    for _ in range(times):
        for k in range(64):
            lanes[k] = lanes[k] * 0.999 + 1e-3


@njit(error_model='numpy')
def _divisions(lanes, times):
    wide()
    for _ in range(times):
        for k in range(64):
            lanes[k] = 1.5 / lanes[k]


@njit(error_model='numpy')
def _one_by_one(x, times):
    a, b, c, d, e, f, g, h = x
    for _ in range(times):
        # eight chains, none of the same form, so that no two go into one register
        a, b, c, d = a * 0.999 + 1e-3, 1e-3 - b * 0.999, (c + 1e-3) * 0.999, (1e-3 - d) * 0.999
        e, f, g, h = e * 0.998 - 1e-3, 2e-3 - f * 0.997, (g - 1e-3) * 0.996, (2e-3 - h) * 0.995
    return a + b + c + d + e + f + g + h


def caches():
    """(name, bytes) of the data caches of a core, smallest first."""
    found = {}
    for folder in CACHES.glob('index*'):
        if (folder / 'type').read_text().strip() != 'Instruction':
            size = (folder / 'size').read_text().strip()
            found[f'L{(folder / "level").read_text().strip()}'] = int(size[:-1]) << {'K': 10, 'M': 20}[size[-1]]
    return sorted(found.items()) or [(f'L{k + 1}', size) for k, size in enumerate(USUAL)]


def levels():
    """(name, bytes, GB/s) of every cache, measured with half of it, and of the memory."""
    known = caches()
    sizes = [(name, size, size // 2) for name, size in known]
    sizes.append(('memory', np.inf, min(BEYOND * known[-1][1], MOST)))
    found = []
    for name, most, used in sizes:
        a = np.zeros(used // 16)
        b = np.ones_like(a)
        _stream(a, b, 1)
        pass_s = seconds(lambda k, a=a, b=b: _stream(a, b, k), max(1, (1 << 26) // used))
        found.append((name, most, 24e-9 * len(a) / pass_s))
    return tuple(found)


def limits():
    """As measured here and now."""
    lanes, x, times = np.ones(64), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8), 1_000_000
    for kernel, first in ((_lanes, lanes), (_divisions, lanes), (_one_by_one, x)):
        kernel(first, 1)
    return Limits(levels(), 128e-9 / seconds(lambda k: _lanes(lanes, k), times),
                  16e-9 / seconds(lambda k: _one_by_one(x, k), times),
                  1e9 / 64 * seconds(lambda k: _divisions(lanes, k), times // 10))


def machine_lines(limit):
    """Lines on the limits, for the page."""
    rates = ', '.join(f'{name} {number(rate)}' for name, _, rate in limit.levels)
    return paragraph(
        f'GB/s of a pass that reads two arrays and writes one: {rates}. Sums and products: {number(limit.vector)} '
        f'GFLOP/s in vector registers, {number(limit.scalar)} one by one. A division or root: {number(limit.slow)} ns '
        f'each. No operations are fused: those would change the bits with the processor.')


def picture(limit, points, path):
    """Speed against operations per byte; points: scene -> stage -> (operations per byte, GFLOP/s reached)."""
    import matplotlib
    matplotlib.use('Agg')
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7.5, 4.8), layout='constrained')
    x = np.geomspace(0.01, 100.0, 200)
    for name, _, rate in limit.levels:
        axes.loglog(x, np.minimum(rate * x, limit.vector), linewidth=1.2, label=f'{name}, {number(rate)} GB/s')
    axes.axhline(limit.scalar, color='grey', linewidth=1.0, linestyle='--', label='one by one')
    for (scene, stages), mark in zip(points.items(), 'osD^v<>', strict=False):
        axes.plot(*zip(*stages.values(), strict=True), mark, color='black', markersize=5, mfc='none', label=scene)
    for stage, place in next(iter(points.values())).items():
        axes.annotate(stage, place, fontsize='small', xytext=(6, -10), textcoords='offset points')
    axes.set(xlabel='operations per byte', ylabel='GFLOP/s', xlim=(0.01, 100.0), ylim=(1e-2, 2 * limit.vector))
    axes.grid(True, which='major', alpha=0.3)
    axes.legend(fontsize='x-small')
    figure.savefig(path, dpi=90)
