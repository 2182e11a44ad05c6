# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Materials, combine rules, pairs of materials, contact profile and solver in world files: read, used, written back."""
import math

import pytest
import yaml

from hakoniwa_rigid.scene import CollisionScene, WorldFileError
from hakoniwa_rigid.scene.world_files import world_file

MS = 1_000_000
WORLD = """
gravity: [0, 0, 0]
restitution_threshold: 0.0
combine: {restitution: min, friction: average}
materials:
  default: {restitution: 0.9, friction: 0.2}
  steel: {restitution: [[0.5, 0.9], [2.0, 0.6], [4.0, 0.1]], friction: 0.3, rolling_friction: 0.004,
          torsional_friction: 0.002}
  wood: {restitution: 0.8, friction: 0.7}
pair_materials:
  - {between: [wood, steel], restitution: 0.25}
walls:
  - {name: floor, type: plane, material: wood}
  - {name: ceiling, type: plane, normal: [0, 0, -1], offset: -2}
objects:
  - {name: low, shape: {type: sphere, radius: 0.1}, mass: 1, position: [0, 0, 0.1], linear_velocity: [0, 0, -3],
     angular_velocity: [0, 0, 90], material: steel}
  - {name: high, shape: {type: sphere, radius: 0.1}, mass: 1, position: [3, 0, 1.9], linear_velocity: [0, 0, 3],
     angular_velocity: [0, 0, 90], material: steel}
"""
PLAIN = WORLD.replace('combine: {restitution: min, friction: average}\n', '').replace(
    'pair_materials:\n  - {between: [wood, steel], restitution: 0.25}\n', '')  # fmt: skip
INERTIA = 0.4 * 0.1**2


@pytest.fixture
def load(tmp_path):
    """Loads a world from text; the file is called room.yaml."""
    def read(text):
        (tmp_path / 'room.yaml').write_text(text)
        return world_file.load(tmp_path / 'room.yaml')
    return read


def after(config, time=5 * MS):
    """The scene's world `time` ns after the start."""
    scene = CollisionScene.from_config(config)
    scene.advance(0)
    scene.advance(time)
    return scene.world


def upward(world):
    """v_z of the balls `low` and `high`."""
    return [world.linvel[world.index(name), 2] for name in ('low', 'high')]


def saved(config):
    """What save_world writes, as YAML reads it."""
    scene = CollisionScene.from_config(config)
    scene.advance(0)
    return yaml.safe_load(scene.save_world())


# --- what the keys do


def test_table_pair_and_rule_are_used(load):
    """Floor: the pair's own 0.25. Ceiling: min(0.9, e(3 m/s) = 0.35)."""
    assert upward(after(load(WORLD))) == pytest.approx([3 * 0.25, -3 * 0.35], abs=1e-12)


def test_without_them_the_larger_restitution_counts(load):
    """max(0.8, 0.35) and max(0.9, 0.35)."""
    assert upward(after(load(PLAIN))) == pytest.approx([3 * 0.8, -3 * 0.9], abs=1e-12)


@pytest.mark.parametrize(('rule', 'e'), [('max', 0.9), ('min', 0.35), ('average', 0.625), ('multiply', 0.315),
                                         ('geometric_mean', math.sqrt(0.315))])
def test_every_rule_can_be_named(load, rule, e):
    text = PLAIN + f'combine: {{restitution: {rule}, friction: {rule}}}\n'
    assert upward(after(load(text)))[1] == pytest.approx(-3 * e, abs=1e-12)


def test_half_a_combine_leaves_the_other_rule(load):
    assert upward(after(load(PLAIN + 'combine: {friction: min}\n')))[1] == pytest.approx(-3 * 0.9, abs=1e-12)


def test_torsional_friction_of_a_material_is_used(load):
    """c_t (1 + e) m v of angular impulse on the ball that falls, of the pair without own c_t."""
    world = after(load(WORLD))
    spin = world.angvel[world.index('low'), 2]
    assert spin == pytest.approx(90 - 0.002 * 1.25 * 3 / INERTIA, abs=1e-9)


def test_friction_rule_is_used(load):
    """A skimming ball loses mu (1 + e) v_n with mu = (0.3 + 0.7)/2."""
    text = WORLD.replace('linear_velocity: [0, 0, -3]', 'linear_velocity: [40, 0, -3]').replace(
        'angular_velocity: [0, 0, 90]', 'angular_velocity: [0, 0, 0]')  # fmt: skip
    world = after(load(text))
    assert world.linvel[world.index('low'), 0] == pytest.approx(40 - 0.5 * 1.25 * 3, abs=1e-9)


def test_rolling_friction_of_a_material_is_used(load):
    """A ball that rolls at 1 m/s slows by (5/7) c_r g / r."""
    text = WORLD.replace('gravity: [0, 0, 0]', 'gravity: [0, 0, -9.81]').replace(
        'linear_velocity: [0, 0, -3],\n     angular_velocity: [0, 0, 90]',
        'linear_velocity: [1, 0, 0],\n     angular_velocity: [0, 10, 0]')  # fmt: skip
    world = after(load(text), 100 * MS)
    slowed = 5 / 7 * 0.004 * 9.81 / 0.1 * 0.1
    assert world.linvel[world.index('low'), 0] == pytest.approx(1 - slowed, abs=1e-6)


def test_impulse_solver_knows_no_friction(load):
    text = WORLD.replace('linear_velocity: [0, 0, -3]', 'linear_velocity: [40, 0, -3]') + 'solver: impulse\n'
    world = after(load(text))
    low = world.index('low')
    assert world.linvel[low] == pytest.approx([40, 0, 0.75], abs=1e-9)
    assert world.angvel[low] == pytest.approx([0, 0, 90], abs=1e-9)


@pytest.mark.parametrize('profile', ['rectangle', 'half_sine', 'hertz'])
def test_contact_profile_is_used(load, profile):
    """T = 8 ms: at 4 ms half of the impulse has come (all profiles are even), at 10 ms all of it."""
    config = load(WORLD + f'contact: {{profile: {profile}, time: 0.008}}\n')
    assert upward(after(config, 4 * MS)) == pytest.approx([-3 + 0.5 * 3.75, 3 - 0.5 * 4.05], abs=1e-9)
    assert upward(after(config, 10 * MS)) == pytest.approx([0.75, -1.05], abs=1e-9)


def test_contact_stiffness_is_used(load):
    """k = m (pi/T)² with T = 8 ms."""
    config = load(WORLD + f'contact: {{profile: half_sine, stiffness: {(math.pi / 0.008) ** 2!r}}}\n')
    assert upward(after(config, 4 * MS))[0] == pytest.approx(-3 + 0.5 * 3.75, abs=1e-9)


# --- written back


@pytest.mark.parametrize('extra', ['', 'solver: impulse\n', 'contact: {profile: hertz, time: 0.008}\n',
                                   'contact: {profile: half_sine, stiffness: 2.5e4}\n'])
@pytest.mark.parametrize('text', [WORLD, PLAIN], ids=['full', 'plain'])
def test_saved_world_moves_the_same(load, text, extra):
    """Saved, loaded, saved: the same text and, bit by bit, the same motion."""
    first = load(text + extra)
    scene = CollisionScene.from_config(first)
    scene.advance(0)
    again = load(scene.save_world())
    assert saved(again) == saved(first)
    for time in (3 * MS, 10 * MS):
        one, two = after(first, time), after(again, time)
        assert (one.linvel == two.linvel).all() and (one.angvel == two.angvel).all()


def test_saved_text_has_the_keys(load):
    text = saved(load(WORLD + 'solver: impulse\ncontact: {profile: hertz, time: 0.008}\n'))
    assert text['solver'] == 'impulse'
    assert text['combine'] == {'restitution': 'min', 'friction': 'average'}
    assert (text['contact']['profile'], text['contact']['time']) == ('hertz', 0.008)
    (pair,) = text['pair_materials']
    assert sorted(pair['between']) == ['steel', 'wood'] and pair['restitution'] == 0.25
    steel = text['materials']['steel']
    assert steel['restitution'] == [[0.5, 0.9], [2.0, 0.6], [4.0, 0.1]]
    assert (steel['rolling_friction'], steel['torsional_friction']) == (0.004, 0.002)


# --- mistakes

# (what to replace in WORLD, by what, the key that is named, a word of the message)
MISTAKES = {
    'negative rolling': ('rolling_friction: 0.004', 'rolling_friction: -0.004', 'materials.steel.rolling_friction',
                         '-0.004'),
    'torsion as text': ('torsional_friction: 0.002', 'torsional_friction: some',
                        'materials.steel.torsional_friction', "'some'"),
    'unknown key': ('rolling_friction: 0.004', 'roling_friction: 0.004', 'materials.steel.roling_friction',
                    "did you mean 'rolling_friction'"),
    'table falls': ('[2.0, 0.6]', '[0.2, 0.6]', 'materials.steel.restitution', '0.2'),
    'table above 1': ('[2.0, 0.6]', '[2.0, 1.6]', 'materials.steel.restitution', '1.6'),
    'table of three': ('[2.0, 0.6]', '[2.0, 0.6, 1]', 'materials.steel.restitution', '[2.0, 0.6, 1]'),
    'table of words': ('[2.0, 0.6]', '[2.0, bouncy]', 'materials.steel.restitution', "'bouncy'"),
    'empty table': ('[[0.5, 0.9], [2.0, 0.6], [4.0, 0.1]]', '[]', 'materials.steel.restitution', '[]'),
    'negative speed': ('[0.5, 0.9]', '[-0.5, 0.9]', 'materials.steel.restitution', '-0.5'),
    'rule': ('restitution: min', 'restitution: mean', 'combine.restitution', "'mean'"),
    'friction rule': ('friction: average', 'friction: 2', 'combine.friction', '2'),
    'combine key': ('{restitution: min,', '{bounce: min,', 'combine.bounce', 'unknown key'),
    'combine no mapping': ('{restitution: min, friction: average}', 'min', 'combine', "'min'"),
    'pair of unknown': ('[wood, steel]', '[wood, stone]', 'pair_materials[0].between', "'stone'"),
    'pair of three': ('[wood, steel]', '[wood, steel, wood]', 'pair_materials[0].between', 'steel'),
    'pair without names': ('between: [wood, steel], ', '', 'pair_materials[0].between', 'is missing'),
    'pair value': ('restitution: 0.25', 'restitution: 2.5', 'pair_materials[0].restitution', '2.5'),
    'pair key': ('restitution: 0.25', 'mass: 0.25', 'pair_materials[0].mass', 'unknown key'),
    'pair of a list': ('[wood, steel]', '[wood, [steel]]', 'pair_materials[0].between', "['steel']"),
    'rough beyond all': ('friction: 0.7', 'friction: 1e9', 'materials.wood.friction', '1000000000'),
    'many digits': ('friction: 0.7', f'friction: {10**400}', 'materials.wood.friction', 'finite'),
    'pairs no list': ('  - {between: [wood, steel], restitution: 0.25}', '  {between: [wood, steel]}', 'pair_materials',
                      'list'),
}


@pytest.mark.parametrize('mistake', MISTAKES)
def test_mistakes_name_file_key_and_value(load, tmp_path, mistake):
    old, new, key, word = MISTAKES[mistake]
    assert WORLD.count(old) == 1
    with pytest.raises(WorldFileError) as error:
        load(WORLD.replace(old, new))
    assert str(error.value).startswith(f'{tmp_path / "room.yaml"}: {key}')
    assert word in str(error.value)


@pytest.mark.parametrize(('line', 'key', 'word'), [
    ('solver: pgs', 'solver', "'pgs'"),
    ('contact: {profile: sine, time: 0.01}', 'contact.profile', "'sine'"),
    ('contact: {time: 0.01}', 'contact', 'profile'),
    ('contact: {profile: hertz}', 'contact', 'time'),
    ('contact: {profile: hertz, time: 0.01, stiffness: 1e5}', 'contact', 'stiffness'),
    ('contact: {profile: hertz, time: 0}', 'contact.time', '0'),
    ('contact: {profile: hertz, time: -0.01}', 'contact.time', '-0.01'),
    ('contact: {profile: hertz, time: 100}', 'contact.time', '100'),
    ('contact: {profile: hertz, stiffness: 1e20}', 'contact.stiffness', '1e+20'),
    ('contact: {profile: hertz, stiffness: .inf}', 'contact.stiffness', 'inf'),
    ('contact: {profile: hertz, duration: 0.01}', 'contact.duration', 'unknown key'),
    ('contact: hertz', 'contact', "'hertz'")])
def test_mistakes_in_contact_and_solver(load, tmp_path, line, key, word):
    with pytest.raises(WorldFileError) as error:
        load(WORLD + line + '\n')
    assert str(error.value).startswith(f'{tmp_path / "room.yaml"}: {key}')
    assert word in str(error.value)


def test_pair_named_twice_is_refused(load):
    """Two entries for one pair of materials, in either order, contradict each other."""
    text = WORLD.replace('restitution: 0.25}', 'restitution: 0.25}\n  - {between: [steel, wood], friction: 0.1}')
    with pytest.raises(WorldFileError, match=r'pair_materials\[1\]'):
        load(text)


def test_a_material_against_itself(load):
    """between: [steel, steel] is the pair of two steel bodies."""
    text = WORLD.replace('between: [wood, steel]', 'between: [steel, steel]')
    for old, new in (('[0, 0, 0.1], linear_velocity: [0, 0, -3]', '[0, 0, 0.5], linear_velocity: [0, 0, 1]'),
                     ('[3, 0, 1.9], linear_velocity: [0, 0, 3]', '[0, 0, 0.7], linear_velocity: [0, 0, -5]')):
        assert text.count(old) == 1
        text = text.replace(old, new)
    low, high = upward(after(load(text), 2 * MS))
    assert high - low == pytest.approx(0.25 * 6, abs=1e-9)


def test_pairs_of_materials_that_nobody_has(load):
    """A library of materials: saved whole, also what no body is made of; a lone body of a material touches none."""
    text = WORLD.replace('wood: {', 'ice: {friction: 0.01}\n  wood: {').replace(
        'restitution: 0.25}', 'restitution: 0.25}\n  - {between: [ice, steel], friction: 0.0}\n'
        '  - {between: [wood, wood], friction: 1.0}')
    first = load(text)
    scene = CollisionScene.from_config(first)
    scene.advance(0)
    assert load(scene.save_world()).pair_materials == first.pair_materials
    assert (after(first).linvel == after(load(WORLD)).linvel).all()


DRONES = """
gravity: [0, 0, 0]
materials: {default: {restitution: 0.9, friction: 0.2}, a: {restitution: 0.5}, b: {restitution: 0.5}}
pair_materials: [{between: [a, default], restitution: 0.75}, {between: [b, default], restitution: 0.25}]
walls: [{name: floor, type: plane}]
drones:
  - {name: p, model: plain, material: a, position: [0, 0, 1]}
  - {name: q, model: plain, material: b, position: [3, 0, 1]}
  - {name: r, model: plain, position: [6, 0, 1]}
"""


def test_drones_whose_materials_differ_in_name_only(load, tmp_path):
    """Saved under their own names; a model file without a material has the world's default."""
    (tmp_path / 'plain.yaml').write_text('{mass: 1, inertia: [1, 1, 1], shape: {type: sphere, radius: 0.1}}')
    first = load(DRONES)
    assert first.drones[2].model.material.restitution == 0.9
    scene = CollisionScene.from_config(first)
    scene.advance(0)
    again = load(scene.save_world())
    assert [d.model.material.name for d in again.drones] == ['a', 'b', 'default']
    assert again.drones[2].model.material.restitution == 0.9
