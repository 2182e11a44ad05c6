# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Hands that came since the viewer was started: the page draws them, and no client moves them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from rclpy.serialization import serialize_message

from hakoniwa_rigid.msg import HandJoints
from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.discovered_hands import hand_values
from hakoniwa_rigid.scene.parameters.presets import read_preset
from hakoniwa_rigid.scene.parameters.settings import Values
from hakoniwa_rigid.scene.world_files.world_file import MOST_SPARE_HANDS
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig

from ..qos import INPUT, subscribe_for_a_while

__all__ = ['HandsOfOthers']


class HandsOfOthers:
    """Those of one viewer.  `topics`: of each that is there, by name."""

    def __init__(self, node, sim: str, given: Values, movable: Collection[str], send: Callable[[bytes], None]) -> None:
        """sim: the preset; given: parameters by full names; movable: hands that clients move; send: gets messages."""
        self._node, self._preset, self._given = node, read_preset(sim), given
        self._movable, self._send = movable, send
        self.topics: dict[str, str] = {}

    def look(self, world: WorldConfig) -> bool:
        """Whether they are others than before."""
        names = [hand.name for hand in world.hands if hand.name not in self._movable][:MOST_SPARE_HANDS]
        found = {name: topic for name in names if (topic := self._topic_of(name))}
        is_new, self.topics = found != self.topics, found
        return is_new

    def _topic_of(self, name: str) -> str:
        """'' where it has no HandJoints."""
        try:
            values = hand_values(self._preset, self._given, name)
        except SettingsError:   # the node does not read it either
            return ''
        return values['topic'] if values['type'] == 'hand_joints' else ''

    def subscribe(self) -> list:
        """To all of them."""
        return [subscribe_for_a_while(self._node, HandJoints, topic, partial(self._pass_on, name), INPUT)
                for name, topic in self.topics.items()]

    def _pass_on(self, name: str, msg: HandJoints) -> None:
        """On one channel: by their names, whatever they say."""
        msg.hand = name
        self._send(serialize_message(msg))
