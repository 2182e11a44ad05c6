# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The page in a Chromium of this machine: what a test needs to run it, and the report of a run."""
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / 'hakoniwa_rigid/web/page'
BUILT = ROOT / 'hakoniwa_rigid/web/dist/index.html'
OUT = ROOT / 'out/page'   # screenshots; ignored by git
# any will do; the first is Debian's and the one that CI runs
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')
CHROMIUM = os.environ.get('CHROMIUM') or next(filter(None, map(shutil.which, BROWSERS)), None)
NO_CHROMIUM = 'no Chromium or Chrome for the browser tests: apt-get install chromium, or name one in CHROMIUM'


def need_page() -> None:
    """Skip without npm or what it installs; build the page if it is older than its sources."""
    if not shutil.which('npm'):
        pytest.skip('no npm: the page cannot be built')
    if not (PAGE / 'node_modules').is_dir():
        pytest.skip(f'no node_modules in {PAGE.relative_to(ROOT)}: run `make page`')
    sources = [*PAGE.glob('src/**/*'), *PAGE.glob('player/*'), *PAGE.glob('*.html'), *PAGE.glob('*.json'),
               *PAGE.glob('vite*.ts')]
    if not BUILT.is_file() or BUILT.stat().st_mtime < max(path.stat().st_mtime for path in sources):
        npm('run', 'build')


def npm(*arguments: str) -> str:
    """Output of an npm command in the page's folder; it has to succeed."""
    run = subprocess.run(['npm', '--silent', *arguments], cwd=PAGE, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def need_browser() -> None:
    """Skip without a browser, or without the page."""
    need_page()
    if not CHROMIUM:
        pytest.skip(NO_CHROMIUM)


def _report(script: str, options: Iterable[str], timeout: float) -> dict:
    """The report of a script of the page's test/browser.  A part that failed is an assertion."""
    need_browser()
    command = ['node', f'test/browser/{script}', '--chromium', CHROMIUM, '--out', str(OUT), *options]
    try:
        run = subprocess.run(command, cwd=PAGE, capture_output=True, text=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired as error:
        said = b''.join(part for part in (error.stdout, error.stderr) if part).decode(errors='replace')
        raise AssertionError(f'{script}: not done after {timeout:.0f} s; it said: {said}') from None
    assert run.returncode == 0, run.stdout + run.stderr
    report = json.loads(run.stdout)
    assert not report['errors'], '\n'.join(report['errors'])
    return report


def try_page(*options: str, timeout: float = 600.0) -> dict:
    """Run the browser tests (options of test/browser/run.js); its report.  A part that failed is an assertion."""
    report = _report('run.js', options, timeout)
    sys.stdout.write(f'{report["seconds"]}\n')   # of each part, for who wonders
    return report


def try_sight(*rooms: Path, only: str = '', timeout: float = 600.0) -> dict:
    """What is seen of the page before a hand is moved (test/browser/sight.js), in these rooms; its report."""
    return _report('sight.js', [*(['--only', only] if only else []), *map(str, rooms)], timeout)


def try_truth(address: str, node: int, viewer: int, timeout: float = 600.0) -> dict:
    """Whether the page of real nodes, of these process ids, says what is true (test/browser/truth.js); its report."""
    return _report('truth.js', ['--address', address, '--node', str(node), '--viewer', str(viewer)], timeout)


def try_hold(address: str, *parts: str, timeout: float = 600.0) -> dict:
    """Drones of real nodes are held in the page (test/browser/hold.js); its report."""
    report = _report('hold.js', ['--address', address, *(word for part in parts for word in ('--part', part))], timeout)
    sys.stdout.write(f'{report["seconds"]} {report["lost"]}\n')     # of each part, for who wonders
    return report


def assert_pushes(pushes: list[dict], clock_error: float) -> None:
    """Every push that the page measured has its parts, ms, in order of time; the clock may be off by so many ms."""
    assert pushes
    for push in pushes:
        assert push['hand'] + push['event'] + push['frame'] - push['total'] == pytest.approx(0.0, abs=1e-6)
        assert push['hand'] >= 0.0 and push['event'] >= -clock_error and push['frame'] >= 0.0


def try_player(folder: Path, *options: str, timeout: float = 600.0) -> dict:
    """Run the browser tests of a static page (test/browser/player.js); its report."""
    return _report('player.js', [*options, str(folder)], timeout)


def player_text(folder: Path) -> str:
    """What a static page that cannot be shown says."""
    return try_player(folder, '--text')['text']


def assert_hit(part: dict, direction: list[float]) -> None:
    """The first contact of drone and hand begins and ends, its impulse along the hand's motion; the drone moves.

    Others may follow: other parts of the drone touch, or it comes back to the hand.
    """
    assert part['moved'] > 0.02
    assert part['changed'] > 0.005, 'share of pixels that changed'
    phases = [contact['phase'] for contact in part['contacts'] if contact['id'] == part['contacts'][0]['id']]
    assert phases[0] == 0
    assert phases[-1] == 2
    impulse = np.array(part['contacts'][0]['onDrone'])
    assert impulse @ direction > 0.5 * np.linalg.norm(impulse) > 0.0, [
        {key: contact[key] for key in ('id', 'phase', 'onDrone')} for contact in part['contacts']]


def tell_latency(what: str, latency: dict, record_property, capsys) -> None:
    """From the first pose of a hand's stroke to a drone that has moved in the page: reported, not judged.

    Skips where a busy machine has lost every push.
    """
    if 'error' in latency:
        pytest.skip(f'{what}: too busy a machine to time pushes: {latency["error"]}')
    assert 0.0 < latency['median'] <= latency['p99']
    for key, value in latency.items():
        record_property(f'{what}: {key}', value)
    line = ('hand -> drone in the page ({}): median {median:.1f} ms, p99 {p99:.1f} ms of {pushes} pushes '
            '({lost} lost; medians: send {send:.1f}, tick {tick:.1f}, back {back:.1f})')
    with capsys.disabled():
        sys.stdout.write('\n' + line.format(what, **latency) + '\n')


def try_room(*options: str, timeout: float = 600.0) -> dict:
    """What a user of a headset meets (test/browser/room.js); its report.  A part that failed is an assertion."""
    return _report('room.js', options, timeout)


def assert_before_the_user(drone: dict, extent: float) -> None:
    """A drone is an arm's length ahead of the eyes, m: its near side, of that half extent, where a hand gets to."""
    assert abs(drone['right']) < 0.02
    assert 0.4 < drone['ahead'] - extent < 0.6
    assert -0.9 < drone['up'] < 0.2
