# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""An InputAdapter over a small scene, without ROS: settings with the defaults of the node's parameters."""

from __future__ import annotations

from scene_worlds import make_config

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
from hakoniwa_rigid.scene.parameters.params import DRONE, HAND, NODE, default_of
from hakoniwa_rigid.scene.parameters.settings import Settings


def _values(table, name: str, given: dict) -> dict:
    return {**{spec.name: default_of(spec, name) for spec in table}, **given}


def make_settings(*drones, drone=None, node=None, fixed=None, hands=(), **fields) -> Settings:
    """Of a world of make_config; drone: {name: values that differ}; node: values that differ; fixed: frames."""
    world = make_config(*drones, hands=hands, **fields)
    served = {d.name: _values(DRONE, d.name, (drone or {}).get(d.name, {})) for d in world.drones}
    return Settings(_values(NODE, '', node or {}), served, {h: _values(HAND, h, {}) for h in hands}, world, fixed or {})


def make_adapter(settings: Settings, kind: type[InputAdapter] = InputAdapter, readers=None,
                 ask_tf=lambda: 'no /tf here', warn=lambda text: None) -> InputAdapter:
    """An adapter of a scene of its own, which is at time 0; readers: those of whole messages, by type."""
    scene = CollisionScene.from_config(settings.world)
    scene.advance(0)
    return kind(scene, settings, (readers or {}).get, ask_tf, warn)
