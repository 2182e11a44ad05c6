"""The page in Debian's Chromium: what a test needs to run it, and the report of a run."""
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'hakoniwa_rigid/web/page'
BUILT = ROOT / 'hakoniwa_rigid/web/dist/index.html'
OUT = ROOT / 'out/page'   # screenshots; ignored by git
CHROMIUM = os.environ.get('CHROMIUM') or shutil.which('chromium')


def need_page() -> None:
    """Skip without npm or what it installs; build the page if it is older than its sources."""
    if not shutil.which('npm'):
        pytest.skip('no npm: the page cannot be built')
    if not (PAGE / 'node_modules').is_dir():
        pytest.skip(f'no node_modules in {PAGE.relative_to(ROOT)}: run `make page`')
    sources = [*PAGE.glob('src/**/*'), PAGE / 'index.html', PAGE / 'package-lock.json']
    if not BUILT.is_file() or BUILT.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        npm('run', 'build')


def npm(*arguments: str) -> str:
    """Output of an npm command in the page's folder; it has to succeed."""
    run = subprocess.run(['npm', '--silent', *arguments], cwd=PAGE, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def try_page(*options: str, timeout: float = 180.0) -> dict:
    """Run the browser tests (options of test/browser/run.js); its report."""
    need_page()
    if not CHROMIUM:
        pytest.skip('no chromium: apt-get install chromium, or name one in CHROMIUM')
    command = ['node', str(PAGE / 'test/browser/run.js'), '--chromium', CHROMIUM, '--out', str(OUT), *options]
    run = subprocess.run(command, cwd=PAGE, capture_output=True, text=True, check=False, timeout=timeout)
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(run.stdout)
