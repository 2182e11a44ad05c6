# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A picture beside the result of a command: what is said where it cannot be made."""
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

NO_MATPLOTLIB = "no picture: it needs matplotlib: pip install 'matplotlib>=3.8,<4'"
# m that an axis of heights shows
LEAST_HEIGHT = 0.5


def scale_tracks(above, height) -> None:
    """Limits of axes with tracks from above and with heights over time that can be read, also of tracks along a line
    and of level flight."""
    above.set_aspect('equal', adjustable='datalim')
    low, high = height.get_ylim()
    if high - low < LEAST_HEIGHT:
        height.set_ylim(0.5 * (low + high - LEAST_HEIGHT), 0.5 * (low + high + LEAST_HEIGHT))


def make_picture(draw: Callable[[], object], path: Path) -> bool:
    """Whether it is there, not needed, or matplotlib is missing.  ``draw`` imports what it needs and draws to ``path``;
    it returns False where there is nothing to see."""
    try:
        drawn = draw()
        print('no picture: nothing differs' if drawn is False else f'picture: {path}')
    except ImportError:
        print(NO_MATPLOTLIB, file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f'error: {path}: picture not written: {error}', file=sys.stderr)
        return False
    return True
