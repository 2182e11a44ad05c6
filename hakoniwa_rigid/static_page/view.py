# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The world of a flight as the player draws it."""
from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from typing import Any

from hakoniwa_rigid.replay.inspection.run import models_of
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig, WorldConfig
from hakoniwa_rigid.web.scene_view import scene_message


def view(world: WorldConfig, drones: Collection[str], model: str = 'api-1') -> dict[str, Any]:
    """The world with these drones; those that are not in it are of the model.  WorldFileError, OSError."""
    known = {drone.name for drone in world.drones}
    strange = [name for name in drones if name not in known]
    other = models_of(None, model)[0] if strange else None
    shown = (*(d for d in world.drones if d.name in drones), *(DroneConfig(name, other) for name in strange))
    return json.loads(scene_message(replace(world, drones=shown)))
