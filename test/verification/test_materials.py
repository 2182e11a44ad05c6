# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Materials seen through motion: combine rules, pairs that have their own, restitution by speed, bad values."""

import re

import numpy as np
import pytest
from contact_scenes import ball_on_plane, builder
from numpy.testing import assert_allclose
from scenes import DRONE_INERTIA, DRONE_MASS, G, impacts

from hakoniwa_rigid.engine import Box, EngineError, HalfSpace, Sphere

RULES = {
    'max': max,
    'min': min,
    'average': lambda a, b: (a + b) / 2,
    'multiply': lambda a, b: a * b,
    'geometric_mean': lambda a, b: np.sqrt(a * b),
}
TABLE = [(0.5, 0.9), (2.0, 0.6), (4.0, 0.1)]  # (m/s, e)


def table(speed):
    """What TABLE says at a speed: linear between, constant beyond the ends."""
    return np.interp(speed, *np.transpose(TABLE))


def dropped(speed, ball, ground, **options):
    """A ball that touches a plane at `speed` m/s, gravity 0, each of its own material: velocity after, its row."""
    w, i = ball_on_plane(gravity=0.0, linvel=(0, 0, -speed), ground=ground, options=options, **ball)
    w.step(1)
    (row,) = impacts(w)
    return w.linvel[i].copy(), row


def sliding(ball, ground, steps=100, **options):
    """A box at 2 m/s on a plane, 0.7 kg: its speed after `steps` ms."""
    b = builder(gravity=G, **options)
    b.add_body(HalfSpace(), kind='static', **ground)
    i = b.add_body(Box((0.5, 0.5, 0.05)), mass=0.7, pos=(0, 0, 0.025), linvel=(2, 0, 0), **ball)
    w = b.build()
    w.step(steps)
    assert_allclose(w.linvel[i, 1:], 0.0, atol=1e-6)
    return w.linvel[i, 0]


# --- combination


@pytest.mark.parametrize(('ea', 'eb'), [(0.2, 0.7), (0.9, 0.0)])
@pytest.mark.parametrize('rule', RULES)
def test_restitution_rule(rule, ea, eb):
    """v' = e v, and the row tells the same e."""
    v, row = dropped(2.0, dict(restitution=ea), dict(restitution=eb), combine_restitution=rule)
    e = RULES[rule](ea, eb)
    assert_allclose(v, [0, 0, 2.0 * e], atol=1e-12)
    assert_allclose(row['restitution'], e, atol=1e-15)


@pytest.mark.parametrize(('mu_a', 'mu_b'), [(0.2, 0.6), (0.5, 0.0)])
@pytest.mark.parametrize('rule', RULES)
def test_friction_rule(rule, mu_a, mu_b):
    """A sliding box slows at mu g."""
    v = sliding(dict(friction=mu_a), dict(friction=mu_b), combine_friction=rule)
    assert_allclose(2.0 - v, RULES[rule](mu_a, mu_b) * G * 0.1, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize('rule', RULES)
def test_friction_rule_in_an_impact(rule):
    """A ball that slides through its impact loses mu (1 + e) |v_n|; the restitution keeps its own rule."""
    w, i = ball_on_plane(gravity=0.0, linvel=(30, 0, -1), restitution=0.5, friction=0.3,
                         ground=dict(friction=0.6, restitution=0.2), options=dict(combine_friction=rule))  # fmt: skip
    w.step(1)
    mu = RULES[rule](0.3, 0.6)
    assert_allclose(w.linvel[i], [30 - mu * 1.5, 0, 0.5], atol=1e-12)
    assert_allclose(impacts(w)[0]['friction'], mu, atol=1e-15)


# --- a pair's own values


def two_balls(own, *, swapped=False):
    """Two equal balls touch a plane at (2, 0, -2) m/s; ball 1 and the plane have `own` values. Returns the world."""
    b = builder()
    ground = b.add_body(HalfSpace(), kind='static', restitution=0.3, friction=0.1)
    balls = [b.add_body(Sphere(0.1), mass=1.0, pos=(0, y, 0.1), linvel=(2, 0, -2), restitution=0.3, friction=0.1)
             for y in (0, 1)]  # fmt: skip
    pair = (ground, balls[0])
    b.set_pair_material(*(pair[::-1] if swapped else pair), **own)
    w = b.build()
    w.step(1)
    return w


@pytest.mark.parametrize('swapped', [False, True])
def test_pair_s_own_values_win(swapped):
    """Both given: only that pair differs, whichever body is named first. Sliding: Δv_t = mu (1 + e) v_n."""
    w = two_balls(dict(restitution=0.8, friction=0.05), swapped=swapped)
    assert_allclose(w.linvel[1], [2 - 0.05 * 1.8 * 2, 0, 1.6], atol=1e-12)
    assert_allclose(w.linvel[2], [2 - 0.1 * 1.3 * 2, 0, 0.6], atol=1e-12)


@pytest.mark.parametrize(('own', 'e', 'mu'), [(dict(restitution=0.0), 0.0, 0.1), (dict(friction=0.0), 0.3, 0.0)])
def test_what_the_pair_does_not_give_is_combined(own, e, mu):
    """Zero is a value that was given."""
    w = two_balls(own)
    row = next(r for r in impacts(w) if 1 in (r['body_a'], r['body_b']))
    assert_allclose([row['restitution'], row['friction']], [e, mu], atol=1e-15)
    assert_allclose(w.linvel[1], [2 - mu * (1 + e) * 2, 0, 2 * e], atol=1e-12)


def test_pair_s_own_rolling_and_torsional_friction():
    """Given 0, it takes away what the bodies would have had: the ball keeps rolling and spinning."""
    b = builder(gravity=G)
    ground = b.add_body(HalfSpace(), kind='static', friction=0.5, rolling_friction=0.01, torsional_friction=0.01)
    i = b.add_body(Sphere(0.1), mass=1.0, pos=(0, 0, 0.1), linvel=(1, 0, 0), angvel=(0, 10, 7), friction=0.5)
    b.set_pair_material(ground, i, rolling_friction=0.0, torsional_friction=0.0)
    w = b.build()
    w.step(100)
    assert_allclose(w.linvel[i], [1, 0, 0], atol=1e-6)
    assert_allclose(w.angvel[i], [0, 10, 7], atol=1e-5)


def test_pair_s_own_values_outlive_a_new_material():
    b = builder()
    ground = b.add_body(HalfSpace(), kind='static', restitution=0.1)
    i = b.add_body(Sphere(0.1), mass=1.0, pos=(0, 0, 0.1), linvel=(0, 0, -2), restitution=0.1)
    b.set_pair_material(i, ground, restitution=0.75)
    w = b.build()
    w.set_material(i, restitution=0.9)
    w.step(1)
    assert_allclose(w.linvel[i, 2], 1.5, atol=1e-12)


@pytest.mark.parametrize(('new', 'e'), [(0.6, 0.6), (TABLE, table(3.0))])
def test_material_set_while_running(new, e):
    """A number or a table; what is not named stays."""
    w, i = ball_on_plane(gravity=0.0, linvel=(30, 0, -3), restitution=0.0, friction=0.2, gap=3 * 1.5e-3)
    w.step(1)
    w.set_material(i, restitution=new)
    w.step(1)
    assert_allclose(w.linvel[i], [30 - 0.2 * (1 + e) * 3, 0, 3 * e], atol=1e-10)


# --- restitution by speed


@pytest.mark.parametrize('speed', [0.05, 0.5, 1.0, 2.0, 3.0, 3.999, 4.0, 25.0])
def test_restitution_by_speed(speed):
    """Linear in between, constant beyond the ends; the e of the row is the one that was used."""
    v, row = dropped(speed, dict(restitution=TABLE), dict(restitution=0.0))
    assert_allclose(row['restitution'], table(speed), rtol=1e-12)
    assert_allclose(v, [0, 0, table(speed) * speed], atol=1e-12 * speed)


@pytest.mark.parametrize('rule', RULES)
def test_tables_are_read_before_they_are_combined(rule):
    """e = rule(e_a(v), e_b(v)), also of a table and a number."""
    other = [(1.0, 0.2), (3.0, 0.8)]
    v, _ = dropped(2.5, dict(restitution=TABLE), dict(restitution=other), combine_restitution=rule)
    assert_allclose(v[2], 2.5 * RULES[rule](table(2.5), 0.65), atol=1e-12)
    v, _ = dropped(2.5, dict(restitution=0.3), dict(restitution=other), combine_restitution=rule)
    assert_allclose(v[2], 2.5 * RULES[rule](0.3, 0.65), atol=1e-12)


@pytest.mark.parametrize('entries', [[(1.0, 0.4)], [(0.0, 0.4), (10.0, 0.4)], np.array([[0.0, 0.4], [1.0, 0.4]])])
def test_flat_tables_are_numbers(entries):
    assert_allclose(dropped(2.0, dict(restitution=entries), dict(restitution=0.0))[0][2], 0.8, atol=1e-12)


@pytest.mark.parametrize('spin', [-15.0, 0.0, 12.0])
def test_speed_of_the_contact_point_counts(spin):
    """A drone hit off its centre: u_n = 3 - 0.1 w is the speed that the table is asked for, not that of the CoM."""
    b = builder()
    i = b.add_body(Box((0.4, 0.4, 0.1)), mass=DRONE_MASS, inertia=DRONE_INERTIA, linvel=(3, 0, 0), angvel=(0, 0, spin),
                   restitution=TABLE, friction=0.0)  # fmt: skip
    b.add_body(Sphere(0.3), pos=(0.5, 0.1, 0), kind='static', friction=0.0)
    w = b.build()
    w.step(1)
    (row,) = impacts(w)
    speed = 3 - 0.1 * spin
    e = table(speed)
    assert_allclose(row['restitution'], e, rtol=1e-10)
    size = (1 + e) * speed / (1 / DRONE_MASS + 0.01 / DRONE_INERTIA[2])
    assert_allclose(w.linvel[i], [3 - size / DRONE_MASS, 0, 0], atol=1e-9)


def test_each_bounce_has_its_own_restitution():
    """Dropped from 1 m: v_k+1 = e(v_k) v_k, 4.43 -> 0.443 -> 0.399 m/s."""
    w, _ = ball_on_plane(gravity=G, gap=1.0, restitution=TABLE, ground=dict(restitution=0.0))
    w.step(650)
    rows = impacts(w)
    assert len(rows) >= 3
    speed = np.sqrt(2 * G)
    for row in rows[:3]:
        assert_allclose(-row['velocity_before'][2], speed, rtol=1e-9)
        assert_allclose(row['restitution'], table(speed), rtol=1e-9)
        speed *= table(speed)


def test_threshold_comes_before_the_table():
    """Slower than restitution_threshold nothing bounces, whatever the table says."""
    for speed, e in ((0.019, 0.0), (0.021, 0.9)):
        v, _ = dropped(speed, dict(restitution=TABLE), dict(restitution=0.0), restitution_threshold=0.02)
        assert_allclose(v[2], e * speed, atol=1e-12)


# --- bad values


def named(*words):
    """pytest.raises an EngineError whose message holds all the words."""
    return pytest.raises(EngineError, match=''.join(f'(?=(?s:.*){re.escape(word)})' for word in words))


@pytest.mark.parametrize('rule', ['mean', 'MAX', 3, None])
@pytest.mark.parametrize('key', ['combine_restitution', 'combine_friction'])
def test_unknown_rules_are_named(key, rule):
    with named(key, str(rule)):
        builder(**{key: rule})


BAD = [
    ('restitution', 1.5, '1.5'), ('restitution', -0.1, '-0.1'), ('restitution', np.nan, 'nan'),
    ('restitution', [], '[]'), ('restitution', [(2.0, 0.5), (1.0, 0.4)], '1.0'), ('restitution', [(1.0, 1.2)], '1.2'),
    ('restitution', [(1.0, 0.5), (1.0, 0.4)], '1.0'), ('restitution', [(-1.0, 0.5), (1.0, 0.4)], '-1.0'),
    ('restitution', [(np.nan, 0.5)], 'nan'), ('restitution', [0.5, 0.4], '0.5'), ('restitution', 'high', 'high'),
    ('restitution', [(1.0, 0.5, 0.2)], '0.2'), ('friction', -1.0, '-1.0'), ('rolling_friction', -0.001, '-0.001'),
    ('rolling_friction', np.inf, 'inf'), ('rolling_friction', 'much', 'much'), ('torsional_friction', -2.0, '-2.0'),
    ('torsional_friction', np.nan, 'nan'),
]  # fmt: skip


@pytest.mark.parametrize(('key', 'value', 'shown'), BAD)
def test_bad_materials_are_named(key, value, shown):
    """By add_body, World.set_material and set_pair_material alike."""
    b = builder()
    with named(key, shown):
        b.add_body(Sphere(0.1), mass=1.0, **{key: value})
    b.add_body(Sphere(0.1), mass=1.0)
    b.add_body(Sphere(0.1), mass=1.0, pos=(1, 0, 0))
    with named(key, shown):
        b.set_pair_material(0, 1, **{key: value})
    w = b.build()
    with named(key, shown):
        w.set_material(0, **{key: value})


@pytest.mark.parametrize('pair', [(0, 7), (-1, 0), (0, 0), ('x', 0)])
def test_pairs_of_nobody_are_refused(pair):
    b = builder()
    b.add_body(Sphere(0.1), mass=1.0)
    b.add_body(Sphere(0.1), mass=1.0, pos=(1, 0, 0))
    with pytest.raises(EngineError):
        b.set_pair_material(*pair, friction=0.3)
