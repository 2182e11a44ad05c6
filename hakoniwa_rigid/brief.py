"""Values of strangers in messages for people: short, and at little cost however large they are."""
from __future__ import annotations

import reprlib

# letters of a value in a message: a line of a terminal has room for it beside the file and the key
MOST_VALUE = 80
# bits of the longest whole number that is written out: Python takes long over longer ones, or refuses
MOST_BITS = 200

_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 3, MOST_VALUE, MOST_VALUE


def brief(value: object) -> str:
    """repr(value) in MOST_VALUE letters."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f'a whole number of {value.bit_length()} bits'
    return cut(_SHORT.repr(value), MOST_VALUE)


def brief_path(path: object) -> str:
    """A path of at most two lines, with both ends."""
    text = str(path)
    return text if len(text) <= 2 * MOST_VALUE else f'{text[:MOST_VALUE]}...{text[3 - MOST_VALUE:]}'


def cut(text: str, most: int) -> str:
    """A text of at most so many letters."""
    return text if len(text) <= most else f'{text[:most - 3]}...'
