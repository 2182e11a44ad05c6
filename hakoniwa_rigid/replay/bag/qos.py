# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Quality of service as bags store it: a YAML list of profiles."""
from __future__ import annotations

from typing import NamedTuple

import yaml

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.replay.errors import BagError

# the words for the numbers that bags before version 9 hold (rmw/types.h)
WORDS = {
    'history': ('system_default', 'keep_last', 'keep_all', 'unknown'),
    'reliability': ('system_default', 'reliable', 'best_effort', 'unknown', 'best_available'),
    'durability': ('system_default', 'transient_local', 'volatile', 'unknown', 'best_available'),
    'liveliness': ('system_default', 'automatic', 'manual_by_node', 'manual_by_topic', 'unknown', 'best_available'),
}


class Qos(NamedTuple):
    """What a publisher offered."""

    reliable: bool = True
    latched: bool = False
    depth: int = 10


def profiles(qos: Qos | str) -> list[dict]:
    """The profiles of a Qos, or of the text in another bag, in words; BagError for a text that holds none."""
    if isinstance(qos, Qos):
        unset = {'sec': 0, 'nsec': 0}
        return [{'history': 'keep_last', 'depth': qos.depth,
                 'reliability': 'reliable' if qos.reliable else 'best_effort',
                 'durability': 'transient_local' if qos.latched else 'volatile',
                 'deadline': dict(unset), 'lifespan': dict(unset), 'liveliness': 'automatic',
                 'liveliness_lease_duration': dict(unset), 'avoid_ros_namespace_conventions': False}]
    try:
        found = yaml_text.load(qos.encode()) or []
        return [{key: _word(key, value) for key, value in profile.items()} for profile in found]
    except (yaml_text.YamlError, AttributeError, TypeError, IndexError) as error:
        raise BagError(f'offered_qos_profiles: {qos[:60]!r} is no YAML list of profiles') from error


def text(found: list[dict]) -> str:
    """As the channel of a file stores it."""
    return yaml.safe_dump(found, sort_keys=False).strip() if found else ''


def _word(key: str, value):
    return WORDS[key][value] if key in WORDS and isinstance(value, int) else value
