# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Writes test/golden/*.json: `PYTHONPATH=.:test python test/golden/write.py`, after the verification tests pass."""

import json
from pathlib import Path

from scenes import bouncing_ball, reference_wall, slope_box, tumbling_top

HERE = Path(__file__).parent
STATE = ('pos', 'quat', 'linvel', 'angvel')
RUNS = {
    'reference_wall': (lambda: reference_wall(0.1)[0], 5),
    'bouncing_ball': (lambda: bouncing_ball(1.0, restitution=0.8)[0], 2000),
    'tumbling_top': (tumbling_top, 2000),
    'slope_box': (lambda: slope_box(30.0, 0.3)[0], 500),
}


def end_state(name):
    """Final pos, quat, linvel, angvel of one golden run as nested lists."""
    make, steps = RUNS[name]
    world = make()
    world.step(steps)
    return {key: getattr(world, key).tolist() for key in STATE}


def main():
    """Overwrites every golden file."""
    for name in RUNS:
        (HERE / f'{name}.json').write_text(json.dumps(end_state(name)) + '\n')


if __name__ == '__main__':
    main()
