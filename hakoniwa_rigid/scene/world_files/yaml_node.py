# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A YAML mapping read key by key: every key must be asked for, every value has a type and a range, and every error
names the file, the key's path and the value."""
from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from ... import yaml_text
from ...brief import brief, brief_path
from ...files import read_bytes
from ..errors import WorldFileError

_MISSING = object()
# what fits into 64 bits
MOST_WHOLE = 2**63 - 1
# letters of a text: a path of Linux has no more
MOST_TEXT = 4096
# difflib's ratio from which on a key that is not known may be meant for one that is missing
ALIKE = 0.8


def read_yaml(path: Path) -> Node:
    """The top mapping of a YAML file.  WorldFileError when it cannot be read or is no mapping."""
    where = brief_path(path)
    try:
        data = yaml_text.load(read_bytes(path, yaml_text.MOST_BYTES))
    except OSError as error:
        raise WorldFileError(f'{where}: cannot be read: {error.strerror}') from None
    except ValueError as error:
        raise WorldFileError(f'{where}: {error}') from None
    if not isinstance(data, dict):
        raise WorldFileError(f'{where}: must be a mapping of keys, got {type(data).__name__}')
    return Node(data, str(path), '')


class Node:
    """One mapping of the file.  Read its keys with the methods below, then call done()."""

    def __init__(self, data: Any, file: str, path: str):
        self.file, self.path = file, path
        if not isinstance(data, dict):
            raise WorldFileError(f'{brief_path(file)}: {path}: must be a mapping of keys, got {brief(data)}')
        self.data = data
        self.asked: dict[str, None] = {}

    def error(self, key: str, message: str, value: Any = _MISSING) -> WorldFileError:
        """The error for one key, to be raised."""
        where = f'{self.path}.{key}' if self.path and key else self.path or key
        got = '' if value is _MISSING else f', got {brief(value)}'
        return WorldFileError(f'{brief_path(self.file)}: {where}: {message}{got}')

    def done(self) -> None:
        """No key may be left unasked."""
        for key in self.data:
            if key not in self.asked:
                near = difflib.get_close_matches(key, list(self.asked), 1)
                hint = f'did you mean {near[0]!r}?' if near else f'known keys: {", ".join(sorted(self.asked))}'
                raise self.error(key, f'unknown key; {hint}')

    def has(self, key: str) -> bool:
        """Whether the key is given; counts as asked."""
        self.asked[key] = None
        return key in self.data

    def get(self, key: str, default: Any = _MISSING) -> Any:
        """The raw value."""
        if self.has(key):
            return self.data[key]
        if default is _MISSING:
            others = [str(other) for other in self.data if other not in self.asked]
            near = difflib.get_close_matches(key, others, 1, ALIKE)
            raise self.error(key, f'is missing; there is {brief(near[0])}' if near else 'is missing')
        return default

    def text(self, key: str, default: Any = _MISSING, one_of: tuple[str, ...] = (),
             at_most: int = MOST_TEXT) -> str:
        """Non-empty text, perhaps one of a few words."""
        value = self.get(key, default)
        if value is default:
            return value
        if not isinstance(value, str) or not value:
            raise self.error(key, 'must be text', value)
        if len(value) > at_most:
            raise self.error(key, f'must have at most {at_most} letters', value)
        if one_of and value not in one_of:
            raise self.error(key, f'must be one of {", ".join(one_of)}', value)
        return value

    def number(self, key: str, default: Any = _MISSING, above: float | None = None, at_least: float | None = None,
               at_most: float | None = None) -> float:
        """A finite number within bounds."""
        value = self.get(key, default)
        if value is default:
            return value
        return self._number(key, value, above, at_least, at_most)

    def _number(self, key, value, above=None, at_least=None, at_most=None) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, 'must be a number', value)
        if not -1e300 < value < 1e300:  # whole numbers of any length come in, too
            raise self.error(key, 'must be finite', value)
        if above is not None and not value > above:
            raise self.error(key, f'must be > {above:g}', value)
        if at_least is not None and not value >= at_least:
            raise self.error(key, f'must be >= {at_least:g}', value)
        if at_most is not None and not value <= at_most:
            raise self.error(key, f'must be <= {at_most:g}', value)
        return float(value)

    def integer(self, key: str, default: Any = _MISSING, at_least: int = 0, at_most: int = MOST_WHOLE) -> int:
        """A whole number."""
        value = self.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(key, 'must be a whole number', value)
        if value < at_least:
            raise self.error(key, f'must be >= {at_least}', value)
        if value > at_most:
            raise self.error(key, f'must be <= {at_most}', value)
        return value

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self.get(key, default)
        if not isinstance(value, bool):
            raise self.error(key, 'must be true or false', value)
        return value

    def vector(self, key: str, default: Any = _MISSING, length: int = 3,
               above: float | None = None) -> tuple[float, ...]:
        """A list of finite numbers."""
        value = self.get(key, default)
        if value is default:
            return value
        if not isinstance(value, list) or len(value) != length:
            raise self.error(key, f'must be a list of {length} numbers', value)
        return tuple(self._number(f'{key}[{k}]', x, above) for k, x in enumerate(value))

    def child(self, key: str) -> Node:
        """The mapping under a key."""
        value = self.get(key)
        return Node(value, self.file, f'{self.path}.{key}' if self.path else key)

    def children(self, key: str) -> list[Node]:
        """The list of mappings under a key; empty when absent."""
        value = self.get(key, [])
        if value is None or not isinstance(value, list):
            raise self.error(key, 'must be a list', value)
        base = f'{self.path}.{key}' if self.path else key
        return [Node(item, self.file, f'{base}[{k}]') for k, item in enumerate(value)]
