"""A picture beside the result of a command: what is said where it cannot be made."""
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def make_picture(draw: Callable[[], object], path: Path, no_picture: str) -> bool:
    """Whether it is there, not needed, or matplotlib is missing.  ``draw`` imports what it needs and draws to ``path``;
    it returns False where there is nothing to see.  ``no_picture``: what to say without matplotlib."""
    try:
        drawn = draw()
        print('no picture: nothing differs' if drawn is False else f'picture: {path}')
    except ImportError:
        print(no_picture, file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f'error: {path}: picture not written: {error}', file=sys.stderr)
        return False
    return True
