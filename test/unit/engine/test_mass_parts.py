# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Closed forms, parallel axes, principal axes, and how compounds share out density and mass."""
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import mass, meshes
from oracles.rotations import random_quat

from hakoniwa_rigid.engine import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    EngineError,
    HalfSpace,
    HollowSphere,
    InertiaError,
    MassError,
    Part,
    PointMass,
    Shape,
    Sphere,
    TetrahedralMesh,
    Tetrahedron,
    TriangleMesh,
    mass_properties,
)
from hakoniwa_rigid.engine.mass.body import Body, from_moments, parallel_axis, placed, rotation_matrix, together
from hakoniwa_rigid.engine.mass.principal import principal_axes, sorted_axes

QUARTER = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))   # 90 degrees about z
lengths = st.floats(0.01, 10.0)


def diagonal(shape, **amount):
    return np.diag(mass_properties(shape, **amount).inertia)


# closed forms

@pytest.mark.parametrize(('shape', 'whole'), [
    (HollowSphere(2.0, 2.0), Sphere(2.0)),
    (BoxShell((1.0, 2.0, 3.0), 0.5), Box((1.0, 2.0, 3.0))),
    (Capsule(0.5, 0.0), Sphere(0.5)),
    (Ellipsoid((0.5, 0.5, 0.5)), Sphere(0.5)),
])
def test_limits_that_are_other_shapes(shape, whole):
    one, other = mass_properties(shape, density=700.0), mass_properties(whole, density=700.0)
    assert one.mass == pytest.approx(other.mass, rel=1e-15)
    assert_allclose(one.inertia, other.inertia, rtol=1e-15)


@pytest.mark.parametrize('thickness', [1e-3, 1e-6, 1e-12, 1e-18])
def test_thin_walls_lose_no_digits(thickness):
    """Against the thin shell: mass and inertia differ by the first order in thickness / size and no more."""
    for make in (lambda t: HollowSphere(2.0, t), lambda t: BoxShell((1.0, 2.0, 3.0), t)):
        wall, thin = make(thickness), make(0.0)
        got, limit = mass_properties(wall, density=5.0 / thickness), mass_properties(thin, density=5.0)
        assert got.mass == pytest.approx(limit.mass, rel=4.0 * thickness + 1e-15)
        assert_allclose(diagonal(wall, mass=1.0), diagonal(thin, mass=1.0), rtol=4.0 * thickness + 1e-15)


def test_thin_shells_are_weighed_by_area():
    assert mass_properties(HollowSphere(2.0), density=3.0).mass == pytest.approx(3.0 * 16.0 * math.pi, rel=1e-15)
    assert mass_properties(BoxShell((1.0, 2.0, 3.0)), density=3.0).mass == pytest.approx(3.0 * 22.0, rel=1e-15)
    assert_allclose(diagonal(HollowSphere(2.0), mass=3.0), 2.0 / 3.0 * 3.0 * 4.0, rtol=1e-15)


@given(lengths, lengths, lengths, st.floats(0.01, 0.99))
def test_box_shell_is_a_box_less_a_box(x, y, z, part):
    t = 0.5 * part * min(x, y, z)
    inner = Box((x - 2 * t, y - 2 * t, z - 2 * t))
    expected = mass_properties(Compound([Box((x, y, z)), Part(inner, hole=True)]), density=2.0)
    got = mass_properties(BoxShell((x, y, z), t), density=2.0)
    # the difference of two nearly equal boxes is what loses digits
    assert got.mass == pytest.approx(expected.mass, rel=1e-13 / part)
    assert_allclose(got.inertia, expected.inertia, rtol=1e-13 / part)


def test_cone_stands_on_its_base():
    p = mass_properties(Cone(3.0, 8.0), mass=10.0)
    assert_array_equal(p.com, [0.0, 0.0, -2.0])
    assert_allclose(np.diag(p.inertia), [37.5, 37.5, 27.0], rtol=1e-15)
    # about the apex: 3/5 m h^2 + 3/20 m r^2
    assert p.inertia_about((0, 0, 4))[0, 0] == pytest.approx(0.6 * 640.0 + 0.15 * 90.0, rel=1e-15)


def test_no_closed_form_has_off_diagonal_rounding():
    for shape in (Sphere(0.3), Box((1, 2, 3)), Cylinder(0.1, 0.7), Cone(0.1, 0.7), Capsule(0.1, 0.7)):
        inertia = mass_properties(shape, mass=0.7).inertia
        assert_array_equal(inertia, np.diag(np.diag(inertia)))


def test_mass_is_kept_to_the_last_bit():
    rng = np.random.default_rng(3)
    parts = Compound([Sphere(0.1), (ConvexHull(rng.normal(size=(20, 3))), (1, 2, 3))])
    for shape in (parts, TriangleMesh(*meshes.star()), TetrahedralMesh(*meshes.hull_cells(rng))):
        assert mass_properties(shape, mass=0.1).mass == 0.1


def test_rows_of_tetrahedra_in_any_order():
    vertices, cells = meshes.hull_cells(np.random.default_rng(5))
    expected = mass.tetrahedra(vertices, cells)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        p = mass_properties(TetrahedralMesh(vertices, rng.permuted(cells, axis=1)), density=1.0)
        mass.assert_same(p, expected, 1e-13)


def test_lumped_cells_are_points():
    vertices, cells = meshes.hull_cells(np.random.default_rng(6))
    volumes = np.abs(np.linalg.det(vertices[cells[:, 1:]] - vertices[cells[:, :1]])) / 6.0
    points = Compound([Part(PointMass(), centre, mass=m)
                       for centre, m in zip(vertices[cells].mean(axis=1), volumes, strict=True)])
    mass.assert_same(mass_properties(TetrahedralMesh(vertices, cells, lumped=True), density=1.0),
                     mass_properties(points), 1e-13)


# bodies

def test_rotation_matrix():
    assert_array_equal(rotation_matrix((1.0, 0.0, 0.0, 0.0)), np.eye(3))
    assert_allclose(rotation_matrix(QUARTER) @ [1.0, 2.0, 3.0], [-2.0, 1.0, 3.0], rtol=1e-15)


def test_parallel_axis_of_points_on_an_axis_is_exactly_zero():
    arms = np.array([(0.1, 0.0, 0.0), (-0.3, 0.0, 0.0)])
    assert_array_equal(parallel_axis([0.7, 0.9], arms)[:, 0], np.zeros((2, 3)))


def test_two_points_and_their_moments():
    p, q = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.4, -1.0])
    body = together([Body(2.0, p, np.zeros((3, 3))), Body(3.0, q, np.zeros((3, 3)))])
    origin = np.array([5.0, 5.0, 5.0])
    second = 2.0 * np.outer(p - origin, p - origin) + 3.0 * np.outer(q - origin, q - origin)
    other = from_moments(5.0, origin, 2.0 * (p - origin) + 3.0 * (q - origin), second)
    # reduced mass times the square of the distance
    assert np.trace(body.inertia) == pytest.approx(2.0 * 6.0 / 5.0 * ((p - q) @ (p - q)), rel=1e-14)
    assert_allclose(body.com, other.com, rtol=1e-14)
    assert_allclose(body.inertia, other.inertia, rtol=0, atol=1e-13)


def test_placed_there_and_back():
    rng = np.random.default_rng(2)
    body = Body(2.0, rng.normal(size=3), np.diag([1.0, 2.0, 2.5]))
    quat, pos = random_quat(rng), rng.normal(size=3)
    there = placed(body, pos, quat)
    assert_array_equal(there.inertia, there.inertia.T)
    back = placed(there, -rotation_matrix(quat).T @ pos, quat * np.array([1.0, -1.0, -1.0, -1.0]))
    assert_allclose(back.com, body.com, atol=1e-15)
    assert_allclose(back.inertia, body.inertia, atol=1e-15)


# principal axes

@pytest.mark.parametrize(('tensor', 'moments', 'axes'), [
    ([1, 2, 3], [1, 2, 3], np.eye(3)),
    ([1, 1, 1], [1, 1, 1], np.eye(3)),
    ([0, 0, 0], [0, 0, 0], np.eye(3)),
    ([3, 2, 1.5], [1.5, 2, 3], [[0, 0, -1], [0, 1, 0], [1, 0, 0]]),
    ([2, 3, 1.5], [1.5, 2, 3], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    ([1.5, 3, 2], [1.5, 2, 3], [[1, 0, 0], [0, 0, -1], [0, 1, 0]]),
    ([[2, 1e-15, 0], [1e-15, 2, 0], [0, 0, 2]], [2, 2, 2], np.eye(3)),
])
def test_diagonal_tensors_permute(tensor, moments, axes):
    tensor = np.diag(tensor) if np.ndim(tensor) == 1 else np.array(tensor)
    got = sorted_axes('inertia', tensor)
    assert_array_equal(got[0], moments)
    assert_array_equal(got[1], axes)
    assert np.linalg.det(got[1]) == 1.0


@given(st.integers(0, 10**6), st.floats(0.5, 1.0), st.sampled_from([1e-12, 1.0, 1e9]))
def test_turned_tensors_come_back(seed, ratio, size):
    R = rotation_matrix(random_quat(np.random.default_rng(seed)))
    expected = size * np.array([ratio, 1.0, 1.2])
    tensor = R @ np.diag(expected) @ R.T
    moments, axes = sorted_axes('inertia', 0.5 * (tensor + tensor.T))
    assert_allclose(moments, expected, rtol=1e-13)
    assert_allclose(axes @ np.diag(moments) @ axes.T, tensor, rtol=0, atol=1e-14 * size)
    assert_allclose(axes.T @ axes, np.eye(3), atol=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1.0, rel=1e-14)
    for column in axes[:, :2].T:
        assert column[np.abs(column).argmax()] > 0.0 or np.ptp(np.sort(np.abs(column))[1:]) < 1e-8


def test_signs_do_not_hang_on_the_last_bit():
    """Two components of the same size: the first one decides."""
    for nudge in (-1e-15, 0.0, 1e-15):
        axis = np.array([math.sqrt(0.5) + nudge, -math.sqrt(0.5), 0.0])
        tensor = 2.0 * np.eye(3) - np.outer(axis, axis)
        assert sorted_axes('inertia', tensor)[1][0, 0] > 0.0


@pytest.mark.parametrize('axis', [(1, 0, 0), (0, 1, 1), (0.3, -0.5, 0.8)])
def test_a_rod_of_points_has_no_moment_along_itself(axis):
    rod = Compound([Part(PointMass(), tuple(s * np.array(axis)), mass=0.1 * (2 + s)) for s in (-1.0, 0.2, 1.3, 5.0)])
    p = mass_properties(rod)
    assert p.principal_moments[0] == 0.0
    assert_allclose(p.principal_moments[1], p.principal_moments[2], rtol=1e-13)
    assert_allclose(np.abs(p.principal_axes[:, 0] @ axis), np.linalg.norm(axis), rtol=1e-12)
    with pytest.raises(InertiaError, match='must be > 0'):
        principal_axes('rod: inertia', p.inertia)


def test_a_point_has_no_inertia():
    p = mass_properties(PointMass(), mass=2.0)
    assert p.mass == 2.0
    assert_array_equal(np.vstack([p.com, p.inertia]), np.zeros((4, 3)))
    assert_array_equal(p.principal_moments, np.zeros(3))
    assert_array_equal(p.principal_axes, np.eye(3))
    assert_allclose(p.inertia_about((3, 0, 4)), mass.Inertial(2.0, np.zeros(3), np.zeros((3, 3))).about((3, 0, 4)))


def test_a_needle_keeps_its_smallest_moment():
    """Closed forms and diagonal tensors are not rounded against the largest moment."""
    p = mass_properties(Cylinder(1e-6, 1e4), mass=1.0)
    assert p.principal_moments[0] == pytest.approx(0.5e-12, rel=1e-14)


@pytest.mark.parametrize(('tensor', 'words'), [
    (np.diag([1.0, 1.0, 2.1]), 'triangle inequality'),
    (np.diag([-1e-3, 1.0, 1.0]), 'must not be negative'),
    (np.array([[1.0, 0.1, 0], [0, 1.0, 0], [0, 0, 1.0]]), 'symmetric'),
    (np.diag([1.0, math.nan, 1.0]), 'finite'),
    (np.eye(2), 'shape'),
])
def test_tensors_no_body_has(tensor, words):
    for check in (sorted_axes, principal_axes):
        with pytest.raises(InertiaError, match=f'inertia: .*{words if check is sorted_axes else ""}'):
            check('inertia', tensor)


def test_principal_axes_keep_a_diagonal_tensor():
    for tensor in ((3.0, 2.0, 1.5), np.diag([3.0, 2.0, 1.5])):
        moments, quat = principal_axes('inertia', tensor)
        assert_array_equal(moments, [3.0, 2.0, 1.5])
        assert_array_equal(quat, [1.0, 0.0, 0.0, 0.0])
    cube = mass_properties(TriangleMesh(*meshes.box()), mass=1.0).inertia + 1e-17
    assert_array_equal(principal_axes('inertia', cube)[1], [1.0, 0.0, 0.0, 0.0])


def test_principal_axes_turn_a_tilted_tensor():
    R = rotation_matrix(random_quat(np.random.default_rng(1)))
    tensor = R @ np.diag([1.0, 2.0, 2.5]) @ R.T
    moments, quat = principal_axes('inertia', tensor)
    A = rotation_matrix(quat)
    assert_allclose(A @ np.diag(moments) @ A.T, tensor, atol=1e-14)


# properties

def test_transformed_is_the_body_seen_from_elsewhere():
    rng = np.random.default_rng(4)
    vertices, faces = meshes.star(dent=0.3)
    p = mass_properties(TriangleMesh(vertices * (1, 2, 3), faces), density=2.0)
    pos, quat = rng.normal(size=3), random_quat(rng)
    there = p.transformed(pos, quat)
    again = mass_properties(TriangleMesh(*meshes.moved((vertices * (1, 2, 3), faces), pos, quat)), density=2.0)
    assert there.mass == p.mass
    assert_allclose(there.com, again.com, atol=1e-13)
    assert_allclose(there.inertia, again.inertia, atol=1e-12 * p.inertia.max())
    assert_allclose(there.principal_axes, again.principal_axes, atol=1e-9)
    assert_array_equal(there.principal_moments, p.principal_moments)
    assert_allclose(p.transformed().inertia, p.inertia, rtol=1e-15)


def test_results_are_read_only():
    p = mass_properties(Sphere(1.0), mass=1.0)
    for name in ('com', 'inertia', 'principal_moments', 'principal_axes'):
        with pytest.raises(ValueError, match='read-only'):
            getattr(p, name)[0] = 1.0
    with pytest.raises(AttributeError):
        p.mass = 2.0


@pytest.mark.parametrize(('call', 'words'), [
    (lambda p: p.inertia_about((0, 0)), 'point'),
    (lambda p: p.inertia_about((0, 0, math.nan)), 'point'),
    (lambda p: p.transformed((0, 0, math.inf)), 'pos'),
    (lambda p: p.transformed(quat=(1, 1, 1, 1)), 'quat'),
])
def test_wrong_places(call, words):
    with pytest.raises(EngineError, match=words):
        call(mass_properties(Sphere(1.0), mass=1.0))


@pytest.mark.parametrize(('shape', 'amount', 'words'), [
    (Sphere(1.0), {}, 'Sphere: give density='),
    (Sphere(1.0), {'density': 1.0, 'mass': 1.0}, 'not both'),
    (Sphere(1e5), {'density': 1e300}, 'be finite, got inf'),
    (PointMass(), {'density': 1.0}, 'give its mass'),
    (HalfSpace(), {'mass': 1.0}, 'HalfSpace: has no mass properties'),
    (Shape(), {'density': 1.0}, 'Shape: has no mass properties'),
])
def test_wrong_amounts(shape, amount, words):
    with pytest.raises(MassError, match=words):
        mass_properties(shape, **amount)


@pytest.mark.parametrize('thing', [Sphere, 'ball', None, (1, 2, 3)])
def test_things_that_are_no_shape(thing):
    with pytest.raises(EngineError, match='must be a Shape'):
        mass_properties(thing, mass=1.0)


# compounds

BALL, BRICK = Sphere(0.5), Box((1.0, 2.0, 3.0))
BALL_VOLUME = math.pi / 6.0


def total(parts, **amount):
    return mass_properties(Compound(parts), **amount).mass


def test_density_goes_to_the_parts_without_one():
    parts = [BALL, Part(BRICK, density=2.0), Part(PointMass(), mass=7.0)]
    assert total(parts, density=10.0) == pytest.approx(10.0 * BALL_VOLUME + 12.0 + 7.0, rel=1e-15)
    assert total([Part(Compound(parts))], density=10.0) == pytest.approx(total(parts, density=10.0), rel=1e-15)
    assert total([Part(Compound(parts), density=3.0)]) == pytest.approx(total(parts, density=3.0), rel=1e-15)


def test_density_is_not_needed_where_all_have_their_own():
    own = [Part(BALL, density=10.0), Part(BRICK, mass=12.0)]
    assert total(own) == total(own, density=99.0) == pytest.approx(10.0 * BALL_VOLUME + 12.0, rel=1e-15)


def test_mass_scales_the_whole():
    """Densities and masses of the parts count relative to each other; none at all count as equal densities."""
    equal = mass_properties(Compound([(Sphere(1.0), (0, 0, 0)), (Sphere(1.0), (4, 0, 0))]), mass=5.0)
    assert_allclose(equal.com, [2.0, 0.0, 0.0], rtol=1e-15)
    heavy = mass_properties(Compound([Part(BALL, mass=1.0), Part(BALL, (4, 0, 0), mass=3.0)]), mass=1.0)
    assert_allclose(heavy.com, [3.0, 0.0, 0.0], rtol=1e-15)
    nested = Compound([Part(Compound([BALL, (BALL, (8, 0, 0))]), mass=3.0), Part(BALL, (0, 0, 0), mass=1.0)])
    assert_allclose(mass_properties(nested).com, [3.0, 0.0, 0.0], rtol=1e-15)


def test_holes_in_every_notation():
    hole = Cylinder(0.1, 3.0)
    expected = mass_properties(Compound([BRICK, Part(hole, hole=True)]), density=5.0)
    for other in ([Part(BRICK, density=5.0), Part(hole, density=-5.0)],
                  [Part(BRICK, density=5.0), Part(hole, density=5.0, hole=True)],
                  [Part(BRICK, density=5.0), Part(hole, mass=-mass_properties(hole, density=5.0).mass)],
                  [Part(BRICK, density=5.0), Part(Compound([hole]), density=5.0, hole=True)],
                  [Part(Compound([BRICK, Part(hole, hole=True)]), density=5.0)]):
        mass.assert_same(mass_properties(Compound(other)), expected, 1e-14)


@pytest.mark.parametrize(('parts', 'amount', 'words'), [
    ([BALL, Part(BRICK, mass=1.0)], {}, r'Compound.parts\[0\]: needs a density or a mass'),
    ([BALL, Part(BRICK, mass=1.0)], {'mass': 3.0}, r'Compound.parts\[0\]: needs'),
    ([Part(BRICK, mass=1.0), Compound([BRICK, BALL])], {}, r'Compound.parts\[1\].parts\[0\]: needs'),
    ([BALL, PointMass()], {'density': 1.0}, 'PointMass'),
    ([BALL, PointMass()], {'mass': 1.0}, 'PointMass'),
    ([BRICK, Part(BRICK, hole=True)], {'density': 1.0}, 'must add up to more than 0'),
    ([BRICK, Part(Box((1.0, 2.0, 4.0)), hole=True)], {'mass': 1.0}, 'must add up to more than 0'),
    ([Part(Sphere(0.1), density=-1.0)], {}, 'must add up to more than 0'),
    ([Part(Compound([BALL, Part(BRICK, hole=True)]), mass=1.0)], {}, r'Compound.parts\[0\]: the mass must'),
    ([BALL, HollowSphere(2.0)], {'density': 1.0}, r'one density cannot be kg/m\^2 for a thin HollowSphere'),
    ([BALL, Compound([BoxShell((1, 1, 1))])], {'mass': 1.0}, r'one density cannot be kg/m\^2 for a thin BoxShell'),
])
def test_masses_that_do_not_add_up(parts, amount, words):
    with pytest.raises(MassError, match=words):
        total(parts, **amount)


def test_thin_shells_among_themselves_share_a_density():
    assert total([HollowSphere(1.0), (BoxShell((1, 1, 1)), (5, 0, 0))], density=2.0) == pytest.approx(
        2.0 * (4.0 * math.pi + 6.0), rel=1e-15)
    assert total([Part(HollowSphere(1.0), density=2.0), BRICK], density=1.0) == pytest.approx(
        8.0 * math.pi + 6.0, rel=1e-15)


@pytest.mark.parametrize(('place', 'words'), [((2.0, 0.0, 0.0), 'must not be negative'), ((0.1, 0.0, 0.0), 'triangle')])
def test_hole_beside_the_body(place, words):
    """A drill that misses."""
    body = Compound([Sphere(0.5), Part(Sphere(0.45), place, hole=True)])
    with pytest.raises(InertiaError, match=f'{words}.*does a hole reach out of the body'):
        mass_properties(body, density=1.0)


def test_identity_part_changes_no_bit():
    p = mass_properties(Compound([BRICK]), mass=0.7)
    assert_array_equal(p.inertia, mass_properties(BRICK, mass=0.7).inertia)


def test_a_compound_far_from_its_origin():
    """Coordinates of 1e5 m leave about 1e-11 m of each."""
    near = mass_properties(Compound([Part(BALL, (0, 0, 0), mass=1.0), Part(BRICK, (1, 1, 1), QUARTER, mass=2.0)]))
    far = mass_properties(Compound([Part(BALL, (1e5, 0, -1e5), mass=1.0),
                                    Part(BRICK, (1e5 + 1, 1, 1 - 1e5), QUARTER, mass=2.0)]))
    assert_allclose(far.inertia, near.inertia, rtol=0, atol=1e-10)
    assert_allclose(far.com - (1e5, 0, -1e5), near.com, atol=1e-10)


def test_tetrahedron_takes_its_corners_in_any_order():
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 2, 0), (0, 0, 3.0)])
    for order in ((0, 1, 2, 3), (1, 0, 2, 3), (3, 2, 1, 0)):
        p = mass_properties(Tetrahedron(*corners[list(order)]), density=1.0)
        assert p.mass == pytest.approx(1.0, rel=1e-15)
        assert_allclose(p.com, [0.25, 0.5, 0.75], rtol=1e-15)
