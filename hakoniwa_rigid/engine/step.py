# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One step, readable aloud: motion bounds -> candidates -> contact pairs -> free flight -> contacts -> log.

See docs/pipeline.md for the picture and `integrate/contacts` for what happens inside the step.
"""
import numpy as np
from numba import config, typeof

from .constraints.bodies import add_totals, begin_joints_of_step, forget_totals, widen_bounds
from .constraints.log import ROWS_PER_JOINT
from .contact.pending_impulses import begin_profiles, end_profiles, limit_pending
from .detect.broadphase import rebuild
from .detect.contact_pairs import find_contact_pairs, link_bodies
from .detect.hit_reach import pairs_in_reach
from .detect.manifold_cache import end_cache
from .detect.motion_bounds import find_bad_load, forget_pushes, motion_bounds
from .integrate.contacts import step_near_bodies
from .integrate.free_flight import fly_free_bodies
from .maths.entries import entry, shared_entry
from .maths.jit import inline
from .maths.unit import link
from .model import layout as L
from .model.handle import arrays_at, table_of
from .model.solvers import has_springs
from .motion.limits import limit_bodies
from .solve.penalty import step_by_penalty
from .solve.sleep import fall_asleep, log_asleep, wake_changed

# log rows that must be free per contact pair before a step starts; impacts beyond are counted as lost
LOG_ROWS_PER_PAIR = 24
# impacts over time that there must be room for, per contact pair; those beyond are delivered at once
PROFILES_PER_PAIR = 4


@inline
def step_once(s, part):
    """Advance the world by one step.  Returns OK, or what must be mended first; then nothing has changed.

    part: WHOLE, or what comes before or after the passes that threads have shared; the motion bounds are in `par` then.
    Writes: s."""
    h = s.par.dt
    if part != L.AFTER_FLIGHT:
        status = prepare_step(s, h, part)
        if status != L.OK or part == L.BEFORE_FLIGHT:
            return status
        fly_free_bodies(s, h, 0, len(s.block))
    near, joints = s.count.contact_pairs, s.count.joints
    s.count.last_forces *= near > 0
    if near > 0 or joints > 0:
        if joints > 0:
            begin_joints_of_step(s)
        link_bodies(s)
        if has_springs(s):
            step_by_penalty(s, h)
        else:
            step_near_bodies(s, h)
    if s.count.profiles > 0:
        end_profiles(s, h)
    log_asleep(s)
    if joints > 0:
        add_totals(s)
    if near > 0 or s.count.joints > 0:
        fall_asleep(s, h)
    forget_pushes(s)
    end_cache(s)
    s.count.steps += 1
    return L.OK


@inline
def prepare_step(s, h, part):
    """All that comes before bodies move: loads and bounds, candidate pairs, contact pairs, room for what may happen.
    Writes: s."""
    wake_changed(s)
    if part == L.WHOLE:
        if s.count.profiles > 0:
            begin_profiles(s, h)
        overloaded, strayed, far = motion_bounds(s, h, 0, len(s.block))
    else:
        overloaded, strayed, far = s.par.overloaded, s.par.strayed, s.par.farthest_reach
    if strayed > 0.0:
        changed, nowhere = limit_bodies(s)
        if nowhere >= 0:
            s.count.bad_body = nowhere
            return L.BAD_STATE
        if changed:
            overloaded, strayed, far = motion_bounds(s, h, 0, len(s.block))
    if overloaded > 0.0 and s.count.profiles > 0 and limit_pending(s, h):
        overloaded, strayed, far = motion_bounds(s, h, 0, len(s.block))
    if overloaded > 0.0:
        bad = find_bad_load(s, h)
        if bad >= 0:
            s.count.bad_body = bad
            return L.BAD_FORCE
    if s.count.joints > 0:
        strayed, far = widen_bounds(s, h, strayed, far)
        if s.count.joint_rows + ROWS_PER_JOINT * s.count.joints > len(s.joint_log):
            return L.GROW_JOINT_LOG
    stale, awake = s.count.list_is_stale == 1 or strayed > 0.0, 0
    for _ in range(2):
        if stale and rebuild(s) > s.pairs.shape[1]:
            return L.GROW_PAIRS
        awake, stale = pairs_in_reach(s, h, far)
        if not stale:
            break
    near = find_contact_pairs(s, h, awake)
    if near > len(s.pair_i):
        return L.GROW_CONTACT_PAIRS
    if s.count.log_rows + LOG_ROWS_PER_PAIR * near + s.count.rest_rows > len(s.out):
        return L.GROW_OUT
    if s.par.contact_profile != L.NO_PROFILE and s.count.profiles + PROFILES_PER_PAIR * near > len(s.profile):
        return L.GROW_PROFILES
    s.count.sweeps_before, s.par.last_residual = s.count.sweeps, 0.0
    return L.OK


@entry
def run_compiled(table, n, fresh, part):
    """Up to n steps, or a part of one; fresh: 1 where a call of World.step begins, whose log is empty.
    Writes: table."""
    s = arrays_at(table)
    if fresh == 1:
        s.count.log_rows, s.count.joint_rows, s.count.first_step = 0, 0, s.count.steps
        forget_totals(s)
    for k in range(n):
        status = step_once(s, part)
        if status != L.OK:
            return k, status
    return n, L.OK


def load_step():
    """Compile run_compiled, or load it from the cache, unless this process has it."""
    if not (config.DISABLE_JIT or run_compiled.overloads):
        run_compiled.compile((typeof(np.empty(0, np.int64)), *[typeof(1)] * 3))


@shared_entry
def bound_some(table, first, last, out):
    """motion_bounds of some blocks; its three results into `out`.
    Writes: table.block, table.todo, table.travel, out."""
    s = arrays_at(table)
    out[0], out[1], out[2] = motion_bounds(s, s.par.dt, first, last)


@shared_entry
def fly_some(table, first, last):
    """fly_free_bodies of some blocks.  Writes: table.anchor, table.block, table.count, table.work."""
    s = arrays_at(table)
    fly_free_bodies(s, s.par.dt, first, last)


def run(s, n):
    """Up to n steps; returns (steps done, status of the last)."""
    link()
    return run_compiled(table_of(s), n, 0, L.WHOLE)
