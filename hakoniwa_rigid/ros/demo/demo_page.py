# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The page of the demo: a viewer beside its nodes; and ``demo --ar``, where the page's hands are all there is to see.

With ``--ar`` the drones of a world hover until a hand strikes them and come back by themselves (those of authority
``simulate`` stay where a hit took them); nothing is recorded, and it runs until Ctrl-C.
"""
from __future__ import annotations

import argparse
import os
import re
import signal
import socket
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.files import read_bytes
from hakoniwa_rigid.paths import world_file
from hakoniwa_rigid.ros.child_processes import Child, Children
from hakoniwa_rigid.ros.demo.demo_options import AR_WORLD
from hakoniwa_rigid.ros.demo.page_lan import show_invitation, viewer_parameters
from hakoniwa_rigid.ros.domain import free_domain
from hakoniwa_rigid.ros.priority import BESIDE_A_BROWSER, allowed
from hakoniwa_rigid.scene.errors import WorldFileError
from hakoniwa_rigid.scene.world_files import world_file as worlds
from hakoniwa_rigid.web.errors import WebError

# served besides those of the world: a page's mouse is a hand, too
HANDS = ['left', 'right', 'mouse']
NO_PAGE = "no page: it needs aiohttp: pip install 'hakoniwa_rigid[web]'"
PATIENCE = 60.0     # s that a viewer may take to start
PACKAGE = 'hakoniwa_rigid.ros'


def start_page(children: Children, world: Path, options: argparse.Namespace) -> Child | None:
    """The viewer, if it is wanted and can be; says so where it cannot."""
    if options.no_page:
        return None
    if find_spec('aiohttp') is None:
        print(NO_PAGE, flush=True)
        return None
    parameters = {'world': world, 'hands': HANDS}
    if options.page_params is None:
        parameters['port'] = free_port(options.page_port)
    return children.start('viewer', f'{PACKAGE}.viewer.viewer_node', parameters,
                          [options.page_params] if options.page_params else [])


def free_port(wanted: int) -> int:
    """The port, or 0 for any other where it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(('127.0.0.1', wanted))
        except OSError:
            return 0
    return wanted


def address_of(viewer: Child, params: Path | None = None) -> str:
    """Where the page is, as the viewer says, whole: with the token of its parameters; '' until it has said so."""
    found = re.search(r'page: (\S+)', viewer.log.read_text(errors='replace')) if viewer.log.exists() else None
    if not found:
        return ''
    token = token_of(params) if params else ''
    return f'{found[1]}?token={quote(token, safe="")}' if token else found[1]


def token_of(params: Path) -> str:
    """The token in a file of the viewer's parameters; '' where there is none.  What is wrong with the file, the viewer
    says."""
    try:
        content = yaml_text.load(read_bytes(params, yaml_text.MOST_BYTES))
    except (OSError, ValueError):
        return ''
    token = ''
    for key, body in content.items() if isinstance(content, dict) else ():
        section = body.get('ros__parameters') if isinstance(body, dict) else None
        if key.rpartition('/')[2] in ('**', 'viewer') and isinstance(section, dict):
            token = str(section.get('token') or token)
    return token


def choose_address(options: argparse.Namespace) -> str:
    """Make what ``--lan`` needs; what is wrong, '' for nothing."""
    if options.world is not None and not options.ar:
        return '--world: with --ar only; the recorded demo flies the courses of its own world'
    if options.lan is not None:
        try:
            options.page_params = viewer_parameters(options)
        except WebError as error:
            return f'--lan: {error}'
    return ''


def live_world(options: argparse.Namespace) -> Path:
    """The file of the world of ``demo --ar``, which has been read.  WorldFileError, OSError."""
    path = world_file(options.world or AR_WORLD).resolve()
    worlds.load(path)
    return path


def run_live(options: argparse.Namespace, signals: list[int]) -> int:
    """``demo --ar``; ends with a signal or when a node does.  Exit code."""
    try:
        world = live_world(options)
    except (WorldFileError, OSError) as error:
        print(f'error: --world: {error}', file=sys.stderr)
        return 1
    with free_domain(options.domain) as domain:
        environment = {**os.environ, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_DOMAIN_ID': str(domain)}
        with Children(options.out / 'logs', environment) as children:
            children.start('collision_node', f'{PACKAGE}.collision.collision_node',
                           {'world': world, 'rate': options.rate, 'hands': HANDS,
                            'realtime_priority': allowed(BESIDE_A_BROWSER)})
            children.start('hover', f'{PACKAGE}.simulators.hover', {'world': world})
            viewer = start_page(children, world, options)
            if viewer is None:
                return 1
            return watch(children, viewer, signals, options)


def watch(children: Children, viewer: Child, signals: list[int], options: argparse.Namespace) -> int:
    """Say where the page is, then wait; 0 after a signal, 1 with a word where a node has ended."""
    said, deadline = False, time.monotonic() + PATIENCE
    while not signals:
        for child in children.dead():
            print(f'error: {child.name} ended with exit code {child.process.returncode}; {child.log} ends:\n'
                  f'{child.tail()}', file=sys.stderr)
            return 1
        if not said and (address := address_of(viewer, options.page_params)):
            print(f'page: {address}   (Ctrl-C ends; ROS domain {children.environment["ROS_DOMAIN_ID"]})', flush=True)
            if options.lan is not None:
                show_invitation(address)
            said = True
        if not said and time.monotonic() > deadline:
            print(f'error: the viewer does not start; {viewer.log} ends:\n{viewer.tail()}', file=sys.stderr)
            return 1
        time.sleep(0.1)
    codes = children.stop()
    # a node that was still starting ends by the signal itself
    faults = [f'{name} ended with exit code {code}' for name, code in codes.items() if code not in (0, -signal.SIGINT)]
    for fault in faults:
        print(f'error: {fault}; see {children.logs}', file=sys.stderr)
    return 1 if faults else 0
