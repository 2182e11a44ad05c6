# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Services about entities: which there are, what and where they are, how far they reach; and putting one elsewhere."""

from __future__ import annotations

import numpy as np
from geometry_msgs.msg import Vector3
from simulation_interfaces.msg import Bounds, EntityCategory, EntityInfo, EntityState, Result, TagsFilter
from simulation_interfaces.srv import SetEntityState

from hakoniwa_rigid.rotations import IDENTITY
from hakoniwa_rigid.scene.entities import bounds
from hakoniwa_rigid.scene.entities.entities import CATEGORIES, Filter
from hakoniwa_rigid.scene.errors import PoseError
from hakoniwa_rigid.scene.frames.frame_tree import FrameError

from ...convert import set_stamp
from .serving import RefusedError, Run, Service, answer

__all__ = ['ENTITY_SERVICES']

CODES = {word: getattr(EntityCategory, f'CATEGORY_{word.upper()}') for word in CATEGORIES}
WORDS = {code: word for word, code in CODES.items()}
BOUNDS = {bounds.EMPTY: Bounds.TYPE_EMPTY, bounds.BOX: Bounds.TYPE_BOX, bounds.SPHERE: Bounds.TYPE_SPHERE,
          bounds.HULL: Bounds.TYPE_CONVEX_HULL}
# of these a filter may have one
FILTERS = {Bounds.TYPE_BOX: bounds.BOX, Bounds.TYPE_SPHERE: bounds.SPHERE}
# points of a filter's bounds that are looked at: two are right
MOST_POINTS = 3
# what a request of an earlier release of the standard, without flags, sets
FLAGS = ('set_pose', 'set_twist')


def get_entities(run: Run, request, response) -> None:
    """Names that pass the filters."""
    response.entities = list(run.entities.select(filter_of(request.filters)))


def get_entities_states(run: Run, request, response) -> None:
    """The same with their states."""
    names = run.entities.select(filter_of(request.filters))
    response.states = [state_of(run, name) for name in names]
    response.entities = list(names)


def get_entity_state(run: Run, request, response) -> None:
    """The state of one."""
    response.state = state_of(run, request.entity)


def get_entity_info(run: Run, request, response) -> None:
    """Category, a sentence, tags."""
    info = run.entities.info(request.entity)
    response.info = EntityInfo(category=EntityCategory(category=CODES[info.category]), description=info.description,
                               tags=list(info.tags))


def get_entity_bounds(run: Run, request, response) -> None:
    """Of the kind that the parameter entity_bounds says."""
    found = run.entities.bounds(request.entity, run.values['entity_bounds'])
    response.bounds.type = BOUNDS[found.kind]
    response.bounds.points = [Vector3(**dict(zip('xyz', point, strict=True))) for point in found.points.tolist()]


def set_entity_state(run: Run, request, response) -> None:
    """Put an object or a simulated drone elsewhere."""
    flags = {flag: getattr(request, flag, flag in FLAGS) for flag in (*FLAGS, 'set_acceleration')}
    run.scene.motion_of(request.entity)     # an unknown name
    if not any(flags.values()):
        raise RefusedError(Result.RESULT_OPERATION_FAILED, f'nothing to set: {", ".join(flags)} are all false')
    pose, twist = _wanted(run, request.state)
    pose, twist = pose if flags['set_pose'] else [], twist if flags['set_twist'] else []
    try:
        run.scene.set_state(request.entity, *_halves(pose), *_halves(twist))
    except PoseError as error:
        raise RefusedError(SetEntityState.Response.INVALID_POSE, str(error)) from None
    run.recorder.add('set_state', request.entity, pose, twist)
    run.entities.forget()
    if flags['set_acceleration']:
        answer(response.result, Result.RESULT_OK, 'set_acceleration: left out, accelerations come from forces here')


def _halves(numbers: list[float]) -> tuple[list[float] | None, list[float] | None]:
    """What is at 3 and before, None where there is nothing."""
    return numbers[:3] or None, numbers[3:] or None


def _wanted(run: Run, state) -> tuple[list[float], list[float]]:
    """Pose (7) and twist (6) of an EntityState, in the world."""
    frame, now = state.header.frame_id, run.scene.now_ns or 0
    try:
        place = run.frames.find(frame, now) if frame else IDENTITY
    except FrameError as error:
        raise RefusedError(Result.RESULT_NOT_FOUND, f'state.header.frame_id: {error}') from None
    p, q, v, w = (tuple(getattr(part, axis) for axis in axes) for part, axes in (
        (state.pose.position, 'xyz'), (state.pose.orientation, 'xyzw'), (state.twist.linear, 'xyz'),
        (state.twist.angular, 'xyz')))
    p, q, v, w = place.motion(p, q, v, w)
    return [*p, *q], [*v, *w]


def filter_of(filters) -> Filter:
    """EntityFilters as the scene has them; RefusedError for what it does not have."""
    mode, kind = filters.tags.filter_mode, filters.bounds.type
    if mode not in (TagsFilter.FILTER_MODE_ANY, TagsFilter.FILTER_MODE_ALL):
        raise RefusedError(Result.RESULT_FEATURE_UNSUPPORTED, f'tags.filter_mode: must be 0 or 1, got {mode}')
    area = None
    if kind != Bounds.TYPE_EMPTY:
        if kind not in FILTERS:
            raise RefusedError(Result.RESULT_FEATURE_UNSUPPORTED,
                          f'bounds.type: must be TYPE_EMPTY, TYPE_BOX or TYPE_SPHERE in filters, got {kind}')
        points = [(p.x, p.y, p.z) for p in filters.bounds.points[:MOST_POINTS]]
        area = bounds.Bounds(FILTERS[kind], np.array(points).reshape(-1, 3))
    # a category that is not among ours is one that no entity has
    categories = tuple(dict.fromkeys(WORDS.get(c.category, '') for c in filters.categories))
    return Filter(filters.filter, categories, tuple(filters.tags.tags), mode == TagsFilter.FILTER_MODE_ALL, area)


def state_of(run: Run, name: str) -> EntityState:
    """Where an entity is, in the world."""
    motion, state = run.entities.motion(name), EntityState()
    state.header.frame_id = run.values['world_frame']
    set_stamp(state.header.stamp, run.scene.now_ns or 0)
    parts = ((state.pose.position, motion.position), (state.twist.linear, motion.linear_velocity),
             (state.twist.angular, motion.angular_velocity),
             *zip((state.acceleration.linear, state.acceleration.angular), run.entities.acceleration(name),
                  strict=True))
    for vector, values in parts:
        vector.x, vector.y, vector.z = values.tolist()
    turn = state.pose.orientation
    turn.x, turn.y, turn.z, turn.w = motion.orientation_xyzw.tolist()
    return state


ENTITY_SERVICES = (
    Service('GetEntities', get_entities, ('ENTITY_TAGS', 'ENTITY_CATEGORIES', 'ENTITY_BOUNDS_BOX')),
    Service('GetEntitiesStates', get_entities_states),
    Service('GetEntityState', get_entity_state, ('ENTITY_STATE_GETTING',)),
    Service('SetEntityState', set_entity_state, ('ENTITY_STATE_SETTING',)),
    Service('GetEntityInfo', get_entity_info, ('ENTITY_INFO_GETTING',)),
    Service('GetEntityBounds', get_entity_bounds, ('ENTITY_BOUNDS',)),
)
