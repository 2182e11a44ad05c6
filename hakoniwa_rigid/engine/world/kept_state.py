# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the future of a world depends on, as plain arrays for another process, and back into an equal world.

Far less than World.save: constants are those of the world that it is put into, candidate pairs are found anew, and what
a step only scribbles on is left out.  The arrays may come from a stranger: all that kernels take for a place in an
array, or for the number of its rows, is looked at before any of it is used.
"""
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...brief import brief
from ..constants import LANES
from ..errors import EngineError
from ..model import layout as L
from ..model.arrays import Arrays, in_lines, joint_buffers, near_buffers
from ..model.growing import MAX_BUFFER
from .constraint_view import list_joints

__all__ = ['kept_arrays', 'put_kept_arrays']

# whole arrays; of the others the columns below
WHOLE = ('load', 'pending', 'profile', 'cache', 'last', 'still', 'rest', 'par')
FINITE = ('state', 'load', 'pending', 'profile', 'cache', 'last', 'still')
# columns of `body`, with the least and the most of their values; None: any step, stamp or amount of work
BODY: dict[int, tuple[int, int | None]] = {
    L.B_ENABLED: (0, 1), L.B_SEEN: (0, None), L.B_CROWD: (0, None), L.B_WAIT: (0, None), L.B_USED: (0, None),
    L.B_PAID: (0, None), L.B_SLEEP: (0, None), L.B_STILL: (0, None), L.B_LOOKED: (0, None)}
# counters that belong to lists which are found anew, or to a log that begins anew
NOT_COUNTED = (L.N_PAIRS, L.N_CONTACT_PAIRS, L.N_OUT, L.N_STALE_LIST, L.N_BAD, L.N_CLOSE, L.N_ISLAND_JOINTS,
               L.N_JOINT_ROWS)
# steps, stamps and work units: float64 has them exactly
MOST = 1 << 53


def kept_arrays(world) -> dict[str, np.ndarray]:
    """Copies, by name.  The lists of the constraints of each body are not among them: they follow from the rest."""
    s = world._s
    whole = {name: getattr(s, name).copy() for name in WHOLE}
    joint, joint_i = s.joint.copy(), s.joint_i.copy()
    free = joint_i[:, L.JI_STATE] == 0
    joint[free], joint_i[free], joint_i[:, [L.JI_NEXT_A, L.JI_NEXT_B]] = 0.0, 0, 0
    return {'state': world._column(0, L.STATE), 'body': s.body[:, list(BODY)].copy(), 'count': s.count.copy(),
            'joint': joint, 'joint_i': joint_i, **whole}


def put_kept_arrays(world, arrays: Mapping[str, np.ndarray], names: Sequence[str | None] = ()) -> None:
    """The world goes on from what `kept_arrays` gave of an equal one, exact to the bit.  names: of its constraints by
    number, None of free places.  EngineError, with nothing changed, where it is not that."""
    s = world._s
    _check_shapes(s, arrays)
    _check_places(s, arrays)
    _check_constraints(s, arrays, names)
    block, body, count = in_lines(s.block), s.body.copy(), arrays['count'].copy()
    lanes = np.zeros((len(block) * LANES, L.STATE))
    lanes[:, L.H_Q] = 1.0
    lanes[:len(body)] = arrays['state']
    block.reshape(-1, L.BLOCK, LANES)[:, :L.STATE] = lanes.reshape(-1, LANES, L.STATE).transpose(0, 2, 1)
    body[:, list(BODY)] = arrays['body']
    for column in NOT_COUNTED:
        count[column] = 0
    count[L.N_STALE_LIST] = 1
    s.load[:] = arrays['load']
    whole = {name: in_lines(arrays[name]) for name in WHOLE if name != 'load'}
    room = arrays['cache'].shape[1]
    near = near_buffers(room, len(body)) if room != len(s.pair_i) else {}
    joints = joint_buffers(len(arrays['joint']))
    for name in ('joint', 'joint_i'):
        joints[name][:] = arrays[name]
    world._s = s._replace(block=block, body=body, count=count, **whole, **near, **joints)
    world._joint_names = [*names, *[None] * (len(arrays['joint']) - len(names))]
    list_joints(world._s)


def _check_shapes(s: Arrays, arrays: Mapping[str, np.ndarray]) -> None:
    """Each array is there, of its type and shape; those that grow in step with each other."""
    n = len(s.body)
    rooms = np.shape(arrays.get('cache', ()))
    room = rooms[1] if len(rooms) == 3 else 0
    profiles, joints = (len(np.atleast_1d(arrays.get(name, ()))) for name in ('profile', 'joint'))
    shapes = {name: getattr(s, name).shape for name in ('count', *WHOLE)}
    shapes |= {'state': (n, L.STATE), 'body': (n, len(BODY)), 'cache': (2, room, L.CACHE),
               'last': (L.POINTS * room, L.LAST), 'rest': (2 * L.POINTS * room, L.REST),
               'profile': (profiles, L.PROFILE), 'joint': (joints, L.JOINT), 'joint_i': (joints, L.JOINT_I)}
    for name, shape in shapes.items():
        dtype = np.int64 if name in ('body', 'count', 'joint_i') else np.float64
        found = arrays.get(name)
        if found is None or found.dtype != dtype or found.shape != shape:
            what = 'not there' if found is None else f'{found.dtype} of shape {found.shape}'
            raise EngineError(f'{name}: must be {np.dtype(dtype)} of shape {shape}, is {what}')
    for name, least in (('cache', 1), ('profile', 1), ('joint', 0)):
        size = max(room * L.POINTS * L.ROW, 2 * L.POINTS * room * L.REST, arrays[name].size)
        if arrays[name].size < least or size > MAX_BUFFER:
            raise EngineError(f'{name}: must have from {least} row to {MAX_BUFFER} numbers, has shape '
                              f'{arrays[name].shape}')


def _check_places(s: Arrays, arrays: Mapping[str, np.ndarray]) -> None:
    """Numbers are numbers; bodies, shapes and rows that are named are there; settings are those of the world."""
    n, shapes = len(s.body), len(s.geom_i)
    for name in FINITE:
        if not np.isfinite(arrays[name]).all():
            raise EngineError(f'{name}: must be finite numbers')
    for k, (column, (least, most)) in enumerate(BODY.items()):
        most = {L.B_SLEEP: n}.get(column, most)
        _check_range(f'body[{column}]', arrays['body'][:, k], least, MOST if most is None else most)
    rows = {L.N_PROFILES: len(arrays['profile']), L.N_LAST: len(arrays['last']), L.N_REST: len(arrays['rest']),
            L.N_CACHED: arrays['cache'].shape[1], L.N_CACHE_NEXT: arrays['cache'].shape[1],
            L.N_CACHING: arrays['cache'].shape[1], L.N_JOINTS: len(arrays['joint']), L.N_ASLEEP: n}
    for column, value in enumerate(arrays['count'].tolist()):
        if column not in NOT_COUNTED:
            _check_range(f'count[{column}]', value, 0, rows.get(column, MOST))
    for name, columns in _places(arrays).items():
        for column, most in columns.items():
            most = {'body': n - 1, 'shape': shapes - 1}.get(most, most)
            _check_range(f'{name}[{column}]', arrays[name][..., column], 0, most)
    settings = slice(L.F_H, L.F_RESIDUAL)
    if not np.array_equal(arrays['par'][settings], s.par[settings]):
        raise EngineError('par: is of a world with other settings (time step, gravity, threshold, integrator, solver, '
                          'rules, contact over time)')


def _check_constraints(s: Arrays, arrays: Mapping[str, np.ndarray], names: Sequence[str | None]) -> None:
    """Each that holds has a name of its own and two bodies, one of them dynamic."""
    flags = arrays['joint_i']
    held = np.flatnonzero(flags[:, L.JI_STATE] == 1)
    a, b = flags[held, L.JI_A], flags[held, L.JI_B]
    dynamic = s.body[:, L.B_KIND] == L.DYNAMIC
    if ((a == b) | ~(dynamic[a] | dynamic[b])).any():
        raise EngineError('joint_i: constraints must be of two bodies, one of them dynamic')
    if np.isnan(arrays['joint']).any():
        raise EngineError('joint: must be numbers')
    if int(arrays['count'][L.N_JOINTS]) != len(held):
        raise EngineError(f'count[{L.N_JOINTS}]: must be {len(held)}, the constraints that hold')
    theirs = [names[k] if k < len(names) else None for k in held.tolist()]
    if len(names) > len(flags) or len({*theirs}) < len(theirs) or not all(isinstance(name, str) for name in theirs):
        raise EngineError(f'constraints: {len(held)} hold, and need a name each, got {brief(list(names))}')


def _places(arrays: Mapping[str, np.ndarray]) -> dict[str, dict[int, Any]]:
    """Columns that name bodies, shapes, and numbers of rows, with the most that they may be."""
    bodies = {L.L_A: 'body', L.L_B: 'body'}
    return {
        'last': {**bodies, L.L_GA: 'shape', L.L_GB: 'shape'},
        # rows of the log begin as those of `last` do: with both bodies
        'rest': {L.Z_KIND: L.Z_FORCE, **{L.Z_ROW + column: most for column, most in bodies.items()}},
        'cache': {L.X_COUNT: L.POINTS},
        'profile': {L.Y_A: 'body', L.Y_B: 'body', L.Y_GA: 'shape', L.Y_GB: 'shape'},
        'pending': {L.D_COUNT: len(arrays['profile'])},
        'joint_i': {L.JI_KIND: L.SPRING, L.JI_A: 'body', L.JI_B: 'body', L.JI_STATE: 1, L.JI_TAUT: 1, L.JI_PART: 1,
                    L.JI_SLIPS: L.SLIPS | L.TURNS, L.JI_COLLIDE: 1, L.JI_ACTED: 1}}


def _check_range(what: str, values: Any, least: int, most: int) -> None:
    values = np.asarray(values)
    # what is no number at all is not within either
    wrong = ~((values >= least) & (values <= most) & (values == np.floor(values)))
    if wrong.any():
        raise EngineError(f'{what}: must be whole numbers from {least} to {most}, got {values[wrong].flat[0]}')
