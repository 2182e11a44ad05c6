# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""solver and penalty_stiffness of world files: read, written, handed to the engine."""
import pytest

from hakoniwa_rigid.scene import WorldFileError, bodies
from hakoniwa_rigid.scene.world_files import world_file, world_writer

BALL = '\nobjects: [{name: o, shape: {type: sphere, radius: 1}, mass: 1}]'


@pytest.fixture
def load(tmp_path):
    def read(text):
        (tmp_path / 'room.yaml').write_text(text + BALL)
        return world_file.load(tmp_path / 'room.yaml')
    return read


@pytest.mark.parametrize(('text', 'solver', 'stiffness'), [
    ('', 'sequential', None), ('solver: impulse', 'impulse', None), ('solver: penalty', 'penalty', None),
    ('solver: penalty\npenalty_stiffness: 2e4', 'penalty', 2e4)])
def test_read_and_written(load, tmp_path, text, solver, stiffness):
    config = load(text)
    assert (config.solver, config.penalty_stiffness) == (solver, stiffness)
    (tmp_path / 'again.yaml').write_text(world_writer.write(config))
    again = world_file.load(tmp_path / 'again.yaml')
    assert (again.solver, again.penalty_stiffness) == (solver, stiffness)


@pytest.mark.parametrize(('text', 'message'), [
    ('solver: springs', "solver: must be one of sequential, impulse, penalty, got 'springs'"),
    ('penalty_stiffness: 1e3', 'penalty_stiffness: is for solver: penalty, and the solver is sequential, got 1000.0'),
    ('solver: penalty\npenalty_stiffness: 0', 'penalty_stiffness: must be >= 1e-06, got 0'),
    ('solver: penalty\ncontact: {profile: hertz, time: 0.01}', 'contact: solver: penalty has no impacts to spread'),
])
def test_mistakes(load, tmp_path, text, message):
    with pytest.raises(WorldFileError) as error:
        load(text)
    assert str(error.value).startswith(f'{tmp_path / "room.yaml"}: {message}')


@pytest.mark.parametrize(('text', 'expected'), [
    ('solver: penalty\npenalty_stiffness: 2e4', {'solver': 'penalty', 'penalty_stiffness': 2e4}),
    ('solver: penalty', {'solver': 'penalty'}), ('', {'solver': 'sequential'})])
def test_the_engine_gets_what_is_given(load, monkeypatch, text, expected):
    class ToldError(Exception):
        pass

    def builder(**settings):
        assert {k: v for k, v in settings.items() if k in ('solver', 'penalty_stiffness')} == expected
        raise ToldError

    monkeypatch.setattr(bodies, 'WorldBuilder', builder)
    with pytest.raises(ToldError):
        bodies.build(load(text))
