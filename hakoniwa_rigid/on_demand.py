# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Names of a package that are imported when they are first asked for (PEP 562).

A node that reads a world file wants shapes, not the engine: numba and all kernels are 90 MB and 0.4 s of a process.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any


def names_on_demand(package: str, names: dict[str, str], otherwise: Callable[[str], Any] | None = None) -> tuple[
        Callable[[str], Any], Callable[[], Iterable[str]]]:
    """The __getattr__ and __dir__ of a package.

    names: of each of its modules, the names that it gives, with blanks between them.  otherwise: asked for what is not
    among them; AttributeError where that is None.
    """
    module_of = {name: module for module, given in names.items() for name in given.split()}

    def find(name: str) -> Any:
        if name in module_of:
            return getattr(import_module(f'{package}.{module_of[name]}'), name)
        if otherwise is not None:
            return otherwise(name)
        raise AttributeError(f'module {package!r} has no attribute {name!r}')

    return find, lambda: sorted(module_of)
