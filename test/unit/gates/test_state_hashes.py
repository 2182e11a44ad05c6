# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""make state-hashes: what it compares, what it says of a change, and its exit status."""
from pathlib import Path

import numpy as np
import pytest

from benchmark.gates import hash_scenes, state_hashes
from benchmark.gates.moments import Moment, Scene, trace
from hakoniwa_rigid import engine
from hakoniwa_rigid.scene.world_files.world_types import AUTHORITIES, CONTACT_PROFILES, SOLVERS

SCENES = """
from pathlib import Path
import numpy as np
import hakoniwa_rigid as package
from benchmark.gates.moments import Moment, Scene, run_all

def line(bags):
    for k in range(6):
        yield Moment(np.array([1.0, package.GAIN if k > 3 else 1.0]), b'')
def reported(bags):
    for k in range(6):
        yield Moment(np.zeros(2), b'hit' if k == package.HIT else b'')
def still(bags):
    yield Moment(np.ones(3), Path(bags, 'bag').read_bytes())
def late(bags):
    yield Moment(np.full(1, package.NEW), b'')

def serve(arguments):
    if arguments[0] == 'bags':
        Path(arguments[1], 'bag').write_text('a bag')
    elif package.GAIN == 13:
        raise SystemExit(3)
    else:
        run_all([Scene(f.__name__, (), f) for f in (line, reported, still, late)], *arguments[1:])
"""


@pytest.fixture
def gate(repository, tmp_path, capsys):
    """A function that runs the gate on the repository: exit status, and lines by scene."""
    file = tmp_path / 'tiny_scenes.py'
    file.write_text(SCENES)

    def run(*arguments):
        status = state_hashes.main(arguments, repository.root, file)
        return status, capsys.readouterr().out
    return run


def test_what_has_changed_is_reported_with_step_and_size(repository, gate):
    repository.commit('GAIN, HIT = 1.0, 2\n')
    repository.commit('GAIN, HIT, NEW = 1.0, 2, 5.0\n')
    status, text = gate()
    assert status == state_hashes.SAME, text
    assert '3 scenes unchanged, 0 changed, 1 new, 0 fail' in text
    assert 'new       late' in text and 'the parent says AttributeError' in text
    # now beside HEAD, by one bit in the fifth step
    repository.package('GAIN, HIT, NEW = 1.0 + 2**-52, 3, 5.0\n')
    status, text = gate()
    assert status == state_hashes.CHANGED
    lines = {line.split()[1]: line for line in text.splitlines() if line.startswith(('CHANGED', 'unchanged'))}
    assert lines['line'].endswith('first at 4 of 6 (state), largest difference of state 2.22e-16')
    assert lines['reported'].endswith('first at 2 of 6 (events), largest difference of state 0')
    assert lines['still'].startswith('unchanged') and lines['late'].startswith('unchanged')


@pytest.mark.parametrize(('old', 'new', 'why'), [
    ('GAIN = 1.0\n', 'GAIN, HIT = 1.0, 2\n', 'a scene fails'),
    ('GAIN, HIT, NEW = 13, 1, 1.0\n', 'GAIN, HIT, NEW = 1.0, 1, 1.0\n', 'ended with status 3'),
    ('', 'GAIN, HIT, NEW = 1.0, 1, 1.0\n', 'the process with the package of')])
def test_what_cannot_be_compared(repository, gate, old, new, why):
    repository.commit(old)
    repository.commit(new)
    status, text = gate()
    assert status == state_hashes.NOT_COMPARED
    assert why in text.splitlines()[-1]


def test_without_a_parent(repository, gate):
    repository.commit('GAIN, HIT, NEW = 1.0, 1, 1.0\n')
    status, text = gate()
    assert status == state_hashes.NOT_COMPARED and 'no such commit' in text


def test_nothing_that_runs_on_the_parent_is_no_comparison():
    new = [({'error': 'TypeError: no'}, {'name': 'a', 'digest': 'd' * 64, 'steps': 1}, None)]
    assert state_hashes.verdict(new)[0] == state_hashes.NOT_COMPARED
    assert state_hashes.verdict([])[0] == state_hashes.NOT_COMPARED


def traced(states):
    states = np.array(states, float)
    return {'states': states, 'events': np.zeros((len(states), 32), np.uint8)}


@pytest.mark.parametrize(('old', 'new', 'expected'), [
    ([[1, 2], [3, 4]], [[1, 2], [3, 4.5]], (1, 'state', 0.5)),
    ([[1, 2], [3, np.nan]], [[1, 2], [3, 4]], (1, 'state', np.inf)),
    ([[np.nan], [np.inf], [1]], [[np.nan], [np.inf], [2]], (2, 'state', 1.0)),
    ([[0.0]], [[-0.0]], (0, 'state', 0.0)),
    ([[1], [2]], [[1], [2], [3]], (2, 'one run is longer', np.inf)),
    ([[1, 2]], [[1, 2, 3]], (0, 'the numbers of the state are others', np.inf))])
def test_a_change(old, new, expected):
    assert state_hashes.change(traced(old), traced(new)) == expected


def test_a_digest_has_all_bits_of_states_and_events():
    def digest(*moments):
        return trace(Scene('s', (), lambda bags: iter(moments)), Path()).digest
    plain = Moment(np.array([1.0, 0.0]), b'a')
    others = [Moment(np.array(state), events) for state, events in (
        ([1.0, -0.0], b'a'), ([1.0, 0.0], b'b'), ([[1.0, 0.0]], b'a'))]
    assert digest(plain) == digest(plain)
    assert len({digest(plain), digest(plain, plain), *map(digest, others)}) == 5


@pytest.mark.parametrize('name', ['cradle', 'drones over time', 'bag: odometry'])
def test_a_scene_gives_the_same_bits_twice(name, tmp_path):
    scene, = (s for s in hash_scenes.SCENES if s.name == name)
    if name.startswith('bag'):
        hash_scenes.serve(['bags', str(tmp_path)])
    first, second = (trace(scene, tmp_path) for _ in range(2))
    assert first.digest == second.digest
    # and something happens in it
    assert np.ptp(first.states, axis=0).max() > 0.1 and len(np.unique(first.events, axis=0)) > 2


def test_there_are_scenes_of_everything():
    scenes = hash_scenes.SCENES
    assert len({s.name for s in scenes}) == len(scenes)
    assert sum('bag' in s.covers for s in scenes) >= 5
    assert len(scenes) - sum('bag' in s.covers for s in scenes) >= 14
    covered = {word for s in scenes for word in s.covers}
    shapes = {name for name in engine.__all__ if isinstance(getattr(engine, name), type)
              and issubclass(getattr(engine, name), engine.Shape) and name not in ('Shape', 'Primitive')}
    # these have mass and nothing else
    assert covered >= shapes - {'PointMass', 'TetrahedralMesh'}
    assert covered >= {*SOLVERS, *AUTHORITIES, *CONTACT_PROFILES}
    assert covered >= {'exact', 'rk4', 'implicit_midpoint', 'semi_implicit_euler', 'principal', 'tensor'}
    assert covered >= {'friction', 'rolling_friction', 'torsional_friction', 'pair material', 'restitution by speed',
                       'max', 'min', 'average', 'multiply', 'geometric_mean'}
    assert covered >= {'hand', 'palm', 'box hand', 'sphere hand', 'effective mass', 'pile', 'stack', 'kinematic',
                       'slide', 'roll', 'recording', 'mcap', 'sqlite3', 'rotors', 'contact over time'}
