# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One drone, wall or object by the keys of a world file, alone: for what comes while a scene runs."""
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import world_file, world_writer
from .constraint_file import plain
from .world_types import DroneConfig, ObjectConfig, WallConfig, WorldConfig
from .yaml_node import Node

__all__ = ['entry_of', 'write_entry']


def entry_of(kind: str, values: Mapping[str, Any], config: WorldConfig) -> DroneConfig | WallConfig | ObjectConfig:
    """The 'drone', 'wall' or 'object' of a world; numbers may be NumPy's, None is not given.  Models are those of the
    world's drones, or files beside the world or of the package.  WorldFileError names key and value."""
    node = Node({key: plain(value) for key, value in values.items() if value is not None}, f'add {kind}', '')
    materials = {'default': config.default_material, **{m.name: m for m in config.materials}}
    known = world_file.Known(materials, ('default', *config.filters.groups))
    if kind == 'drone':
        models = {d.model.name: d.model for d in config.drones}
        if not isinstance(node.get('model'), dict) and set('/\\') & set(node.text('model')):
            raise node.error('model', 'must be the name of a model, not a path', node.data['model'])
        return world_file.drone_entry(node, models, known, Path(config.source).resolve().parent)
    return (world_file.wall_entry if kind == 'wall' else world_file.object_entry)(node, known)


def write_entry(kind: str, item: DroneConfig | WallConfig | ObjectConfig, config: WorldConfig) -> dict[str, Any]:
    """For JSON: what `entry_of` makes the same of again, number for number, in any world with these materials."""
    return world_writer.entry(kind, item, config)
