# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Materials in world files: theirs, what pairs of them have of their own, the solver, and contact over time."""
from __future__ import annotations

from dataclasses import asdict, fields

from ...engine.model import solvers
from .world_types import (
    COMBINE_RULES,
    CONTACT_PROFILES,
    SOLVERS,
    CombineConfig,
    ContactTimeConfig,
    MaterialConfig,
    PairMaterial,
    WorldConfig,
)
from .yaml_node import Node

Materials = dict[str, MaterialConfig]


def read_materials(top: Node) -> Materials:
    """The materials of a world by name; there is always 'default'."""
    materials = {'default': MaterialConfig()}
    if top.has('materials'):
        node = top.child('materials')
        for name in list(node.data):
            materials[name] = _material(node.child(name), name)
    return materials


def material_of(node: Node, materials: Materials) -> MaterialConfig:
    """The material of a body: named, in place, or the default."""
    if not node.has('material'):
        return materials.get('default', MaterialConfig())
    value = node.data['material']
    if isinstance(value, dict):
        return _material(node.child('material'), f'{node.path}.material')
    return materials[_known(node, 'material', value, materials)]


def read_pairs(top: Node, materials: Materials) -> tuple[PairMaterial, ...]:
    """The list `pair_materials`."""
    pairs, seen = [], set()
    for node in top.children('pair_materials'):
        pairs.append(_pair(node, materials))
        names = frozenset(pairs[-1].between)
        if names in seen:
            raise node.error('between', 'this pair is there already', list(pairs[-1].between))
        seen.add(names)
    return tuple(pairs)


def paired(pairs: tuple[PairMaterial, ...], materials: Materials) -> tuple[MaterialConfig, ...]:
    """The materials that pairs of materials name."""
    names = {name for pair in pairs for name in pair.between}
    return tuple(m for name, m in materials.items() if name in names)


def read_combine(top: Node) -> CombineConfig:
    """The rules of combination."""
    if not top.has('combine'):
        return CombineConfig()
    node = top.child('combine')
    made = CombineConfig(*(node.text(f.name, f.default, one_of=COMBINE_RULES) for f in fields(CombineConfig)))
    node.done()
    return made


def read_contact(top: Node) -> ContactTimeConfig | None:
    """Contact over time, or None: impacts are instants."""
    if not top.has('contact'):
        return None
    node = top.child('contact')
    made = ContactTimeConfig(node.text('profile', one_of=CONTACT_PROFILES),
                             node.number('time', None, at_least=1e-9, at_most=10.0),
                             node.number('stiffness', None, at_least=1e-6, at_most=1e15))
    node.done()
    if (made.time is None) == (made.stiffness is None):
        raise node.error('', 'one of time and stiffness must be given')
    return made


def read_solver(top: Node) -> dict:
    """solver, and penalty_stiffness (N/m) of one with springs."""
    solver = top.text('solver', WorldConfig.solver, one_of=SOLVERS)
    stiffness = top.number('penalty_stiffness', None, at_least=1e-6, at_most=1e15)
    springs = solvers.SOLVERS[solver].has_springs
    if stiffness is not None and not springs:
        others = ' or '.join(solvers.solvers_with(springs=True))
        raise top.error('penalty_stiffness', f'is for solver: {others}, and the solver is {solver}', stiffness)
    if springs and top.has('contact'):
        raise top.error('contact', f'solver: {solver} has no impacts to spread over time; take one of them')
    return {'solver': solver, 'penalty_stiffness': stiffness}


def write_materials(config: WorldConfig) -> dict:
    """The keys of a world that say how its materials meet."""
    out: dict = {'solver': config.solver, 'combine': asdict(config.combine)}
    if config.penalty_stiffness is not None:
        out['penalty_stiffness'] = config.penalty_stiffness
    if config.contact is not None:
        out['contact'] = {key: value for key, value in asdict(config.contact).items() if value is not None}
    if config.pair_materials:
        out['materials'] = {m.name: _values(m) for m in config.materials}
        out['pair_materials'] = [{'between': list(p.between), **_values(p)} for p in config.pair_materials]
    return out


def write_material(m: MaterialConfig, config: WorldConfig) -> dict:
    """The material of a body: by its name where a pair of materials speaks of it, else in place."""
    named = any(m.name == other.name and m == other for other in config.materials)
    return {'material': m.name if named else _values(m)}


def _values(item: MaterialConfig | PairMaterial) -> dict:
    values = {key: value for key, value in asdict(item).items()
              if key not in ('name', 'between') and value is not None}
    if isinstance(values.get('restitution'), tuple):
        values['restitution'] = [list(point) for point in values['restitution']]
    return values


def _known(node: Node, key: str, name, materials: Materials) -> str:
    if not isinstance(name, str) or name not in materials:
        raise node.error(key, f'unknown material; known: {", ".join(sorted(materials))}', name)
    return name


def _material(node: Node, name: str) -> MaterialConfig:
    made = MaterialConfig(name, **_coefficients(node, MaterialConfig()))
    node.done()
    return made


def _pair(node: Node, materials: Materials) -> PairMaterial:
    names = node.get('between')
    if not isinstance(names, list) or len(names) != 2:
        raise node.error('between', 'must be a list of two names of materials', names)
    made = PairMaterial(tuple(_known(node, f'between[{k}]', name, materials) for k, name in enumerate(names)),
                        **_coefficients(node, PairMaterial(())))
    node.done()
    return made


def _coefficients(node: Node, default) -> dict:
    """The four coefficients; those of `default` where they are not given."""
    values = {key: node.number(key, getattr(default, key), at_least=0.0, at_most=1e3)
              for key in ('friction', 'rolling_friction', 'torsional_friction')}
    return {'restitution': _restitution(node, default.restitution), **values}


def _restitution(node: Node, default):
    """A number, or a list of [speed m/s, e] with ascending speeds, as a tuple of pairs."""
    key = 'restitution'
    value = node.get(key, default)
    if not isinstance(value, list):
        return node.number(key, default, at_least=0.0, at_most=1.0)
    points = Node({f'{key}[{k}]': point for k, point in enumerate(value)}, node.file, node.path)
    made = tuple(points.vector(k, length=2) for k in points.data)
    bad = [k for k, (speed, e) in enumerate(made) if speed < 0.0 or not 0.0 <= e <= 1.0]
    if not made or bad:
        raise node.error(key, 'must be a number, or a list of [speed in m/s >= 0, e in [0, 1]]',
                         value[bad[0]] if bad else value)
    if any(b[0] <= a[0] for a, b in zip(made, made[1:], strict=False)):
        raise node.error(key, 'speeds must ascend', [speed for speed, _ in made])
    return made
