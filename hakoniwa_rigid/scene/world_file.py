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

from .. import paths
from . import rotations
from .errors import WorldFileError
from .world_types import (
    AUTHORITIES,
    PAIR_KINDS,
    DroneConfig,
    DroneModel,
    FilterConfig,
    HandConfig,
    MaterialConfig,
    ObjectConfig,
    Pose,
    RotorConfig,
    SceneParams,
    ShapeConfig,
    WallConfig,
    WorldConfig,
)
from .yaml_node import Node, read_yaml

# a quaternion of a file may be this far from length 1: what four rounded decimals give
UNIT_TOLERANCE = 1e-3
# wall and object shapes that have a name but no collision code yet, with what to write instead
NOT_YET = {'cylinder': 'a box or a capsule', 'hull': 'boxes', 'convex_hull': 'boxes', 'mesh': 'boxes',
           'triangle_mesh': 'boxes'}

Materials = dict[str, MaterialConfig]


def load(path: str | Path) -> WorldConfig:
    """The world of a file, or of a shipped world's name ('demo_room').  Raises WorldFileError."""
    path = Path(path)
    if not path.exists() and path.parent == Path('.'):
        try:
            path = paths.world_file(str(path))
        except FileNotFoundError as error:
            raise WorldFileError(str(error)) from None
    return parse(read_yaml(path))


def load_drone_model(path: str | Path) -> DroneModel:
    """The drone model of a file.  Raises WorldFileError."""
    return _model(read_yaml(Path(path)), {})


def parse(top: Node) -> WorldConfig:
    """The world of a parsed file."""
    materials = _materials(top)
    models = _models(top, materials)
    config = WorldConfig(
        source=top.file,
        name=top.text('name', Path(top.file).stem),
        gravity=top.vector('gravity', WorldConfig.gravity),
        dt=_step(top),
        integrator=top.text('integrator', WorldConfig.integrator, one_of=('exact', 'semi_implicit_euler')),
        restitution_threshold=top.number('restitution_threshold', WorldConfig.restitution_threshold, at_least=0.0),
        walls=tuple(_wall(n, materials) for n in top.children('walls')),
        objects=tuple(_object(n, materials) for n in top.children('objects')),
        drones=tuple(_drone(n, models, materials) for n in top.children('drones')),
        hands=tuple(_hand(n, materials) for n in top.children('hands')),
        filters=_filters(top.child('filters')) if top.has('filters') else FilterConfig(),
        scene=_scene(top.child('scene')) if top.has('scene') else SceneParams())
    top.done()
    _check_names(config, top)
    return config


def with_overrides(config: WorldConfig, **overrides) -> WorldConfig:
    """The world with scene parameters replaced, checked as in a file.  Raises WorldFileError."""
    known = {f.name: getattr(config.scene, f.name) for f in fields(SceneParams)}
    return replace(config, scene=_scene(Node({**known, **overrides}, config.source, 'overrides')))


def _step(top: Node) -> float:
    dt = top.number('dt', WorldConfig.dt, above=0.0, at_most=0.1)
    if abs(dt * 1e9 - round(dt * 1e9)) > 1e-3:
        raise top.error('dt', 'must be a whole number of nanoseconds, so that stamps stay exact', dt)
    return dt


def _scene(node: Node) -> SceneParams:
    values = {}
    for f in fields(SceneParams):
        read = node.integer if isinstance(f.default, int) else node.number
        limit = {'at_least': 1} if isinstance(f.default, int) else {'above': 0.0}
        values[f.name] = read(f.name, f.default, **limit)
    node.done()
    if values['remove_timeout'] < values['stale_timeout']:
        stale = f'{values["stale_timeout"]:g}'
        raise node.error('remove_timeout', f'must be >= stale_timeout ({stale})', values['remove_timeout'])
    return SceneParams(**values)


def _materials(top: Node) -> Materials:
    materials = {'default': MaterialConfig()}
    if top.has('materials'):
        node = top.child('materials')
        for name in list(node.data):
            materials[name] = _surface(node.child(name), name)
    return materials


def _surface(node: Node, name: str) -> MaterialConfig:
    made = MaterialConfig(name, node.number('restitution', MaterialConfig.restitution, at_least=0.0, at_most=1.0),
                          node.number('friction', MaterialConfig.friction, at_least=0.0))
    node.done()
    return made


def _material(node: Node, materials: Materials, default: MaterialConfig | None = None) -> MaterialConfig:
    if not node.has('material'):
        return default or materials.get('default', MaterialConfig())
    value = node.data['material']
    if isinstance(value, dict):
        return _surface(node.child('material'), f'{node.path}.material')
    if value not in materials:
        raise node.error('material', f'unknown material; known: {", ".join(sorted(materials))}', value)
    return materials[value]


def _quat(node: Node) -> tuple[float, ...]:
    if node.has('rpy') and node.has('orientation_xyzw'):
        raise node.error('rpy', 'give either rpy or orientation_xyzw, not both')
    if 'rpy' in node.data:
        return rotations.from_rpy(node.vector('rpy'))
    q = node.vector('orientation_xyzw', (0.0, 0.0, 0.0, 1.0), length=4)
    length = math.sqrt(sum(x * x for x in q))
    if abs(length - 1.0) > UNIT_TOLERANCE:
        raise node.error('orientation_xyzw', f'must have length 1, has {length:.6g}', list(q))
    return tuple(q[k] / length for k in (3, 0, 1, 2))


def _pose(node: Node) -> Pose:
    node.has('orientation_xyzw')
    return Pose(node.vector('position', Pose.position), _quat(node))


def _shape(node: Node) -> ShapeConfig:
    kind = _kind(node, 'type', ('sphere', 'box', 'capsule'))
    made = ShapeConfig(kind,
                       node.vector('size', above=0.0) if kind == 'box' else ShapeConfig.size,
                       node.number('radius', above=0.0) if kind != 'box' else 0.0,
                       node.number('length', above=0.0) if kind == 'capsule' else 0.0)
    node.done()
    return made


def _kind(node: Node, key: str, known: tuple[str, ...]) -> str:
    kind = node.text(key)
    if kind in NOT_YET:
        raise node.error(key, f'not supported by this version; use {NOT_YET[kind]}', kind)
    if kind not in known:
        raise node.error(key, f'must be one of {", ".join(known)}', kind)
    return kind


def _name(node: Node) -> str:
    return node.text('name')


def _wall(node: Node, materials: Materials) -> WallConfig:
    name, kind, material = _name(node), _kind(node, 'type', ('plane', 'box')), _material(node, materials)
    if kind == 'plane':
        normal = node.vector('normal', WallConfig.normal)
        length = math.sqrt(sum(x * x for x in normal))
        if length < 1e-9:
            raise node.error('normal', 'must not be zero', list(normal))
        made = WallConfig(name, kind, tuple(x / length for x in normal), node.number('offset', 0.0), material=material)
    else:
        made = WallConfig(name, kind, size=node.vector('size', above=0.0), pose=_pose(node), material=material)
    node.done()
    return made


def _object(node: Node, materials: Materials) -> ObjectConfig:
    made = ObjectConfig(_name(node), _shape(node.child('shape')), node.number('mass', above=0.0),
                        _inertia(node, None), _pose(node),
                        node.vector('linear_velocity', (0.0, 0.0, 0.0)),
                        node.vector('angular_velocity', (0.0, 0.0, 0.0)), _material(node, materials))
    node.done()
    return made


def _models(top: Node, materials: Materials) -> dict[str, DroneModel]:
    """Models given in the world file itself, by name."""
    if not top.has('models'):
        return {}
    node = top.child('models')
    return {name: _model(node.child(name), materials, name) for name in list(node.data)}


def _model(node: Node, materials: Materials, name: str | None = None) -> DroneModel:
    node.text('source', '')  # where the numbers come from: for readers
    model = DroneModel(node.text('name', name or Path(node.file).stem), node.number('mass', above=0.0),
                       _inertia(node), _shape(node.child('shape')),
                       node.vector('com', (0.0, 0.0, 0.0)), tuple(_rotor(n) for n in node.children('rotors')),
                       node.number('drag', 0.0, at_least=0.0), _material(node, materials))
    node.done()
    return model


def _inertia(node: Node, *default) -> tuple[float, ...] | None:
    """Principal moments that some body has: I1 + I2 >= I3."""
    moments = node.vector('inertia', *default, above=0.0)
    if moments is not None and max(moments) > (sum(moments) - max(moments)) * (1.0 + 1e-9):
        raise node.error('inertia', 'the largest moment must not exceed the sum of the others', list(moments))
    return moments


def _rotor(node: Node) -> RotorConfig:
    made = RotorConfig(node.vector('position'), node.number('thrust_coefficient', above=0.0),
                       node.number('torque_coefficient', 0.0, at_least=0.0),
                       node.text('spin', 'ccw', one_of=('ccw', 'cw')),
                       node.number('time_constant', 0.0, at_least=0.0))
    node.done()
    return made


def _drone(node: Node, models: dict[str, DroneModel], materials: Materials) -> DroneConfig:
    model = _drone_model(node, models, materials)
    if node.has('material'):
        model = replace(model, material=_material(node, materials))
    origin = Pose()
    if node.has('origin'):
        child = node.child('origin')
        origin = _pose(child)
        child.done()
    made = DroneConfig(_name(node), model, _pose(node), node.text('authority', 'correct', one_of=AUTHORITIES), origin)
    node.done()
    return made


def _drone_model(node: Node, models: dict[str, DroneModel], materials: Materials) -> DroneModel:
    """An inline model, one of the file's `models`, or a file of that name beside the world or shipped with the
    package."""
    if isinstance(node.get('model'), dict):
        return _model(node.child('model'), materials, f'{node.path}.model')
    name = node.text('model')
    if name not in models:
        base = Path(node.file).resolve().parent
        tried = [base / f'{name}.yaml', base.parent / 'drones' / f'{name}.yaml']
        # without installed data files only the world's own folders count
        with suppress(FileNotFoundError):
            tried.append(paths.share_dir() / 'config' / 'drones' / f'{name}.yaml')
        found = next((p for p in tried if p.is_file()), None)
        if found is None:
            raise node.error('model', f'unknown drone model; not in models: and no file {tried[-1].name} in '
                             + ', '.join(str(p.parent) for p in tried), name)
        models[name] = load_drone_model(found)
    return models[name]


def _hand(node: Node, materials: Materials) -> HandConfig:
    made = HandConfig(_name(node), node.number('radius_scale', 1.0, above=0.0), _material(node, materials))
    node.done()
    return made


def _filters(node: Node) -> FilterConfig:
    off = tuple(kind for kind in PAIR_KINDS if not node.flag(kind, True))
    pairs = []
    for k, pair in enumerate(node.get('pairs', [])):
        if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(x, str) for x in pair):
            raise node.error(f'pairs[{k}]', 'must be a list of two names', pair)
        pairs.append(tuple(pair))
    node.done()
    return FilterConfig(off, tuple(pairs))


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
