# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the tests of the standard services share: a world, requests and answers by the names of their types."""

from __future__ import annotations

import re

from harness import NS, odometry
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from rig import Rig

ME = '/collision_node'

# the load falls freely; a follows its simulator, b is simulated once it has a wrench
WORLD = """
name: standard
walls:
  - {name: floor, type: plane}
  - {name: post, type: box, size: [1, 1, 2], position: [5, 0, 1]}
models:
  ball: {mass: 1.0, inertia: [0.016, 0.016, 0.016], shape: {type: sphere, radius: 0.1}}
objects:
  - {name: load, shape: {type: box, size: [0.2, 0.4, 0.6]}, mass: 0.2, position: [0, 4, 9]}
drones:
  - {name: a, model: ball, position: [0, 0, 2]}
  - {name: b, model: ball, position: [3, 0, 2], authority: simulate}
hands: [{name: right}]
"""


def go(rig: Rig, ticks: int = 1) -> None:
    """Ticks with a sample of a each, 1 m/s along x."""
    for _ in range(ticks):
        seconds = (rig.time.now - 10 * NS) / NS
        rig.bench.send('a/odom', odometry(rig.time.now, (seconds, 0, 2), linear=(1, 0, 0)))
        rig.time.tick()


def call(bench, kind: str, **fields):
    """The answer of a standard service, by the name of its type."""
    from simulation_interfaces import srv
    name = re.sub('(?<!^)([A-Z])', r'_\1', kind).lower()
    return bench.call(getattr(srv, kind), f'{ME}/{name}', getattr(srv, kind).Request(**fields))


def assert_code(answer, code: str, says: str = '') -> None:
    """code: a constant of Result, or of the response's type."""
    result = answer.result
    wanted = getattr(result, code, None)
    assert result.result == (getattr(answer, code) if wanted is None else wanted), answer
    assert says in result.error_message, answer
    assert result.error_message or code == 'RESULT_OK'


def vector(v) -> tuple[float, float, float]:
    return v.x, v.y, v.z


def state(position=(0.0, 0.0, 0.0), quaternion=(0.0, 0.0, 0.0, 1.0), linear=(0.0, 0.0, 0.0), frame=''):
    from simulation_interfaces.msg import EntityState
    made = EntityState()
    made.header.frame_id = frame
    for part, values in ((made.pose.position, position), (made.twist.linear, linear)):
        part.x, part.y, part.z = map(float, values)
    turn = made.pose.orientation
    turn.x, turn.y, turn.z, turn.w = map(float, quaternion)
    return made


def area(kind: int, *points):
    from geometry_msgs.msg import Vector3
    from simulation_interfaces.msg import Bounds
    return Bounds(type=kind, points=[Vector3(x=float(x), y=float(y), z=float(z)) for x, y, z in points])


def filters(text='', categories=(), tags=(), mode=0, bounds=None):
    from simulation_interfaces.msg import EntityCategory, EntityFilters, TagsFilter
    made = EntityFilters(filter=text, categories=[EntityCategory(category=c) for c in categories],
                         tags=TagsFilter(tags=list(tags), filter_mode=mode))
    if bounds is not None:
        made.bounds = bounds
    return made


def assert_state(bench, wanted: str) -> None:
    answer = call(bench, 'GetSimulationState')
    assert_code(answer, 'RESULT_OK')
    assert answer.state.state == getattr(answer.state, f'STATE_{wanted}')


def set_state(bench, wanted: str, code: str, says: str = '') -> None:
    from simulation_interfaces.msg import SimulationState
    number = getattr(SimulationState, f'STATE_{wanted}', 77)
    assert_code(call(bench, 'SetSimulationState', state=SimulationState(state=number)), code, says)


def change(bench, transition: int) -> bool:
    request = ChangeState.Request(transition=Transition(id=transition))
    return bench.call(ChangeState, f'{ME}/change_state', request).success
