# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bodies made of parts: turned, shifted, of different densities, nested, with holes (docs/mass_properties.md)."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles import mass, meshes
from oracles.mass import assert_same
from oracles.rotations import from_rotvec, multiply, random_quat

from hakoniwa_rigid.engine import (
    Box,
    BoxShell,
    Capsule,
    Compound,
    Cone,
    Cylinder,
    Ellipsoid,
    HollowSphere,
    MassError,
    Part,
    PointMass,
    Sphere,
    Tetrahedron,
    TriangleMesh,
    mass_properties,
)

CORNERS = np.array([(0.1, 0, 0), (1.2, 0.1, 0), (0, 0.9, 0.3), (0.2, 0.1, 1.1)])
QUARTER = from_rotvec([np.pi / 2, 0, 0])  # turns z to -y
KINDS = [
    (Box((0.3, 0.7, 1.9)), mass.box(0.3, 0.7, 1.9)),
    (Sphere(0.37), mass.sphere(0.37)),
    (Ellipsoid((0.3, 0.7, 0.5)), mass.ellipsoid(0.3, 0.7, 0.5)),
    (Cylinder(0.4, 1.3), mass.cylinder(0.4, 1.3)),
    (Cone(0.4, 1.3), mass.cone(0.4, 1.3)),
    (Capsule(0.2, 0.9), mass.capsule(0.2, 0.9)),
    (Tetrahedron(*CORNERS), mass.tetrahedron(CORNERS)),
    (HollowSphere(0.5, 0.1), mass.hollow_sphere(0.5, 0.1)),
    (BoxShell((0.5, 1.0, 2.0), 0.1), mass.box_shell((0.5, 1.0, 2.0), 0.1)),
    (TriangleMesh(*meshes.l_prism()), mass.solid(*meshes.l_prism())),
]


def random_parts(seed):
    """Every kind of shape somewhere, with its pose, its own density and the oracle's answer for it."""
    rng = np.random.default_rng(seed)
    rows = []
    for shape, unit in KINDS:
        pos, quat, density = rng.normal(size=3), random_quat(rng), rng.uniform(100, 8000)
        rows.append((Part(shape, pos, quat, density=density), unit.scaled(density).moved(pos, quat)))
    return [r[0] for r in rows], mass.combine([r[1] for r in rows])


@pytest.mark.parametrize('kind', range(len(KINDS)))
def test_one_part_turned_and_shifted(kind):
    """com = R c + p and I = R I Rᵀ."""
    shape, unit = KINDS[kind]
    rng = np.random.default_rng(kind)
    pos, quat = 2 * rng.normal(size=3), random_quat(rng)
    expected = unit.scaled(2.5).moved(pos, quat)
    for part in (Part(shape, pos, quat), (shape, pos, quat)):
        assert_same(mass_properties(Compound([part]), density=2.5), expected, 1e-12)
    assert_same(mass_properties(Compound([(shape, pos)]), density=2.5), unit.scaled(2.5).moved(pos), 1e-12)


@pytest.mark.parametrize('seed', range(5))
def test_parts_of_different_densities(seed):
    """All parts have their own: neither density nor mass is needed, and mass= scales the whole."""
    parts, expected = random_parts(seed)
    assert_same(mass_properties(Compound(parts)), expected, 1e-12)
    assert_same(mass_properties(Compound(parts[::-1]), mass=0.7), expected.of_mass(0.7), 1e-12)


def test_density_is_for_the_parts_without_their_own():
    """A wooden bar (given) with a steel ball (own density) and a motor (own mass)."""
    parts = [
        Part(Box((1.0, 0.1, 0.1))),
        Part(Sphere(0.05), (0.5, 0, 0), density=7850.0),
        Part(Cylinder(0.02, 0.04), (-0.5, 0, 0), mass=0.12),
    ]
    expected = mass.combine([
        mass.box(1.0, 0.1, 0.1).scaled(600.0),
        mass.sphere(0.05).scaled(7850.0).moved((0.5, 0, 0)),
        mass.cylinder(0.02, 0.04).of_mass(0.12).moved((-0.5, 0, 0)),
    ])
    assert_same(mass_properties(Compound(parts), density=600.0), expected, 1e-13)


def test_parts_by_mass():
    """A drone: plate, four motors, battery, each weighed on its own."""
    arms = [(0.2, 0.2), (-0.2, 0.2), (-0.2, -0.2), (0.2, -0.2)]
    parts = [Part(Box((0.2, 0.1, 0.03)), mass=0.3), Part(Box((0.1, 0.04, 0.03)), (0, 0, -0.03), mass=0.2)]
    parts += [Part(Cylinder(0.015, 0.03), (x, y, 0.01), mass=0.05) for x, y in arms]
    bodies = [mass.box(0.2, 0.1, 0.03).of_mass(0.3), mass.box(0.1, 0.04, 0.03).of_mass(0.2).moved((0, 0, -0.03))]
    bodies += [mass.cylinder(0.015, 0.03).of_mass(0.05).moved((x, y, 0.01)) for x, y in arms]
    assert_same(mass_properties(Compound(parts)), mass.combine(bodies), 1e-13)


def test_point_masses():
    """Dumbbell: no inertia about its own line; and a bar with a weight on it."""
    p = mass_properties(Compound([Part(PointMass(), (0, 0, 0.3), mass=2.0), Part(PointMass(), (0, 0, -0.6), mass=1.0)]))
    assert_allclose(p.com, 0.0, atol=1e-16)
    assert_allclose(p.inertia, np.diag([0.54, 0.54, 0.0]), atol=1e-15)
    assert_allclose(p.principal_moments, [0.0, 0.54, 0.54], atol=1e-15)
    bar = Compound([Part(Box((1.0, 0.1, 0.1))), Part(PointMass(), (0.5, 0, 0), mass=1.0)])
    expected = mass.combine([mass.box(1.0, 0.1, 0.1).scaled(100.0), mass.point_mass(1.0).moved((0.5, 0, 0))])
    assert_same(mass_properties(bar, density=100.0), expected, 1e-13)


@pytest.mark.parametrize('seed', range(5))
def test_nested_compounds(seed):
    """Compounds within compounds are the same parts with their poses composed."""
    rng = np.random.default_rng(seed)
    parts, expected = random_parts(seed)
    pos, quat, outer_pos, outer_quat = rng.normal(size=3), random_quat(rng), rng.normal(size=3), random_quat(rng)
    nested = Compound([Part(Compound([Part(Compound(parts), pos, quat)]), outer_pos, outer_quat)])
    assert_same(mass_properties(nested), expected.moved(pos, quat).moved(outer_pos, outer_quat), 1e-12)
    mixed = Compound([Part(Box((1, 1, 1))), Part(Compound([Part(Sphere(0.5), (1, 0, 0))]), pos, quat)])
    bodies = [mass.box(1, 1, 1), mass.sphere(0.5).moved((1, 0, 0)).moved(pos, quat)]
    assert_same(mass_properties(mixed, density=3.0), mass.combine(bodies).scaled(3.0), 1e-13)


def test_pose_of_a_nested_part():
    """Two quarter turns by hand: the box's long side goes from z over -y to x, its x side to y, its y side to z."""
    turn = from_rotvec([0, 0, np.pi / 2])
    nested = Compound([Part(Compound([Part(Box((1, 2, 3)), (0, 0, 5), QUARTER)]), (10, 0, 0), turn)])
    p = mass_properties(nested, density=1.0)
    expected = mass.box(1, 2, 3).moved((0, 0, 5), QUARTER).moved((10, 0, 0), turn)
    assert_same(p, expected, 1e-14)
    assert_allclose(p.com, [10, 0, 5], atol=1e-14)
    x, y, z = np.diag(mass.box(1, 2, 3).inertia)
    assert_allclose(p.inertia, np.diag([z, x, y]), atol=1e-14)
    flat = Compound([(Box((1, 2, 3)), (10, 0, 5), multiply(turn, QUARTER))])
    assert_same(mass_properties(flat, density=1.0), p, 1e-14)


@pytest.mark.parametrize('hole', [{'hole': True}, {'density': -2700.0}])
def test_ball_with_a_hole_off_its_centre(hole):
    """R = 1, r = 0.4 at d = 0.5 along x: com = -r³ d / (R³ - r³), and the moments worked by hand."""
    big, small, d, density = 1.0, 0.4, 0.5, 2700.0
    p = mass_properties(Compound([Part(Sphere(big)), Part(Sphere(small), (d, 0, 0), **hole)]), density=density)
    heavy, light = density * 4 / 3 * np.pi * big**3, density * 4 / 3 * np.pi * small**3
    com = -(small**3) * d / (big**3 - small**3)
    along = 0.4 * (heavy * big**2 - light * small**2)
    across = along - light * d**2 - (heavy - light) * com**2
    assert_same(p, mass.Inertial(heavy - light, np.array([com, 0, 0]), np.diag([along, across, across])), 1e-13)


@pytest.mark.parametrize('seed', range(3))
def test_drilled_block(seed):
    """Box less a cylinder through it, the drill off centre; then the whole block turned and moved."""
    rng = np.random.default_rng(seed)
    pos, quat = rng.normal(size=3), random_quat(rng)
    block = Compound([Part(Box((1.0, 0.8, 0.3))), Part(Cylinder(0.2, 0.3), (0.25, -0.1, 0), hole=True)])
    expected = mass.combine([mass.box(1.0, 0.8, 0.3), mass.cylinder(0.2, 0.3).scaled(-1).moved((0.25, -0.1, 0))])
    assert_same(mass_properties(block, density=7.0), expected.scaled(7.0), 1e-13)
    assert_same(mass_properties(block, mass=0.5), expected.of_mass(0.5), 1e-13)
    moved = Compound([(block, pos, quat)])
    assert_same(mass_properties(moved, density=7.0), expected.scaled(7.0).moved(pos, quat), 1e-12)


def test_hollow_bodies_are_differences():
    """Ball less ball, box less box, cone less its tip."""
    ball = Compound([Part(Sphere(0.8)), Part(Sphere(0.5), hole=True)])
    hollow = mass_properties(HollowSphere(0.8, 0.8 - 0.5), density=3.0)
    assert_same(mass_properties(ball, density=3.0), hollow, 1e-13)
    box = Compound([Part(Box((0.5, 1.0, 2.0))), Part(Box((0.3, 0.8, 1.8)), hole=True)])
    assert_same(mass_properties(box, density=3.0), mass_properties(BoxShell((0.5, 1.0, 2.0), 0.1), density=3.0), 1e-13)
    frustum = Compound([Part(Cone(1.0, 2.0)), Part(Cone(0.5, 1.0), (0, 0, 0.5), hole=True)])
    section = mass.slices(lambda z: mass.ellipse(*2 * (0.5 - z / 2,)), -1.0, 0.0)
    assert_same(mass_properties(frustum, density=1.0), section, 1e-10)


def test_what_is_left_in_a_hole():
    """Cutting out a hollow ball leaves its core: the hole of a hole is solid."""
    shell = Compound([Part(Sphere(2.0)), Part(Sphere(1.0), (0.5, 0, 0), hole=True)])
    p = mass_properties(Compound([Part(Sphere(3.0)), Part(shell, (0.2, 0, 0), hole=True)]), density=5.0)
    bodies = [mass.sphere(3.0), mass.sphere(2.0).scaled(-1).moved((0.2, 0, 0)), mass.sphere(1.0).moved((0.7, 0, 0))]
    assert_same(p, mass.combine(bodies).scaled(5.0), 1e-13)


def test_box_in_pieces():
    """Eight corner blocks of one box, each turned by a different symmetry of its cube."""
    parts = []
    for k in range(8):
        centre = np.array([k & 1, k >> 1 & 1, k >> 2]) - 0.5
        parts.append((Box((1, 1, 1)), centre, from_rotvec(k % 4 * np.pi / 2 * np.eye(3)[k % 3])))
    assert_same(mass_properties(Compound(parts), density=1.0), mass.box(2, 2, 2), 1e-14)


def test_l_prism_in_blocks():
    blocks = [(Box((1, 1, 1)), (x, y, 0.5)) for x, y in ((0.5, 0.5), (1.5, 0.5), (0.5, 1.5))]
    whole = mass_properties(TriangleMesh(*meshes.l_prism()), density=2.0)
    assert_same(mass_properties(Compound(blocks), density=2.0), whole, 1e-13)


def test_thin_shell_among_solids():
    """A ball's skin of kg/m² around a core of kg/m³."""
    parts = [Part(HollowSphere(0.5), density=3.0), Part(Sphere(0.2), (0.1, 0, 0), density=2000.0)]
    bodies = [mass.hollow_sphere(0.5, 0).scaled(3.0), mass.sphere(0.2).scaled(2000.0).moved((0.1, 0, 0))]
    assert_same(mass_properties(Compound(parts)), mass.combine(bodies), 1e-13)


def test_far_from_the_origin():
    """Two bars 1 km away: the spread about the com keeps its digits."""
    far = np.array([600.0, -480.0, 640.0])
    near = [mass.box(1, 0.1, 0.1), mass.box(0.1, 1, 0.1).moved((0.5, 0, 0))]
    p = mass_properties(Compound([(Box((1, 0.1, 0.1)), far), (Box((0.1, 1, 0.1)), far + [0.5, 0, 0])]), density=1.0)
    assert_same(p, mass.combine(near).moved(far), 1e-10)


@pytest.mark.parametrize(
    ('parts', 'given'),
    [
        ([Part(Sphere(1.0)), Part(Sphere(1.0), (3, 0, 0), density=2.0)], {}),
        ([Part(Sphere(1.0)), Part(Sphere(1.0), (3, 0, 0), density=2.0)], {'mass': 1.0}),
        ([Part(Sphere(1.0)), Part(Sphere(1.5), hole=True)], {'density': 1.0}),
        ([Part(Sphere(1.0)), Part(Sphere(1.0), hole=True)], {'density': 1.0}),
        ([Part(Sphere(1.0)), Part(Sphere(1.0), mass=-50.0)], {'density': 1.0}),
        ([Part(PointMass())], {'density': 1.0}),
    ],
    ids=['some lack density', 'relative, some lack density', 'all hole', 'nothing left', 'less than nothing', 'point'],
)
def test_mass_that_cannot_be_known(parts, given):
    with pytest.raises(MassError):
        mass_properties(Compound(parts), **given)
