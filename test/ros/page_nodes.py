# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The nodes behind a page: collision_node and viewer, drones that hover, and a browser that tries the page."""
from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import browser
from harness import START, Bench, Process
from rig import NODE

from hakoniwa_rigid.ros.demo.demo_page import HANDS
from hakoniwa_rigid.ros.priority import BESIDE_A_BROWSER, allowed

VIEWER, HOVER = 'hakoniwa_rigid.ros.viewer.viewer_node', 'hakoniwa_rigid.ros.simulators.hover'
BROWSER = 900.0     # s, bound of a run of the browser


def start(bench: Bench, world: Path, *parameters: str, shared: tuple[str, ...] = ()) -> str:
    """Start collision_node as ``demo --ar`` does, drones that hover, and the viewer; the page's address.  shared:
    parameters of both nodes."""
    names = f'hands:=[{",".join(HANDS)}]'
    bench.start(NODE, f'world:={world}', names, f'realtime_priority:={allowed(BESIDE_A_BROWSER)}', *parameters,
                *shared)
    bench.start(HOVER, f'world:={world}')
    return address_of(bench, start_viewer(bench, world, names, *shared))


def start_viewer(bench: Bench, world: Path, *parameters: str) -> Process:
    """The viewer on a free port."""
    return bench.start(VIEWER, f'world:={world}', 'port:=0', *parameters)


def address_of(bench: Bench, viewer: Process) -> str:
    """Where a viewer has its page."""
    bench.until(lambda: 'socket:' in viewer.output or not viewer.alive, 'the viewer', START)
    assert viewer.alive, viewer.output
    return re.search(r'page: (https?://localhost:\d+/)', viewer.output)[1]


def try_page(bench: Bench, *options: str) -> dict:
    """The report of a run of the browser, while the bench goes on receiving."""
    return while_serving(bench, browser.try_page, *options)


def while_serving(bench: Bench, work: Callable[..., dict], *arguments) -> dict:
    """What the work returns, which runs a browser, while the bench goes on receiving."""
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(work, *arguments, timeout=BROWSER)
        bench.until(run.done, 'the browser', BROWSER + START)
        return run.result()
