# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A process that has imported the package of one tree, and the scenes and cases of this one.

    python benchmark/gates/child.py TREE FILE ARGUMENT...

FILE is a module of this tree with a function `serve(arguments)`.
"""
import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[2]


def use(tree):
    """Import hakoniwa_rigid of `tree`; whatever else is imported from now on comes from the tree of this file."""
    elsewhere = [p for p in sys.path if Path(p).resolve() not in (Path(__file__).resolve().parent, HERE, tree)]
    sys.path[:] = [str(tree), *elsewhere]
    import hakoniwa_rigid
    found = Path(hakoniwa_rigid.__file__).resolve().parent
    if found != tree / 'hakoniwa_rigid':
        raise SystemExit(f'hakoniwa_rigid of {tree} was to be imported, got {found}')
    # the helpers of the tests write bags
    sys.path[:] = [str(HERE), str(HERE / 'test'), *elsewhere]


def load(file):
    """A module by its file."""
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


if __name__ == '__main__':
    use(Path(sys.argv[1]).resolve())
    load(sys.argv[2]).serve(sys.argv[3:])
