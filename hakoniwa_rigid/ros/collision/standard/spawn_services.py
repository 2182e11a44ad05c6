# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""SpawnEntity and DeleteEntity: drones, objects and walls that come and leave (docs/fleets_that_change.md)."""

from __future__ import annotations

import re

from simulation_interfaces.msg import Result
from simulation_interfaces.srv import SpawnEntity

from hakoniwa_rigid.rotations import IDENTITY
from hakoniwa_rigid.scene.errors import (
    BadNameError,
    NameInUseError,
    OverlapError,
    PoseError,
    SpawnError,
    UnknownModelError,
)
from hakoniwa_rigid.scene.frames.frame_tree import FrameError
from hakoniwa_rigid.scene.places import KINDS
from hakoniwa_rigid.scene.state_setting import check_pose

from ..spawning import add, remove
from .serving import RefusedError, Run, Service

__all__ = ['FORMATS', 'SPAWN_SERVICES', 'remove_spawned']

Spawn = SpawnEntity.Response
# what a resource may be: an entry of a world file, {drone: {model: crazyflie}}; a model by name, model://crazyflie
FORMATS = ('hakoniwa_rigid',)
MODEL = re.compile(r'(?:model://)?([A-Za-z0-9_-]{1,128})\Z')
NAMESPACE = re.compile(r'/?(?:[A-Za-z_][A-Za-z0-9_]{0,127}/?){0,16}\Z')


def spawn_entity(run: Run, request, response) -> None:
    """A drone, object or wall comes; drones are fed by the fleet's topics."""
    if not NAMESPACE.match(request.entity_namespace[:4096]) or len(request.entity_namespace) > 4096:
        raise RefusedError(Spawn.NAMESPACE_INVALID, 'entity_namespace: must be a namespace of ROS, got '
                           f'{request.entity_namespace[:60]!r}')
    kind, keys = _resource(run, request.entity_resource)
    name = _name(run, request, kind)
    try:
        config = run.scene.entry_config(kind, {**_pose(run, request.initial_pose, keys), **keys, 'name': name})
    except SpawnError as error:
        missing = isinstance(error.__cause__, UnknownModelError)
        raise RefusedError(Spawn.MISSING_ASSETS if missing else Spawn.RESOURCE_PARSE_ERROR, str(error)) from None
    try:
        add(run.scene, run.recorder, kind, config)
    except SpawnError as error:
        codes = {NameInUseError: Spawn.NAME_NOT_UNIQUE, BadNameError: Spawn.NAME_INVALID,
                 OverlapError: Spawn.INVALID_POSE}
        raise RefusedError(codes.get(type(error), Result.RESULT_OPERATION_FAILED), str(error)) from None
    for field in ('entity_name', 'entity'):     # releases have one or the other
        if hasattr(response, field):
            setattr(response, field, name)


def delete_entity(run: Run, request, response) -> None:
    """It leaves."""
    run.scene.motion_of(request.entity)     # an unknown name
    try:
        remove(run.scene, run.recorder, request.entity)
    except SpawnError as error:
        raise RefusedError(Result.RESULT_OPERATION_FAILED, str(error)) from None


def remove_spawned(run: Run) -> None:
    """All that came since the start leave."""
    for name in run.scene.spawned_names:
        remove(run.scene, run.recorder, name)


def _name(run: Run, request, kind: str) -> str:
    """The name that was asked for, or one like it where it may be another."""
    name = request.name or kind
    if request.allow_renaming and not run.scene.is_free_name(name):
        name = next(free for k in range(2, run.scene.most_names + 3) if run.scene.is_free_name(free := f'{name}_{k}'))
    elif not request.name and not request.allow_renaming:
        raise RefusedError(Spawn.NAME_INVALID, 'name: must be given, or allow_renaming be true')
    return name


def _resource(run: Run, resource) -> tuple[str, dict]:
    """Kind and keys of what a resource describes."""
    if resource.resource_string:
        if resource.resource_string.lstrip()[:1] == '<':
            raise RefusedError(Spawn.UNSUPPORTED_FORMAT, 'entity_resource.resource_string: SDF and URDF are not read; '
                               'give an entry of a world file, {drone: {model: crazyflie}}')
        try:
            values = run.scene.entry_from_text(resource.resource_string)
        except SpawnError as error:
            raise RefusedError(Spawn.RESOURCE_PARSE_ERROR, f'entity_resource.resource_string: {error}') from None
        if len(values) == 1 and (kind := next(iter(values))) in KINDS and isinstance(values[kind], dict):
            return kind, values[kind]
        raise RefusedError(Spawn.RESOURCE_PARSE_ERROR, 'entity_resource.resource_string: must have one key, '
                           f'{", ".join(KINDS)}, with the keys of a world file')
    if not resource.uri:
        raise RefusedError(Spawn.NO_RESOURCE, 'entity_resource: give a uri or a resource_string')
    if not (model := MODEL.match(resource.uri[:256])):
        raise RefusedError(Spawn.UNSUPPORTED_FORMAT, 'entity_resource.uri: must be a drone model by name, '
                           f'model://crazyflie, got {resource.uri[:60]!r}')
    return 'drone', {'model': model[1]}


def _pose(run: Run, stamped, keys: dict) -> dict:
    """The keys of a pose in the world; of a plane, which has none, only where one is asked for."""
    frame, pose = stamped.header.frame_id, stamped.pose
    p = [getattr(pose.position, axis) for axis in 'xyz']
    q = [getattr(pose.orientation, axis) for axis in 'xyzw']
    try:
        place = run.frames.find(frame, run.scene.now_ns or 0) if frame else IDENTITY
        check_pose(p, q)
        p, q, _, _ = place.motion(tuple(p), tuple(q), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        check_pose(p, q)
    except (FrameError, PoseError) as error:
        raise RefusedError(Spawn.INVALID_POSE, f'initial_pose: {error}') from None
    if keys.get('type') == 'plane' and not any(p) and tuple(q) == (0.0, 0.0, 0.0, 1.0):
        return {}
    return {'position': list(p), 'orientation_xyzw': list(q)}


SPAWN_SERVICES = (
    Service('SpawnEntity', spawn_entity, ('SPAWNING', 'SPAWNING_RESOURCE_STRING')),
    Service('DeleteEntity', delete_entity, ('DELETING',)),
)
