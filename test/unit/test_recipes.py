# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The recipes of docs/extending.md: followed on a copy of the package, or one table is shown to drive all.

A shape was added so (Frustum), and a field of ContactEvent (energy_lost).  Copies run as plain Python: none compiles.
"""
from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from adapters import make_adapter, make_settings
from scene_worlds import MODEL

from hakoniwa_rigid.engine.model.mixing import RULES
from hakoniwa_rigid.engine.model.solvers import SOLVERS
from hakoniwa_rigid.replay.bag.types import typestore
from hakoniwa_rigid.replay.rerun.journal import CALLS
from hakoniwa_rigid.replay.topics import THIRD_PARTY
from hakoniwa_rigid.scene.inputs.fixed_layouts import VEHICLE
from hakoniwa_rigid.scene.inputs.input_adapter import REFERENCE
from hakoniwa_rigid.scene.inputs.motors import ACTUATORS
from hakoniwa_rigid.scene.parameters.params import DRONE, HAND
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / 'hakoniwa_rigid'


class Copy:
    """A copy of the package and of its runtime files."""

    def __init__(self, folder: Path) -> None:
        self.root = folder
        shutil.copytree(SOURCE, folder / 'hakoniwa_rigid',
                        ignore=shutil.ignore_patterns('__pycache__', 'node_modules', 'page', 'dist'))
        for name in ('config', 'msg'):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy2(ROOT / 'package.xml', folder)

    def change(self, path: str, old: str, new: str) -> None:
        """Once, in one file."""
        file = self.root / path
        text = file.read_text(encoding='utf8')
        assert text.count(old) == 1, (path, old, text.count(old))
        file.write_text(text.replace(old, new), encoding='utf8')

    def add(self, path: str, text: str) -> None:
        """A file that was not there, or the end of one."""
        with (self.root / path).open('a', encoding='utf8') as file:
            file.write(text)

    def run(self, code: str) -> None:
        """Python code on the copy."""
        found = subprocess.run([sys.executable, '-c', code], cwd=self.root, capture_output=True, text=True, check=False,
                               env={**os.environ, 'PYTHONPATH': str(self.root), 'NUMBA_DISABLE_JIT': '1'})
        assert found.returncode == 0, found.stdout + found.stderr


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


def test_a_solver(copy):
    """Bodies go through each other: a file, a line of the table with what only this solver does, and the call."""
    copy.add('hakoniwa_rigid/engine/solve/ghosts.py', '''"""No contacts at all."""
from ..maths.jit import inline
from ..model import layout as L
from ..motion.bodies import advance, scatter


@inline
def step_as_ghosts(s, h):
    """Every body flies."""
    for i in range(len(s.body)):
        if s.body[i].near == L.IN_CONTACT:
            advance(s.work[i], h)
            scatter(s, i)
''')
    table, step = 'hakoniwa_rigid/engine/model/solvers.py', 'hakoniwa_rigid/engine/step.py'
    copy.change(table, "    'penalty': Solver(2, has_springs=True),\n",
                "    'penalty': Solver(2, has_springs=True),\n    'ghosts': Solver(3, is_ghost=True),\n")
    copy.change(table, '    sleeps: bool = False\n', '    sleeps: bool = False\n    is_ghost: bool = False\n')
    copy.change(table, '_TURNS, _SLEEPS = ', '_TURNS, _SLEEPS, _GHOSTS = ')
    copy.add(table, '\n\n@kernel\ndef are_ghosts(s):\n    return _GHOSTS[int(s.par.solver)]\n')
    copy.change(step, '        if has_springs(s):\n',
                '        if are_ghosts(s):\n            step_as_ghosts(s, h)\n        elif has_springs(s):\n')
    copy.change(step, 'from .model.solvers import has_springs\n',
                'from .model.solvers import are_ghosts, has_springs\nfrom .solve.ghosts import step_as_ghosts\n')
    (copy.root / 'room.yaml').write_text('solver: ghosts\n')
    copy.run("""
from hakoniwa_rigid.engine import EngineError, Sphere, WorldBuilder
from hakoniwa_rigid.scene.world_files.world_file import load
b = WorldBuilder(gravity=(0, 0, 0), solver='ghosts')
for k in (0, 1):
    b.add_body(Sphere(0.1), mass=1.0, pos=(0.21 * k, 0, 0), linvel=(1.0 - 2.0 * k, 0, 0))
w = b.build()
w.step(100)
assert abs(w.pos[0, 0] - 0.1) < 1e-9 and abs(w.pos[1, 0] - 0.11) < 1e-9, w.pos
assert load('room.yaml').solver == 'ghosts'
try:
    WorldBuilder(solver='ghost')
except EngineError as error:
    assert 'penalty, ghosts, got' in str(error), error
else:
    raise AssertionError('it took a solver that there is not')
""")


def test_a_rule_that_mixes_coefficients(copy):
    """One file: the harmonic mean, of friction and of restitution."""
    rules = 'hakoniwa_rigid/engine/model/mixing.py'
    copy.change(rules, "'geometric_mean': 4}\n", "'geometric_mean': 4, 'harmonic_mean': 5}\n")
    copy.change(rules, 'MAX, MIN, AVERAGE, MULTIPLY, _ = RULES.values()\n',
                'MAX, MIN, AVERAGE, MULTIPLY, _, HARMONIC = RULES.values()\n')
    copy.change(rules, '    return math.sqrt(x * y)\n',
                '    if rule == HARMONIC:\n        return 2.0 * x * y / (x + y)\n    return math.sqrt(x * y)\n')
    (copy.root / 'room.yaml').write_text('combine: {friction: harmonic_mean}\n')
    copy.run("""
from hakoniwa_rigid.engine import Sphere, WorldBuilder
from hakoniwa_rigid.scene.world_files.world_file import load
assert load('room.yaml').combine.friction == 'harmonic_mean'
b = WorldBuilder(gravity=(0, 0, 0), combine_restitution='harmonic_mean', combine_friction='harmonic_mean')
for k in (0, 1):
    b.add_body(Sphere(0.1), mass=1.0, pos=(0.2001 * k, 0, 0), linvel=(1.0 - k, 0, 0), restitution=0.3 + 0.6 * k,
               friction=0.1 + 0.2 * k)
w = b.build()
w.step()
row = w.contact_log()[0]
assert abs(row['restitution'] - 0.45) < 1e-12 and abs(row['friction'] - 0.15) < 1e-12, row
""")


def test_a_preset_and_a_parameter(copy):
    """A file of config/sims, and a line of NODE: a replay has both."""
    copy.change('hakoniwa_rigid/scene/parameters/params.py', 'NODE = (\n',
                "NODE = (\n    Param('loudness', 0.5, 'How loud it is.', 0.0, 1.0),\n")
    copy.add('config/sims/balloons.yaml', 'node: {loudness: 0.25}\ndrone: {topic_odom: "{drone}/balloon"}\n')
    (copy.root / 'room.yaml').write_text(
        'models: {cube: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: box, size: [0.2, 0.2, 0.2]}}}\n'
        'drones: [{name: d0, model: cube}]\n')
    copy.run("""
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.staging import settings_of
from hakoniwa_rigid.scene.errors import SettingsError
found = [settings_of(Options('', world='room.yaml', values=values))[1]
         for values in ({}, {'sim': 'balloons'}, {'sim': 'balloons', 'loudness': 0.75})]
assert [s.node['loudness'] for s in found] == [0.5, 0.25, 0.75]
assert [s.drones['d0']['topic_odom'] for s in found[1:]] == ['d0/balloon'] * 2
try:
    settings_of(Options('', world='room.yaml', values={'loudness': 2.0}))
except SettingsError as error:
    assert 'loudness' in str(error), error
else:
    raise AssertionError('it took a value beyond the range')
""")


def test_a_field_of_contact_event(copy):
    """Three files; here another sum over contact points: the residual."""
    copy.add('msg/ContactEvent.msg', 'float64 residual  # m/s; what a crowd was left with; a scalar, no frame\n')
    copy.add('hakoniwa_rigid/scene/events/__init__.py', '')
    copy.change('hakoniwa_rigid/codec/contact_event.py', '    energy_lost: float                  # J\n',
                '    energy_lost: float                  # J\n    residual: float                     # m/s\n')
    copy.change('hakoniwa_rigid/scene/events/amounts.py', '    energy_lost: float = 0.0      # J\n',
                '    energy_lost: float = 0.0      # J\n    residual: float = 0.0         # m/s\n')
    copy.run("""
from dataclasses import replace
from hakoniwa_rigid.codec.cdr_writers import ContactEventsWriter
from hakoniwa_rigid.engine import Sphere
from hakoniwa_rigid.replay.bag.types import typestore
from hakoniwa_rigid.replay.rerun.event_log import EventLog
from hakoniwa_rigid.scene import CollisionScene, WorldConfig
from hakoniwa_rigid.scene.world_files.world_types import ObjectConfig, Pose
balls = [ObjectConfig(f'b{k}', Sphere(0.1), 0.5, None, Pose((0.201 * k, 0, 0)), (1.0 - k, 0, 0)) for k in (0, 1)]
scene = CollisionScene.from_config(WorldConfig(gravity=(0, 0, 0), objects=tuple(balls)))
scene.advance(0)
event, *_ = scene.advance(20_000_000).events
assert event.residual == 0.0 and event.energy_lost > 0.0
event = replace(event, residual=0.125)
data = ContactEventsWriter('world').write(0, [event])
read = typestore().deserialize_cdr(data, 'hakoniwa_rigid/msg/ContactEventArray').events[0]
assert read.residual == 0.125 and read.energy_lost == event.energy_lost
log = EventLog()
log.add([event])
assert log[0] == event
""")


# ---- one table drives all

def code_of(*folders: str) -> dict[str, str]:
    """Text by path, without comments and docstrings being told apart."""
    return {str(p.relative_to(SOURCE)): p.read_text(encoding='utf8')
            for folder in folders for p in sorted((SOURCE / folder).rglob('*.py'))}


def test_solvers_and_rules_are_named_in_their_tables_only():
    """And as defaults; 'impulse' is a column too, 'max' and others are functions of numpy."""
    words, bad = {*SOLVERS, *RULES} - {'impulse', 'max', 'min', 'multiply'}, []
    for path, text in code_of('engine', 'scene', 'ros', 'replay', 'web').items():
        tree = ast.parse(text)
        defaults = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.AnnAssign)}
        for n in ast.walk(tree):
            if isinstance(n, ast.arguments):
                defaults |= set(map(id, (*n.defaults, *n.kw_defaults)))
        bad += [f'{path}:{n.lineno}: {n.value}' for n in ast.walk(tree) if isinstance(n, ast.Constant)
                and isinstance(n.value, str) and n.value in words and id(n) not in defaults]
    assert [line for line in bad if not line.startswith(('engine/model/solvers.py', 'engine/model/mixing.py'))] == []


def test_one_file_reckons_with_the_coefficient_of_friction():
    """Others hand it on."""
    bad = [f'{path}: {line.strip()}' for path, text in code_of('engine', 'smooth_motion').items()
           if path != 'engine/contact/coulomb.py' for line in text.splitlines()
           if re.search(r'(\bmu|\.friction|C_MU\]) *[*/]|[*/] *(mu\b|\w+\.friction\b|row\w*\[C_MU|rows\[k, C_MU)', line)
           and not line.strip().startswith(('#', '-(B', 'lambda', 'the three', 'and sliding'))]
    assert bad == []


def test_every_service_is_told_of_and_what_it_changes_can_be_replayed():
    text = (SOURCE / 'ros/collision/services.py').read_text(encoding='utf8')
    services = re.findall(r"create_service\(\w+, '~/(\w+)'", text)
    assert len(services) >= 5
    reported = (ROOT / 'docs/topics.md').read_text(encoding='utf8')
    assert [name for name in services if f'`~/{name}`' not in reported] == []
    calls = set(re.findall(r"(?:recorder|calls)\.add\('(\w+)'", '\n'.join(code_of('ros/collision').values())))
    rerun = (SOURCE / 'replay/rerun/rerun.py').read_text(encoding='utf8')
    handled = rerun[rerun.index('self._calls = {'):]
    assert calls <= set(CALLS) and 'enable' in calls
    assert [name for name in CALLS if f"'{name}':" not in handled[:handled.index('}')]] == []
    reported = (ROOT / 'docs/recording.md').read_text(encoding='utf8')
    assert [name for name in CALLS if f'["{name}"' not in reported and f', "{name}"' not in reported] == []


def types_heard():
    """Types of messages by what chooses them: all that an adapter may hear."""
    sources = next(p for p in DRONE if p.name == 'source').choices
    kinds = next(p for p in HAND if p.name == 'type').choices
    found, readers = {}, dict.fromkeys((VEHICLE, REFERENCE, ACTUATORS), object())   # as where these are installed
    for source in sources:
        adapter = make_adapter(make_settings(DroneConfig('d1', MODEL), drone={'d1': {'source': source}}),
                               readers=readers)
        found |= {topic.type: f'source {source}' for topic in adapter.topics}
    for kind in kinds:
        settings = make_settings(DroneConfig('d1', MODEL), hands=['right'])
        settings.hands['right']['type'] = kind
        found |= {topic.type: f'hand {kind}' for topic in make_adapter(settings, readers=readers).topics}
    return found


def test_every_type_that_is_heard_is_known_to_replays():
    """It is one of ROS, of this package, or of a package that is listed as another's; and it is told of."""
    found, known = types_heard(), typestore().fielddefs
    assert len(found) >= 8
    assert {kind: why for kind, why in found.items()
            if kind not in known and kind.partition('/')[0] not in THIRD_PARTY} == {}
    pages = [ROOT / 'docs' / f'{page}.md' for page in ('replay', 'node', 'sims')]
    reported = '\n'.join(page.read_text(encoding='utf8') for page in pages)
    assert [kind for kind in found if kind.rpartition('/')[2] not in reported] == []
