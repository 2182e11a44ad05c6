# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""JSON of strangers: what Python reads beyond JSON, and what other programs cannot hold, is refused."""
from __future__ import annotations

import json
from typing import Any

# a letter of UTF-16 that is written by half: no text that is sent on can hold it
HALF = '\\ud'


def read_json(data: str | bytes) -> Any:
    """The value of a text in UTF-8.  ValueError: no JSON, too deep, numbers that are not finite or have thousands
    of digits, halves of letters."""
    try:
        text = data if isinstance(data, str) else data.decode()
        value = json.loads(text, parse_float=_real, parse_constant=_constant)
        if HALF in text.lower():
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError('is nested too deep') from None
    except UnicodeError:
        raise ValueError('is no text of Unicode') from None
    return value


def _real(digits: str) -> float:
    value = float(digits)
    if value in (float('inf'), float('-inf')):
        raise ValueError(f'numbers must be finite, got {digits[:40]}')
    return value


def _constant(word: str) -> float:
    raise ValueError(f'numbers must be finite, got {word}')
