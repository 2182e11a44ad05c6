# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The world that the page draws: that of the world file, with what the collision node's `~/roster` says has come,
changed and left."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hakoniwa_rigid.scene.errors import WorldFileError
from hakoniwa_rigid.scene.world_files.world_entry import entry_of
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig

__all__ = ['Roster', 'RosterError']

KINDS = {'drones': 'drone', 'walls': 'wall', 'objects': 'object', 'hands': 'hand'}
# letters of a message, and entries of a kind: twice what the node sends
MOST_TEXT, MOST_ENTRIES = 8 << 20, 2000


class RosterError(ValueError):
    """What came on the topic is no roster."""


class Roster:
    """Entries are read once: a fleet that changes sends most of them again."""

    def __init__(self, world: WorldConfig) -> None:
        self.first = world
        self._read: dict[str, Any] = {}     # bodies by the text of their entries

    def world(self, text: str) -> WorldConfig:
        """The world with what a message says.  RosterError."""
        if len(text) > MOST_TEXT:
            raise RosterError(f'must have at most {MOST_TEXT} letters, got {len(text)}')
        try:
            given = json.loads(text)
            entries = {group: given[group] for group in KINDS}
            left = {str(name) for name in given['left']}
            if not all(isinstance(e, dict) for some in entries.values() for e in some):
                raise TypeError('entries must be mappings')
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise RosterError(f'must be JSON with {", ".join(KINDS)} and left: {str(error)[:100]}') from error
        if max(map(len, entries.values())) > MOST_ENTRIES:
            raise RosterError(f'must have at most {MOST_ENTRIES} entries of a kind')
        before, self._read = self._read, {}
        groups = {}
        for group, kind in KINDS.items():
            came = {}
            for entry in entries[group]:
                key = f'{kind} {json.dumps(entry)}'
                body = self._read[key] = before[key] if key in before else self._body(kind, entry)
                came[body.name] = body
            stay = tuple(came.pop(body.name, body) for body in getattr(self.first, group) if body.name not in left)
            groups[group] = stay + tuple(came.values())
        return replace(self.first, **groups)

    def _body(self, kind: str, entry: dict[str, Any]) -> Any:
        try:
            return entry_of(kind, entry, self.first)
        except WorldFileError as error:
            raise RosterError(str(error)) from error
