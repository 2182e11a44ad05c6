# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Import paths of the release before: they give the modules of the new ones, and nothing here uses them."""
import ast
import importlib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from hakoniwa_rigid.engine import Sphere, WorldBuilder
from hakoniwa_rigid.moved import MOVED

ROOT = Path(__file__).resolve().parents[2]
# as documentation and examples of 0.1.0 had them
DOCUMENTED = ('scene.world_types', 'scene.world_file', 'scene.mesh_file', 'scene.intake.params', 'replay.reader',
              'replay.writer', 'ros.simulator_node', 'ros.launch_arguments')


def found(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DeprecationWarning)
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name.startswith('hakoniwa_rigid'):
                raise
            pytest.skip(f'{error.name} is not installed')


@pytest.mark.parametrize('old', [f'hakoniwa_rigid.{name}' for name in DOCUMENTED])
def test_old_paths_give_the_same_module(old):
    assert MOVED[old] != old
    assert found(old) is found(MOVED[old])
    assert found(old).__name__ == found(old).__spec__.name == MOVED[old]


def test_every_path_leads_somewhere():
    for new in set(MOVED.values()):
        path = ROOT / new.replace('.', '/')
        assert path.is_dir() or path.with_suffix('.py').is_file(), new


def test_an_old_path_warns():
    sys.modules.pop('hakoniwa_rigid.scene.mesh_file', None)
    with pytest.warns(DeprecationWarning, match='scene.mesh_file is now hakoniwa_rigid.scene.world_files.mesh_file'):
        importlib.import_module('hakoniwa_rigid.scene.mesh_file')


def test_an_old_path_runs_as_a_program():
    """Documentation of 0.1.0 starts nodes so where there is no ROS installation; here what needs no ROS."""
    run = subprocess.run([sys.executable, '-W', 'ignore', '-c', (
        'import runpy; print(runpy.run_module("hakoniwa_rigid.scene.clock_offset", alter_sys=True)["STEP"])')],
        capture_output=True, text=True, check=False)
    assert run.returncode == 0 and int(run.stdout) == found('hakoniwa_rigid.scene.inputs.clock_offset').STEP, run.stderr


def test_the_old_name_of_a_counter_warns():
    b = WorldBuilder()
    b.add_body(Sphere(0.1), mass=1.0)
    stats = b.build().stats()
    with pytest.warns(DeprecationWarning, match='near_pairs is now Stats.contact_pairs'):
        assert stats.near_pairs == stats.contact_pairs == 0


def test_nothing_here_uses_an_old_path():
    bad = []
    for folder in ('hakoniwa_rigid', 'test', 'examples', 'benchmark', 'launch'):
        for path in sorted((ROOT / folder).rglob('*.py')):
            if path == ROOT / 'benchmark' / 'gates' / 'bag_scenes.py':  # it runs with the package of the parent, too
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding='utf8'))):
                names = ([a.name for a in node.names] if isinstance(node, ast.Import) else
                         [node.module, *(f'{node.module}.{a.name}' for a in node.names)]
                         if isinstance(node, ast.ImportFrom) and not node.level else [])
                bad += [f'{path.relative_to(ROOT)}:{node.lineno}: {n}' for n in names if n in MOVED]
    assert not bad, '\n'.join(bad)


def test_names_of_the_smooth_floor_are_still_given_by_the_engine():
    engine, smooth_motion = found('hakoniwa_rigid.engine'), found('hakoniwa_rigid.smooth_motion')
    for name in ('SurfaceMotion', 'PlaneFloor', 'SmoothBody', 'multiplier'):
        with pytest.warns(DeprecationWarning, match=f'engine.{name} is now hakoniwa_rigid.smooth_motion.{name}'):
            assert getattr(engine, name) is getattr(smooth_motion, name)
    with pytest.raises(AttributeError, match='no attribute'):
        _ = engine.NoSuchFloor
