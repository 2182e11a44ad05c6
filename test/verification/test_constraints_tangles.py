# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What cannot be held: constraints that contradict each other, and states that jump, cost no more than is stated.

Work is counted (engine/constants.py), never timed: a unit is some 0.1 us.
"""
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hakoniwa_rigid.engine import Box, EngineError, HalfSpace, WorldBuilder
from hakoniwa_rigid.engine.constants import JOINED_BUDGET, JOINT_BUDGET

KINDS = ('fixed', 'ball', 'hinge', 'distance', 'cable', 'spring')


def tangle(rng, joints, bodies, *, limited, kinds=KINDS):
    """Boxes on the floor, tied to it and to each other at random."""
    b = WorldBuilder(gravity=(0, 0, -9.81))
    floor = b.add_body(HalfSpace(), kind='static')
    boxes = [b.add_body(Box((0.2, 0.2, 0.1)), mass=1.0, pos=(0.25 * k, 0, 0.05)) for k in range(bodies)]
    made = 0
    while made < joints:
        i, j = (int(k) for k in rng.choice([floor, *boxes], 2, replace=False))
        kind, settings = kinds[rng.integers(len(kinds))], {'anchor_b': rng.uniform(-0.1, 0.1, 3)}
        if limited:
            settings['max_force'] = 10.0**rng.uniform(0.0, 2.5)
            if kind in ('fixed', 'hinge'):
                settings['max_torque'] = 10.0**rng.uniform(-1.0, 1.0)
        if kind == 'hinge':
            settings['axis'] = (0, 1, 0)
        if kind in ('distance', 'cable', 'spring'):
            settings['anchor_a'] = rng.uniform(-0.1, 0.1, 3)
        if kind == 'spring':
            settings['stiffness'] = 10.0**rng.uniform(1.0, 5.0)
        try:
            b.attach(kind, i, j, **settings)
        except EngineError:     # anchors in one place
            continue
        made += 1
    return b.build(), boxes


def run(seed, *args, steps=40, **kwargs):
    """States that jump every fifth step.  Returns the world, and the work of each step."""
    rng = np.random.default_rng(seed)
    w, boxes = tangle(rng, *args, **kwargs)
    work = [0]
    for k in range(steps):
        if k % 5 == 0:
            w.set_state(boxes[rng.integers(len(boxes))], pos=rng.uniform((-0.2, -0.2, 0.05), (0.4, 0.2, 0.4)),
                        linvel=rng.normal(size=3), angvel=3.0 * rng.normal(size=3))
        w.step()
        work.append(w.stats().work)
    return w, np.diff(work)


@pytest.mark.parametrize('seed', range(3))
@pytest.mark.parametrize('joints, bodies, settings', [
    (12, 2, {'limited': True}), (12, 2, {'limited': False}), (40, 4, {'limited': True}),
    (40, 3, {'limited': False, 'kinds': ('fixed',)}), (256, 2, {'limited': False, 'kinds': ('fixed',)}),
    (256, 20, {'limited': True})])
def test_work_has_a_bound(seed, joints, bodies, settings):
    w, work = run(seed, joints, bodies, steps=40 if joints < 100 else 10, **settings)
    assert np.isfinite(w.pos).all()
    assert np.isfinite(w.angvel).all()
    # docs/constraints.md: three times its budget, with the contacts of its bodies
    assert work.max() <= 3 * (JOINED_BUDGET + JOINT_BUDGET * (joints + bodies * (bodies + 1) // 2))


def test_what_was_solved_less_well_is_counted_and_the_same_again():
    (one, _), (two, _) = (run(5, 12, 2, limited=False) for _ in range(2))
    assert one.stats().unsolved > 0
    assert_array_equal(one.pos, two.pos)
    assert_array_equal(one.angvel, two.angvel)


def test_a_tangle_that_is_let_go_comes_to_rest():
    """Nothing of what could not be solved is left behind."""
    w, _ = run(3, 12, 2, limited=True)
    for name in list(w.constraints):
        w.detach(name)
    w.step(3000)
    speed = np.abs(np.c_[w.linvel, w.angvel]).max()
    assert speed < 1e-3


def test_no_anchor_is_absurdly_far():
    b = WorldBuilder()
    post = b.add_body(Box((0.1, 0.1, 0.1)), kind='static')
    i = b.add_body(Box((0.1, 0.1, 0.1)), mass=1.0, pos=(1, 0, 0))
    w = b.build()
    with pytest.raises(EngineError, match='line: anchor_b: must be within 1000 m of .*, which moves'):
        w.attach('cable', post, i, name='line', anchor_b=(5e5, 0, 0), length=6e5)
    w.attach('cable', post, i, name='line', anchor_a=(5e5, 0, 0), length=6e5)
