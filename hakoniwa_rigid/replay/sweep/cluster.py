# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Calls spread over machines by Dask, an optional extra."""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from hakoniwa_rigid.replay.sweep.grid import GridError
from hakoniwa_rigid.replay.sweep.pool import Died

NO_DASK = "--scheduler needs Dask: pip install 'hakoniwa_rigid[sweep]'"
PATIENCE = 30   # s until a scheduler answers, and until it has a worker


def finished(function: Callable, arguments: Sequence, address: str,
             patience: float = PATIENCE) -> Iterator[tuple[int, object]]:
    """(index of the argument, what the function gave or Died), as they come.

    GridError without Dask, for a scheduler that does not answer, and for one without workers.  Close the iterator to
    cancel what is left.
    """
    try:
        from dask.distributed import Client, as_completed
    except ModuleNotFoundError as error:
        raise GridError(f'{NO_DASK} ({error})') from error
    try:
        client = Client(address, timeout=patience, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise GridError(f'--scheduler {address}: no answer; it must look like tcp://host:8786 ({error})') from error
    with client:
        try:
            client.wait_for_workers(1, timeout=patience)
        except TimeoutError as error:
            raise GridError(f'--scheduler {address}: has no workers; start some: dask worker {address}') from error
        futures = client.map(function, arguments, pure=False, retries=0)
        index = {future.key: k for k, future in enumerate(futures)}
        try:
            for future in as_completed(futures, loop=client.loop):
                yield index[future.key], _outcome(future)
        finally:
            client.cancel(futures)


def _outcome(future) -> object:
    if future.status == 'finished':
        return future.result()
    error = future.exception() if future.status == 'error' else 'the connection to the scheduler was lost'
    return Died(f'the worker gave no answer: {" ".join(str(error).split())}')
