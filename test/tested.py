# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where the package under test lies: in the source tree, or where colcon has installed it.

Processes that a test starts find it there too.  From the source tree beside an installed package they would compile
all kernels once more.
"""
from pathlib import Path

import hakoniwa_rigid

# not resolved: `colcon build --symlink-install` makes links to the sources
PACKAGES = str(Path(hakoniwa_rigid.__file__).absolute().parents[1])
