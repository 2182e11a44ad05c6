"""The examples run as a user runs them, and what they print is true."""
import importlib.util
import math
import os
import py_compile
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / 'examples'
SCRIPTS = sorted(EXAMPLES.glob('[0-9]*.py'))
TIMEOUT = 600  # s: an example may be the first on the machine to compile the engine
NUMBER = r'[-+]?\d+\.?\d*(?:e[-+]?\d+)?'


def output(name, *args):
    """What the example prints; it must end well and complain of nothing."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(EXAMPLES.parent), os.environ.get('PYTHONPATH', '')]))
    done = subprocess.run([sys.executable, EXAMPLES / name, *args], capture_output=True, text=True, timeout=TIMEOUT,
                          check=False, env=env)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ''
    return done.stdout


def value(text, pattern):
    """The number that stands at `{}` of the pattern; the pattern must occur exactly once."""
    (found,) = re.findall(pattern.replace('{}', f'({NUMBER})'), text)
    return float(found)


def test_there_is_a_line_in_the_readme_for_every_example():
    readme = (EXAMPLES / 'README.md').read_text()
    assert [p.name for p in SCRIPTS if f'python examples/{p.name}' not in readme] == []
    assert len(SCRIPTS) == 6


@pytest.mark.parametrize('path', SCRIPTS, ids=lambda p: p.name)
def test_examples_are_short(path):
    assert len(path.read_text().splitlines()) <= 80


def test_the_racket_is_thrown_by_every_integrator(tmp_path):
    picture = tmp_path / 'racket.png'
    text = output('02_tumbling_racket.py', '--out', str(picture))
    rows = re.findall(rf'^(\w+) +(principal|tensor) +({NUMBER}) +({NUMBER}) +({NUMBER})$', text, re.MULTILINE)
    assert len(rows) == 8
    worst = {(name, storage): [float(x) for x in rest] for name, storage, *rest in rows}
    for storage in ('principal', 'tensor'):
        energy, momentum, rate = worst['exact', storage]
        assert energy <= 1e-12 and momentum <= 1e-9 and rate <= 1e-9
        assert worst['implicit_midpoint', storage][0] <= 3e-12
        # of first order: it flips at another time
        assert worst['semi_implicit_euler', storage][2] > 1e-3
    assert picture.read_bytes().startswith(b'\x89PNG')


def test_two_drones_keep_their_momentum_and_lose_energy():
    text = output('03_two_drones_collide.py')
    assert value(text, r'linear momentum changed by {} N s') <= 1e-12 * 2 * 0.71 * 1.5
    assert value(text, r'angular momentum changed by {} N m s') <= 1e-12
    # each of the corner points closes at 3 m/s and opens at e = 0.5 of that
    assert re.findall(r'closing at (\S+) m/s, then opening at (\S+) m/s', text) == [('3.000', '1.500')] * 4
    before, after = value(text, r'kinetic energy: {} J before'), value(text, r'before, {} J after')
    assert before == pytest.approx(0.71 * 1.5**2, abs=1e-3)
    # e < 1 takes energy, friction never gives any
    assert 0.0 < after < before
    # impulse of the pair = change of momentum of `east`
    jx = value(text, r'impulse on east in all: \[ ?{} ')
    vx = value(text, r'east now flies at \[ ?{} ')
    assert jx == pytest.approx(0.71 * (vx + 1.5), abs=0.71 * 1e-3)


def test_table_carries_the_weight():
    text = output('04_drone_lands_on_table.py')
    weight = 0.71 * 9.80665
    assert value(text, r'table carries {} N') == pytest.approx(weight, rel=1e-6)
    points = [float(f) for f in re.findall(rf'({NUMBER}) N upwards', text)]
    assert 3 <= len(points) <= 4
    assert sum(points) == pytest.approx(weight, abs=4e-4)
    assert min(points) >= 0.0
    assert abs(value(text, r'height above the table {} mm')) < 1e-3
    assert value(text, r'speed {} m/s') < 1e-9


def test_hand_pushes_the_drone_and_it_comes_back(tmp_path):
    picture = tmp_path / 'hand.png'
    text = output('05_scene_with_a_hand.py', '--out', str(picture))
    touches = re.findall(rf'({NUMBER}) s  d0 and right \(\S+\) touch, impulse ({NUMBER}) N s, DRONE_HAND', text)
    assert touches
    # the palm comes within the drone's reach between these times of the recording, and is back before 2.6 s
    assert all(1.0 < float(t) < 2.6 and float(j) > 0.0 for t, j in touches)
    assert text.count(' part, ') == len(touches)
    assert 0.1 < value(text, r'farthest from its plan: {} m') < 0.6
    assert value(text, r'at the end {} m') < 0.02
    assert 'inputs not plainly accepted: 0\n' in text
    assert picture.read_bytes().startswith(b'\x89PNG')


def test_listener_compiles(tmp_path):
    py_compile.compile(str(EXAMPLES / '06_listen_to_contacts.py'), cfile=str(tmp_path / 'out.pyc'), doraise=True)


def test_listener_says_what_an_event_is():
    pytest.importorskip('rclpy', reason='no ROS here: the listener is only compiled')
    from hakoniwa_rigid.msg import ContactEvent
    spec = importlib.util.spec_from_file_location('listener', EXAMPLES / '06_listen_to_contacts.py')
    listener = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(listener)
    event = ContactEvent(phase=ContactEvent.BEGIN, body_a='d0', body_b='d1')
    event.header.stamp.sec, event.header.stamp.nanosec = 12, 5_000_000
    event.normal.x = 1.0
    event.impulse.x, event.relative_velocity_before.x = 1.5, -math.pi
    line = listener.line(event)
    assert line.split(None, 2)[:2] == ['12.005000000', 'BEGIN']
    assert 'd0 - d1' in line and '(+1.500, +0.000, +0.000) N s' in line and 'closing at 3.14 m/s' in line
    printed = []
    listener.print = lambda text, flush: printed.append(text)
    listener.Listener.on_events(None, SimpleNamespace(events=[event, event]))
    assert printed == [line, line]
