"""Cost of an engine step. Every round starts from the same state, after a run-in, and makes the same steps."""
import time

import numpy as np
import pytest

from . import scenes
from .engines import ENGINES, MuJoCo

# time of this process's one thread: other work on the machine does not count
pytestmark = pytest.mark.benchmark(timer=time.process_time)

RUN_IN = 200                                        # steps before the saved state
STEPS = {1: 1000, 10: 500, 100: 200, 1000: 50}      # steps in a round, by number of drones
SHAPES = {'spheres': scenes.SPHERE, 'boxes': scenes.BOX}


@pytest.fixture(params=ENGINES, ids=lambda e: e.name)
def engine(request):
    """One engine after the other, the peer only where it is installed."""
    if request.param is MuJoCo:
        pytest.importorskip('mujoco', reason='mujoco is not installed: no side by side')
    return request.param


def run(measure, case, engine, method, steps):
    """Time `method` of an engine after the run-in; returns the number of contact rows at the start and at the end."""
    engine.exchange(RUN_IN)
    saved, begin = engine.save(), engine.touching()

    def once():
        getattr(engine, method)(steps)

    measure(case, engine.name, once, steps, lambda: engine.restore(saved))
    assert np.isfinite(engine.positions()).all()
    return begin, engine.touching()


@pytest.mark.parametrize('n', STEPS)
@pytest.mark.parametrize('shape', SHAPES)
def test_room(measure, engine, shape, n):
    """S(n): forces in, poses out, every step."""
    scene = scenes.room(n, SHAPES[shape])
    subject = engine(scene)
    run(measure, f'S({n}) {shape}, forces in and poses out', subject, 'exchange', STEPS[n])
    # the springs of the peer give way by centimetres; nobody has left the room
    assert np.abs(subject.positions()).max() < -scene.walls[0][1]


@pytest.mark.parametrize('shape', SHAPES)
def test_room_step_only(measure, engine, shape):
    """S(1000) without traffic."""
    run(measure, f'S(1000) {shape}, step only', engine(scenes.room(1000, SHAPES[shape])), 'steps', STEPS[1000])


@pytest.mark.parametrize('shape', SHAPES)
def test_free_flight(measure, engine, shape):
    """1000 drones that never meet: motion and the search for neighbours."""
    subject = engine(scenes.free_flight(1000, SHAPES[shape]))
    touching = run(measure, f'1000 {shape} in free flight, step only', subject, 'steps', STEPS[1000])
    assert touching == (0, 0)


def test_resting(measure, engine):
    """50 boxes on the floor: four contact points each, all the time."""
    touching = run(measure, '50 boxes at rest, step only', engine(scenes.resting(50)), 'steps', STEPS[100])
    assert touching == (200, 200)
