# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints that cannot be: each an error with key and value.  Names, memory, what attaching and detaching does."""
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hakoniwa_rigid.engine import Box, EngineError, Sphere, WorldBuilder


def builder(**settings):
    b = WorldBuilder(**settings)
    b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, name='box')
    b.add_body(Sphere(0.1), mass=1.0, pos=(1.0, 0, 0), name='ball')
    b.add_body(Sphere(0.1), kind='static', pos=(0, 1.0, 0), name='hook')
    b.add_body(Sphere(0.1), kind='kinematic', pos=(0, 2.0, 0), name='hand')
    return b


@pytest.mark.parametrize('arguments, settings, says', [
    (('weld', 0, 1), {}, r"grip: kind: must be one of fixed, ball, hinge, distance, cable, spring, got 'weld'"),
    (('cable', 0, 0), {}, r"grip: body_b: must be another body than body_a, got 'box' twice"),
    (('cable', 2, 3), {}, r"grip: body_b: one of the bodies must be dynamic, got static 'hook' and kinematic 'hand'"),
    (('cable', 0, 9), {}, r'grip: body_b: no body 9, the world has 4'),
    (('cable', -1, 1), {}, r'grip: body_a: no body -1, the world has 4'),
    (('cable', 'box', 1), {}, r"grip: body_a: must be a whole number, got 'box'"),
    (('cable', 0, 1), {'length': np.nan}, r'grip: length: must be finite, got nan'),
    (('cable', 0, 1), {'length': 0.9}, r'grip: length: must be within gap 0.001 m of the distance of the anchors, 1 m'),
    (('cable', 0, 1), {'length': 0.0}, r'grip: length: must be in'),
    (('distance', 0, 1), {'length': 1.1}, r'grip: length: must be within gap 0.001 m'),
    (('distance', 0, 1), {'anchor_a': (1, 0, 0)}, r'grip: length: must be given, the anchors are in one place'),
    (('cable', 0, 1), {'anchor_a': (np.nan, 0, 0)}, r'grip: anchor_a: must be finite, got \[nan'),
    (('cable', 0, 1), {'anchor_b': (1, 0)}, r'grip: anchor_b: must have shape \(3,\)'),
    (('cable', 0, 1), {'restitution': 1.5}, r'grip: restitution: must be in \[0, 1\], got 1.5'),
    (('cable', 0, 1), {'max_force': -1.0}, r'grip: max_force: must be in \[0, 1e\+15\], got -1.0'),
    (('cable', 0, 1), {'max_torque': 1.0}, r'grip: max_torque: means nothing to a cable, got 1.0'),
    (('cable', 0, 1), {'stiffness': 1.0}, r'grip: stiffness: means nothing to a cable, got 1.0'),
    (('cable', 0, 1), {'axis': (0, 0, 1)}, r'grip: axis: means nothing to a cable'),
    (('spring', 0, 1), {}, r'grip: stiffness: must be given for a spring, got None'),
    (('spring', 0, 1), {'stiffness': 0.0}, r'grip: stiffness: must be in'),
    (('spring', 0, 1), {'stiffness': 1.0, 'damping': -1.0}, r'grip: damping: must be in'),
    (('distance', 0, 1), {'restitution': 0.5}, r'grip: restitution: means nothing to a distance, got 0.5'),
    (('ball', 0, 1), {}, r'grip: anchor_a: must be given, or anchor_b, got None'),
    (('ball', 0, 1), {'anchor_a': (0, 0, 0), 'length': 1.0}, r'grip: length: means nothing to a ball, got 1.0'),
    (('ball', 0, 1), {'anchor_a': (0, 0, 0), 'anchor_b': (-0.99, 0, 0)},
     r'grip: anchor_b: must be within gap 0.001 m of anchor_a, is 0.01 m away'),
    (('hinge', 0, 1), {'anchor_a': (0, 0, 0)}, r'grip: axis: must be given for a hinge, got None'),
    (('hinge', 0, 1), {'anchor_a': (0, 0, 0), 'axis': (0, 0, 0)}, r'grip: axis: must not be zero'),
    (('fixed', 0, 1), {'gap': -1.0}, r'grip: gap: must be in'),
    (('fixed', 0, 1), {'collide': 2}, r'grip: collide: must be True or False, got 2'),
    (('fixed', 0, 1), {'break_force': 'much'}, r"grip: break_force: must be a number, got 'much'"),
    (('fixed', 0, 1), {'break_impulse': np.inf}, r'grip: break_impulse: must be finite, got inf')])
def test_bad_input(arguments, settings, says):
    w = builder().build()
    hash_before = w.state_hash()
    with pytest.raises(EngineError, match=says):
        w.attach(*arguments, name='grip', **settings)
    assert w.constraints == () and w.state_hash() == hash_before
    w.step()


@pytest.mark.parametrize('settings', ({'solver': 'impulse'}, {'solver': 'penalty'},
                                      {'contact_profile': 'half_sine', 'contact_time': 0.01}))
def test_solvers_without_constraints(settings):
    with pytest.raises(EngineError, match="c: constraints need solver 'sequential' without contact_profile"):
        builder(**settings).build().attach('cable', 0, 1, name='c')


def test_builder_attaches_when_it_builds():
    b = builder()
    b.attach('fixed', 0, 1, name='weld')
    b.attach('fixed', 0, 0, name='self')
    with pytest.raises(EngineError, match='self: body_b'):
        b.build()


def test_names():
    w = builder().build()
    assert w.attach('cable', 0, 1) == 0 and w.attach('cable', 0, 2, name='leash') == 1
    assert w.constraints == ('constraint0', 'leash')
    with pytest.raises(EngineError, match='leash: name: already taken by a constraint'):
        w.attach('cable', 0, 1, name='leash')
    w.detach('constraint0')
    for bad in ('constraint0', 0, 7):
        with pytest.raises(EngineError, match='no constraint'):
            w.constraint(bad)
    with pytest.raises(EngineError, match='constraint: must be a whole number'):
        w.detach(None)
    # the place is used again, the name too
    assert w.attach('cable', 0, 1, name='constraint0') == 0
    assert w.constraints == ('constraint0', 'leash')


def test_what_attach_makes_of_anchors():
    """Anchors are in the frames of the shapes; two that are nearly one hold midway."""
    b = WorldBuilder(gravity=(0, 0, 0))
    b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, inertia=(0.01, 0.02, 0.03), com=(0.05, 0, 0),
               quat=(np.sqrt(0.5), 0, 0, np.sqrt(0.5)))
    b.add_body(Sphere(0.1), mass=1.0, pos=(1.0, 0, 0))
    w = b.build()
    w.attach('ball', 0, 1, anchor_a=(0.05, -1.0, 0), anchor_b=(2e-4, 0, 0))
    c = w.constraint(0)
    assert c.kind == 'ball' and (c.body_a, c.body_b) == (0, 1)
    assert_allclose(c.anchor_a, (1.0 + 1e-4, 0, 0), atol=1e-15)
    assert_allclose(c.anchor_b, c.anchor_a, atol=1e-15)
    w.attach('cable', 0, 1, anchor_a=(0, 0, 0), name='line')
    assert_allclose(w.constraint('line').anchor_a, (0, -0.05, 0), atol=1e-15)
    assert w.constraint('line').length == pytest.approx(np.hypot(1.0, 0.05))


def busy():
    """A chain with limits, a cable, a spring, a hinge, over a floor."""
    b = builder()
    b.add_body(Box((4, 4, 1)), kind='static', pos=(0, 0, -1.2))
    b.attach('fixed', 0, 1, max_force=30.0, max_torque=3.0)
    b.attach('cable', 2, 0, length=1.3, restitution=0.4)
    b.attach('spring', 3, 1, stiffness=30.0, damping=0.2)
    return b.build()


def test_restored_runs_have_the_same_bits():
    """Constraints, their limits, what they gave, their log; also those attached and detached since."""
    w = busy()
    w.step(300)
    saved, one = w.save(), []
    for _ in range(2):
        w.step(200)
        w.detach(0)
        w.attach('hinge', 0, 3, name='late', anchor_b=(0, 0, 0), axis=(0, 0, 1), break_force=40.0)
        w.step(200)
        one.append((w.state_hash(), w._s.joint.copy(), w.constraint_log(), w.constraints))
        w.restore(saved)
        assert w.constraints == ('constraint0', 'constraint1', 'constraint2')
    assert one[0][0] == one[1][0] and one[0][3] == one[1][3]
    assert_array_equal(one[0][1], one[1][1])
    assert_array_equal(one[0][2], one[1][2])


def test_steps_at_once_are_steps_one_by_one():
    together, singly = busy(), busy()
    together.step(250)
    log = []
    for _ in range(250):
        singly.step()
        log += singly.constraint_log().tolist()
    assert together.state_hash() == singly.state_hash()
    assert together.constraint_log().tolist() == log


def test_a_body_that_is_set_far_away_is_drawn_back():
    """No speed comes of it: by positions alone, 1 m/s at most, as overlaps."""
    w = builder(gravity=(0, 0, 0)).build()
    w.attach('ball', 2, 0, anchor_a=(0, 0, 0))
    w.set_state(0, pos=(0.01, 0, 0))
    way = []
    for _ in range(60):
        before = w.pos[0]
        w.step()
        way.append(np.linalg.norm(w.pos[0] - before))
    assert max(way) < 2e-3
    c = w.constraint(0)
    assert np.linalg.norm(c.anchor_a - c.anchor_b) < 1e-6
    assert np.abs(w.linvel[0]).max() < 0.1


def test_a_disabled_body_suspends_its_constraints():
    w = builder().build()
    w.attach('cable', 0, 1)
    w.set_enabled(1, False)
    w.step(10)
    assert w.linvel[0, 2] == pytest.approx(-0.0980665)
    w.set_state(0, pos=(0, 0, 0), linvel=(0, 0, 0))
    w.set_enabled(1, True)
    w.step(10)
    assert_allclose(w.pos[0] - w.pos[1], (-1, 0, 0), atol=1e-6)


def test_the_log_of_a_long_call_has_a_cap(monkeypatch):
    """Balls that bounce on their cables: beyond the cap the oldest rows go, are counted, and the newest are those of a
    run in single steps."""
    from hakoniwa_rigid.engine.model import growing

    def swinging():
        b = WorldBuilder()
        for k in range(4):
            hook = b.add_body(Sphere(0.01), kind='static', pos=(0, 5.0 * k, 0))
            ball = b.add_body(Sphere(0.05), mass=1.0, pos=(0.2 * k, 5.0 * k, -0.5), linvel=(0, 0, -1.0))
            b.attach('cable', hook, ball, length=1.0, restitution=0.95, collide=False)
        return b.build()
    whole, single = swinging(), swinging()
    rows = []
    for _ in range(3000):
        single.step()
        rows += [row.tobytes() for row in single.constraint_log()]
    monkeypatch.setattr(growing, 'MAX_BUFFER', 1400)
    whole.step(3000)
    kept = [row.tobytes() for row in whole.constraint_log()]
    assert whole.state_hash() == single.state_hash()
    assert 0 < len(kept) < len(rows) and kept == rows[-len(kept):]
    assert whole.stats().lost_log_rows == len(rows) - len(kept)


def test_totals_of_a_call_are_the_sums_of_its_steps():
    """A chain that swings, snaps and breaks: what each constraint gave in step(n) is what it gave in n steps."""
    from hakoniwa_rigid.engine.world.constraint_view import constraint_rows

    def hung():
        b = WorldBuilder()
        hook = b.add_body(Sphere(0.01), kind='static')
        first = b.add_body(Sphere(0.05), mass=0.3, pos=(0.4, 0, -0.2))
        last = b.add_body(Box((0.1, 0.1, 0.2)), mass=0.2, pos=(0.9, 0, -0.2), linvel=(0, 1.0, 2.0))
        b.attach('cable', hook, first, length=0.6, restitution=0.3)
        b.attach('hinge', first, last, anchor_b=(-0.2, 0, 0), axis=(0, 1, 0), break_force=12.0)
        return b.build()
    whole, single = hung(), hung()
    broke = False
    for _ in range(60):
        total = np.zeros((2, 6))
        for _ in range(10):
            single.step()
            rows = constraint_rows(single)
            total[rows.numbers] += np.hstack([rows.impulse, rows.moment])
        whole.step(10)
        rows = constraint_rows(whole)
        given = np.zeros((2, 6))
        given[rows.numbers] = np.hstack([rows.impulse, rows.moment])
        assert_allclose(given, total, rtol=1e-12, atol=1e-15)
        broke |= not rows.holds.all()
    assert broke and whole.state_hash() == single.state_hash()
