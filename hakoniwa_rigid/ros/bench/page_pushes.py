# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The pushes of `bench page`: how long a push of a hand in a browser takes until the page has it, beside a fleet and
other clients.

The browser is driven by its DevTools socket; the page itself makes up the hand, strikes one drone, and measures each
push as it does for a user: capture of the sample -> tick -> event in the page -> end of the first picture that shows
it, drawn and copied to the page.  The last part is the browser's frame time: the rest of the picture that is drawn
as the event comes, the page's pace, and the picture itself.  The others are what is added beyond it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
import yaml
from tqdm import tqdm

from ..child_processes import Child, Children
from ..domain import free_domain
from ..errors import StartError
from ..priority import BESIDE_A_BROWSER, allowed
from .page_load import PACKAGE, address_of, clients

__all__ = ['added', 'chromium', 'report', 'run', 'world_of']

# any will do; the first is Debian's
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome')
FLAGS = ('--headless', '--no-first-run', '--disable-background-networking', '--disable-component-update',
         '--disable-sync', '--mute-audio', '--enable-unsafe-swiftshader', '--window-size=1280,720',
         '--remote-debugging-port=0')
START = 120.0       # s that the browser, and the page, may take
PUSH = 30.0         # s that a push may take, the strokes before it that met nothing included
LOOK = 0.2          # s between two looks at how many there are
SPACING = 1.5       # m between drones
HALF = 0.046        # m, of a Crazyflie
MEGABYTE = 1e6
SAMPLE = 10.0       # s between two looks at memory
READY = ('(() => { const s = window.hakoniwa && window.hakoniwa.state(); '
         'return !!s && s.connected && s.frames > 5 && s.latency.roundTrip < Infinity '
         '&& Object.keys(s.drones).length === DRONES; })()')
MACHINE = """(() => {
  const gl = document.createElement('canvas').getContext('webgl2');
  const known = gl && gl.getExtension('WEBGL_debug_renderer_info');
  const canvas = document.querySelector('canvas');
  const state = window.hakoniwa.state();
  return { renderer: known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : 'unknown',
    tier: state.tier ?? state.quality ?? null, width: canvas.width, height: canvas.height,
    ratio: canvas.width / innerWidth };
})()"""
WORK = """(() => { const { frames, busy } = window.hakoniwa.state();
  return { at: performance.now(), frames, busy }; })()"""


def world_of(drones: int) -> dict[str, Any]:
    """A grid of Crazyflies that come back at once when they are pushed; d0 in the middle of the first row."""
    side = int(np.ceil(np.sqrt(drones)))
    places = sorted((((k % side) * SPACING, (k // side - side // 2) * SPACING) for k in range(drones)),
                    key=lambda place: (place[0], abs(place[1])))
    return {
        'name': 'page_bench',
        'walls': [{'name': 'floor', 'type': 'plane'}],
        'drones': [{'name': f'd{k}', 'model': 'crazyflie', 'position': [*place, 1.2]}
                   for k, place in enumerate(places)],
        'hands': [{'name': 'right'}],
        'scene': {'offset_time_constant': 0.05},
    }


def chromium(wanted: str | None) -> str:
    """The browser's program.  StartError where there is none."""
    named = wanted or os.environ.get('CHROMIUM')
    names = (named,) if named else BROWSERS
    if found := next(filter(None, map(shutil.which, names)), None):
        return found
    raise StartError(f'no such browser: {named}' if named else
                     'no Chromium or Chrome: install one, name one by --chromium, or take --pushes 0')


class Browser:
    """A page in a browser of its own, without a window; ends with the context."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program, self._folder = program, folder
        self._process: subprocess.Popen | None = None
        self._number = 0

    async def __aenter__(self) -> Browser:
        # a sandbox of its own is not to be had by root
        flags = [*FLAGS, f'--user-data-dir={self._folder}', *(['--no-sandbox'] if os.geteuid() == 0 else [])]
        self._process = subprocess.Popen([self._program, *flags, 'about:blank'], stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self._session = aiohttp.ClientSession()
        try:
            port = await self._port()
            async with self._session.get(f'http://127.0.0.1:{port}/json/list') as answer:
                targets = await answer.json()
            socket = next(t['webSocketDebuggerUrl'] for t in targets if t['type'] == 'page')
            self._socket = await self._session.ws_connect(socket, max_msg_size=0)
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_exception) -> None:
        await self._session.close()
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)     # its own session: the browser and its renderers
            self._process.wait()

    async def _port(self) -> int:
        path, end = self._folder / 'DevToolsActivePort', time.monotonic() + START
        while not path.exists() or not path.read_text().strip():
            if time.monotonic() > end or self._process.poll() is not None:
                raise StartError(f'{self._program} does not start')
            await asyncio.sleep(0.05)
        return int(path.read_text().split()[0])

    async def call(self, method: str, timeout: float = START, **parameters) -> dict[str, Any]:
        """A command of the DevTools protocol, and its result."""
        self._number += 1
        await self._socket.send_json({'id': self._number, 'method': method, 'params': parameters})
        end = time.monotonic() + timeout
        while True:
            message = json.loads((await self._socket.receive(timeout=max(0.1, end - time.monotonic()))).data)
            if message.get('id') == self._number:
                if 'error' in message:
                    raise StartError(f'{method}: {message["error"].get("message")}')
                return message['result']

    async def evaluate(self, expression: str, timeout: float = START) -> Any:
        """The value of a JavaScript expression, awaited.  StartError where it throws."""
        result = await self.call('Runtime.evaluate', timeout, expression=expression, awaitPromise=True,
                                 returnByValue=True)
        if 'exceptionDetails' in result:
            what = result['exceptionDetails'].get('exception', {}).get('description', 'an exception')
            raise StartError(f'the page: {what}')
        return result['result'].get('value')

    async def heap(self) -> float:
        """MB that JavaScript holds once all garbage is collected."""
        await self.call('HeapProfiler.collectGarbage')
        return (await self.call('Runtime.getHeapUsage'))['usedSize'] / MEGABYTE


async def measure(program: str, folder: Path, address: str, options: argparse.Namespace, children: Children,
                  nodes: dict[str, Child]) -> dict[str, Any]:
    """The figures of one run, ms and MB."""
    async with Browser(program, folder) as browser:
        await browser.call('Page.navigate', url=address)
        end, ready = time.monotonic() + START, READY.replace('DRONES', str(options.drones))
        while not await browser.evaluate(ready):
            for child in children.dead():
                raise StartError(f'{child.name} ended; it said:\n{child.tail()}')
            if time.monotonic() > end:
                raise StartError(f'the page at {address} does not show {options.drones} drones')
            await asyncio.sleep(0.1)
        await strike(browser, 3, 'first pictures')      # shaders, code
        heap, rss = await browser.heap(), {name: node.rss() for name, node in nodes.items()}
        begin = await browser.evaluate(WORK)
        pushes = await strike(browser, options.pushes, 'pushes')
        after = await browser.evaluate(WORK)
        machine = await browser.evaluate(MACHINE)       # tier and pixels as they have become
        growth = {name: node.rss() - rss[name] for name, node in nodes.items()}
        page = [heap, await browser.heap()]
        watched = await _watch(browser, nodes, options.watch)
    seconds = (after['at'] - begin['at']) / 1e3
    return {
        'pushes': pushes, 'machine': machine, 'seconds': seconds, 'growth_mb': growth, 'page_mb': page,
        'watched': watched, 'pictures_per_s': (after['frames'] - begin['frames']) / seconds,
        'picture_ms': after['busy'],
    }


async def strike(browser: Browser, count: int, what: str) -> list[dict[str, float]]:
    """So many pushes, or fewer where the hand meets the drone no more."""
    await browser.evaluate(f'void (() => {{ const measured = window.measured = {{ made: [] }};'
                           f' window.hakoniwa.strike("d0", {count}, {HALF}, (push) => measured.made.push(push))'
                           ' .then(() => { measured.end = ""; }, (error) => { measured.end = String(error); }); })()')
    known, since, end = 0, time.monotonic(), None
    with tqdm(total=count, desc=what, unit=' pushes', disable=None) as bar:
        while end is None and time.monotonic() - since < PUSH:
            await asyncio.sleep(LOOK)
            made, end = await browser.evaluate('[window.measured.made.length, window.measured.end ?? null]')
            if made > known:
                bar.update(made - known)
                known, since = made, time.monotonic()
    if end:
        raise StartError(f'the page: {end}')
    return await browser.evaluate('window.measured.made')


async def _watch(browser: Browser, nodes: dict[str, Child], seconds: float) -> list[dict[str, float]]:
    """What everything holds, MB, every SAMPLE s; `at`: s since the first."""
    begin, samples = time.monotonic(), []
    for k in range(int(seconds / SAMPLE) + 1 if seconds > 0 else 0):
        await asyncio.sleep(max(0.0, begin + k * SAMPLE - time.monotonic()))
        samples.append({'at': time.monotonic() - begin, 'page': await browser.heap(),
                        **{name: node.rss() for name, node in nodes.items()}})
    return samples


def added(pushes: list[dict[str, float]]) -> dict[str, np.ndarray]:
    """Of every push what is added beyond the browser's frame, its parts, the frame, and all together; ms."""
    table = {key: np.array([push[key] for push in pushes]) for key in ('hand', 'event', 'wait', 'frame', 'total')}
    return {'added': table['total'] - table['frame'], **table}


TITLES = {'added': 'added beyond the frame', 'hand': '  sample -> tick', 'event': '  tick -> event in the page',
          'frame': 'event -> end of its picture', 'wait': '  until it is begun', 'total': 'all'}


def report(found: dict[str, Any], options: argparse.Namespace) -> str:
    """The figures, as they are printed."""
    machine, times = found['machine'], added(found['pushes'])
    tier = machine['tier'] or f'{machine["ratio"]:.2g} pixels per CSS pixel'
    lines = [f'{len(found["pushes"])} pushes of {options.pushes}, {options.drones} drones at {options.rate:g} Hz, '
             f'{options.clients} clients, {found["seconds"]:.0f} s',
             f'  machine    {processor()}, {os.cpu_count()} processors, {platform.system()} {platform.machine()}',
             f'  node       realtime_priority {found["priority"]}',
             f'  renderer   {machine["renderer"]}',
             f'  quality    {tier}, {machine["width"]} x {machine["height"]} pixels, '
             f'{found["pictures_per_s"]:.0f} pictures/s',
             '  ms                             p50    p99    at most']
    for key, title in TITLES.items():
        p50, p99, most = np.percentile(times[key], (50, 99, 100))
        lines.append(f'  {title:<28s}{p50:6.1f} {p99:6.1f} {most:6.1f}')
    lines.append(f'  a picture takes {found["picture_ms"]:.1f} ms of the page\'s thread')
    begin, end = found['page_mb']
    grown = ', '.join(f'{name} {mb:+.1f}' for name, mb in found['growth_mb'].items())
    lines.append(f'  memory, MB: {grown}, page {begin:.1f} -> {end:.1f}')
    if len(watched := found['watched']) > 1:
        first, last = watched[0], watched[-1]
        lines.append(f'  {last["at"]:.0f} s more, MB: ' + ', '.join(
            f'{name} {first[name]:.1f} -> {last[name]:.1f}' for name in first if name != 'at'))
    return '\n'.join(lines) + '\n'


def processor() -> str:
    """What the processor is called."""
    try:
        lines = Path('/proc/cpuinfo').read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(':')[2].strip() for line in lines if line.startswith('model name')]
    return names[0] if names else platform.processor() or 'unknown processor'


def run(options: argparse.Namespace) -> int:
    """Measure and print; the exit code is 1 where something does not start, or no push was measured."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        program = chromium(options.chromium)
        with free_domain(options.domain) as domain, tempfile.TemporaryDirectory() as name:
            found = _run(program, Path(name), domain, options)
    except (StartError, OSError, aiohttp.ClientError, TimeoutError, asyncio.TimeoutError) as error:
        sys.stderr.write(f'error: {str(error) or type(error).__name__}\n')
        return 1
    except KeyboardInterrupt:
        return 130
    if not found['pushes']:
        sys.stderr.write('error: no push was measured: the hand did not meet the drone\n')
        return 1
    sys.stdout.write(report(found, options))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + '\n')
    return 0


def _run(program: str, folder: Path, domain: int, options: argparse.Namespace) -> dict[str, Any]:
    world = folder / 'page_bench.yaml'
    world.write_text(yaml.safe_dump(world_of(options.drones)))
    environment = {**os.environ, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_DOMAIN_ID': str(domain)}
    others: subprocess.Popen | None = None
    with Children(folder / 'logs', environment) as children:
        hands = {'world': world, 'hands': ['right', 'mouse']}
        priority = allowed(BESIDE_A_BROWSER)    # as the demo starts it
        node = children.start('collision_node', f'{PACKAGE}.collision.collision_node', {
            **hands, 'rate': options.rate, 'realtime_priority': priority})
        children.start('hover', f'{PACKAGE}.simulators.hover', {'world': world})
        viewer = children.start('viewer', f'{PACKAGE}.viewer.viewer_node', {**hands, 'port': 0, 'max_clients': max(
            16, options.clients + 1)})
        try:
            port = address_of(viewer)
            if options.clients > 1:
                others = clients(port, 'watchers', options.clients - 1, folder / 'watchers')
            nodes = {'node': node, 'viewer': viewer}
            found = asyncio.run(measure(program, folder / 'browser', f'http://localhost:{port}/', options, children,
                                        nodes))
            return {**found, 'priority': priority}
        finally:
            if others is not None:
                others.kill()
                others.wait()
