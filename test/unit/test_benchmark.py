# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the benchmark concludes from its figures: who is slower, which targets are met, what a stage costs."""
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
# last, so that an installed hakoniwa_rigid comes before that of the tree
sys.path.append(str(ROOT))

from benchmark import expected, report, tally, targets  # noqa: E402


def test_what_counts_as_worse():
    written = {'a': 1.0, 'b': 1.0, 'c': 1.0, 'none': 0.0}
    assert expected.worse({'a': 1.19, 'b': 1.21, 'c': float('nan'), 'none': 0.0}, written) == ['b', 'c']


def test_counts_are_written_with_four_figures(tmp_path, monkeypatch):
    monkeypatch.setattr(expected, 'FILE', tmp_path / 'expected.json')
    expected.write({'a': {'contact pairs': 0.123456}})
    assert expected.work() == {'a': {'contact pairs': 0.1235}}


@pytest.mark.parametrize(('ours', 'word'), [(17.8, 'met'), (18.0, 'not met')])
def test_a_target_scales_with_mujoco(ours, word):
    """1000 spheres: 10 µs where MuJoCo takes 560 are 10 / 560 x 1000 = 17.9 µs where it takes 1000."""
    times = {('1000 spheres', 'hakoniwa_rigid'): ours, ('1000 spheres', 'MuJoCo'): 1000.0}
    (row,) = targets.rows(times)
    assert row[0] == '1000 spheres' and row[-1].startswith(word)


def test_growth_of_a_power():
    times = {(f'{n} spheres', 'hakoniwa_rigid'): 3.0 * n**1.05 for n in (1000, 100_000)}
    assert targets.growth(times) == pytest.approx(1.05)


def test_numbers_that_count():
    """y = (a b + c) / sqrt(b): four operations, two of them slow; three words read, one written."""
    x, now = np.array([2.0, 4.0, 1.0]).view(tally.Watched), tally.Tally()

    def kernel(x):
        x[0] = (x[0] * x[1] + x[2]) / tally.root(x[1])
        return x[0]
    assert tally.attributed(kernel, now)(x) == 4.5
    assert (now.flops, now.slow, now.calls, now.words, now.stored) == (4, 2, 1, 3, 1)


def test_text_between_two_lines(tmp_path):
    page = tmp_path / 'page.md'
    page.write_text('before\n<!-- a -->\nold\n<!-- b -->\nafter\n')
    report.put_between(page, '<!-- a -->', '<!-- b -->', ['new', 'lines'])
    assert page.read_text() == 'before\n<!-- a -->\n\nnew\nlines\n\n<!-- b -->\nafter\n'
    page.write_text('no marks\n')
    for word in ('new', 'newer'):
        report.put_between(page, '<!-- a -->', '<!-- b -->', [word])
    assert page.read_text() == 'no marks\n\n<!-- a -->\n\nnewer\n\n<!-- b -->\n'
