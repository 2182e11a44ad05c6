# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""World and drone files: YAML parsed once into the typed, validated structures of world_types.

    config = load('worlds/demo_room.yaml')

Unknown keys, keys given twice, wrong types and values out of range are errors: ``file: key.path: message, got value``.
Orientations are ``rpy`` (rad, Z-Y-X as in URDF) or ``orientation_xyzw``; numbers are SI.
"""
from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

from ... import paths
from ...brief import brief_path, cut, did_you_mean
from ...engine import Box, HalfSpace, Sphere
from ...engine.model.solvers import solvers_with_constraints
from ...files import is_file, names_in
from ..errors import UnknownModelError, WorldFileError
from .constraint_file import holds_constraints, read_constraints
from .mass_file import read_drone_mass, read_object_mass
from .material_file import (
    Materials,
    material_of,
    paired,
    read_combine,
    read_contact,
    read_materials,
    read_pairs,
    read_solver,
)
from .rotor_parts import without_disc
from .shape_file import read_pose, read_solid, read_wall
from .shape_words import word_of
from .world_types import (
    ALL_GROUPS,
    AUTHORITIES,
    GROUPS,
    INFINITE,
    PAIR_KINDS,
    CollisionBits,
    DroneConfig,
    DroneModel,
    FilterConfig,
    HandConfig,
    MaterialConfig,
    ObjectConfig,
    Pose,
    RotorConfig,
    SceneParams,
    SpareConfig,
    WallConfig,
    WorldConfig,
)
from .yaml_node import Node, read_yaml

# letters of a message that lists the worlds there are
MOST_PLACES = 1000
# ns: a step given in decimals is a whole number of them, but for rounding
ROUNDING = 1e-3
# what a scene's numbers may be at most: times of 12 days, a thousand times sound, ten seconds in one call of advance
LONGEST, FARTHEST, FASTEST, MOST_SAMPLES, MOST_STEPS = 1e6, 1e6, 1e6, 1_000_000, 10_000
AT_MOST = {'teleport_bound': FARTHEST, 'hand_teleport_bound': FARTHEST, 'hand_noise': FARTHEST, 'proximity': FARTHEST,
           'max_speed': FASTEST, 'max_rate': FASTEST, 'hand_max_speed': FASTEST, 'hand_pass_distance': FARTHEST,
           'linear_velocity_limit': 1e5, 'angular_velocity_limit': 1e5,
           'restart_samples': MOST_SAMPLES, 'reorder_samples': MOST_SAMPLES, 'max_steps': MOST_STEPS}
# keys of 0.1.0 that have another name now: either may be given
RENAMED = {'deflection_time_constant': 'offset_time_constant'}
# places of each kind that may be spare
MOST_SPARE = 1000
# of hands, which have two dozen bodies each
MOST_SPARE_HANDS = 64
# N s: no impulse of a drone is larger
STRONGEST = 1e6
AT_LEAST = {'linear_velocity_limit': 1.0, 'angular_velocity_limit': 1.0}


class Known(NamedTuple):
    """What a file has given names to: materials, and collision groups in the order of their bits."""

    materials: Materials
    groups: tuple[str, ...] = ()


def load(path: str | Path) -> WorldConfig:
    """The world of a file, or of a name ('demo_room'): here, else a shipped one.  Raises WorldFileError."""
    path = Path(path)
    if not is_file(path) and path.parent == Path('.'):
        try:
            path = paths.world_file(str(path))
        except FileNotFoundError as error:
            raise WorldFileError(cut(str(error), MOST_PLACES)) from None
    return parse(read_yaml(path))


def load_drone_model(path: str | Path) -> DroneModel:
    """The drone model of a file.  Raises WorldFileError."""
    return _model(read_yaml(Path(path)), Known({}))


def parse(top: Node) -> WorldConfig:
    """The world of a parsed file."""
    filters = _filters(top.child('filters')) if top.has('filters') else FilterConfig()
    known = Known(read_materials(top), ('default', *filters.groups))
    models, pairs = _models(top, known), read_pairs(top, known.materials)
    config = WorldConfig(
        source=top.file,
        name=top.text('name', Path(top.file).stem),
        gravity=top.vector('gravity', WorldConfig.gravity),
        dt=_step(top),
        integrator=top.text('integrator', WorldConfig.integrator, one_of=('exact', 'semi_implicit_euler')),
        restitution_threshold=top.number('restitution_threshold', WorldConfig.restitution_threshold, at_least=0.0,
                                         at_most=1e3),
        **read_solver(top),
        combine=read_combine(top),
        materials=paired(pairs, known.materials),
        pair_materials=pairs,
        contact=read_contact(top),
        walls=tuple(wall_entry(n, known) for n in top.children('walls')),
        objects=tuple(object_entry(n, known) for n in top.children('objects')),
        drones=tuple(drone_entry(n, models, known, Path(top.file).resolve().parent) for n in top.children('drones')),
        hands=tuple(hand_entry(n, known) for n in top.children('hands')),
        constraints=read_constraints(top),
        filters=filters,
        spare=_spare(top.child('spare')) if top.has('spare') else SpareConfig(),
        default_material=known.materials['default'],
        file_materials=tuple(known.materials.values()),
        scene=_scene(top.child('scene')) if top.has('scene') else SceneParams())
    top.done()
    _check_names(config, top)
    _check_grasps(config, top)
    return config


def with_overrides(config: WorldConfig, **overrides) -> WorldConfig:
    """The world with scene parameters replaced, or other `spare` places, checked as in a file.  Raises
    WorldFileError."""
    if 'spare' in overrides:
        config = replace(config, spare=_spare(Node(overrides.pop('spare'), config.source, 'overrides.spare')))
    known = {f.name: getattr(config.scene, f.name) for f in fields(SceneParams)}
    given = {RENAMED.get(name, name): value for name, value in overrides.items()}
    return replace(config, scene=_scene(Node({**known, **given}, config.source, 'overrides')))


def _step(top: Node) -> float:
    dt = top.number('dt', WorldConfig.dt, above=0.0, at_most=0.1)
    if abs(dt * 1e9 - round(dt * 1e9)) > ROUNDING:
        raise top.error('dt', 'must be a whole number of nanoseconds, so that stamps stay exact', dt)
    return dt


def _scene(node: Node) -> SceneParams:
    values = {}
    for f in fields(SceneParams):
        read = node.integer if isinstance(f.default, int) else node.number
        # a length whose default is 0 may be switched off
        limit = {'at_least': 1} if isinstance(f.default, int) else {'above' if f.default else 'at_least': 0.0}
        if f.name in AT_LEAST:
            limit = {'at_least': AT_LEAST[f.name]}
        values[f.name] = read(_key(node, f.name), f.default, at_most=AT_MOST.get(f.name, LONGEST), **limit)
    if node.has('hand_return_time'):
        values['hand_stiffness'] = _stiffness(node)
    node.done()
    if values['remove_timeout'] < values['stale_timeout']:
        stale = f'{values["stale_timeout"]:g}'
        raise node.error('remove_timeout', f'must be >= stale_timeout ({stale})', values['remove_timeout'])
    return SceneParams(**values)


def _stiffness(node: Node) -> float:
    """Of the time that release 0.1.0 has in its place: s, of the return of a hand of the usual mass."""
    if node.has('hand_stiffness'):
        raise node.error('hand_return_time', 'hand_stiffness has taken its place: give one of them')
    return HandConfig.effective_mass / node.number('hand_return_time', at_least=1e-3, at_most=LONGEST) ** 2


def _key(node: Node, name: str) -> str:
    """The key that a file has for a parameter of the scene: its name, or the one it had in 0.1.0."""
    for old, new in RENAMED.items():
        if new == name and node.has(old):
            if node.has(name):
                raise node.error(old, f'is now {name}: give one of them')
            return old
    return name


def _spare(node: Node) -> SpareConfig:
    most = {'hands': MOST_SPARE_HANDS}
    made = SpareConfig(**{f.name: node.integer(f.name, f.default, at_most=most.get(f.name, MOST_SPARE))
                          for f in fields(SpareConfig)})
    node.done()
    return made


def _material(node: Node, known: Known) -> MaterialConfig:
    return material_of(node, known.materials)


def _name(node: Node) -> str:
    return node.text('name')


def wall_entry(node: Node, known: Known) -> WallConfig:
    """A wall of the list `walls`."""
    name, (shape, source) = _name(node), read_wall(node)
    # a half-space of a world file is given in the world
    pose = Pose() if isinstance(shape, HalfSpace) else read_pose(node)
    made = WallConfig(name, shape, pose, _material(node, known), _collision(node, known), source)
    node.done()
    return made


def object_entry(node: Node, known: Known) -> ObjectConfig:
    """An object of the list `objects`."""
    name, shape = _name(node), read_solid(node.child('shape'))
    mass, inertia, com = read_object_mass(node, shape)
    made = ObjectConfig(name, shape, mass, inertia, read_pose(node), node.vector('linear_velocity', (0.0, 0.0, 0.0)),
                        node.vector('angular_velocity', (0.0, 0.0, 0.0)), _material(node, known),
                        _collision(node, known), com)
    node.done()
    return made


def _models(top: Node, known: Known) -> dict[str, DroneModel]:
    """Models given in the world file itself, by name."""
    if not top.has('models'):
        return {}
    node = top.child('models')
    return {name: _model(node.child(name), known, name) for name in list(node.data)}


def _model(node: Node, known: Known, name: str | None = None) -> DroneModel:
    node.text('source', '')  # where the numbers come from: for readers
    name, shape = node.text('name', name or Path(node.file).stem), read_solid(node.child('shape'))
    mass, inertia, com = read_drone_mass(node, shape)
    model = DroneModel(name, mass, inertia, shape, com, tuple(_rotor(n) for n in node.children('rotors')),
                       node.number('drag', 0.0, at_least=0.0), _material(node, known))
    model = _with_strike(node, model)
    node.done()
    return model


def _with_strike(node: Node, model: DroneModel) -> DroneModel:
    """The model with the rule `rotor_strike` of its own mapping, or of a drone's."""
    if not node.has('rotor_strike'):
        return model
    child = node.child('rotor_strike')
    stop_above = child.number('stop_above', above=0.0, at_most=STRONGEST)
    child.done()
    if not model.rotors:
        raise node.error('rotor_strike', f'needs rotors, the model {model.name} has none')
    if missing := without_disc(model):
        raise node.error('rotor_strike', 'needs a part of the shape for every rotor, named rotor_0, rotor_1, ...; the '
                         f'model {model.name} has none for rotors {missing}')
    return replace(model, stop_above=stop_above)


def _rotor(node: Node) -> RotorConfig:
    made = RotorConfig(node.vector('position'), node.number('thrust_coefficient', above=0.0),
                       node.number('torque_coefficient', 0.0, at_least=0.0),
                       node.text('spin', 'ccw', one_of=('ccw', 'cw')),
                       node.number('time_constant', 0.0, at_least=0.0), node.number('max_speed', 0.0, at_least=0.0))
    node.done()
    return made


def drone_entry(node: Node, models: dict[str, DroneModel], known: Known, folder: Path) -> DroneConfig:
    """A drone of the list `drones`; models: those that are known, to which its own is added; folder: of the world."""
    model = _drone_model(node, models, known, folder)
    if node.has('material'):
        model = replace(model, material=_material(node, known))
    model = _with_strike(node, model)
    origin = Pose()
    if node.has('origin'):
        child = node.child('origin')
        origin = read_pose(child)
        child.done()
    made = DroneConfig(_name(node), model, read_pose(node), node.text('authority', 'correct', one_of=AUTHORITIES),
                       origin, _collision(node, known))
    node.done()
    return made


def _drone_model(node: Node, models: dict[str, DroneModel], known: Known, base: Path) -> DroneModel:
    """An inline model, one of the file's `models`, or a file of that name beside the world or shipped with the
    package."""
    if isinstance(node.get('model'), dict):
        return _model(node.child('model'), known, f'{node.path}.model')
    name = node.text('model')
    if name not in models:
        folders = [base, base.parent / 'drones']
        # without installed data files only the world's own folders count
        with suppress(FileNotFoundError):
            folders.append(paths.share_dir() / 'config' / 'drones')
        found = next((folder / f'{name}.yaml' for folder in folders if is_file(folder / f'{name}.yaml')), None)
        if found is None:
            there = [n for folder in folders for n in names_in(folder) if n.endswith('.yaml')]
            raise UnknownModelError(str(node.error(
                'model', 'unknown drone model; not in models: and no file '
                f'{brief_path(f"{name}.yaml")} in {", ".join(map(str, folders))}'
                f'{did_you_mean(name, [*models, *paths.stems(there)])}', name)))
        models[name] = _model(read_yaml(found), Known({'default': known.materials['default']}))
    return models[name]


def hand_entry(node: Node, known: Known) -> HandConfig:
    shape = read_solid(node.child('shape')) if node.has('shape') else None
    if shape is not None and not isinstance(shape, (Sphere, Box)):
        raise node.error('shape.type', 'a tracked pose is a sphere or a box', word_of(shape))
    mass = node.get('effective_mass', HandConfig.effective_mass)
    if mass == INFINITE:    # JSON has no such number
        mass = math.inf
    if mass != math.inf:
        mass = node.number('effective_mass', HandConfig.effective_mass, above=0.0, at_most=1e6)
    made = HandConfig(_name(node), node.number('radius_scale', 1.0, above=0.0), _material(node, known),
                      _collision(node, known), shape, mass, _handedness(node),
                      node.flag('grasp_assistance', False))
    node.done()
    return made


def _handedness(node: Node) -> str | None:
    side = node.get('handedness', None)
    if side not in (None, 'left', 'right', ''):
        raise node.error('handedness', "must be left, right or '' (either)", side)
    return side


def _filters(node: Node) -> FilterConfig:
    off = tuple(kind for kind in PAIR_KINDS if not node.flag(kind, True))
    pairs = []
    for k, pair in enumerate(node.get('pairs', [])):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(x, str) for x in pair):
            raise node.error(f'pairs[{k}]', 'must be a list of two names', pair)
        pairs.append(tuple(pair))
    groups = node.get('groups', [])
    if not isinstance(groups, list) or len(groups) >= GROUPS or not all(isinstance(x, str) and x for x in groups):
        raise node.error('groups', f'must be a list of at most {GROUPS - 1} names', groups)
    if len({*groups, 'default'}) != len(groups) + 1:
        raise node.error('groups', "must be different names, and 'default' is group 0", groups)
    node.done()
    return FilterConfig(off, tuple(pairs), tuple(groups))


def _collision(node: Node, known: Known) -> CollisionBits:
    """collision: {group, mask}; both a whole number of bits, a group's name or a list of names."""
    if not node.has('collision'):
        return CollisionBits()
    child = node.child('collision')
    made = CollisionBits(_bits(child, 'group', CollisionBits.group, known), _bits(child, 'mask', ALL_GROUPS, known))
    child.done()
    return made


def _bits(node: Node, key: str, default: int, known: Known) -> int:
    value = node.get(key, default)
    if isinstance(value, int) and not isinstance(value, bool):
        if not -1 <= value <= ALL_GROUPS:
            raise node.error(key, f'must be bits of {GROUPS} groups, 0 .. {ALL_GROUPS}, or -1 for all', value)
        return value & ALL_GROUPS
    names = value if isinstance(value, list) else [value]
    for name in names:
        if name not in known.groups:
            raise node.error(key, f'unknown group; known (filters.groups): {", ".join(known.groups)}', name)
    return sum(1 << bit for bit in {known.groups.index(name) for name in names})


def _check_grasps(config: WorldConfig, top: Node) -> None:
    """Hands that grasp need constraints."""
    holds = holds_constraints(config)
    for k, hand in enumerate(config.hands):
        if hand.grasp_assistance and not holds:
            words = ' or '.join(solvers_with_constraints())
            raise top.error(f'hands[{k}].grasp_assistance', f'needs solver {words} without contact', True)


def _check_names(config: WorldConfig, top: Node) -> None:
    """Names are unique over the whole world, and filters name bodies that exist."""
    seen: dict[str, str] = {}
    for group in ('walls', 'objects', 'drones', 'hands'):
        for k, item in enumerate(getattr(config, group)):
            if item.name in seen:
                raise top.error(f'{group}[{k}].name', f'is already used by {seen[item.name]}', item.name)
            seen[item.name] = f'{group}[{k}]'
    for k, pair in enumerate(config.filters.pairs):
        for name in pair:
            if name not in seen:
                raise top.error(f'filters.pairs[{k}]', 'no such wall, object, drone or hand', name)
    _check_constraints(config, top, seen)


def _check_constraints(config: WorldConfig, top: Node, bodies: dict[str, str]) -> None:
    """Names are unique among constraints, which name bodies that have a place from the start."""
    names: set[str] = set()
    for k, c in enumerate(config.constraints):
        if c.name in names:
            raise top.error(f'constraints[{k}].name', 'is already used by another constraint', c.name)
        names.add(c.name)
        for key, name in (('body_a', c.body_a), ('body_b', c.body_b)):
            if name not in bodies:
                raise top.error(f'constraints[{k}].{key}', 'no such wall, object or drone', name)
            if bodies[name].startswith('hands'):
                raise top.error(f'constraints[{k}].{key}', 'a hand has no place before its first sample: attach it '
                                'while it is there', name)
