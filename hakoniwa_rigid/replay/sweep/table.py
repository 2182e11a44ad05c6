# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The table of a sweep: .parquet or .csv; complete under its name, or not there."""
from __future__ import annotations

import csv
import os
from pathlib import Path

from hakoniwa_rigid import __version__
from hakoniwa_rigid.replay.sweep.grid import GridError
from hakoniwa_rigid.replay.sweep.job import contacts_of
from hakoniwa_rigid.replay.sweep.run import Swept
from hakoniwa_rigid.scene.records import Kind

NO_PYARROW = "a .parquet table needs pyarrow: pip install 'hakoniwa_rigid[sweep]'; .csv needs nothing"
RESULTS = {'status': str, 'ticks': int, 'contacts': int, **{contacts_of(kind): int for kind in Kind},
           'first_contact_s': float, 'largest_impulse': float, 'largest_impulse_pair': str, 'impulse_sum': float,
           'received': int, 'refused': int, 'state_hash': str, 'notes': str, 'real_time_factor': float}


def columns(swept: Swept) -> dict[str, type]:
    """Names and types, in order."""
    return {'bag': str, **swept.kinds, **RESULTS}


def check_target(path: Path) -> None:
    """Raises GridError where no table can be written: to be asked before the work, not after it."""
    if path.suffix not in ('.parquet', '.csv'):
        raise GridError(f'{path}: must end with .parquet or .csv')
    if path.is_dir() or not path.parent.is_dir():
        raise GridError(f'{path}: is a folder' if path.is_dir() else f'{path}: there is no folder {path.parent}')
    if not os.access(path.parent, os.W_OK):
        raise GridError(f'{path}: the folder {path.parent} must not be written to')
    if path.suffix == '.parquet':
        try:
            import pyarrow.parquet  # noqa: F401
        except ImportError as error:
            raise GridError(f'{path}: {NO_PYARROW}') from error


def write(swept: Swept, path: Path) -> None:
    """Write the table; values that a run does not have are null, in .csv empty.  OSError where it cannot be written."""
    part = path.with_name(f'.{path.name}.{os.getpid()}.part')
    try:
        (_parquet if path.suffix == '.parquet' else _csv)(swept, part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _csv(swept: Swept, path: Path) -> None:
    with path.open('w', encoding='utf8', newline='') as file:
        writer = csv.DictWriter(file, list(columns(swept)), restval='')
        writer.writeheader()
        writer.writerows(swept.rows)


def _parquet(swept: Swept, path: Path) -> None:
    import pyarrow
    from pyarrow import parquet
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64(), bool: pyarrow.bool_()}
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns(swept).items()],
                            metadata={'hakoniwa_rigid.version': __version__})
    parquet.write_table(pyarrow.Table.from_pylist(swept.rows, schema=schema), path)
