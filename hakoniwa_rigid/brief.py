# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Values of strangers in messages for people: short, and at little cost however large they are."""
from __future__ import annotations

import reprlib
from collections.abc import Iterable
from difflib import get_close_matches

# letters of a value in a message: two lines of a terminal; items of a list
MOST_VALUE = 160
# bits of the longest whole number that is written out: Python takes long over longer ones, or refuses
MOST_BITS = 400

MOST_ITEMS = 20
# letters of a name that is compared with others: it takes about the cube of them
MOST_COMPARED = 64

_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxlist, _SHORT.maxstring, _SHORT.maxother = 3, MOST_ITEMS, MOST_VALUE, MOST_VALUE


def brief(value: object) -> str:
    """repr(value) in MOST_VALUE letters."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f'a whole number of {value.bit_length()} bits'
    return cut(_SHORT.repr(value), MOST_VALUE)


def brief_path(path: object) -> str:
    """A path of at most two lines, with both ends."""
    text = str(path)
    half = MOST_VALUE // 2
    return text if len(text) <= MOST_VALUE else f'{text[:half]}...{text[3 - half:]}'


def cut(text: str, most: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= most else f'{text[:most - 3]}...'


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """'; did you mean NAME?' of the known name that comes nearest, '' where none is near or the word is no name."""
    if len(word) > MOST_COMPARED:
        return ''
    near = get_close_matches(word, [name for name in known if len(name) <= MOST_COMPARED], n=1)
    return f'; did you mean {near[0]}?' if near else ''
