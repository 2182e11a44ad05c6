# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""All scenes of `make state-hashes`; in a child process: run them, or write the bags that some of them replay.

What only this tree has is imported inside the scene that needs it: the parent could not import this file otherwise.
"""
from pathlib import Path

from benchmark.gates import bag_scenes, drone_scenes, engine_scenes
from benchmark.gates.moments import run_all
from hakoniwa_rigid.scene import warmup

SCENES = (*engine_scenes.SCENES, *drone_scenes.SCENES, *bag_scenes.SCENES)


def serve(arguments):
    """('bags', folder) or ('run', folder of the bags, folder for the traces, part of a name)."""
    if arguments[0] == 'bags':
        bag_scenes.write_bags(Path(arguments[1]))
    else:
        # what was compiled from older sources goes, or this would compare it with itself
        warmup()
        run_all(SCENES, *arguments[1:])
