# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is tried in an installation, each in processes of its own: the cells of the table of `installs.py`."""
from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from with_colcon import CLEARED, ROOT

HERE = Path(__file__).parent
# without rights, without a home
NOBODY = 65534
READY = 300.0       # s that a node may take: a busy machine, not a promise
TRACK = 't,x,y,z,qx,qy,qz,qw\n0,0,0,1,0,0,0,1\n0.5,0.4,0,1,0,0,0,1\n1,0.8,0,1,0,0,0,1\n'
DRONE = """models:
  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.2}}
drones:
  - {name: d0, model: ball}
"""


class Place(NamedTuple):
    """An installation: its Python; the folders of its command and of its nodes; its environment beside that of this
    process; whether it has machine code, and is run by a user without rights and network.

    root: the system that it is installed in, where that is another than this one; what is named lies in it.  setup: a
    file that a shell reads there first.
    """

    python: Path
    command: Path
    nodes: Path
    env: dict[str, str] = {}
    confined: bool = False
    root: Path | None = None
    setup: str | None = None


class Failed(Exception):  # noqa: N818 -- a cell of the table
    """A command failed; the text says which and why."""


def fresh(folder: Path) -> Path:
    """The folder, empty, and readable for others."""
    if folder.exists():
        subprocess.run(['chmod', '-R', 'u+w', folder], check=False)
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    return folder


def busy() -> float:
    """s that cores were busy with ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def outside() -> dict[str, str]:
    """The environment of this process without what belongs to another Python or ROS."""
    return {name: value for name, value in os.environ.items() if name not in CLEARED}


def call(command: list, env: dict[str, str] | None = None, **how) -> str:
    """Output of a command."""
    done = subprocess.run([str(word) for word in command], env={**outside(), **(env or {})}, text=True,
                          capture_output=True, check=False, **how)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or 'no word').splitlines()[-1]
        raise Failed(f'{" ".join(map(str, command[:4]))}: exit code {done.returncode}: {last}')
    return done.stdout


def readme(beginning: str) -> list[str]:
    """The lines of a shell in README.md below a paragraph that begins so."""
    after = (ROOT / 'README.md').read_text().split(f'\n{beginning}', 1)[1]
    return after.split('```sh\n', 1)[1].split('```', 1)[0].splitlines()


def compiled_nothing(home: Path, prefix: Path) -> None:
    """That numba wrote nothing, neither at the user's nor beside the sources."""
    for compiled in home.glob('.cache/numba'), prefix.rglob('__pycache__/*.nbi'):
        if any(compiled):
            raise Failed('the first selftest compiled')


def in_root(root: Path, folder: str, network: bool = False, user: int | None = None) -> list:
    """The beginning of a command that runs in a folder of another system, whose /proc ends with it."""
    as_user = [f'--userspec={user}:{user}'] if user is not None else []
    inner = 'mount -t proc proc "$0/proc" && { ip link set lo up || true; } && exec chroot "$@"'
    return ['unshare', '--mount', *([] if network else ['--net']), 'sh', '-ec', inner, root, *as_user, root,
            'env', f'--chdir={folder}']


def wrapped(place: Place, work: Path, command: list) -> list:
    """The command of a user without rights, on a machine without a network, where this process may do that."""
    if place.root:
        sourced = ['sh', '-c', f'. {place.setup} && exec "$@"', 'sh'] if place.setup else []
        return [*in_root(place.root, f'/{work.relative_to(place.root)}', user=NOBODY), *sourced, *command]
    if not place.confined or os.geteuid():
        return command
    inner = f'ip link set lo up && exec setpriv --reuid={NOBODY} --regid={NOBODY} --clear-groups -- "$@"'
    return ['unshare', '--net', 'sh', '-c', inner, 'sh', *command]


def environment(place: Place) -> dict[str, str]:
    """Of the commands of a user; one who is confined has no home."""
    home = {'HOME': '/nonexistent', 'XDG_CACHE_HOME': '/nonexistent'} if place.confined else {}
    return {**place.env, **home, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_LOG_DIR': 'log',
            'PYTHONDONTWRITEBYTECODE': '1'}


def probe(place: Place, work: Path) -> dict[str, str]:
    """Engine and selftest: cells of the table."""
    # Python puts the folder of a script on its path, and there must be no sources
    shutil.copy(HERE / 'probe.py', work)
    command = wrapped(place, work, [place.python, 'probe.py', str(time.monotonic())])
    found = json.loads(call(command, environment(place), cwd=work).splitlines()[-1])
    return {'first engine step': f'{found["first_step"]:.1f} s ({found["processor"]:.1f} s)',
            'compiled': str(found['compiled']),
            'selftest': f'{"same" if found["same_bits"] else "DIFFERS"}, {found["total"][:8]}'}


def replay(place: Place, work: Path) -> dict[str, str]:
    """The command: a table becomes a bag, and goes through a world."""
    (work / 'd0.csv').write_text(TRACK)
    (work / 'world.yaml').write_text((ROOT / 'config/worlds/empty.yaml').read_text() + DRONE)
    begun, before = time.monotonic(), busy()
    for words in (['import', 'd0.csv', '-o', 'in'], ['replay', 'in', '-o', 'out', '--world', 'world.yaml']):
        call(wrapped(place, work, [place.command / 'hakoniwa-rigid', *words]), environment(place), cwd=work)
    return {'import, replay': f'{time.monotonic() - begun:.1f} s ({busy() - before:.1f} s)'}


def node(place: Place, work: Path) -> dict[str, str]:
    """The collision node, until it says that it is ready; Ctrl-C must end it."""
    begun = time.monotonic()
    command = wrapped(place, work, [place.nodes / 'collision_node', '--ros-args', '-p', 'world:=world.yaml'])
    with (work / 'node.txt').open('w') as out:
        process = subprocess.Popen([str(word) for word in command], env={**outside(), **environment(place)}, cwd=work,
                                   stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        while 'ready: ' not in (work / 'node.txt').read_text():
            if process.poll() is not None or time.monotonic() > begun + READY:
                raise Failed(f'collision_node: {last_line(work / "node.txt")}')
            time.sleep(0.02)
        took, processor = time.monotonic() - begun, _processor_time(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        if process.wait(READY):
            raise Failed(f'collision_node: exit code {process.returncode} after Ctrl-C: '
                         f'{last_line(work / "node.txt")}')
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    compiling = ', it compiled' if 'compiling' in (work / 'node.txt').read_text() else ''
    return {'node ready in': f'{took:.1f} s ({processor:.1f} s){compiling}'}


def last_line(file: Path) -> str:
    """Of what a process said."""
    return (file.read_text().strip() or 'no word').splitlines()[-1]


def _processor_time(pid: int) -> float:
    """s that a process and its ended children have used: all before it exec'ed this one, too."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf('SC_CLK_TCK')


def checked(place: Place, work: Path, skipped: dict[str, str] | None = None) -> dict[str, str]:
    """The cells of all checks and of what comes of them.  skipped: cells of checks that are left out, with the reason;
    `work`: an empty folder that every user may write to."""
    cells = {}
    for check, name in ((probe, 'first engine step'), (replay, 'import, replay'), (node, 'node ready in')):
        try:
            cells |= {name: skipped[name]} if name in (skipped or {}) else check(place, work)
        except Failed as reason:
            return {**cells, 'result': f'FAILED: {reason}'}
    cells['result'] = 'FAILED: other bits' if 'DIFFERS' in cells['selftest'] else 'ok'
    if place.confined and (cells['compiled'] != '0' or 'compiled' in cells['node ready in']):
        cells['result'] = 'FAILED: it compiles'
    return cells
