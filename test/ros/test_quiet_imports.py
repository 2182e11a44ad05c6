"""Ctrl-C while a node's modules are imported ends it without a word."""
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tested import PACKAGES

ROOT = Path(__file__).resolve().parents[2]
START = 'import sys; from hakoniwa_rigid.ros.start import start; sys.exit(start({!r}))'
# as a module that imports for long, and catches what it should not
SLOW = """
import time
print('importing', flush=True)
try:
    time.sleep(60)
except BaseException:
    print('caught', flush=True)
    raise
"""


def started(folder, module, **options):
    env = {**os.environ, 'PYTHONPATH': os.pathsep.join([str(folder), PACKAGES, os.environ.get('PYTHONPATH', '')])}
    return subprocess.Popen([sys.executable, '-c', START.format(module)], env=env, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **options)


def test_ctrl_c_during_imports_is_quiet(tmp_path):
    (tmp_path / 'slow.py').write_text(SLOW)
    process = started(tmp_path, 'slow')
    assert process.stdout.readline() == 'importing\n'
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20) == ('', '')
    assert process.returncode == 0


def test_main_is_called_with_ctrl_c_as_python_has_it(tmp_path):
    (tmp_path / 'quick.py').write_text('import signal\n'
                                       'def main():\n'
                                       '    return 7 if signal.getsignal(signal.SIGINT) == signal.default_int_handler'
                                       ' else 1\n')
    process = started(tmp_path, 'quick')
    assert process.communicate(timeout=20) == ('', '')
    assert process.returncode == 7


def test_what_is_ignored_stays_ignored(tmp_path):
    (tmp_path / 'ignoring.py').write_text('import signal\n'
                                      'assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN\n'
                                      'def main():\n'
                                      '    return 7 if signal.getsignal(signal.SIGINT) == signal.SIG_IGN else 1\n')
    process = started(tmp_path, 'ignoring', preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    assert process.communicate(timeout=20) == ('', '')
    assert process.returncode == 7


@pytest.mark.parametrize('delay', [0.3, 0.6, 0.9])
@pytest.mark.ros
def test_a_node_that_is_interrupted_early_leaves_no_traceback(tmp_path, delay):
    process = started(tmp_path, 'hakoniwa_rigid.ros.collision.collision_node')
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(delay)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert 'Traceback' not in said
    assert process.returncode == 0


def test_installed_scripts_start_so():
    made = (ROOT / 'CMakeLists.txt').read_text()
    assert "sys.exit(start('${module}'))" in made
