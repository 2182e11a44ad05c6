# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A sweep: all bags through all combinations of a grid, rows in one order whoever ran them."""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import product

from hakoniwa_rigid.replay.sweep import cluster, job, pool, world_values
from hakoniwa_rigid.replay.sweep.grid import Axis, Given, GridError, axes_of
from hakoniwa_rigid.replay.sweep.job import NOT_RUN, OK, Job, Row


@dataclass(frozen=True)
class Request:
    """What to sweep, and by whom: ``workers`` processes (None: one for each core), or the Dask ``scheduler``."""

    bags: tuple[str, ...]
    grid: tuple[Given, ...]
    world: str | None = None
    params: str | None = None
    workers: int | None = None
    scheduler: str | None = None


@dataclass(frozen=True)
class Swept:
    """Rows by bag, then in the order of the grid, its last axis first to change; status 'ok', 'not run' or a cause."""

    axes: tuple[Axis, ...]
    kinds: dict[str, type]      # of the axes
    rows: list[Row]
    interrupted: bool = False

    @property
    def good(self) -> list[Row]:
        """The rows of runs that gave a result."""
        return [row for row in self.rows if row['status'] == OK]

    @property
    def finished(self) -> list[Row]:
        """The rows of runs that gave a result or failed."""
        return [row for row in self.rows if row['status'] != NOT_RUN]


def plan(request: Request) -> tuple[tuple[Axis, ...], dict[str, type], list[Job]]:
    """The axes, their types, and the runs in order.  GridError for a grid, ValueError or OSError for a world and
    parameters that can serve no run."""
    if not request.grid:
        raise GridError('--grid: at least one')
    bags = sorted(request.bags)
    for a, b in zip(bags, bags[1:], strict=False):
        if a == b:
            raise GridError(f'{a}: every bag once')
    kinds = _kinds(request)
    axes = axes_of(request.grid, kinds, len(bags))
    folder = os.getcwd()
    names = [axis.name for axis in axes]
    jobs = [Job(bag, dict(zip(names, values, strict=True)), folder, request.world, request.params)
            for bag in bags for values in product(*(axis.values for axis in axes))]
    return axes, {name: kinds[name] for name in names}, jobs


def _kinds(request: Request) -> dict[str, type]:
    """The type of every name that can be varied.  Where worlds are varied, the first one says what there is."""
    worlds = [one.text.split(',')[0].strip() for one in request.grid if one.name == 'world']
    settings, parameters = job.served(Job('', {}, os.getcwd(), *worlds[:1] or (request.world,), request.params))
    return {**world_values.kinds(settings.world), **{name: type(value) for name, value in parameters.items()}}


def sweep(request: Request, progress: Callable[[int], object] = lambda _: None) -> Swept:
    """Run all; ``progress`` gets the number of runs, then 1 after each.  Errors as ``plan``, and GridError where a
    scheduler cannot be had.  After Ctrl-C what is left is 'not run'."""
    if request.workers is not None and request.workers < 1:
        raise GridError(f'--workers: must be 1 or more, got {request.workers}')
    axes, kinds, jobs = plan(request)
    progress(len(jobs))
    rows = [job.failed(one, NOT_RUN) for one in jobs]
    interrupted = False
    try:
        with closing(_outcomes(request, jobs)) as outcomes:
            for k, outcome in outcomes:
                rows[k] = job.failed(jobs[k], outcome) if isinstance(outcome, pool.Died) else outcome
                progress(1)
    except KeyboardInterrupt:
        interrupted = True
    return Swept(axes, kinds, rows, interrupted)


def _outcomes(request: Request, jobs: list[Job]) -> Iterator[tuple[int, object]]:
    if request.scheduler:
        return cluster.finished(job.run, jobs, request.scheduler)
    return pool.finished(job.run, jobs, request.workers or pool.cores(), job.prepare)
