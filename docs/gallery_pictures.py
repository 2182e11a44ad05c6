# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Pictures of the gallery: every example draws its own, once for its text; `make docs` runs this before Sphinx.

An example that needs ROS has none.  One that fails is named, and the site is not built.
"""
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from site_pages import GALLERY, examples
from tqdm import tqdm

LONGEST = 300    # s that an example may take
NEEDS_ROS = ('import rclpy',)


def mark(path: Path) -> str:
    """What a picture was drawn by."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def drawn(path: Path) -> bool:
    """Have an example draw its picture, if that is not there; False where it could not."""
    picture, note = GALLERY / f'{path.stem}.png', GALLERY / f'{path.stem}.sha256'
    if picture.exists() and note.exists() and note.read_text() == mark(path):
        return True
    done = subprocess.run([sys.executable, str(path), '--out', str(picture)], cwd=path.parents[1], timeout=LONGEST,
                          stdout=subprocess.DEVNULL, env={**os.environ, 'MPLBACKEND': 'Agg'}, check=False)
    if done.returncode == 0 and picture.exists():
        note.write_text(mark(path))
        return True
    return False


def main() -> str | None:
    """What went wrong: an example could not draw."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    able = [path for path in examples() if not any(word in path.read_text() for word in NEEDS_ROS)]
    failed = [path.name for path in tqdm(able, 'pictures of the gallery', disable=None) if not drawn(path)]
    return f'no picture: examples/{", ".join(failed)}' if failed else None


if __name__ == '__main__':
    sys.exit(main())
