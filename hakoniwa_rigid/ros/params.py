"""Every parameter of collision_node in frozen tables, and the code that declares and checks them.

A `Param` carries type, default, range or choices, description and whether it can change while the node runs. The tables
are the only place where a parameter is defined; config/collision_node.yaml and the README repeat them for people.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor, ParameterType, SetParametersResult
from rclpy.exceptions import (
    InvalidParameterTypeException,
    InvalidParameterValueException,
    InvalidTopicNameException,
    ParameterUninitializedException,
)
from rclpy.parameter import Parameter
from rclpy.validate_topic_name import validate_topic_name

from .errors import StartError

__all__ = ['DRONE', 'FRAME', 'HAND', 'NODE', 'Param', 'Parameters', 'topic_token']

TYPES = {
    bool: ParameterType.PARAMETER_BOOL,
    float: ParameterType.PARAMETER_DOUBLE,
    str: ParameterType.PARAMETER_STRING,
    list: ParameterType.PARAMETER_STRING_ARRAY,
    tuple: ParameterType.PARAMETER_DOUBLE_ARRAY,
}
NAMES = {
    bool: 'true or false',
    float: 'a number',
    str: 'a string',
    list: 'a list of strings',
    tuple: 'a list of numbers (in a file all of them with a point, or all without)',
}
AUTHORITIES = ('observe', 'correct', 'simulate')
STAMPS = ('header', 'receive', 'synced')
# numbers of a pose: x, y, z (m), qx, qy, qz, qw
POSE = 7
# parameters that rclpy itself declares, some of them late: /tf is opened when a frame is missed
FOREIGN = ('use_sim_time', 'start_type_description_service', 'qos_overrides./tf')


@dataclass(frozen=True)
class Param:
    """One parameter. `default` gives the type: a list is one of strings, a tuple one of numbers that is empty or has
    `size` of them; {name} and {topic} in a string are filled in."""

    name: str
    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    read_only: bool = True
    size: int = 0

    def descriptor(self) -> ParameterDescriptor:
        """What `ros2 param describe` shows; read-only, because choices are checked where rclpy cannot."""
        result = ParameterDescriptor(
            type=TYPES[type(self.default)], description=self.description, read_only=self.read_only
        )
        if self.choices:
            result.additional_constraints = 'one of: ' + ', '.join(repr(c) for c in self.choices)
        if self.size:
            result.additional_constraints = f'{self.size} numbers'
        if self.low is not None:
            result.floating_point_range = [FloatingPointRange(from_value=self.low, to_value=self.high, step=0.0)]
        return result


NODE = (
    Param('world', 'demo_room', 'World file (YAML): a path, or the name of one in config/worlds.'),
    Param('rate', 200.0, 'Output rate, Hz; its period must be a whole number of engine steps.', 1.0, 1000.0),
    Param('autostart', True, 'Configure and activate at start; false waits for a lifecycle manager.'),
    Param('world_frame', 'world', 'frame_id of everything published; the frame of the world file.'),
    Param(
        'accepted_frames',
        ['world', 'map', 'odom'],
        'Further frame_ids that mean the world on inputs, as an empty one does, whatever /tf says of them.',
    ),
    Param(
        'frame_yaw',
        0.0,
        'Turn about z, rad, of the accepted frames against world_frame; 1.5708 for a simulator whose x is north.',
        -2.0 * math.pi,
        2.0 * math.pi,
    ),
    Param('frames', [], 'Further frames that stand still in the world; the parameter frames.<name> has the pose.'),
    Param('tf_timeout', 0.2, 'How long the newest transform of a frame on /tf holds, s.', 0.0, 10.0),
    Param('publish_tf', False, 'Publish /tf: world_frame to the body_frame of every drone; needs tf2_msgs.'),
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
    Param(
        'stamp',
        'header',
        'Default time of an input: its header; the time of reception; or its header on a clock that is not ours, '
        'whose offset is learnt.',
        choices=STAMPS,
    ),
    Param('markers_rate', 30.0, 'Rate of the moving markers, Hz; 0 publishes none.', 0.0, 30.0, read_only=False),
    Param('diagnostics_rate', 1.0, 'Rate of /diagnostics, Hz.', 0.1, 10.0),
    Param(
        'proximity',
        1.0,
        'How far /diagnostics looks for the nearest body of every drone, m; 0: not at all.',
        0.0,
        100.0,
        read_only=False,
    ),
    Param('save_world_path', '', 'File that ~/save_world writes; empty: the YAML is its answer.', read_only=False),
)

DRONE = (
    Param(
        'source',
        'odom',
        'Where its state comes from; fleet: only fleet/states; tf: the transform of tf_frame.',
        choices=('odom', 'pose', 'fleet', 'tf'),
    ),
    Param('authority', '', 'Who owns its motion; empty: as configured.', choices=('', *AUTHORITIES), read_only=False),
    Param('stamp', '', 'Time of its inputs; empty: the parameter stamp.', choices=('', *STAMPS)),
    Param('frame', '', 'Frame of its inputs whose frame_id is empty; empty: an accepted frame.'),
    Param(
        'origin',
        (),
        'Pose in the world (x, y, z, qx, qy, qz, qw) of where its coordinates start; empty: as in the world file.',
        size=POSE,
    ),
    Param('topic_odom', '{topic}/odom', 'nav_msgs/Odometry in, source odom.'),
    Param('topic_pose', '{topic}/pose', 'geometry_msgs/PoseStamped in, source pose.'),
    Param('topic_twist', '{topic}/twist', 'geometry_msgs/TwistStamped in, source pose; in the body or any frame.'),
    Param('topic_wrench', '{topic}/wrench', 'geometry_msgs/WrenchStamped in, body FLU.'),
    Param('topic_motor_speed', '', 'actuator_msgs/Actuators in, rad/s; empty: only if installed.'),
    Param('topic_odom_corrected', '{topic}/odom_corrected', 'nav_msgs/Odometry out.'),
    Param('tf_frame', '', 'Frame on /tf that is the drone, source tf; empty: body_frame.'),
    Param('body_frame', '{name}/base_link', 'child_frame_id of its corrected odometry, frame_id of its wrenches.'),
)

HAND = (
    Param('type', 'hand_joints', 'Message type of its topic.', choices=('hand_joints', 'pose_array', 'pose')),
    Param('topic', 'hands/{topic}', 'Topic of its samples.'),
    Param('stamp', '', 'Time of its samples; empty: the parameter stamp.', choices=('', *STAMPS)),
    Param('frame', '', 'Frame of its samples whose frame_id is empty; empty: an accepted frame.'),
    Param('radius', 0.05, 'Radius of the sphere where the type is pose, m.', 0.001, 1.0),
)

FRAME = (Param('', (), 'Pose in world_frame of a frame that stands still: x, y, z, qx, qy, qz, qw.', size=POSE),)


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
            given = self._given.get(full)
            whole = _as_numbers(spec, given)
            default = _default(spec, name) if whole is None else whole
            try:
                # `rate: 200` means 200.0, though its YAML type is an integer
                node.declare_parameter(full, default, spec.descriptor(), ignore_override=whole is not None)
            except InvalidParameterTypeException as error:
                what = NAMES[type(spec.default)]
                raise StartError(f'parameter {full}: must be {what}, got {given.value!r}') from error
            except InvalidParameterValueException as error:
                reason = _fault(spec, given.value if whole is None else whole)
                raise StartError(f'parameter {full}: {reason}') from error
        try:
            value = node.get_parameter(full).value
        except ParameterUninitializedException:
            value = None
        kind = type(spec.default)
        return kind(value or ()) if kind in (list, tuple) else value

    def _check(self, parameters: list[Parameter]) -> SetParametersResult:
        for parameter in parameters:
            spec = self._specs.get(parameter.name)
            reason = _fault(spec, parameter.value) if spec else ''
            if reason:
                return SetParametersResult(successful=False, reason=f'{parameter.name}: {reason}')
        return SetParametersResult(successful=True)

    @property
    def _given(self) -> dict[str, Parameter]:
        """What params files and the command line say, declared or not.

        rclpy has no public word for it: declaring all of it automatically fails for an empty list.
        """
        return getattr(self._node, '_parameter_overrides', {})

    def unknown(self) -> list[str]:
        """Names given in a params file or on the command line that nothing declared: typing errors, most likely."""
        return sorted(n for n in self._given if not self._node.has_parameter(n) and not n.startswith(FOREIGN))


def _as_numbers(spec: Param, given: Parameter | None) -> float | list[float] | None:
    """Whole numbers where real ones are meant; None where there is nothing to convert."""
    kinds = {float: Parameter.Type.INTEGER, tuple: Parameter.Type.INTEGER_ARRAY}
    if given is None or given.type_ != kinds.get(type(spec.default)):
        return None
    return float(given.value) if isinstance(spec.default, float) else [float(x) for x in given.value]


def _default(spec: Param, name: str) -> Any:
    if isinstance(spec.default, str):
        return spec.default.format(name=name, topic=topic_token(name))
    # an empty list has no type of its own in rclpy
    empty = {list: Parameter.Type.STRING_ARRAY, tuple: Parameter.Type.DOUBLE_ARRAY}
    return empty[type(spec.default)] if spec.default in ([], ()) else spec.default


def _fault(spec: Param, value: Any) -> str:
    """What is wrong with a value of the right type, or ''."""
    if spec.choices and value not in spec.choices:
        return f'must be one of {", ".join(repr(c) for c in spec.choices)}, got {value!r}'
    # the comparison is false for NaN too
    if spec.low is not None and not spec.low <= value <= spec.high:
        return f'must be between {spec.low:g} and {spec.high:g}, got {value:g}'
    if spec.size and value and (len(value) != spec.size or not all(map(math.isfinite, value))):
        return f'must be {spec.size} finite numbers, got {list(value)}'
    if spec.name.startswith('topic') and value:
        try:
            validate_topic_name(value)
        except InvalidTopicNameException as error:
            return f'must be a topic, got {value!r}: {str(error).splitlines()[0]}'
    return ''
