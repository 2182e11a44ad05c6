# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`python test/fuzz`: the folder is called `test`, as a package of Python itself is, so it cannot be run by -m."""
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
# an installed package goes before the source tree, whose kernels may not be compiled
sys.path[:1] = [str(TESTS)]
sys.path.append(str(TESTS.parent))

if __name__ == '__main__':
    from fuzz.runner import main
    sys.exit(main())
