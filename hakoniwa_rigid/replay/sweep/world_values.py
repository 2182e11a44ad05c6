# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Values of a world that can be varied, and a world with some of them changed."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from hakoniwa_rigid.scene.world_files.world_file import RENAMED, with_overrides
from hakoniwa_rigid.scene.world_files.world_types import MaterialConfig, PairMaterial, SceneParams, WorldConfig

MATERIAL_KEYS = ('restitution', 'friction', 'rolling_friction', 'torsional_friction')
MATERIAL, SCENE = 'material.', 'scene.'


def kinds(config: WorldConfig) -> dict[str, type]:
    """The type of everything that can be varied, by name."""
    materials = dict.fromkeys(m.name for m in _materials(config))
    return {**dict.fromkeys(MATERIAL_KEYS, float), 'dt': float,
            **{f'{MATERIAL}{name}.{key}': float for name in materials for key in MATERIAL_KEYS},
            **{f'{SCENE}{f.name}': type(f.default) for f in fields(SceneParams)},
            **{f'{SCENE}{old}': float for old in RENAMED}}


def is_of_world(name: str) -> bool:
    """Whether a name is one of ``kinds`` of some world, and not a parameter."""
    return name in (*MATERIAL_KEYS, 'dt') or name.startswith((MATERIAL, SCENE))


def changed(config: WorldConfig, values: Mapping[str, float]) -> WorldConfig:
    """The world with values changed; one for all materials holds for pairs of materials that have one of their own,
    too, and gives way to that of a named material.  WorldFileError for a scene that cannot be, ValueError for a
    material that is not there; other values are checked when the world is read."""
    scene = {name.removeprefix(SCENE): value for name, value in values.items() if name.startswith(SCENE)}
    everywhere = {name: value for name, value in values.items() if name in MATERIAL_KEYS}
    named: dict[str, dict[str, float]] = {}
    for name, value in values.items():
        if name.startswith(MATERIAL):
            material, _, key = name.removeprefix(MATERIAL).rpartition('.')
            named.setdefault(material, {})[key] = value
    known = dict.fromkeys(m.name for m in _materials(config))
    for material in named:
        if material not in known:
            raise ValueError(f'{config.source}: no body is of material {material!r}; there are: {", ".join(known)}')
    config = _with_materials(config, everywhere, named)
    if 'dt' in values:
        config = replace(config, dt=values['dt'])
    return with_overrides(config, **scene) if scene else config


def _materials(config: WorldConfig) -> list[MaterialConfig]:
    bodies = (*config.walls, *config.objects, *config.hands, *(d.model for d in config.drones))
    return [*(body.material for body in bodies), *config.materials]


def _with_materials(config: WorldConfig, everywhere: dict[str, float],
                   named: dict[str, dict[str, float]]) -> WorldConfig:
    def new(m: MaterialConfig) -> MaterialConfig:
        return replace(m, **{**everywhere, **named.get(m.name, {})})

    def pair(p: PairMaterial) -> PairMaterial:
        return replace(p, **{key: value for key, value in everywhere.items() if getattr(p, key) is not None})

    return replace(
        config, materials=tuple(map(new, config.materials)), pair_materials=tuple(map(pair, config.pair_materials)),
        drones=tuple(replace(d, model=replace(d.model, material=new(d.model.material))) for d in config.drones),
        **{group: tuple(replace(body, material=new(body.material)) for body in getattr(config, group))
           for group in ('walls', 'objects', 'hands')})
