# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""All arrays of a world as the one address that the kernels of a step hand on."""
from ..maths.handle import handle_reader, table_maker
from .convex import CONVEX
from .records import (
    BODY_BOUNDS,
    BODY_FLAGS,
    CONTACT_POINT,
    COUNTERS,
    JOINT,
    JOINT_FLAGS,
    KEPT_MANIFOLD,
    LOG_ROW,
    PAIR_FLAGS,
    PAIR_MOTION,
    PENDING,
    PROFILE,
    SETTINGS,
    SHAPE,
    SHAPE_TABLES,
    SLEEPER,
    SOLVER_BODY,
)

# kind, number of dimensions and Record of every array, in the order of the table (model/arrays.py says what they are)
_KINDS = dict(
    block='f2', todo='i2', body=('i2', BODY_FLAGS), travel='f2', close='i1', load='f3', tensor='f2',
    geom=('f2', SHAPE), geom_i=('i2', SHAPE_TABLES), beside='f2', excluded='i1', anchor=('f2', BODY_BOUNDS),
    material='f2', curve='f2', special='i1', pending=('f2', PENDING), profile=('f2', PROFILE), convex=CONVEX,
    bucket='i1', ball='f2', cell='i2', pairs='i3', clear='f2', work=('f2', SOLVER_BODY), pair_i=('i2', PAIR_FLAGS),
    pair_f=('f2', PAIR_MOTION), row=('f2', CONTACT_POINT), adjacent='i1', island='i1', cache=('f3', KEPT_MANIFOLD),
    last='f2', still=('f2', SLEEPER), rest='f2', manifold='f2', clip='f3', out=('f2', LOG_ROW),
    joint=('f2', JOINT), joint_i=('i2', JOINT_FLAGS), joint_island='i1', joint_log='f2', count=('i1', COUNTERS),
    par=('f1', SETTINGS))
table_of = table_maker(_KINDS)
arrays_at = handle_reader('Arrays', _KINDS)
