# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A disabled body becomes another one: as if it had been built so, and as if nothing had been done to the others."""
import numpy as np
import pytest

from hakoniwa_rigid.engine import (
    Box,
    Capsule,
    Compound,
    ConvexHull,
    Cylinder,
    EngineError,
    HalfSpace,
    Sphere,
    TriangleMesh,
    WorldBuilder,
)


def hull(seed, n=14):
    return ConvexHull(np.random.default_rng(seed).normal(size=(n, 3)) * 0.2)


def tiles(height=0.0):
    """A mesh of two triangles."""
    corners = np.array([[-2.0, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]]) + [0, 0, height]
    return TriangleMesh(corners, np.array([[0, 1, 2], [0, 2, 3]]))


FRAME = Compound([(Box((0.2, 0.2, 0.1)), (0, 0, 0), (1, 0, 0, 0)),
                  (Cylinder(0.1, 0.02), (0.15, 0.15, 0.03), (1, 0, 0, 0)),
                  (Cylinder(0.1, 0.02), (-0.15, -0.15, 0.03), (1, 0, 0, 0))])
MOVING = {'compound': FRAME, 'hull': hull(3), 'box': Box((0.3, 0.2, 0.1)), 'capsule': Capsule(0.1, 0.3)}
FIXED = {'mesh': tiles(0.7), 'wall': Box((3.0, 3.0, 0.2)), 'hull': hull(5, 30),
         'steps': Compound([(Box((1, 1, 0.2)), (0, 0, 0.1), (1, 0, 0, 0)),
                            (Box((1, 1, 0.4)), (1, 0, 0.2), (1, 0, 0, 0))])}
KEYS = {'mass': 0.8, 'pos': (0.2, 0.3, 3.0), 'restitution': [(0, 0.8), (1, 0.3)], 'friction': 0.2}


def scene(spare=0, there=None, solids=True, **settings):
    """A floor, a mesh, a hull and boxes that fall; spare spheres, or what is `there` by number."""
    b = WorldBuilder(dt=1e-3, **settings)
    b.add_body(HalfSpace((0, 0, 1), 0.0), kind='static', name='floor')
    if solids:
        b.add_body(tiles(0.1), kind='static', pos=(6, 0, 0), name='mesh')
        b.add_body(hull(9), mass=1.0, pos=(6, 0, 1), name='hull')
    r = np.random.default_rng(2)
    for k in range(6):
        q = r.normal(size=4)
        b.add_body(Box((0.3, 0.3, 0.1)), mass=0.5, pos=(0.4 * (k % 2), 0.1 * k, 0.5 + 0.3 * k),
                   quat=q / np.linalg.norm(q), name=f'box{k}', friction=0.3, restitution=0.4)
    free = [b.add_body(**(there or {}).get(k) or dict(
        shape=Sphere(0.1), pos=(0, 0, -1000 - k), enabled=False, name=f'free{k}',
        **({'mass': 1.0} if k < 3 else {'kind': 'static'}))) for k in range(spare)]
    return b.build(), free


def put(world, i, shape, **settings):
    world.replace_body(i, shape, **settings)
    world.set_enabled(i, True)


@pytest.mark.parametrize('kind', ['compound', 'hull', 'box', 'mesh', 'wall', 'steps'])
def test_several_at_once_are_as_one_after_the_other(kind):
    """All tables, what was saved before, and how they move, to the bit."""
    shape, moves = (MOVING if kind in MOVING else FIXED)[kind], kind in MOVING
    keys = {**KEYS, 'exclude': [1, 2]} if moves else {'friction': 0.2}
    worlds, spare = [], slice(0, 3) if moves else slice(3, 6)
    for at_once in (False, True):
        world, free = scene(6)
        world.step(100)
        saved, names = world.save(), ['first', 'second', 'third']
        if at_once:
            world.replace_bodies(free[spare], shape, names=names, **keys)
        for i, name in zip(free[spare], names, strict=True):
            if not at_once:
                world.replace_body(i, shape, name=name, **keys)
            saved = world.with_body(saved, i)
        world.restore(saved)
        for k, i in enumerate(free[spare]):
            world.set_state(i, pos=(0.3, 0.3, 3.0 + k))
            world.set_enabled(i, True)
        world.step(600)
        worlds.append(world)
    one, other = worlds
    assert one.names == other.names and one.state_hash() == other.state_hash()
    assert np.array_equal(one.mass, other.mass) and np.array_equal(one.com, other.com)
    for name, table in one._s._asdict().items():
        if isinstance(table, np.ndarray) and name not in {'out', 'joint_log'}:
            assert np.array_equal(table, getattr(other._s, name), equal_nan=True), name


def test_what_was_checked_once_is_no_other():
    """Settings that are equal and not the same, such as signs of zero; shapes; what was refused."""
    world, free = scene(6)
    ball, keys = Sphere(0.1), {'mass': 1.0, 'friction': 1, 'pos': (0.0, 0.0, 3.0)}
    world.replace_body(free[0], ball, name='a', **keys)
    assert not np.signbit(world.pos[free[0], 0])
    world.replace_body(free[0], ball, name='b', **{**keys, 'pos': (-0.0, 0.0, 3.0)})
    assert np.signbit(world.pos[free[0], 0])
    for _ in range(2):  # what was refused is refused again
        with pytest.raises(EngineError, match='c: friction'):
            world.replace_body(free[0], ball, name='c', **{**keys, 'friction': -1})
    world.replace_body(free[1], Sphere(0.2), name='d', **keys)
    assert world.shapes[free[1]].radius == 0.2 and world.names[free[0]] == 'b'
    for k in range(100):    # a cap on what is remembered
        world.replace_body(free[2], ball, name='e', **{**keys, 'friction': 0.01 * k})
    assert len(world._specs) <= 16


def test_several_that_cannot_be_say_so_and_change_nothing():
    world, free = scene(6)
    before, ball = (world.state_hash(), world.names), Sphere(0.1)
    for bodies, names, keys, words in [
            (free[:2], ['a'], {}, 'replace_bodies: names: must be different ones for each body, got 1 for 2'),
            (free[:2], ['a', 'a'], {}, 'different ones'), ([], [], {}, 'different ones'),
            ([free[0]] * 2, ['a', 'b'], {}, 'different ones'), (free[2:4], ['a', 'b'], {}, 'must be dynamic'),
            (free[:2], ['a', 'box1'], {}, 'box1: name: already taken'), (free[:2], ['a', 'free2'], {}, 'already taken'),
            (free[:2], ['a', 'b'], {'exclude': [free[1]]}, 'a: exclude: must be other bodies')]:
        with pytest.raises(EngineError, match=words):
            world.replace_bodies(bodies, ball, names=names, mass=1.0, **keys)
    assert before == (world.state_hash(), world.names)
    world.replace_bodies(free[:2], ball, names=['free1', 'free0'], mass=1.0)    # names may change places
    assert world.index('free1') == free[0] and world.index('free0') == free[1]


@pytest.mark.parametrize('storage', ['principal', 'tensor'])
@pytest.mark.parametrize('kind', MOVING)
def test_it_moves_as_one_that_was_built(kind, storage):
    """To the bit, with all that it meets."""
    keys = {**KEYS, 'name': 'new', 'quat': (0.6, 0.0, 0.8, 0.0), 'linvel': (0.1, 0, -1.0), 'angvel': (1.0, 2, 3)}
    built, _ = scene(3, {1: {'shape': MOVING[kind], **keys}}, inertia_storage=storage)
    world, free = scene(3, inertia_storage=storage)
    put(world, free[1], MOVING[kind], **keys)
    for _ in range(4):
        built.step(400)
        world.step(400)
        assert np.array_equal(built.pose, world.pose)
        assert np.array_equal(built.angvel, world.angvel)
    assert np.array_equal(built.inertia, world.inertia)
    assert built.energy() == pytest.approx(world.energy(), abs=1e-12)


@pytest.mark.parametrize('kind', FIXED)
def test_a_wall_is_met_as_one_that_was_built(kind):
    """Meshes and hulls too, of which the world has others already."""
    keys = {'pos': (0.2, 0.2, 0.0), 'friction': 0.1, 'name': 'new'}
    built, _ = scene(5, {4: {'shape': FIXED[kind], 'kind': 'static', **keys}})
    world, free = scene(5)
    put(world, free[4], FIXED[kind], **keys)
    for _ in range(4):
        built.step(300)
        world.step(300)
        assert np.array_equal(built.pose, world.pose)


def test_the_others_do_not_change_a_bit():
    """While bodies of many shapes come and go beside them, those that have come to rest sleep on."""
    alone, _ = scene(3)
    world, free = scene(3)
    others = [i for i in range(world.n) if i not in free]
    shapes = [*MOVING.values(), hull(11)]
    for k in range(300):
        i = free[k % 3]
        world.set_enabled(i, False)
        put(world, i, shapes[k % 5], name=f'come{k}', mass=0.5, pos=(30 + k, 0, 0.4),
            restitution=[(0, 0.8), (k + 1, 0.3)])
        alone.step(10)
        world.step(10)
        assert np.array_equal(alone.pose[others], world.pose[others]), k
        assert np.array_equal(alone.linvel[others], world.linvel[others]), k
    assert alone.asleep[others].any()
    assert np.array_equal(alone.asleep[others], world.asleep[others])


def test_memory_stays_what_the_most_at_once_needed():
    """Ten shapes in turns in three places, some of them hulls, with tables of restitution."""
    world, free = scene(3)
    shapes = [*MOVING.values(), *(hull(k) for k in range(20, 26))]
    sizes = []
    for k in range(400):
        i = free[k % 3]
        world.set_enabled(i, False)
        put(world, i, shapes[k % 10], name=f'come{k}', mass=0.5, pos=(30 + k, 0, 0.4),
            restitution=[(0, 0.8), (1, 0.5), (2, 0.3)][:1 + k % 3])
        world.step()
        if k % 100 == 99:
            s = world._s
            sizes.append([len(a) for a in (s.geom, s.beside, s.curve, s.convex.vertex, s.convex.topology, s.excluded)])
    assert sizes[1] == sizes[2] == sizes[3]


def test_a_state_that_was_saved_before_takes_it_along():
    """`with_body`: as if it had been there, disabled; other states are refused, and nothing is changed by that."""
    world, free = scene(3)
    world.step(100)
    begun = world.save()
    keys = {**KEYS, 'name': 'new'}
    put(world, free[0], hull(40), **keys)
    world.step(300)
    with pytest.raises(EngineError, match='masses'):
        world.restore(begun)
    begun = world.with_body(begun, free[0])
    world.restore(begun)
    assert world.pos[free[0]].tolist() == [0.2, 0.3, 3.0]
    world.set_enabled(free[0], True)
    world.step(300)
    later = world.save()
    world.step(200)
    first = world.pose
    world.restore(later)
    world.step(200)
    assert np.array_equal(first, world.pose)


def test_what_slept_on_a_body_that_leaves_wakes_and_falls():
    b = WorldBuilder(dt=1e-3)
    b.add_body(HalfSpace((0, 0, 1), 0.0), kind='static', name='floor')
    low = b.add_body(Box((1, 1, 0.2)), mass=1.0, pos=(0, 0, 0.1), name='low')
    top = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, pos=(0, 0, 0.3), name='top')
    far = b.add_body(Box((0.2, 0.2, 0.2)), mass=1.0, pos=(5, 0, 0.1), name='far')
    world = b.build()
    world.step(1500)
    assert world.asleep[[low, top, far]].all()
    world.set_enabled(low, False)
    world.replace_body(low, Sphere(0.1), mass=1.0, pos=(0, 0, -100), name='free')
    world.step(600)
    assert world.pos[top][2] == pytest.approx(0.1, abs=2e-3)
    world.step(1000)
    assert world.asleep[[top, far]].all()
    assert not (world.contact_log()['body_a'] == low).any()


def test_pairs_that_never_meet_and_materials_of_pairs():
    """The exclusions of a body leave with it; rules for pairs are said anew."""
    world, free = scene(3, solids=False)
    floor = world.index('floor')
    put(world, free[0], Sphere(0.1), mass=1.0, pos=(20, 0, 0.5), name='ghost', exclude=[floor])
    put(world, free[1], Sphere(0.1), mass=1.0, pos=(22, 0, 0.5), name='ball', restitution=0.0)
    world.step(500)
    assert world.pos[free[0]][2] < 0.0 < world.pos[free[1]][2]
    world.set_enabled(free[0], False)
    put(world, free[0], Sphere(0.1), mass=1.0, pos=(20, 0, 0.5), name='solid', restitution=0.0)
    world.set_pair_materials([([floor], [free[0]], {'restitution': [(0, 0.9), (50, 0.9)]})])
    world.step(400)
    put_off = world.pos[free[0]][2]
    assert put_off > 0.3
    assert world.pos[free[1]][2] == pytest.approx(0.1, abs=1e-3)
    world.set_pair_materials([])
    world.step(2000)
    assert world.pos[free[0]][2] == pytest.approx(0.1, abs=1e-3)


def test_impacts_over_time_end_with_their_body():
    """A profile that is still being delivered is dropped on both sides."""
    world, free = scene(3, solids=False, contact_profile='half_sine', contact_time=0.05)
    put(world, free[0], Sphere(0.1), mass=1.0, pos=(20, 0, 0.15), linvel=(0, 0, -3.0), name='a', restitution=0.5)
    world.step(30)
    world.set_enabled(free[0], False)
    put(world, free[0], Sphere(0.1), mass=1.0, pos=(20, 0, 5.0), name='b')
    world.step(100)
    assert world.linvel[free[0]][2] == pytest.approx(-9.80665 * 0.1, abs=1e-9)


@pytest.mark.parametrize(('settings', 'words'), [
    ({'name': 'box1'}, 'box1: name: already taken by body'),
    ({'mass': -1.0}, 'new: mass: must be'),
    ({'kind': 'static'}, 'new: kind: stays as it is'),
    ({'enabled': True}, 'new: enabled: stays as it is'),
    ({'friction': float('nan')}, 'new: friction'),
    ({'exclude': [99]}, 'no body 99'),
    ({'pos': (0, 0)}, 'new: pos'),
])
def test_what_cannot_be_says_so_and_changes_nothing(settings, words):
    world, free = scene(3)
    world.step(50)
    before = world.state_hash(), world.names, [len(a) for a in (world._s.geom, world._s.convex.vertex)]
    with pytest.raises(EngineError, match=words):
        world.replace_body(free[0], hull(50), **{'name': 'new', 'mass': 1.0, **settings})
    assert before == (world.state_hash(), world.names, [len(a) for a in (world._s.geom, world._s.convex.vertex)])


def test_bodies_that_may_not_be_replaced():
    world, free = scene(5)
    with pytest.raises(EngineError, match='box0: replace_body: must be disabled'):
        world.replace_body(world.index('box0'), Sphere(0.1), mass=1.0, name='new')
    with pytest.raises(EngineError, match='TriangleMesh has a surface'):
        world.replace_body(free[0], tiles(), mass=1.0, name='new')
    with pytest.raises(EngineError, match='itself'):
        world.replace_body(free[0], Sphere(0.1), mass=1.0, name='new', exclude=[free[0]])
    put(world, free[1], Sphere(0.1), mass=1.0, pos=(50, 0, 1), name='held')
    world.attach('fixed', free[1], world.index('floor'), name='tie')
    world.set_enabled(free[1], False)
    with pytest.raises(EngineError, match='is held by a constraint'):
        world.replace_body(free[1], Sphere(0.1), mass=1.0, name='other')


def test_springs_say_when_the_step_is_too_long_for_a_body():
    b = WorldBuilder(dt=1e-3, solver='penalty', penalty_stiffness=5e3)
    b.add_body(Sphere(0.1), mass=1.0, name='a')
    free = b.add_body(Sphere(0.1), mass=1.0, name='free', enabled=False)
    world = b.build()
    longest = world.stable_dt
    with pytest.raises(EngineError, match='light: replace_body: the step, 0.001 s, is above the stable limit'):
        world.replace_body(free, Sphere(0.1), mass=1e-3, name='light')
    assert world.stable_dt == longest and world.names[free] == 'free'
    world.replace_body(free, Sphere(0.1), mass=0.9, name='fine')
    assert 1e-3 < world.stable_dt < longest


def test_a_shape_that_was_refused_with_one_mass_is_right_with_another():
    """Its corners are where its rows say, though the first try came to nothing."""
    solid, built = hull(3), WorldBuilder(dt=1e-3, solver='penalty', penalty_stiffness=5e3)
    built.add_body(HalfSpace((0, 0, 1), 0.0), kind='static', name='floor')
    built.add_body(Sphere(0.1), mass=1.0, name='a', pos=(9, 0, 1))
    free = built.add_body(Sphere(0.1), mass=1.0, name='free', pos=(0, 0, 1), enabled=False)
    world = built.build()
    with pytest.raises(EngineError, match='stable limit'):
        world.replace_body(free, solid, mass=1e-3, name='light', pos=(0, 0, 1))
    put(world, free, solid, mass=0.9, name='fine', pos=(0, 0, 1))
    lowest = (solid.points - world.com[free])[:, 2].min() + 1.0
    assert world.distance(0, free).distance == pytest.approx(lowest, abs=1e-12)
