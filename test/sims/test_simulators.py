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
from hakoniwa_rigid.scene.world_types import DroneConfig, DroneModel, MaterialConfig, Pose
from hakoniwa_rigid.sims.simulator import kick, wrench

NS = 1_000_000_000
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


def beside(kind, sim, authority, seconds, e=0.3, walls=(), adopts=False):
    """Run a simulator beside a scene as the example's node does; one in `correct` ignores it, or adopts each BEGIN.
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
        told = [event for event in tick.events if event.phase is not Phase.END and any(event.impulse)]
        for k, name in enumerate(names):
            s = tick.states
            turn = Rotation.from_quat(s.orientations_xyzw[k])
            state = s.positions[k], turn.as_quat(), s.linear_velocities[k], turn.apply(s.angular_velocities[k])
            mine = [event for event in told if name in (event.body_a, event.body_b)]
            if authority == 'observe':
                for event in mine:
                    side = 'a' if event.body_a == name else 'b'
                    kick(sim, k, np.array(getattr(event, f'delta_v_{side}')), getattr(event, f'delta_omega_{side}'))
            elif authority == 'simulate' or (adopts and any(event.phase is Phase.BEGIN for event in mine)):
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


@pytest.mark.parametrize(('authority', 'e'), [('observe', 0.0), ('observe', 0.5), ('correct', 0.3), ('simulate', 0.3)])
def test_it_pushes_at_a_wall_for_ten_seconds(kind, authority, e):
    """Its goal is 0.7 m behind the wall: it stays in front, to 1 cm; in `correct` the drone that is shown does."""
    sim = kind.make([(0.0, 0.0, 1.0)], [(1.5, 0.0, 1.0)])
    own, shown, turns, events, scene = beside(kind, sim, authority, 10.0, e, [wall_x(0.8)])
    begin = next(event for event in events if event.phase is Phase.BEGIN)
    assert (begin.body_a, begin.body_b) == ('d0', 'wall')
    speed = -np.dot(begin.relative_velocity_before, begin.normal)
    assert speed > 0.1
    over = ahead(kind, own if authority == 'observe' else shown, turns) - 0.8
    # at the hit it may go on for a step of its own
    assert over.max() < 0.01 + (speed * sim.dt if authority == 'observe' else 0.0)
    late, half = over[len(over) // 2:], 5 * NS
    # it leans there, or comes back to it
    hits = [-np.dot(e.relative_velocity_before, e.normal) for e in events
            if e.phase is Phase.BEGIN and e.stamp_ns > half and authority == 'observe']
    assert -0.1 < late.max() < 0.01 + max(hits, default=0.0) * sim.dt
    assert not {cause for cause, _ in scene.counters} & {'went_through', 'unanswered', 'failed'}


@pytest.mark.parametrize('authority', AUTHORITIES)
def test_two_that_fly_at_each_other(kind, authority):
    """Head on, their goals behind each other: they touch, the hit keeps their momentum, and neither goes through."""
    sim = kind.make([(-0.6, 0.0, 1.0), (0.6, 0.005, 1.0)], [(0.3, 0.0, 1.0), (-0.3, 0.005, 1.0)])
    own, shown, _, events, scene = beside(kind, sim, authority, 5.0, adopts=True)
    begin = next(event for event in events if event.phase is Phase.BEGIN)
    assert (begin.body_a, begin.body_b) == ('d0', 'd1')
    assert_allclose(np.add(begin.delta_v_a, begin.delta_v_b), 0.0, atol=1e-9)
    closing = -np.dot(begin.relative_velocity_before, begin.normal)
    assert closing > 0.1
    places = own if authority == 'observe' else shown
    least = np.linalg.norm(places[:, 1] - places[:, 0], axis=1).min()
    # flat boxes may slide over each other, spheres round each other
    assert least > (0.02 if kind.reach < 0.05 else 0.14) - 0.01 - closing * sim.dt
    assert not {cause for cause, _ in scene.counters} & {'went_through', 'failed'}


# -- beside their own collisions

def pybullet_wall(sim, x, e):
    """A box that begins at x, of the same restitution."""
    air = sim.air
    shape = air.createCollisionShape(air.GEOM_BOX, halfExtents=[0.5, 2.0, 2.0])
    wall = air.createMultiBody(0.0, shape, basePosition=[x + 0.5, 0.0, 1.0])
    for body in (wall, sim.ids[0]):
        air.changeDynamics(body, -1, restitution=np.sqrt(e), lateralFriction=0.0)
    air.register_all_new_bodies()


@pytest.mark.parametrize('e', [0.0, 0.5])
def test_a_hit_is_that_of_pybullet(e):
    """The same flight against PyBullet's wall and ours: it is met in the same step, the drone comes back as fast to a
    quarter of its speed (it hits with an edge: one point here, four and a margin in Bullet), both keep it in front."""
    kind = Kind('pyflyt_node', 'PyFlyt', Box((0.09, 0.09, 0.02)), 0.045)
    theirs = kind.make([(0.0, 0.0, 1.0)], [(1.5, 0.0, 1.0)], collides=True)
    pybullet_wall(theirs, 0.8, e)
    bullet = []
    for _ in range(round(4.0 / theirs.dt)):
        theirs.step()
        bullet.append(theirs.state(0)[0][0])
    ours = kind.make([(0.0, 0.0, 1.0)], [(1.5, 0.0, 1.0)])
    own, _, _, events, _ = beside(kind, ours, 'observe', 4.0, e, [wall_x(0.8)])
    bullet = np.array(bullet)
    hit = int(np.argmax(bullet > 0.755))
    begin = next(event for event in events if event.phase is Phase.BEGIN)
    assert begin.stamp_ns / NS == pytest.approx((hit + 1) * theirs.dt, abs=2 * theirs.dt)
    speed = -begin.relative_velocity_before[0]
    speeds = [np.diff(x) / theirs.dt for x in (bullet, own[:, 0, 0])]
    first = round(begin.stamp_ns / NS / theirs.dt)
    back = [v[first - 2:first + 12].min() for v in speeds]
    assert speed > 0.5 and back[1] == pytest.approx(back[0], abs=0.25 * speed)
    assert bullet.max() < 0.8 and own[:, 0, 0].max() < 0.8


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
    assert (flagged - 1) * alone.dt - 1e-9 <= begin.stamp_ns / NS <= flagged * alone.dt + 1e-3
