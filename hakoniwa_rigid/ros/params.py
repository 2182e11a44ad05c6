"""Every parameter of collision_node in three frozen tables, and the code that declares and checks them.

A `Param` carries type, default, range or choices, description and whether it can change while the node runs. The tables
are the only place where a parameter is defined; config/collision_node.yaml and the README repeat them for people.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, ParameterType, SetParametersResult
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    ParameterUninitializedException,
)
from rclpy.parameter import Parameter

from .executor import StartError

__all__ = ['DRONE', 'HAND', 'NODE', 'Param', 'Parameters', 'topic_token']

TYPES = {
    bool: ParameterType.PARAMETER_BOOL,
    float: ParameterType.PARAMETER_DOUBLE,
    str: ParameterType.PARAMETER_STRING,
    list: ParameterType.PARAMETER_STRING_ARRAY,
}
NAMES = {bool: 'true or false', float: 'a number', str: 'a string', list: 'a list of strings'}
AUTHORITIES = ('observe', 'correct', 'simulate')
STAMPS = ('header', 'receive')
# parameters that rclpy itself declares on every node
FOREIGN = ('use_sim_time', 'qos_overrides.', 'start_type_description_service')


@dataclass(frozen=True)
class Param:
    """One parameter. `default` gives the type, a list is one of strings; {name} and {topic} in it are filled in."""

    name: str
    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    read_only: bool = True

    def descriptor(self) -> ParameterDescriptor:
        """What `ros2 param describe` shows; read-only, because choices are checked where rclpy cannot."""
        result = ParameterDescriptor(
            type=TYPES[type(self.default)], description=self.description, read_only=self.read_only
        )
        if self.choices:
            result.additional_constraints = 'one of: ' + ', '.join(repr(c) for c in self.choices)
        if self.low is not None:
            result.floating_point_range = [FloatingPointRange(from_value=self.low, to_value=self.high, step=0.0)]
        return result


NODE = (
    Param('world', 'demo_room', 'World file (YAML): a path, or the name of one in config/worlds.'),
    Param('rate', 200.0, 'Output rate, Hz; its period must be a whole number of engine steps.', 1.0, 1000.0),
    Param('autostart', True, 'Configure and activate at start; false waits for a lifecycle manager.'),
    Param('world_frame', 'world', 'frame_id of everything published, and of inputs with an empty frame_id.'),
    Param('accepted_frames', ['world', 'map', 'odom'], 'Further frame_ids that mean the world frame on inputs.'),
    Param('drones', [], 'Drones to serve; empty: all of the world file. One that it lacks gets default_drone_model.'),
    Param('default_drone_model', 'api-1', 'Model of drones that the world file does not declare.'),
    Param(
        'default_authority',
        '',
        'Who owns the motion of every drone, instead of what the world file says; empty: as there.',
        choices=('', *AUTHORITIES),
    ),
    Param('hands', [], 'Hands to serve; empty: all of the world file. One that it lacks is added with default radii.'),
    Param('per_drone_topics', True, 'Topics per drone; false leaves only fleet/*, the way for more than 20 drones.'),
    Param('stamp', 'header', 'Default time of an input: its header, or the time of reception.', choices=STAMPS),
    Param('markers_rate', 30.0, 'Rate of the moving markers, Hz; 0 publishes none.', 0.0, 30.0, read_only=False),
    Param('diagnostics_rate', 1.0, 'Rate of /diagnostics, Hz.', 0.1, 10.0),
    Param('save_world_path', '', 'File that ~/save_world writes; empty: the YAML is its answer.', read_only=False),
)

DRONE = (
    Param('source', 'odom', 'Topics of its state; fleet: only fleet/states.', choices=('odom', 'pose', 'fleet')),
    Param('authority', '', 'Who owns its motion; empty: as configured.', choices=('', *AUTHORITIES), read_only=False),
    Param('stamp', '', 'Time of its inputs; empty: the parameter stamp.', choices=('', *STAMPS)),
    Param('topic_odom', '{topic}/odom', 'nav_msgs/Odometry in, source odom.'),
    Param('topic_pose', '{topic}/pose', 'geometry_msgs/PoseStamped in, source pose.'),
    Param('topic_twist', '{topic}/twist', 'geometry_msgs/TwistStamped in, source pose; frame_id: world or body.'),
    Param('topic_wrench', '{topic}/wrench', 'geometry_msgs/WrenchStamped in, body FLU.'),
    Param('topic_motor_speed', '', 'actuator_msgs/Actuators in, rad/s; empty: only if installed.'),
    Param('topic_odom_corrected', '{topic}/odom_corrected', 'nav_msgs/Odometry out.'),
    Param('body_frame', '{name}/base_link', 'child_frame_id of its corrected odometry, frame_id of its wrenches.'),
)

HAND = (
    Param('type', 'hand_joints', 'Message type of its topic.', choices=('hand_joints', 'pose_array', 'pose')),
    Param('topic', 'hands/{topic}', 'Topic of its samples.'),
    Param('stamp', '', 'Time of its samples; empty: the parameter stamp.', choices=('', *STAMPS)),
    Param('radius', 0.05, 'Radius of the sphere where the type is pose, m.', 0.001, 1.0),
)


def topic_token(name: str) -> str:
    """A drone's or hand's name as a legal ROS topic token: `Drone-1` becomes `Drone_1`."""
    token = re.sub(r'[^A-Za-z0-9_/]', '_', name)
    return f'_{token}' if token[:1].isdigit() else token


class Parameters:
    """Declares tables of `Param` on a node, checks choices at declaration and on every set, and reads values.

    Raises StartError with the parameter's name, the offending value and what would be right.
    """

    def __init__(self, node) -> None:
        self._node = node
        self._specs: dict[str, Param] = {}
        node.add_on_set_parameters_callback(self._check)

    def declare(self, table: tuple[Param, ...], prefix: str = '', name: str = '') -> dict[str, Any]:
        """Declare every entry of `table` under `prefix` (once) and return name -> value."""
        values = {}
        for spec in table:
            full = prefix + spec.name
            self._specs[full] = spec
            values[spec.name] = self._declare(full, spec, name)
        return values

    def _declare(self, full: str, spec: Param, name: str) -> Any:
        node = self._node
        if not node.has_parameter(full):
            given = getattr(node, '_parameter_overrides', {}).get(full)
            whole = isinstance(spec.default, float) and given is not None and given.type_ == Parameter.Type.INTEGER
            default = float(given.value) if whole else _default(spec, name)
            try:
                # `rate: 200` means 200.0, though its YAML type is an integer
                node.declare_parameter(full, default, spec.descriptor(), ignore_override=whole)
            except InvalidParameterTypeException as error:
                what = NAMES[type(spec.default)]
                raise StartError(f'parameter {full}: must be {what}, got {given.value!r}') from error
            except InvalidParameterValueException as error:
                raise StartError(f'parameter {full}: {_fault(spec, default if whole else given.value)}') from error
        try:
            value = node.get_parameter(full).value
        except ParameterUninitializedException:
            value = None
        return list(value or []) if isinstance(spec.default, list) else value

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            spec = self._specs.get(parameter.name)
            reason = _fault(spec, parameter.value) if spec else ''
            if reason:
                return SetParametersResult(successful=False, reason=f'{parameter.name}: {reason}')
        return SetParametersResult(successful=True)

    def unknown(self) -> list[str]:
        """Names given in a params file or on the command line that nothing declared: typing errors, most likely."""
        given = getattr(self._node, '_parameter_overrides', {})
        return sorted(n for n in given if not self._node.has_parameter(n) and not n.startswith(FOREIGN))


def _default(spec: Param, name: str) -> Any:
    if isinstance(spec.default, str):
        return spec.default.format(name=name, topic=topic_token(name))
    # an empty list has no type of its own in rclpy
    return Parameter.Type.STRING_ARRAY if spec.default == [] else spec.default


def _fault(spec: Param, value: Any) -> str:
    if spec.choices and value not in spec.choices:
        return f'must be one of {", ".join(repr(c) for c in spec.choices)}, got {value!r}'
    # the comparison is false for NaN too
    if spec.low is not None and not spec.low <= value <= spec.high:
        return f'must be between {spec.low:g} and {spec.high:g}, got {value:g}'
    return ''
