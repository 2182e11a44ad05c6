# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What ticks say of impacts for simulators to apply: once per contact, and with all that the two-body formula needs."""
import numpy as np
import pytest
from numpy.testing import assert_allclose
from oracles.impact import Body, collide
from scene_worlds import MODEL, MS, TICK, UPRIGHT, ZERO, make_scene, wall_x
from sources import Source, hover, line, out_and_back, watch

from hakoniwa_rigid.engine import Box, Sphere
from hakoniwa_rigid.rotations import from_rpy
from hakoniwa_rigid.scene.world_files.world_types import (
    DroneConfig,
    DroneModel,
    MaterialConfig,
    ObjectConfig,
    Pose,
    WallConfig,
)

WEIGHTLESS = {'gravity': (0.0, 0.0, 0.0)}
SLIPPERY = MaterialConfig('ice', 0.6, 0.0)
M = MODEL.mass


def reported(scene, sources, seconds=1.0, rate=200.0, names=('d0',)):
    """Impacts of a flight."""
    scene.report_impacts(names)
    return [i for tick in watch(scene, sources, seconds, rate).ticks for i in tick.impacts]


def observed(*names, **more):
    return make_scene(*names, authority='observe', **WEIGHTLESS, **more)


# -- how often

def test_a_sim_that_pushes_on_is_reported_once():
    (impact,) = reported(observed('d0', walls=[wall_x(0.3)]), [Source('d0', line((0, 0, 1), (0.5, 0, 0)))])
    assert (impact.drone, impact.other) == ('d0', 'wall')


def test_renewed_approaches_are_reported():
    """Twice against the wall, and away in between."""
    plan = out_and_back((0, 0, 1), (0.4, 0, 0), 0.5)
    source = Source('d0', lambda t: plan(t % 0.5))
    impacts = reported(observed('d0', walls=[wall_x(0.3)]), [source], 0.999)
    assert len(impacts) == 2


@pytest.mark.parametrize('path', [
    hover(0.2, 0, 1),                        # touching
    hover(0.25, 0, 1),                       # half inside
    line((0.25, 0, 1), (-0.5, 0, 0)),        # on its way out
    line((0.2, 0, 1), (0, 1.0, 0)),          # along it
])
def test_nothing_is_reported_without_an_approach(path):
    assert reported(observed('d0', walls=[wall_x(0.3)]), [Source('d0', path)]) == []


def test_only_of_the_drones_asked_for():
    sources = [Source('d0', line((0, 0, 1), (0.5, 0, 0))), Source('d1', line((1, 0, 1), (-0.5, 0, 0)))]
    assert {i.drone for i in reported(observed('d0', 'd1'), sources)} == {'d0'}
    assert {i.drone for i in reported(observed('d0', 'd1'), sources, names=('d0', 'd1'))} == {'d0', 'd1'}
    assert reported(observed('d0', 'd1'), sources, names=()) == []


# -- what

def formula(impact, drone: Body):
    """The drone's impulse by the numbers of the record."""
    r1, r2, n = (np.array(v) for v in (impact.arm, impact.other_arm, impact.normal))
    other = Body(impact.other_mass, impact.other_inertia, np.zeros(3), impact.other_orientation, impact.other_velocity,
                 impact.other_angular_velocity)
    u = drone.velocity_at(drone.pos + r1) - other.velocity_at(r2)
    share = drone.inverse_mass + other.inverse_mass
    for body, r in ((drone, r1), (other, r2)):
        share += np.cross(r, n) @ body.inverse_inertia_world @ np.cross(r, n)
    return -(1.0 + impact.restitution) * (u @ n) / share * n


def random_pair(rng):
    """Two tumbling boxes that meet within a tick, off centre; one has its principal axes askew."""
    q = [from_rpy(rng.uniform(-2, 2, 3)) for _ in range(2)]
    skew = np.array([[0.009, 0.001, -0.0005], [0.001, 0.008, 0.0007], [-0.0005, 0.0007, 0.011]])
    models = (DroneModel('one', 0.71, (0.006, 0.0065, 0.0116), Box((0.2, 0.16, 0.06)), material=SLIPPERY),
              DroneModel('two', 1.3, skew, Box((0.15, 0.2, 0.1)), material=SLIPPERY))
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    x = (np.zeros(3), 0.3 * way + rng.uniform(-0.03, 0.03, 3))
    v = (1.5 * way + rng.uniform(-0.3, 0.3, 3), -1.5 * way + rng.uniform(-0.3, 0.3, 3))
    return models, x, q, v, [rng.uniform(-9, 9, 3) for _ in range(2)]


@pytest.mark.parametrize('seed', range(12))
def test_the_formula_gives_the_impulse(seed):
    """Tumbling in gravity under a thrust: the states at the impact are those of the engine, and so is the impulse."""
    models, x, q, v, w = random_pair(np.random.default_rng(seed))
    scene = make_scene(*(DroneConfig(m.name, m, Pose(tuple(p)), 'simulate') for m, p in zip(models, x, strict=True)))
    scene.report_impacts(['one', 'two'])
    for k, model in enumerate(models):
        scene.feed_drone(model.name, 0, x[k], (*q[k][1:], q[k][0]), v[k], w[k])
    impacts, now = (), 0
    while not impacts and now < 300 * MS:
        for model in models:
            scene.feed_wrench(model.name, now, (0.3, 0.0, 9.0), ZERO)
        before = {m.name: scene.world.motions([scene.world.index(m.name)])[0] for m in models}
        now += TICK
        impacts = scene.advance(now).impacts
    if seed not in (0, 3, 5):       # those miss each other
        assert len(impacts) == 2
    for impact in impacts:
        model = next(m for m in models if m.name == impact.drone)
        k = scene.world.index(model.name)
        # the drone's own velocity is not reported: the engine's, flown on for less than a tick
        m, t = before[impact.drone], impact.time
        accel = scene.world.force[k] / model.mass + scene.world.gravity
        spin = np.array(impact.angular_impulse)
        body = Body(model.mass, np.array(model.inertia), m[:3], impact.orientation, m[7:10] + accel * t, m[10:])
        body.angvel = _spin_at(body, m)
        assert_allclose(impact.impulse, formula(impact, body), rtol=1e-9)
        assert_allclose(spin, np.cross(impact.arm, impact.impulse), atol=1e-12)
        assert_allclose(impact.arm, np.array(impact.point) - (m[:3] + m[7:10] * t + 0.5 * accel * t * t), atol=1e-12)
    if impacts:
        assert_allclose(impacts[0].impulse, np.negative(impacts[1].impulse), rtol=1e-12)
        assert_allclose(impacts[0].other_arm, impacts[1].arm, atol=1e-12)


def _spin_at(body, m):
    """Rate from the angular momentum, which stays, and the attitude reported."""
    then = Body(body.mass, body.inertia, m[:3], m[3:7], m[7:10], m[10:])
    return body.inverse_inertia_world @ (then.inertia_world @ m[10:])


def test_principal_axes_of_the_other():
    """An object with products of inertia: its moments about the axes reported are its tensor."""
    tensor = np.array([[0.02, 0.003, 0.001], [0.003, 0.018, -0.002], [0.001, -0.002, 0.025]])
    q = from_rpy((0.4, -0.2, 1.0))
    crate = ObjectConfig('crate', Box((0.3, 0.3, 0.3)), 2.0, tensor, Pose((0.4, 0.02, 1.0), q), material=SLIPPERY)
    impacts = reported(observed('d0', objects=[crate]), [Source('d0', line((0, 0, 1), (1, 0, 0)))], 0.3)
    impact = impacts[0]
    own = Body(2.0, tensor, np.zeros(3), q, ZERO, ZERO)
    named = Body(impact.other_mass, impact.other_inertia, np.zeros(3), impact.other_orientation, ZERO, ZERO)
    assert (impact.other, impact.other_mass) == ('crate', 2.0)
    assert_allclose(named.inertia_world, own.inertia_world, atol=1e-12)


def test_friction_is_in_the_impulse_and_the_turn():
    """Against the oracle of the impact with Coulomb's friction."""
    grip = MaterialConfig('grip', 0.4, 0.3)
    model = DroneModel('ball', 0.5, (0.002, 0.002, 0.002), Sphere(0.1), material=grip)
    wall = wall_x(0.3, restitution=0.0, friction=0.3)
    v, w = (1.0, 0.4, -0.1), (0.0, 3.0, 0.0)
    scene = make_scene(DroneConfig('d0', model, Pose(), 'observe'), walls=[wall], **WEIGHTLESS)
    scene.report_impacts(['d0'])
    impacts = []
    for now in range(0, 300 * MS, TICK):
        scene.feed_drone('d0', now, np.array((0, 0, 1)) + np.multiply(v, now * 1e-9), UPRIGHT, v, w)
        impacts += scene.advance(now + TICK).impacts
    (impact,) = impacts
    body = Body(0.5, model.inertia, np.array(impact.point) - impact.arm, (1, 0, 0, 0), v, w)
    heavy = Body(np.inf, np.ones(3), np.zeros(3), (1, 0, 0, 0), ZERO, ZERO)
    result, *_ = collide(heavy, body, np.array(impact.point), np.array((-1.0, 0, 0)), 0.4, 0.3)
    assert_allclose(impact.impulse, result.impulse, rtol=1e-9)
    assert_allclose(impact.angular_impulse, np.cross(impact.arm, result.impulse), atol=1e-12)


def test_tiles_side_by_side_are_one_wall():
    """Flat on the seam between two: given both, one after the other, a plant would be pulled back by the second."""
    tiles = [WallConfig(name, Box((1.0, 1.0, 1.0)), Pose((0.8, y, 1.0)), SLIPPERY)
             for name, y in (('left', 0.5), ('right', -0.5))]
    (impact,) = reported(observed('d0', walls=tiles), [Source('d0', line((0, 0, 1), (1, 0, 0)))], 0.5)
    assert_allclose(impact.impulse, (-1.6 * M, 0, 0), atol=1e-9)
    assert_allclose(impact.normal, (-1, 0, 0), atol=1e-9)
    assert_allclose(np.cross(impact.arm, impact.impulse), ZERO, atol=1e-9)
    assert impact.restitution == pytest.approx(0.6)


def test_walls_of_a_corner_are_two():
    corner = [wall_x(0.3), WallConfig('side', Box((4.0, 1.0, 4.0)), Pose((0.0, 0.8, 1.0)), SLIPPERY)]
    impacts = reported(observed('d0', walls=corner), [Source('d0', line((0, 0, 1), (1, 1, 0)))], 0.5)
    assert sorted(i.other for i in impacts) == ['side', 'wall']


def test_fingers_of_a_hand_are_one():
    """Two joints' bones at one instant; its velocity is that of the matter that is met."""
    scene = make_scene(DroneConfig('d0', MODEL, Pose(), 'observe'), **WEIGHTLESS,
                       walls=[], objects=[], hands=('right',))
    scene.report_impacts(['d0'])
    spread = np.zeros((25, 3))
    spread[:, 0] = 0.5
    spread[:, 1] = np.linspace(-0.09, 0.09, 25)
    spread[:, 2] = 1.0
    impacts = []
    for now in range(0, 400 * MS, TICK):
        if now % (2 * TICK) == 0:
            scene.feed_hand('right', now, spread - (1.0 * now * 1e-9, 0, 0), radii=np.full(25, 0.01))
        scene.feed_drone('d0', now, (0, 0, 1), UPRIGHT, ZERO, ZERO)
        impacts += scene.advance(now + TICK).impacts
    assert impacts and len({i.t0_ns for i in impacts}) == len(impacts)
    assert impacts[0].other_mass == np.inf
    assert_allclose(impacts[0].other_velocity, (-1, 0, 0), atol=0.02)
