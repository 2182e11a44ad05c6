# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mass, inertia and centre of mass in world files: given, from the shape, or integrated over a closed mesh.

A body touches by its shape and is moved by its mass, and the two need not be the same figure: the hull of a mesh, or a
compound of hulls, weighs as the mesh does where `weigh` names its file.
"""
from __future__ import annotations

import math

import numpy as np

from ...engine import EngineError, MassProperties, Shape, mass_properties
from ...engine.constants import INERTIA_TOLERANCE
from ...engine.mass.principal import principal_axes
from .shape_file import read_mesh_file
from .shape_words import box_around
from .world_types import Inertia, Vec3
from .yaml_node import Node

MassKeys = tuple[float, Inertia | None, Vec3 | None]
HEAVIEST = 1e12     # kg


def read_object_mass(node: Node, shape: Shape) -> MassKeys:
    """mass or density, inertia, com, weigh of an object; None: from the shape."""
    if node.has('weigh'):
        return _weighed(node, shape)
    mass, inertia, com = _uniform(node, shape), _inertia(node, None), node.vector('com', None)
    if com is not None and inertia is None:
        raise node.error('com', 'needs the inertia about it, too', list(com))
    return mass, inertia, com


def read_drone_mass(node: Node, shape: Shape) -> MassKeys:
    """mass, inertia, com, or weigh of a drone's model."""
    if node.has('weigh'):
        return _weighed(node, shape)
    return node.number('mass', above=0.0), _inertia(node), node.vector('com', (0.0, 0.0, 0.0))


def write_inertia(inertia: Inertia) -> list:
    """The value of `inertia`: three numbers, or three rows."""
    return [list(row) if isinstance(row, tuple) else row for row in inertia]


def _amount(node: Node) -> dict[str, float]:
    """mass (kg) or density (kg/m^3), as mass_properties takes it."""
    if node.has('density') and node.has('mass'):
        raise node.error('density', 'give mass or density, not both', node.data['density'])
    key = 'density' if 'density' in node.data else 'mass'
    return {key: node.number(key, above=0.0, at_most=HEAVIEST)}


def _uniform(node: Node, shape: Shape) -> float:
    """kg."""
    amount = _amount(node)
    try:
        return float(mass_properties(shape, **amount).mass)
    except EngineError as error:
        raise node.error('shape', str(error)) from None


def _weighed(node: Node, shape: Shape) -> MassKeys:
    """All three from the mesh that `weigh` names, in the frame of the shape."""
    for key in ('inertia', 'com'):
        if node.has(key):
            raise node.error(key, 'comes from the mesh that weigh names; give one of them', node.data[key])
    child, amount = node.child('weigh'), _amount(node)
    mesh = read_mesh_file(child)
    child.done()
    try:
        made = mass_properties(mesh, **amount)
    except EngineError as error:
        raise child.error('file', str(error), child.data['file']) from None
    _check_place(child, made, shape)
    return float(made.mass), tuple(map(tuple, made.inertia.tolist())), tuple(made.com.tolist())


def _check_place(node: Node, made: MassProperties, shape: Shape) -> None:
    """A mesh in another frame or unit than the shape would fly about a point far away."""
    low, high = box_around(shape)
    if not ((low <= made.com) & (made.com <= high)).all():
        raise node.error('file', f'the centre of mass {made.com.tolist()} lies outside the shape, which reaches from '
                         f'{low.tolist()} to {high.tolist()}; scale?', node.data['file'])


def _inertia(node: Node, *default) -> Inertia | None:
    """Principal moments, or the rows of a symmetric tensor, that some body has: I1 + I2 >= I3."""
    value = node.get('inertia', *default)
    if isinstance(value, list) and len(value) == 3 and all(isinstance(row, list) for row in value):
        return _tensor(node, value)
    moments = node.vector('inertia', *default, above=0.0)
    if moments is not None and max(moments) > (math.fsum(moments) - max(moments)) * (1.0 + INERTIA_TOLERANCE):
        raise node.error('inertia', 'the largest moment must not exceed the sum of the others', list(moments))
    return moments


def _tensor(node: Node, value: list) -> Inertia:
    rows = Node({f'inertia[{k}]': row for k, row in enumerate(value)}, node.file, node.path)
    made = tuple(rows.vector(key) for key in rows.data)
    try:
        principal_axes('inertia', np.array(made))
    except EngineError as error:
        raise node.error('inertia', str(error).partition(': ')[2]) from None
    return made
