# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parameter `files_folder`: where the files lie that other parameters name."""

from __future__ import annotations

from pathlib import Path

from hakoniwa_rigid.files import is_file, is_inside
from hakoniwa_rigid.scene.parameters.settings import Values

from .errors import StartError

__all__ = ['check_confined']

# parameters that may have the name of a file of the package
SHIPPED = ('world', 'file')


def check_confined(values: Values, *names: str) -> None:
    """StartError where a parameter of these names leads out of files_folder, by a link or two points, say. Names of
    what comes with the package are no paths."""
    folder = values['files_folder']
    if not folder:
        return
    if not Path(folder).expanduser().is_dir():
        raise StartError(f'parameter files_folder: there is no folder {folder}')
    for name in names:
        value = values[name]
        is_shipped = len(Path(value).parts) == 1 and not is_file(value) and name in SHIPPED
        if value and not is_shipped and not is_inside(value, folder):
            raise StartError(f'parameter {name}: must lie in files_folder, {folder}; got {value!r}')
