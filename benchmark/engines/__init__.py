# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The engines behind one small face, a file for each.

`exchange(k)` makes k steps, sets all forces before and reads all poses after each; `steps(k)` only steps; `positions()`
is (N, 3) m; `threads` and `about` say how it runs, `most` the number of bodies up to which it is measured.  Engines
that are not installed are left out.
"""
from importlib import import_module
from importlib.util import find_spec

# module here, class, what it needs
_ALL = (('hakoniwa', 'Hakoniwa', 'numba'), ('mujoco', 'MuJoCo', 'mujoco'), ('bullet', 'Bullet', 'pybullet'),
        ('bullet', 'MaximalBullet', 'pybullet'), ('rapier', 'Rapier', 'rapier3d'), ('dart', 'Dart', 'dartpy'))


def installed():
    """The classes of all engines that are installed, ours first."""
    return [getattr(import_module(f'.{module}', __name__), name)
            for module, name, package in _ALL if find_spec(package)]
