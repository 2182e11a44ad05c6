# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What comes and leaves by a service: in the scene, and in the recording as it was taken."""

from __future__ import annotations

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.places import Body

from .recorder import Recorder

__all__ = ['add', 'remove']


def add(scene: CollisionScene, recorder: Recorder, kind: str, config: Body) -> None:
    """A 'drone', 'wall', 'object' or 'hand' comes. SpawnError."""
    scene.add_config(kind, config)
    recorder.add('add', kind, scene.added_entry(config.name))


def remove(scene: CollisionScene, recorder: Recorder, name: str) -> None:
    """It leaves. SpawnError."""
    scene.remove(name)
    recorder.add('remove', name)
