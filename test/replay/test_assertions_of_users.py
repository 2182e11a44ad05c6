# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hakoniwa_rigid.testing: an assertion that cannot fail is no assertion."""
from __future__ import annotations

import pytest
from foreign_bags import NS, odom, write

from hakoniwa_rigid.testing import replay_bag

START = 50 * NS
WORLD = """
gravity: [0, 0, 0]
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0}]
drones: [{name: d0, model: crazyflie}]
"""


@pytest.fixture(scope='module')
def run(tmp_path_factory):
    """d0 meets the wall at 1.221 s of 1.29."""
    folder = tmp_path_factory.mktemp('flight')
    (folder / 'lane.yaml').write_text(WORLD)
    states = [odom('/d0/odom', START + k * NS // 100, (0.016 * k, 0, 1), (1.6, 0, 0)) for k in range(130)]
    return replay_bag(write(folder / 'bag', states), folder / 'lane.yaml')


def test_windows_and_ranges_choose(run):
    hit, = run.assert_contact('d0', 'end', after=1.2, before=1.25, impulse=(0.06, 0.08), count=1)
    assert run.contacts_of('end', 'd0') == (hit,)    # in whichever order they are named
    run.assert_no_contact('d0', before=1.2)
    run.assert_no_contact('end', 'd0', after=1.25)


@pytest.mark.parametrize('names', [('d9',), ('d0', 'ende'), ('ende', 'd0')])
def test_a_name_that_nobody_has_fails_either_way(run, names):
    for ask in (run.assert_contact, run.assert_no_contact):
        with pytest.raises(AssertionError, match=r"no body is called '(d9|ende)' in this world; there is d0, end"):
            ask(*names)


@pytest.mark.parametrize('window', [{'after': 50.0}, {'before': -1.0}, {'after': 0.5, 'before': 0.4}])
def test_a_window_outside_the_run_fails_either_way(run, window):
    with pytest.raises(AssertionError, match=r'the run goes from 0 to 1\.29'):
        run.assert_no_contact('d0', 'end', **window)
    with pytest.raises(AssertionError, match='0 found'):
        run.assert_contact('d0', 'end', **window)


def test_a_wrong_count_says_what_there_was(run):
    with pytest.raises(AssertionError, match=r'2 contacts of d0 and end expected, 1 found; of d0 there were:\n  1\.22'):
        run.assert_contact('d0', 'end', count=2)
