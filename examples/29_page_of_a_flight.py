# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Two drones meet above a table: the scene without ROS, as a page that any browser plays.  With --page DIR it writes
the folder, open its index.html; with --out PNG it draws the tracks from the side."""
import argparse
import sys

import numpy as np

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.world_files import world_file
from hakoniwa_rigid.scene.world_files.yaml_node import Node
from hakoniwa_rigid.static_page.folder import FolderError
from hakoniwa_rigid.static_page.scene_page import ScenePage

WORLD = {
    'name': 'terrace',
    'materials': {'wood': {'restitution': 0.4, 'friction': 0.5}},
    'walls': [{'name': 'floor', 'type': 'plane', 'normal': [0, 0, 1], 'offset': 0.0, 'material': 'wood'},
              {'name': 'table', 'type': 'box', 'size': [1.6, 0.9, 0.06], 'position': [0, 0, 0.7], 'material': 'wood'}],
    'drones': [{'name': 'west', 'model': 'unity', 'position': [-1.0, 0.05, 1.3], 'authority': 'simulate'},
               {'name': 'east', 'model': 'unity', 'position': [1.0, -0.05, 1.3], 'authority': 'simulate'}],
}
TICK_NS, SECONDS, LEVEL, SPEED = 5_000_000, 3.0, (0.0, 0.0, 0.0, 1.0), 1.5


def fly():
    """The page, the positions (T,2,3) m of all ticks, and the contacts that began."""
    scene = CollisionScene.from_config(world_file.parse(Node(WORLD, 'example 27', '')))
    for drone, way in zip(scene.config.drones, (1.0, -1.0), strict=True):
        scene.feed_drone(drone.name, 0, drone.pose.position, LEVEL, (way * SPEED, 0.0, 0.0), (0.0, 0.0, 0.0))
    page, track, begun = ScenePage('Two drones above a table'), [], []
    for now in range(0, round(SECONDS * 1e9) + 1, TICK_NS):
        for drone in scene.config.drones:   # rotors carry them until they have met
            lift = 0.0 if begun else 9.80665 * drone.model.mass
            scene.feed_wrench(drone.name, now, (0.0, 0.0, lift), (0.0, 0.0, 0.0))
        tick = scene.advance(now)
        page.see(scene, tick)
        track.append(tick.states.positions)
        begun += [event for event in tick.events if event.phase.name == 'BEGIN']
    return page, np.array(track), begun


def draw(track, begun, path):
    """Height over x, and where contacts began."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(8, 4))
    axes = figure.subplots()
    for k, (name, colour) in enumerate((('west', 'tab:red'), ('east', 'tab:blue'))):
        axes.plot(track[:, k, 0], track[:, k, 2], color=colour, label=name)
    spots = np.array([event.position for event in begun])
    axes.plot(spots[:, 0], spots[:, 2], 'kx', label='contacts')
    axes.fill_between([-0.8, 0.8], 0.67, 0.73, color='0.7', label='table')
    axes.set(xlabel='x, m', ylabel='z, m', aspect='equal')
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument('--page', help='folder to write, new or empty')
parser.add_argument('--out', help='picture to write (PNG)')
options = parser.parse_args()
flown, positions, contacts = fly()
first = contacts[0]
print(f'{first.body_a} and {first.body_b} meet at {first.stamp_ns / 1e9:.3f} s with '
      f'{np.linalg.norm(first.impulse):.3f} N s; {len(contacts)} contacts in {SECONDS:g} s')
if options.out:
    draw(positions, contacts, options.out)
    print(f'picture: {options.out}')
if options.page:
    try:
        print(f'page: {options.page}/index.html ({flown.write(options.page) / 1e6:.1f} MB)')
    except FolderError as error:
        sys.exit(f'error: {error}')
