# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`~/roster`: what came, changed and left since the node was configured, for those that have read the world file.

JSON in a std_msgs/String, kept for readers that come later: `drones`, `walls`, `objects`, `hands`, entries by the keys
of world files; `left`, names of the world file that are not there; `left_out`, entries for which there was no room.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from time import monotonic

from std_msgs.msg import String

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.places import GROUPS
from hakoniwa_rigid.scene.world_files.world_entry import write_entry

from ..qos import LATCHED, advertise

__all__ = ['RosterTopic']

# s between two messages, as a fleet may come at once
PERIOD = 0.5
# letters of all entries
ROOM = 4 << 20


class RosterTopic:
    """The topic of one configured node.  An entry is written once, at most one between two ticks."""

    def __init__(self, node, scene: CollisionScene, clock: Callable[[], float] = monotonic) -> None:
        """clock: s, steady."""
        self._node, self._scene, self._clock = node, scene, clock
        self._out = advertise(node, String, '~/roster', LATCHED)
        self._written: dict[str, tuple[object, str]] = {}   # by name, what was written, and how
        self._missing: list[tuple[str, object]] = []
        self._there: list[tuple[str, object]] = []
        self._left: list[str] = []
        self._roster, self._next, self._is_told = -1, 0.0, False

    def close(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._out)

    def tell(self) -> None:
        """After a tick: publish what has changed, when all of it is written."""
        if self._roster != self._scene.roster:
            self._roster, self._is_told = self._scene.roster, False
            self._there, self._left = self._scene.roster_changes()
            known = self._written
            self._written = {body.name: known[body.name] for _, body in self._there
                             if body.name in known and known[body.name][0] is body}
            self._missing = [(kind, body) for kind, body in self._there if body.name not in self._written]
        if self._missing:
            kind, body = self._missing.pop()
            text = json.dumps(write_entry(kind, body, self._scene.config), separators=(',', ':'))
            self._written[body.name] = body, text
        elif not self._is_told and self._clock() >= self._next:
            self._out.publish(String(data=self._text()))
            self._is_told, self._next = True, self._clock() + PERIOD

    def _text(self) -> str:
        groups: dict[str, list[str]] = {group: [] for group in GROUPS.values()}
        room, left_out = ROOM, 0
        for kind, body in self._there:
            text = self._written[body.name][1]
            if len(text) > room:
                left_out += 1
                continue
            room -= len(text)
            groups[GROUPS[kind]].append(text)
        entries = ','.join(f'"{group}":[{",".join(texts)}]' for group, texts in groups.items())
        return f'{{{entries},"left":{json.dumps(self._left)},"left_out":{left_out}}}'
