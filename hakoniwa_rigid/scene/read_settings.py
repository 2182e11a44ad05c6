# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a scene is to serve: parameters read once, the world they ask for, and what has to be compiled for it."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.paths import config_file, world_file

from ..rotations import Rigid
from .collision_scene import CollisionScene
from .errors import SettingsError
from .parameters.discovered import AUTO, Models, named
from .parameters.params import FRAME, HAND, ParameterSource
from .parameters.presets import read_preset
from .parameters.settings import Settings, Values
from .warm import warmup
from .world_files.world_file import load, load_drone_model
from .world_files.world_types import DroneConfig, DroneModel, HandConfig, Pose, WorldConfig

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
    known = [d.name for d in world.drones]
    drone_names = _served('drones', [] if AUTO in node_values['drones'] else node_values['drones'], known)
    hand_names = _served('hands', node_values['hands'], [h.name for h in world.hands])
    preset = read_preset(node_values['sim'])
    drones = {name: parameters.declare(preset.drone(name), f'drones.{name}.', name) for name in drone_names}
    hands = {name: parameters.declare(HAND, f'hands.{name}.', name) for name in hand_names}
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
    is_open = AUTO in values['drones']
    if missing:
        added = tuple(DroneConfig(name, _model(models.of(name))) for name in missing)
        world = replace(world, drones=world.drones + added)
    if is_open:
        spare = max(world.spare.drones, values['spare_drones'])
        world = replace(world, spare=replace(world.spare, drones=spare))
    declared = {h.name for h in world.hands}
    added = tuple(HandConfig(name) for name in values['hands'] if name not in declared)
    world = replace(world, hands=world.hands + added)
    if values['default_authority']:
        world = replace(world, drones=tuple(replace(d, authority=values['default_authority']) for d in world.drones))
    return world


def models_to_come(values: Values, world: WorldConfig) -> dict[str, DroneModel]:
    """By name, the models that drones may have which come by themselves: of the world's drones, or of files.
    SettingsError, WorldFileError."""
    there = {drone.model.name: drone.model for drone in world.drones}
    return {name: there.get(name) or _model(name) for name in Models(values).names}


def _model(name: str) -> DroneModel:
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
