# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A page of a scene that a program drives itself, without ROS and without a bag.

    page = ScenePage('landing')
    page.see(scene, scene.advance(now))     # after every tick
    page.write('landing_page')              # a folder: open index.html
"""
from __future__ import annotations

from pathlib import Path

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.records import Tick
from hakoniwa_rigid.static_page import folder
from hakoniwa_rigid.static_page.flight import Flight
from hakoniwa_rigid.static_page.options import RATE
from hakoniwa_rigid.static_page.replayed import Watcher
from hakoniwa_rigid.static_page.view import view


class ScenePage:
    """Takes ticks; ``write`` makes the folder.  title: what the page is called; rate: frames per s that are kept."""

    def __init__(self, title: str, rate: float = RATE) -> None:
        self._title = title
        self._flight = Flight(title, rate)
        self._watcher = Watcher(self._flight, None, None)

    def see(self, scene: CollisionScene, tick: Tick) -> None:
        """The scene as it is after this tick.  BagError where the page would be too large."""
        self._watcher.see(scene, tick)

    def write(self, out: str | Path) -> int:
        """Write the folder, which must be new or empty; the bytes that it has.  FolderError, BagError, OSError."""
        folder.check_new(Path(out))
        content, data = self._flight.packed()
        scene = view(self._watcher.world, self._flight.drones)
        return folder.write(Path(out), {'title': self._title, 'scene': scene, **content}, data)
