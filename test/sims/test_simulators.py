# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Third-party simulators, live: PyFlyt (PyBullet) and crazyflow (JAX, MuJoCo), in every authority, against
a wall and against each other; and beside what they find of collisions themselves.  `make test-sims` installs them."""
import importlib
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scene_worlds import make_scene, wall_x
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.engine import Box, Compound, Sphere
from hakoniwa_rigid.engine.shapes.compound import Part
from hakoniwa_rigid.scene import Phase
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, DroneModel, MaterialConfig, Pose
from hakoniwa_rigid.sims.simulator import kick, wrench

NS = 1_000_000_000
G = 9.80665
EXAMPLES = Path(__file__).resolve().parents[2] / 'examples' / 'simulators'
sys.path.insert(0, str(EXAMPLES))
AUTHORITIES = ('observe', 'correct', 'simulate')


def load(module, name):
    """A class of an example; skipped where its simulator is not installed, or cannot be beside what is loaded."""
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, RuntimeError) as error:
        pytest.skip(f'make test-sims installs and runs it: {str(error).splitlines()[0]}')


class Kind:
    """A simulator with the shape of its drones: its class, the model, how far that reaches ahead when level."""

    def __init__(self, module, name, shape, reach):
        self.make, self.shape, self.reach = load(module, name), shape, reach

    def model(self, e):
        """The drone model by the simulator's own file."""
        return DroneModel('cf', self.make.mass, tuple(self.make.inertia), self.shape,
                          material=MaterialConfig('hull', e, 0.0))


@pytest.fixture(scope='module', params=['pyflyt', 'crazyflow'])
def kind(request):
    if request.param == 'pyflyt':
        # PyFlyt models/vehicles/cf2x/cf2x.urdf: collision
        return Kind('pyflyt_node', 'PyFlyt', Box((0.09, 0.09, 0.02)), 0.045)
    # crazyflow/drones/cf2x_L250.xml: col_sphere
    return Kind('crazyflow_node', 'Crazyflow', Compound([Part(Sphere(0.07), (0.0, 0.0, 0.005))]), 0.07)


def beside(kind, sim, authority, seconds, e=0.3, walls=(), applies=False):
    """Run a simulator beside a scene as the example's node does; one in `correct` ignores it, or applies each BEGIN.
    Places of the simulator's drones (T,N,3), shown (T,N,3), attitudes shown (T,N,3,3), the events, the scene."""
    names = [f'd{k}' for k in range(len(sim.ids if hasattr(sim, 'ids') else sim.goals))]
    starts = [sim.state(k)[0] for k in range(len(names))]
    scene = make_scene(*(DroneConfig(name, kind.model(e), Pose(tuple(x)), authority)
                         for name, x in zip(names, starts, strict=True)), walls=walls)
    own, shown, turns, events = [], [], [], []
    for step in range(1, round(seconds / sim.dt) + 1):
        now = round(step * sim.dt * NS)
        before = [sim.state(k) for k in range(len(names))]
        sim.step()
        for k, name in enumerate(names):
            x, q, v, w = after = sim.state(k)
            if authority != 'simulate':
                scene.feed_drone(name, now, x, q, v, w)
            else:
                scene.feed_wrench(name, now - round(sim.dt * NS), *wrench(sim, before[k], after))
        tick = scene.advance(now)
        events += tick.events
        reported = [event for event in tick.events if event.phase is not Phase.END and any(event.impulse)]
        for k, name in enumerate(names):
            s = tick.states
            turn = Rotation.from_quat(s.orientations_xyzw[k])
            state = s.positions[k], turn.as_quat(), s.linear_velocities[k], turn.apply(s.angular_velocities[k])
            mine = [event for event in reported if name in (event.body_a, event.body_b)]
            if authority == 'observe':
                for event in mine:
                    side = 'a' if event.body_a == name else 'b'
                    kick(sim, k, np.array(getattr(event, f'delta_v_{side}')), getattr(event, f'delta_omega_{side}'))
            elif authority == 'simulate' or (applies and any(event.phase is Phase.BEGIN for event in mine)):
                sim.put(k, *state)
        own.append([sim.state(k)[0] for k in range(len(names))])
        turns.append(Rotation.from_quat(tick.states.orientations_xyzw).as_matrix())
        shown.append(tick.states.positions)
    return np.array(own), np.array(shown), np.array(turns), events, scene


def ahead(kind, x, turns):
    """(T,) m: where the hull of drone 0 ends along x."""
    if kind.reach > 0.05:
        return x[:, 0, 0] + 0.005 * turns[:, 0, 0, 2] + 0.07
    return x[:, 0, 0] + np.abs(turns[:, 0, 0]) @ (0.045, 0.045, 0.01)


def hits(events, after=0.0):
    """m/s, the approaches of the contacts that begin after so many s."""
    return [-np.dot(e.relative_velocity_before, e.normal) for e in events
            if e.phase is Phase.BEGIN and e.stamp_ns > after * NS]


def way(authority, dt, speeds):
    """m, by how much a drone may overlap what it meets at these speeds: some um where the scene moves it
    (docs/pipeline.md).  Its simulator learns of a hit at the end of the step it is in, and leaning with 1 g it comes to
    g dt in one step and goes on for the next."""
    return 1e-5 if authority != 'observe' else max(speeds, default=0.0) * dt + G * dt * dt


@pytest.mark.parametrize(('authority', 'e'), [('observe', 0.0), ('observe', 0.5), ('correct', 0.3), ('simulate', 0.3)])
def test_it_pushes_at_a_wall_for_ten_seconds(kind, authority, e):
    """Its goal is 0.7 m behind the wall: it stays in front, to 1 cm; in `correct` the drone that is shown does."""
    sim = kind.make([(0.0, 0.0, 1.0)], [(1.5, 0.0, 1.0)])
    own, shown, turns, events, scene = beside(kind, sim, authority, 10.0, e, [wall_x(0.8)])
    begin = next(event for event in events if event.phase is Phase.BEGIN)
    assert (begin.body_a, begin.body_b) == ('d0', 'wall') and hits(events)[0] > 0.1
    over = ahead(kind, own if authority == 'observe' else shown, turns) - 0.8
    assert over.max() < min(0.01, way(authority, sim.dt, hits(events)))
    # in the second half it leans there, or comes back to it
    late = over[len(over) // 2:]
    assert -1e-3 < late.max() < way(authority, sim.dt, hits(events, 5.0))
    assert not {cause for cause, _ in scene.counters} & {'went_through', 'unanswered', 'failed'}


@pytest.mark.parametrize('authority', AUTHORITIES)
def test_two_that_fly_at_each_other(kind, authority):
    """Head on, their goals behind each other: they touch, the hit keeps their momentum, and neither goes through."""
    sim = kind.make([(-0.6, 0.0, 1.0), (0.6, 0.005, 1.0)], [(0.3, 0.0, 1.0), (-0.3, 0.005, 1.0)])
    own, shown, _, events, scene = beside(kind, sim, authority, 5.0, applies=True)
    begin = next(event for event in events if event.phase is Phase.BEGIN)
    assert (begin.body_a, begin.body_b) == ('d0', 'd1')
    assert_allclose(np.add(begin.delta_v_a, begin.delta_v_b), 0.0, atol=1e-9)
    assert hits(events)[0] > 0.1
    assert max(e.depth for e in events) < way(authority, sim.dt, hits(events))
    places = own if authority == 'observe' else shown
    least = np.linalg.norm(places[:, 1] - places[:, 0], axis=1).min()
    # flat boxes may slide over each other, spheres round each other
    assert least > (0.02 if kind.reach < 0.05 else 0.14) - way(authority, sim.dt, hits(events))
    assert not {cause for cause, _ in scene.counters} & {'went_through', 'failed'}


# -- beside their own collisions

def pybullet_wall(air, drone, x, e):
    """A box that begins at x, of the same restitution, without friction; Bullet's pairs have the product of both.  What
    Bullet adds to velocities to part what overlaps (ERP) is off."""
    shape = air.createCollisionShape(air.GEOM_BOX, halfExtents=[0.5, 2.0, 2.0])
    wall = air.createMultiBody(0.0, shape, basePosition=[x + 0.5, 0.0, 1.0])
    for body in (wall, drone):
        air.changeDynamics(body, -1, restitution=np.sqrt(e), lateralFriction=0.0)
    air.setPhysicsEngineParameter(contactERP=0.0, restitutionVelocityThreshold=0.0)


@pytest.mark.parametrize('e', [0.0, 0.5])
def test_a_hit_is_met_when_pybullet_meets_it(e):
    """The same flight against PyBullet's wall and ours: it is met in the same step of Bullet, and both keep it in
    front.  It comes with an edge first: within a step of 1/240 s Bullet has the other edge down, too, and reflects the
    drone as by a face, -e v, to what the controllers change in the step; here the edge that comes first is met, with
    its arm r: J = m (1 + e) v / (1 + m r^2 / I)."""
    kind = Kind('pyflyt_node', 'PyFlyt', Box((0.09, 0.09, 0.02)), 0.045)
    theirs = kind.make([(0.0, 0.0, 1.0)], [(1.5, 0.0, 1.0)], collides=True)
    pybullet_wall(theirs.air, theirs.ids[0], 0.8, e)
    theirs.air.register_all_new_bodies()
    bullet = []
    for _ in range(round(4.0 / theirs.dt)):
        theirs.step()
        bullet.append(np.concatenate(theirs.state(0)))
    bullet = np.array(bullet)
    ours = kind.make([(0.0, 0.0, 1.0)], [(1.5, 0.0, 1.0)])
    own, _, _, events, _ = beside(kind, ours, 'observe', 4.0, e, [wall_x(0.8)])
    begin = next(event for event in events if event.phase is Phase.BEGIN)
    hit = 1 + int(np.argmax(np.diff(bullet[:, 7]) < -0.5))
    # Bullet reflects what overlaps at the start of a step, the first after the impact
    assert hit * theirs.dt - 1.0 / 240.0 < begin.stamp_ns / NS < hit * theirs.dt
    speed, slack = bullet[hit - 1, 7], G * theirs.dt
    assert speed > 0.5 and bullet[hit, 7] == pytest.approx(-e * speed, abs=slack)
    turn = Rotation.from_quat(bullet[hit - 1, 3:7]).as_matrix()
    arm = np.cross(turn @ (np.sign(turn[0]) * (0.045, 0.045, 0.01)), (1.0, 0.0, 0.0))[1]
    closing = -np.dot(begin.relative_velocity_before, begin.normal)
    assert closing == pytest.approx(speed, abs=slack)
    share = 1.0 / (1.0 + kind.make.mass * arm**2 / kind.make.inertia[1])
    # the attitude is that of the step before: the arm of 8.5 mm changes by 0.3 mm
    assert -begin.delta_v_a[0] == pytest.approx((1.0 + e) * closing * share, rel=0.01)
    assert bullet[:, 0].max() < 0.8 and own[:, 0, 0].max() < 0.8


@pytest.mark.parametrize('pitch', [-0.3, -0.034, 0.5])
@pytest.mark.parametrize('e', [0.0, 0.5])
def test_a_hit_with_an_edge_is_that_of_pybullet_in_small_steps(e, pitch):
    """PyFlyt's Crazyflie thrown at a wall in Bullet with steps of 1/2400 s, in which it moves by 0.4 mm, and here:
    speed and spin after the first edge.  In such a step Bullet turns it by 5e-4 rad: 1 % of what changes."""
    kind = Kind('pyflyt_node', 'PyFlyt', Box((0.09, 0.09, 0.02)), 0.045)
    import pybullet
    import PyFlyt
    from pybullet_utils.bullet_client import BulletClient
    air, v, w = BulletClient(pybullet.DIRECT), (0.88, 0.0, 0.0), (0.0, -0.96, 0.0)
    air.setTimeStep(1.0 / 2400.0)
    urdf = Path(PyFlyt.__file__).parent / 'models' / 'vehicles' / 'cf2x' / 'cf2x.urdf'
    drone = air.loadURDF(str(urdf), flags=air.URDF_USE_INERTIA_FROM_FILE)
    air.changeDynamics(drone, -1, linearDamping=0.0, angularDamping=0.0)
    pybullet_wall(air, drone, 0.8, e)
    turn = Rotation.from_euler('Y', pitch)
    start = np.array((0.799 - np.abs(turn.as_matrix()[0]) @ (0.045, 0.045, 0.01), 0.0, 1.0))
    air.resetBasePositionAndOrientation(drone, start, turn.as_quat())
    air.resetBaseVelocity(drone, v, w)
    for _ in range(100):
        air.stepSimulation()
        after = air.getBaseVelocity(drone)
        if after[0][0] < 0.87:
            break
    scene = make_scene(DroneConfig('d0', kind.model(e), Pose(tuple(start)), 'observe'), walls=[wall_x(0.8)])
    scene.advance(0)
    scene.feed_drone('d0', 0, start, turn.as_quat(), v, w)
    (begin,) = [x for k in range(1, 3) for x in scene.advance(k * 1_000_000).events if x.phase is Phase.BEGIN]
    changes = (begin.delta_v_a[0], after[0][0] - v[0]), (begin.delta_omega_a[1], after[1][1] - w[1])
    for ours, theirs in changes:
        assert ours == pytest.approx(theirs, rel=0.01)


def test_the_contact_is_where_mujoco_finds_it():
    """crazyflow flags the overlap of its spheres (`Sim.contacts`): ours begins in the step before its first flag."""
    kind = Kind('crazyflow_node', 'Crazyflow', Compound([Part(Sphere(0.07), (0.0, 0.0, 0.005))]), 0.07)
    starts, goals = [(-0.5, 0.0, 1.0), (0.5, 0.0, 1.0)], [(0.3, 0.0, 1.0), (-0.3, 0.0, 1.0)]
    alone = kind.make(starts, goals)
    flagged = None
    for step in range(1, 400):
        alone.step()
        if bool(np.array(alone.sim.contacts('drone:0')).any()):
            flagged = step
            break
    _, _, _, events, _ = beside(kind, kind.make(starts, goals), 'observe', flagged * alone.dt + 0.1)
    begin = next(event for event in events if event.phase is Phase.BEGIN)
    assert (flagged - 1) * alone.dt - 1e-9 <= begin.stamp_ns / NS <= flagged * alone.dt + 1e-9
