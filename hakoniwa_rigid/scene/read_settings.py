# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a scene is to serve: parameters read once, the world they ask for, and what has to be compiled for it."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.paths import config_file, world_file

from ..rotations import Rigid
from .errors import SettingsError
from .parameters.discovered import AUTO, Models, named
from .parameters.discovered_hands import HandModels
from .parameters.params import FRAME, ParameterSource
from .parameters.presets import read_preset
from .parameters.settings import Settings, Values
from .world_files.world_file import load, load_drone_model
from .world_files.world_types import DroneConfig, DroneModel, Pose, WorldConfig

__all__ = ['models_to_come', 'origin_of', 'period_ns', 'read_settings', 'warm_up']

IDENTITY_XYZW = (0.0, 0.0, 0.0, 1.0)
# joints of a WebXR hand: the throw-away scene is fed one, so that every kernel is compiled
HAND_JOINTS = 25
# of a rate: what decimals of a dt and a rate leave
RATE_ROUNDING = 1e-6


def read_settings(parameters: ParameterSource, node_values: Values) -> Settings:
    """Load the world, add drones and hands that only the parameters name, declare and read the parameters of each.

    Raises SettingsError for a world file that is not there and for poses that are none; WorldFileError for a world file
    that is wrong.
    """
    world = _world(node_values)
    # by themselves come others than those that are known
    listed = {what: [] if AUTO in node_values[what] else node_values[what] for what in ('drones', 'hands')}
    drone_names = _served('drones', listed['drones'], [d.name for d in world.drones])
    hand_names = _served('hands', listed['hands'], [h.name for h in world.hands])
    preset = read_preset(node_values['sim'])
    drones = {name: parameters.declare(preset.drone(name), f'drones.{name}.', name) for name in drone_names}
    hands = {name: parameters.declare(preset.hand(name), f'hands.{name}.', name) for name in hand_names}
    return Settings(node_values, drones, hands, _with_origins(world, drones), _fixed_frames(parameters, node_values))


def _fixed_frames(parameters: ParameterSource, values: Values) -> dict[str, Rigid]:
    """The parameters frames.<name> of the listed frames."""
    fixed = {}
    for name in _served('frames', values['frames'], []):
        if name in ('', values['world_frame'], *values['accepted_frames']):
            raise SettingsError(f'parameter frames: {name!r} means the world already (world_frame, accepted_frames)')
        numbers = parameters.declare(FRAME, f'frames.{name}', name)['']
        if not numbers:
            raise SettingsError(f'parameter frames.{name}: needs a pose: x, y, z, qx, qy, qz, qw')
        fixed[name] = _pose(f'frames.{name}', numbers)
    return fixed


def _with_origins(world: WorldConfig, drones: dict[str, Values]) -> WorldConfig:
    """The world with the origins that parameters give instead of the world file's."""
    origins = {name: origin_of(name, v) for name, v in drones.items() if v['origin']}
    if not origins:
        return world
    return replace(world, drones=tuple(replace(d, origin=origins.get(d.name, d.origin)) for d in world.drones))


def origin_of(name: str, values: Values) -> Pose:
    """The parameter origin of a drone.  SettingsError."""
    if not values['origin']:
        return Pose()
    p, (x, y, z, w) = _pose(f'drones.{name}.origin', values['origin'])
    return Pose(p, (w, x, y, z))


def _pose(parameter: str, numbers: tuple[float, ...]) -> Rigid:
    try:
        return Rigid.checked(numbers[:3], numbers[3:])
    except ValueError as error:
        raise SettingsError(f'parameter {parameter}: {error}') from error


def _served(what: str, listed: list[str], known: list[str]) -> list[str]:
    names = listed or known
    if len(set(names)) != len(names):
        raise SettingsError(f'parameter {what}: every name once, got {", ".join(names)}')
    return names


def _world(values: Values) -> WorldConfig:
    try:
        world = load(world_file(values['world']))
    except OSError as error:
        raise SettingsError(f'parameter world: {error}') from error
    declared = {d.name for d in world.drones}
    _served('drones', values['drones'], [])
    missing = [name for name in named(values['drones']) if name not in declared]
    models = Models(values)
    if missing:
        added = tuple(DroneConfig(name, _model(models.of(name), world)) for name in missing)
        world = replace(world, drones=world.drones + added)
    world = _with_hands(world, values)
    open_groups = [group for group in ('drones', 'hands') if AUTO in values[group]]
    spare = {group: max(getattr(world.spare, group), values[f'spare_{group}']) for group in open_groups}
    world = replace(world, spare=replace(world.spare, **spare))
    _check_names(world)
    if values['default_authority']:
        world = replace(world, drones=tuple(replace(d, authority=values['default_authority']) for d in world.drones))
    return world


def _check_names(world: WorldConfig) -> None:
    """SettingsError where parameters name a drone or hand as another body is called."""
    seen: dict[str, str] = {}
    for group in ('walls', 'objects', 'drones', 'hands'):
        for body in getattr(world, group):
            if seen.setdefault(body.name, group) != group:
                raise SettingsError(f'parameter {group}: {body.name} is the name of one of the {seen[body.name]}')


def _with_hands(world: WorldConfig, values: Values) -> WorldConfig:
    """The world with hands that only parameters name.  SettingsError."""
    _served('hands', values['hands'], [])
    declared = {h.name for h in world.hands}
    models = HandModels(values, world.hands)
    added = tuple(models.of(name) for name in named(values['hands']) if name not in declared)
    return replace(world, hands=world.hands + added)


def models_to_come(values: Values, world: WorldConfig) -> dict[str, DroneModel]:
    """By name, the models that drones may have which come by themselves: of the world's drones, or of files.
    SettingsError, WorldFileError."""
    return {name: _model(name, world) for name in Models(values).names}


def _model(name: str, world: WorldConfig) -> DroneModel:
    """Of the world's drones, or of a file."""
    there = next((drone.model for drone in world.drones if drone.model.name == name), None)
    if there is not None:
        return there
    try:
        return load_drone_model(config_file('drones', name if name.endswith('.yaml') else f'{name}.yaml'))
    except OSError as error:
        raise SettingsError(f'parameters default_drone_model, drone_models: {error}') from error


def period_ns(rate: float, dt: float) -> int:
    """The output period in ns for `rate` Hz; a whole number of engine steps of `dt` s, so that every stamp is a step's.

    Raises SettingsError, naming the nearest rates that fit, where the period is not such a multiple.
    """
    step = round(dt * NANOSECONDS)
    steps = NANOSECONDS / (rate * step)
    whole = max(round(steps), 1)
    if abs(steps - whole) > RATE_ROUNDING * whole:
        fits = sorted({NANOSECONDS / (step * n) for n in (max(int(steps), 1), int(steps) + 1)})
        names = ' or '.join(f'{r:.6g}' for r in fits)
        raise SettingsError(
            f'parameter rate: its period must be a whole number of engine steps of {dt * 1e3:g} ms, '
            f'got {rate:g} Hz; try {names}'
        )
    return whole * step


def warm_up(world: WorldConfig, period: int) -> None:
    """Compile every kernel, also by a few ticks of a throw-away scene of the same world; `period` in ns."""
    from .collision_scene import CollisionScene  # late: who only reads settings needs no engine
    from .warm import warmup
    warmup()
    scene = CollisionScene.from_config(world)
    for k in range(3):
        stamp = (k + 1) * period
        for drone in scene.drone_names[:1]:
            scene.feed_drone(drone, stamp, (0.0, 0.0, 1.0), IDENTITY_XYZW, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
            scene.feed_wrench(drone, stamp, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
        for hand in scene.hand_names[:1]:
            joints = np.linspace((0.0, 0.0, 1.0), (0.2, 0.0, 1.0), HAND_JOINTS)
            scene.feed_hand(hand, stamp, joints, np.tile(IDENTITY_XYZW, (HAND_JOINTS, 1)))
        scene.advance(stamp)
    scene.clearances(1.0)
