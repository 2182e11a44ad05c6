# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every parameter of the collision layer in frozen tables, and the checks of their values.

A `Param` carries type, default, range or choices, description and whether it can change while a node runs.  The tables
are the only place where a parameter is defined: the node declares them on rclpy, a replay reads them from a file
(param_file.py); config/collision_node.yaml and the README repeat them for people.
"""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Protocol

from hakoniwa_rigid.brief import brief

from ..errors import SettingsError
from ..hands.hand_layouts import LAYOUTS
from .settings import Values, topic_token

__all__ = [
    'DRONE',
    'FRAME',
    'HAND',
    'HAND_TYPES',
    'NODE',
    'SIM',
    'WORDS',
    'Param',
    'ParameterSource',
    'check',
    'default_of',
    'fault',
    'is_built_in',
]

# what the type of a default asks for
WORDS = {
    bool: 'true or false',
    float: 'a number',
    int: 'a whole number',
    str: 'a string',
    list: 'a list of strings',
    tuple: 'a list of numbers (in a file all of them with a point, or all without)',
}
AUTHORITIES = ('observe', 'correct', 'simulate')
PACES = ('real_time', 'lockstep')
STAMPS = ('header', 'receive', 'synced')
# numbers of a pose: x, y, z (m), qx, qy, qz, qw
POSE = 7
# parameters that ROS itself declares on a node, some of them late: /tf is opened when a frame is missed
BUILT_IN = ('use_sim_time', 'start_type_description_service', 'qos_overrides./tf')
# names of topics: tokens that do not begin with a digit, ~ for the node, {node} or {ns} to be filled in
_TOKEN = r'(?:[A-Za-z_]|\{[A-Za-z_][A-Za-z0-9_]*\})(?:[A-Za-z0-9_]|\{[A-Za-z_][A-Za-z0-9_]*\})*'
TOPIC = re.compile(rf'(?:~|(?:~?/)?{_TOKEN}(?:/{_TOKEN})*)')


@dataclass(frozen=True)
class Param:
    """One parameter. `default` gives the type: a list is one of strings, a tuple one of numbers that is empty or has
    `size` of them; {name} and {topic} in a string are filled in; `several`: a topic, or some with commas between;
    `listed`: the name by which a node lists it, and which may be given as well, where others begin with its own and a
    dot: `ros2 param dump` has no place for both."""

    name: str
    default: Any
    description: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    read_only: bool = True
    size: int = 0
    several: bool = False
    listed: str = ''


# read before all others: it says what their defaults are
SIM = Param(
    'sim',
    '',
    'Simulator whose preset gives the defaults of all other parameters: a name in config/sims, or a file like those; '
    'empty: none.',
)

FILES_FOLDER = Param(
    'files_folder',
    '',
    'Folder in which the files lie that parameters name, for reading and writing; those of the package may be named, '
    'too. Empty: anywhere.',
)

NODE = (
    SIM,
    Param('world', 'demo_room', 'World file (YAML): a path, or the name of one here or in config/worlds.'),
    Param('rate', 200.0, 'Output rate, Hz; its period must be a whole number of engine steps.', 1.0, 1000.0),
    Param(
        'pace',
        'real_time',
        'When a tick comes: real_time, by the clock; lockstep, as soon as every drone has a sample of its stamp.',
        choices=PACES,
    ),
    Param(
        'lockstep_timeout',
        1.0,
        's of real time from the first sample of a stamp to the tick without the drones that have none; pace lockstep.',
        1e-3,
        3600.0,
    ),
    Param('autostart', True, 'Configure and activate at start; false waits for a lifecycle manager.'),
    Param(
        'realtime_priority',
        0,
        'Priority of the tick in the real-time class (SCHED_FIFO), where the system allows it; 0: the ordinary class.',
        0,
        99,
    ),
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
    Param(
        'frames',
        [],
        'Further frames that stand still in the world; the parameter frames.<name> has the pose.',
        listed='frame_names',
    ),
    Param('tf_timeout', 0.2, 'How long the newest transform of a frame on /tf holds, s.', 0.0, 10.0),
    Param(
        'reference',
        (),
        'Latitude and longitude (degrees) and altitude (m) of the origin of the world, for topic_px4_reference; empty: '
        'not known.',
        size=3,
    ),
    Param('publish_tf', False, 'Publish /tf: world_frame to the body_frame of every drone; needs tf2_msgs.'),
    Param(
        'drones',
        [],
        'Drones to serve; empty: all of the world file. One that it lacks gets default_drone_model. auto, alone or '
        'beside names: every drone whose topic appears, too.',
        listed='drone_names',
    ),
    Param('default_drone_model', 'api-1', 'Model of drones that the world file does not declare.'),
    Param(
        'drone_models',
        [],
        'Models of drones that the world file does not declare, by their names: PATTERN=MODEL, the first that fits '
        'counts; else default_drone_model.',
    ),
    Param('drone_pattern', '', 'With drones: auto, a regular expression that the whole name of a drone has to fit; '
          'empty: any name.'),
    Param('spare_drones', 32, 'With drones: auto, so many may have come at a time; spare: drones: of the world file '
          'counts where it is larger.', 1, 1000),
    Param('discovery_period', 1.0, 'With drones: auto or hands: auto, s between two looks at the topics that there '
          'are.', 0.1, 60.0),
    Param('leave_timeout', 5.0, 'With drones: auto or hands: auto, s without a sample and without a publisher '
          'after which a drone or hand that had come leaves: of ROS time and of real time, whichever is longer; in '
          'lockstep of real time.', 0.5, 3600.0),
    Param(
        'default_authority',
        '',
        'Who owns the motion of every drone, instead of what the world file says; empty: as there.',
        choices=('', *AUTHORITIES),
    ),
    Param(
        'hands',
        [],
        'Hands to serve; empty: all of the world file. One that it lacks is added with default radii, or as '
        'hand_models says. auto, alone or beside names: every hand whose topic appears, too.',
        listed='hand_names',
    ),
    Param('hand_models', [], 'Hands of the world file that others are like in all but their names: PATTERN=HAND, the '
          'first that fits counts; else default values.'),
    Param('hand_pattern', '', 'With hands: auto, a regular expression that the whole name of a hand has to fit; empty: '
          'any name.'),
    Param('spare_hands', 4, 'With hands: auto, so many may have come at a time; spare: hands: of the world file counts '
          'where it is larger.', 1, 64),
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
    Param(
        'record',
        '',
        'Bag to record what is received into, for hakoniwa-rigid replay: a folder, or FILE.mcap; a number is put '
        'behind the name of one that is there. Empty: none.',
    ),
    Param('record_split_size', 0.0, 'The recording goes on in another file beyond so many MB; 0: never.', 0.0, 1e6),
    Param('record_split_time', 0.0, 'The recording goes on in another file after so many s; 0: never.', 0.0, 1e6),
    Param('record_keep', 0, 'How many complete files of the recording, or snapshots, stay; 0: all.', 0, 1_000_000),
    Param('record_sync', 5.0, 's between two waits for the disk, which a power cut may cost; 0: at the end only.',
          0.0, 3600.0),
    Param('record_snapshot', 0.0, 'Keep the last so many s in memory, and write them for ~/snapshot; 0: record all.',
          0.0, 3600.0),
    Param('record_snapshot_on_contact', False, 'A contact that begins asks for a snapshot, too.'),
    Param(
        'state_file',
        '',
        'File that keeps the state of the scene, from which a node that was killed goes on when it is started again; '
        'one that ends as it was asked to removes it. Empty: none.',
    ),
    Param('state_period', 1.0, 's of ROS time between two states that are saved.', 0.05, 3600.0),
    Param('state_max_age', 600.0, 's of wall time after which a state is not gone on from; 0: never.', 0.0, 1e9),
    Param(
        'watchdog',
        10.0,
        's after which a tick hangs: the log gets where all threads are; after half of it /diagnostics has an ERROR, '
        'where Python goes on. 0: never.',
        0.0,
        3600.0,
    ),
    Param('watchdog_ends', False, 'A tick that hangs ends the process, too, for whoever starts it anew.'),
    Param('publish_contacts', False, 'Publish contacts, ros_gz_interfaces/Contacts; needs that package.'),
    Param(
        'publish_constraint_wrenches',
        False,
        'Publish fleet/constraint_wrenches, FleetWrench: what constraints do to observed drones, in every tick.',
    ),
    Param(
        'wrench_duration',
        1e-3,
        'How long the simulator applies an entity wrench, s: the step of its physics.',
        1e-5,
        1.0,
    ),
    Param(
        'simulation_interfaces',
        'auto',
        'Serve the standard services of the package simulation_interfaces: auto, where it is installed; always; never.',
        choices=('auto', 'always', 'never'),
    ),
    Param(
        'entity_bounds',
        'box',
        'What GetEntityBounds answers with: a box in the axes of the entity, a sphere, or the corners of a hull.',
        choices=('box', 'sphere', 'convex_hull'),
    ),
    Param('save_world_path', '', 'File that ~/save_world writes; empty: the YAML is its answer.'),
    FILES_FOLDER,
)

DRONE = (
    Param(
        'source',
        'odom',
        'Where its state comes from; fleet: only fleet/states; tf: the transform of tf_frame; pose_or_tf: that, as '
        'long as no pose has come; px4: VehicleOdometry; twist_pose: Twists that are a pose and a velocity.',
        choices=('odom', 'pose', 'fleet', 'tf', 'pose_or_tf', 'px4', 'twist_pose'),
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
    # how simulators differ in what they mean by the same messages
    Param('accepted_frames', [], 'Further frame_ids that mean the world on its inputs.'),
    Param('body_frames', [], 'Further frame_ids that mean its body on its inputs, as base_link does.'),
    Param(
        'axes',
        'ros',
        'Axes of its Odometry, poses and twists: ros, world ENU and body FLU; ned, world NED and body FRD; rfu, world '
        'ENU and body x right, y forward, z up.',
        choices=('ros', 'ned', 'rfu'),
    ),
    Param(
        'linear_velocity',
        '',
        'What its linear velocity is given in, whatever the frame_id: world or body, the angular one being in the '
        'body; empty: as the frame_id says, and for twist_pose body.',
        choices=('', 'world', 'body'),
    ),
    Param('topic_odom', '{topic}/odom', 'nav_msgs/Odometry in, source odom.', several=True),
    Param('topic_pose', '{topic}/pose', 'geometry_msgs/PoseStamped in, source pose.', several=True),
    Param(
        'topic_twist',
        '{topic}/twist',
        'geometry_msgs/TwistStamped in, source pose; in the body or any frame; empty: none.',
        several=True,
    ),
    Param('topic_wrench', '{topic}/wrench', 'geometry_msgs/WrenchStamped in, body FLU.'),
    Param('topic_motor_speed', '', 'actuator_msgs/Actuators in, rad/s; empty: only if installed.'),
    # inputs that only some simulators have
    Param('topic_odom_rfu', '', 'nav_msgs/Odometry in, source odom, beside topic_odom: axes rfu; empty: none.',
          several=True),
    Param('topic_px4', '{topic}/fmu/out/vehicle_odometry', 'px4_msgs/VehicleOdometry in, source px4.', several=True),
    Param(
        'topic_px4_reference',
        '',
        'px4_msgs/VehicleLocalPosition in, source px4: where its coordinates start, against the parameter reference; '
        'empty: they start at its origin.',
        several=True,
    ),
    Param('topic_px4_motors', '', 'px4_msgs/ActuatorMotors in: shares of the largest rotor speeds; empty: none.'),
    Param('topic_pos', '{topic}/pos', 'geometry_msgs/Twist in, a pose (m; roll, pitch, yaw), source twist_pose.',
          several=True),
    Param('topic_velocity', '{topic}/velocity', 'geometry_msgs/Twist in, source twist_pose; empty: none.',
          several=True),
    Param(
        'topic_motor_duty',
        '',
        'hako_mavlink_msgs/HakoHilActuatorControls in: shares of the largest rotor speeds; empty: none.',
    ),
    Param('topic_odom_corrected', '{topic}/odom_corrected', 'nav_msgs/Odometry out.'),
    # what it feels of its contacts, docs/crash_sensing.md
    Param('topic_imu', '', 'sensor_msgs/Imu out, with what contacts add; empty: none.'),
    Param(
        'topic_imu_in',
        '',
        'sensor_msgs/Imu in, of its simulator, to whose samples topic_imu adds; empty: none, topic_imu has all of it, '
        'every tick.',
    ),
    Param('imu_position', (), 'Where its IMU is in base_link, x, y, z, m; empty: at the origin.', size=3),
    Param(
        'topic_rotor_strikes',
        '{topic}/rotor_strikes',
        'ContactEventArray out, contacts of its rotors, where parts of its shape are named rotor_...; empty: none.',
    ),
    # into its simulator, docs/outputs.md
    Param(
        'impulse',
        False,
        'Publish hako_msgs/ImpulseCollision for every new contact, renewed while samples approach; needs that package.',
    ),
    Param('topic_impulse', '{topic}/impulse', 'hako_msgs/ImpulseCollision out.'),
    Param(
        'topic_entity_wrench',
        '',
        'ros_gz_interfaces/EntityWrench out for every new contact, renewed likewise; empty: none. Needs that package.',
    ),
    Param(
        'topic_set_state',
        '',
        'Service simulation_interfaces/SetEntityState, called for every new contact, renewed likewise, with the '
        'corrected state; empty: none. Needs that package.',
    ),
    Param('entity', '{name}', 'What its simulator calls it, in entity wrenches and states.'),
    Param('tf_frame', '', 'Frame on /tf that is the drone, source tf; empty: body_frame.'),
    Param('body_frame', '{name}/base_link', 'child_frame_id of its corrected odometry, frame_id of its wrenches.'),
)

# by the parameter `type` of a hand
HAND_TYPES = {'hand_joints': 'hakoniwa_rigid/msg/HandJoints', 'pose_array': 'geometry_msgs/msg/PoseArray',
              'pose': 'geometry_msgs/msg/PoseStamped', 'twist_pose': 'geometry_msgs/msg/Twist'}
HAND = (
    Param(
        'type',
        'hand_joints',
        'Message type of its topic: HandJoints; PoseArray; PoseStamped; Twist that is a pose, as of Hakoniwa.',
        choices=tuple(HAND_TYPES),
    ),
    Param('topic', 'hands/{topic}', 'Topic of its samples.'),
    Param('stamp', '', 'Time of its samples; empty: the parameter stamp.', choices=('', *STAMPS)),
    Param('latency', 0.0, 'How much older its samples are than the time they are given says, s: what the tracker, and '
          'with stamp receive or synced the way here, takes.', 0.0, 0.5),
    Param('frame', '', 'Frame of its samples whose frame_id is empty; empty: an accepted frame.'),
    Param(
        'axes',
        'ros',
        'Axes of its samples: ros, x forward, y left, z up; webxr, x right, y up, z back; unity, left-handed, x right, '
        'y up, z forward.',
        choices=('ros', 'webxr', 'unity'),
    ),
    Param('layout', '', 'Layout of its joints where they have no names; empty: the first with as many.',
          choices=('', *LAYOUTS)),
    Param('radius', 0.0, 'Radius of the sphere of a single pose, m; 0: as the world file says, or 0.05.', 0.0, 1.0),
)

FRAME = (Param('', (), 'Pose in world_frame of a frame that stands still: x, y, z, qx, qy, qz, qw.', size=POSE),)


class ParameterSource(Protocol):
    """Where values come from."""

    def declare(self, table: tuple[Param, ...], prefix: str = '', name: str = '') -> Values:
        """The values of a table's entries under a prefix, by their names in the table; raises an error that names the
        parameter, its value and what would be right."""


def default_of(spec: Param, name: str) -> Any:
    """The default, with the name of a drone, hand or frame filled in."""
    if isinstance(spec.default, str):
        return spec.default.format(name=name, topic=topic_token(name))
    return spec.default


def topics(spec: Param, value: str) -> list[str]:
    """The names in the value of a parameter that is a topic."""
    return value.split(',') if spec.several else [value]


def fault(spec: Param, value: Any) -> str:
    """What is wrong with a value of the right type, or ''."""
    if spec.choices and value not in spec.choices:
        return f'must be one of {", ".join(repr(c) for c in spec.choices)}, got {value!r}'
    # the comparison is false for NaN too
    if spec.low is not None and not spec.low <= value <= spec.high:
        return f'must be between {spec.low:g} and {spec.high:g}, got {value:g}'
    if spec.size and value and (len(value) != spec.size or not all(map(math.isfinite, value))):
        return f'must be {spec.size} finite numbers, got {list(value)}'
    if spec.name.startswith('topic') and value and not all(map(TOPIC.fullmatch, topics(spec, value))):
        return (f'must be a topic, got {value!r}: letters, digits and _ between slashes, no digit behind a slash, none '
                'at the end')
    return ''


def check(full: str, spec: Param, value: Any) -> Any:
    """A value as it stands in a file, as one of the type of its parameter `full`; whole numbers mean real ones.  Raises
    SettingsError."""
    kind = type(spec.default)
    if not _is(kind, value):
        raise SettingsError(f'parameter {full}: must be {WORDS[kind]}, got {brief(value)}')
    if kind is float:
        value = float(value)
    elif kind in (list, tuple):
        value = kind(value) if kind is list else tuple(float(x) for x in value)
    if reason := fault(spec, value):
        raise SettingsError(f'parameter {full}: {reason}')
    return value


def _is(kind: type, value: Any) -> bool:
    if kind is float:
        return isinstance(value, float) or _is(int, value)
    if kind is int:
        # whole numbers of files have no end, those of ROS have 64 bits
        return isinstance(value, int) and not isinstance(value, bool) and -(1 << 63) <= value < 1 << 63
    if kind is list:
        return isinstance(value, (list, tuple)) and all(isinstance(x, str) for x in value)
    if kind is tuple:
        return isinstance(value, (list, tuple)) and all(_is(float, x) for x in value)
    return isinstance(value, kind)


def is_built_in(name: str) -> bool:
    """Whether a parameter belongs to ROS, not to the tables."""
    return name.startswith(BUILT_IN)
