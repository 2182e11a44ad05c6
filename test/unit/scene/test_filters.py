# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Who can touch whom: kinds, the user's groups and masks, named pairs, and all of them together."""
import itertools

import pytest
from scene_worlds import MODEL

from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.engine.model import layout as L
from hakoniwa_rigid.scene import CollisionScene, WorldFileError
from hakoniwa_rigid.scene.bodies import _MASKS, DRONE, HAND, OBJECT, WALL, build
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.world_types import (
    ALL_GROUPS,
    PAIR_KINDS,
    CollisionBits,
    DroneConfig,
    FilterConfig,
    HandConfig,
    ObjectConfig,
    WallConfig,
    WorldConfig,
)

BITS = (CollisionBits(), CollisionBits(2), CollisionBits(1, 2), CollisionBits(3, 4), CollisionBits(0x8000, 0x8000),
        CollisionBits(0), CollisionBits(0x8004, ALL_GROUPS - 1), CollisionBits(ALL_GROUPS, 0))
MAKE = {
    DRONE: lambda name, bits: DroneConfig(name, MODEL, collision=bits),
    WALL: lambda name, bits: WallConfig(name, Box((1, 1, 1)), collision=bits),
    OBJECT: lambda name, bits: ObjectConfig(name, Sphere(0.1), 1.0, collision=bits),
    HAND: lambda name, bits: HandConfig(name, collision=bits),
}
SECTION = {DRONE: 'drones', WALL: 'walls', OBJECT: 'objects', HAND: 'hands'}
WORD = {DRONE: 'drone', WALL: 'wall', OBJECT: 'object', HAND: 'hand'}


def world_of(filters):
    """One body of every kind with each of BITS."""
    sections = {SECTION[kind]: tuple(make(f'{WORD[kind]}{k}', bits) for k, bits in enumerate(BITS))
                for kind, make in MAKE.items()}
    return build(WorldConfig(**sections, filters=filters))


def engine_allows(world, i, j):
    """The engine's rule on its own tables: group_a & mask_b and group_b & mask_a, and no exclusion."""
    body, n = world._s.body, world.n
    agree = body[i, L.B_GROUP] & body[j, L.B_MASK] != 0 and body[j, L.B_GROUP] & body[i, L.B_MASK] != 0
    return bool(agree) and min(i, j) * n + max(i, j) not in world._s.excluded


@pytest.mark.parametrize('off', [(), ('drone_drone',), ('drone_wall', 'object_object'), PAIR_KINDS])
def test_bodies_meet_where_kinds_groups_and_names_all_agree(off):
    """Every pair of kinds and bits against the rule written out."""
    pair = ('drone0', 'object0')
    world, table = world_of(FilterConfig(off, (pair,)))
    first = {}
    for k, name in enumerate(table.names):
        first.setdefault(name, k)
    for a, b in itertools.combinations(first, 2):
        i, j = first[a], first[b]
        kinds = int(table.kinds[i]), int(table.kinds[j])
        word = {f'{WORD[x]}_{WORD[y]}' for x, y in (kinds, kinds[::-1])}
        p, q = BITS[int(a[-1])], BITS[int(b[-1])]
        groups = p.group & q.mask != 0 and q.group & p.mask != 0
        want = kinds[1] in _MASKS[kinds[0]] and not word & set(off) and groups and {a, b} != set(pair)
        assert engine_allows(world, i, j) == want, (a, b)


WORLD = """
filters: {groups: [cage, ghosts]}
walls: [{name: net, type: box, size: [1, 1, 1], collision: {group: cage}}]
objects: [{name: ball, shape: {type: sphere, radius: 0.1}, mass: 1, collision: {group: [default, ghosts], mask: BITS}}]
hands: [{name: right, collision: {mask: [default, cage]}}]
"""


@pytest.fixture
def load(tmp_path):
    def read(text):
        (tmp_path / 'room.yaml').write_text(text)
        return world_file.load(tmp_path / 'room.yaml')
    return read


@pytest.mark.parametrize(('text', 'mask'), [('0xFFFD', 0xFFFD), ('-1', ALL_GROUPS), ('cage', 2), ('0', 0), ('[]', 0),
                                            ('[ghosts, default, ghosts]', 5)])
def test_groups_by_bits_or_names(load, text, mask):
    w = load(WORLD.replace('BITS', text))
    assert w.filters.groups == ('cage', 'ghosts')
    assert w.walls[0].collision == CollisionBits(2, ALL_GROUPS)
    assert w.objects[0].collision == CollisionBits(5, mask)
    assert w.hands[0].collision == CollisionBits(1, 3)


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('BITS', 'cages', "objects[0].collision.mask: unknown group; known (filters.groups): default, cage, ghosts, "
     "got 'cages'"),
    ('BITS', '[cage, 3]', 'objects[0].collision.mask: unknown group; known (filters.groups): default, cage, ghosts, '
     'got 3'),
    ('BITS', '0x10000', 'objects[0].collision.mask: must be bits of 16 groups, 0 .. 65535, or -1 for all, got 65536'),
    ('BITS', 'true', 'objects[0].collision.mask: unknown group; known (filters.groups): default, cage, ghosts, '
     'got True'),
    ('mask: BITS', 'masks: 1', "objects[0].collision.masks: unknown key; did you mean 'mask'?"),
    ('[cage, ghosts]}', '[cage, cage]}', "filters.groups: must be different names, and 'default' is group 0, got "
     "['cage', 'cage']"),
    ('[cage, ghosts]}', '[default]}', "filters.groups: must be different names, and 'default' is group 0, got "
     "['default']"),
    ('[cage, ghosts]}', f'{[f"g{k}" for k in range(16)]}}}', 'filters.groups: must be a list of at most 15 names, got '
     f'{[f"g{k}" for k in range(16)]}'),
])
def test_mistakes(load, tmp_path, old, new, message):
    with pytest.raises(WorldFileError) as error:
        load(WORLD.replace(old, new).replace('BITS', '-1'))
    assert str(error.value) == f'{tmp_path / "room.yaml"}: {message}'


def test_a_ball_falls_through_what_its_mask_leaves_out(load):
    """Two balls over a slab: the one of group ghosts, which the slab's mask leaves out, falls on."""
    scene = CollisionScene.from_config(load("""
filters: {groups: [ghosts]}
walls: [{name: slab, type: box, size: [2, 2, 0.2], position: [0, 0, -0.1], collision: {mask: 1}}]
objects:
  - {name: ghost, shape: {type: sphere, radius: 0.1}, mass: 1, position: [0.5, 0, 0.1], collision: {group: ghosts}}
  - {name: ball, shape: {type: sphere, radius: 0.1}, mass: 1, position: [-0.5, 0, 0.1]}
"""))
    scene.advance(0)
    scene.advance(100_000_000)
    ghost, ball = scene.world.pos[:, 2][[scene.world.index('ghost'), scene.world.index('ball')]]
    assert ghost == pytest.approx(0.1 - 0.5 * 9.80665 * 0.1 ** 2, abs=1e-12)
    assert ball == pytest.approx(0.1, abs=1e-7)
