# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the built page lies."""
from __future__ import annotations

from pathlib import Path

# written by `make page`, taken along by every kind of installation
BUILT = Path(__file__).resolve().parent / 'dist'


def page_folder(given: str = '') -> Path | None:
    """The folder of the built page: the one given, else that of the package; None where there is none."""
    folder = Path(given).expanduser() if given else BUILT
    return folder if (folder / 'index.html').is_file() else None
