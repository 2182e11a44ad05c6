"""Everything the node hears. Callbacks validate, convert and store; `flush` gives it to the scene, once a tick.

Samples go to the scene in one call for all drones: judging one costs as much as judging fifty.

An input that cannot be used is never an error: it is counted with its key and its offending value (`ledger` here for
what only ROS knows, frames and array sizes; `scene.counters` for the rest), and /diagnostics tells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from geometry_msgs.msg import PoseArray, PoseStamped, TwistStamped, WrenchStamped
from nav_msgs.msg import Odometry

from hakoniwa_rigid.msg import FleetState, FleetWrench, HandJoints
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.records import Ledger

from . import convert
from .executor import StartError
from .params import topic_token
from .qos import INPUT
from .settings import Settings, Values

try:
    from actuator_msgs.msg import Actuators
except ImportError:  # a package of its own, on no registry; WrenchStamped does the same job
    Actuators = None

__all__ = ['Inputs', 'NameMap']

# ns; a TwistStamped this much older or newer than its PoseStamped is not used with it
TWIST_AGE = 100_000_000
# samples kept per drone until the next tick; as many as a reader's queue holds (qos.INPUT)
KEPT = 5
Three = tuple[float, float, float]
Four = tuple[float, float, float, float]
# index in the scene, stamp ns, position, orientation xyzw, linear and angular velocity or None; world frame
Sample = tuple[int, int, Three, Four, Three | None, Three | None]


@dataclass
class Source:
    """One drone's or hand's input side: how its stamps are read, and what has to be remembered between messages."""

    key: str
    values: Values
    stamp: str  # header or receive
    twist: tuple[int, Three, Three, bool] | None = None  # stamp ns, linear, angular, in body axes
    told_zero: bool = False
    index: int = -1  # of a drone, in the scene's arrays


class NameMap:
    """Rows of a flat array to indices of the scene, worked out only when the sender's names change."""

    def __init__(self, index: dict[str, int]) -> None:
        self._index = index
        self._names: list[str] | None = None
        self.rows: np.ndarray | slice = slice(0, 0)
        self.indices = np.zeros(0, dtype=np.int64)
        self.refused: list[tuple[str, str]] = []  # (cause, name) of rows without a drone

    def read(self, names: list[str]) -> None:
        """Make rows, indices and refused fit `names`."""
        if names == self._names:
            return
        rows, seen = [], set()
        self.refused = []
        for row, name in enumerate(names):
            if name not in self._index:
                self.refused.append(('unknown_name', name))
            elif name in seen:
                self.refused.append(('duplicate_name', name))
            else:
                rows.append(row)
                seen.add(name)
        self.indices = np.array([self._index[names[row]] for row in rows], dtype=np.int64)
        # a plain slice takes no copy
        self.rows = slice(None) if len(rows) == len(names) else np.array(rows, dtype=np.int64)
        self._names = list(names)


class Inputs:
    """The subscriptions of one configured node; `close` ends them."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._node = node
        self._scene = scene
        self._settings = settings
        self._frames = settings.frames
        self._subscriptions = []
        self.ledger = Ledger()
        self.received = 0
        index = {name: i for i, name in enumerate(scene.drone_names)}
        self._samples: deque[Sample] = deque(maxlen=KEPT * max(len(index), 1))
        self._states = NameMap(index)
        self._wrenches = NameMap(index)
        self._fleet = Source('fleet', {}, settings.node['stamp'])
        self._listen(FleetState, 'fleet/states', self._fleet_states, self._fleet)
        self._listen(FleetWrench, 'fleet/wrenches', self._fleet_wrenches, self._fleet)
        for name, values in settings.drones.items():
            self._add_drone(self._source(name, values, index[name]))
        for name, values in settings.hands.items():
            self._add_hand(self._source(name, values))

    def close(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions.clear()

    def flush(self) -> None:
        """Give the scene every stored sample, each drone's in the order of arrival."""
        waiting = list(self._samples)
        self._samples.clear()
        while waiting:
            # one round: at most one sample of a drone, all with the same velocities given
            given = [v is not None for v in waiting[0][4:]]
            batch, later, seen = [], [], set()
            for sample in waiting:
                fits = sample[0] not in seen and [v is not None for v in sample[4:]] == given
                (batch if fits else later).append(sample)
                seen.add(sample[0])
            index, stamp, *columns = zip(*batch, strict=True)
            arrays = [None if column[0] is None else np.array(column) for column in columns]
            self._scene.feed_drones(np.array(index), np.array(stamp), *arrays)
            waiting = later

    def forget(self) -> None:
        """Drop what is stored."""
        self._samples.clear()

    def _source(self, name: str, values: Values, index: int = -1) -> Source:
        return Source(name, values, values['stamp'] or self._settings.node['stamp'], index=index)

    def _listen(self, kind: type, topic: str, callback: Callable, source: Source) -> None:
        self._subscriptions.append(self._node.create_subscription(kind, topic, partial(callback, source), INPUT))

    def _add_drone(self, source: Source) -> None:
        values = source.values
        self._add_motors(source)
        if not self._settings.node['per_drone_topics']:
            return
        if values['source'] == 'odom':
            self._listen(Odometry, values['topic_odom'], self._odometry, source)
        elif values['source'] == 'pose':
            self._listen(PoseStamped, values['topic_pose'], self._pose, source)
            self._listen(TwistStamped, values['topic_twist'], self._twist, source)
        self._listen(WrenchStamped, values['topic_wrench'], self._wrench, source)

    def _add_motors(self, source: Source) -> None:
        topic = source.values['topic_motor_speed']
        if Actuators is not None and (topic or self._settings.node['per_drone_topics']):
            self._listen(Actuators, topic or f'{topic_token(source.key)}/motor_speed', self._motor_speed, source)
        elif topic:
            raise StartError(
                f'parameter drones.{source.key}.topic_motor_speed: needs the package actuator_msgs, '
                f'which is not installed, got {topic!r}; install it or send WrenchStamped'
            )

    def _add_hand(self, source: Source) -> None:
        kinds = {
            'hand_joints': (HandJoints, self._hand_joints),
            'pose_array': (PoseArray, self._hand_poses),
            'pose': (PoseStamped, self._hand_pose),
        }
        kind, callback = kinds[source.values['type']]
        self._listen(kind, source.values['topic'], callback, source)

    # what every callback asks first

    def _stamp(self, source: Source, header) -> int:
        """Time of a sample in ns: its header's, or now where the source has no clock of ours."""
        self.received += 1
        if source.stamp == 'header':
            stamp = convert.stamp_ns(header.stamp)
            if stamp:
                return stamp
            if not source.told_zero:
                source.told_zero = True
                self._node.get_logger().warning(
                    f'{source.key}: header stamps are zero, the time of reception is used; '
                    "set its parameter stamp to 'receive' if that is meant"
                )
        return self._node.get_clock().now().nanoseconds

    def _in_world(self, source: Source, frame_id: str) -> bool:
        if frame_id in self._frames:
            return True
        known = ', '.join(sorted(self._frames - {''}))
        self.ledger.note('wrong_frame', source.key, f'{frame_id!r}, known are {known} (parameter accepted_frames)')
        return False

    def _in_body(self, source: Source, frame_id: str) -> bool:
        return frame_id in ('base_link', source.key, source.values['body_frame'])

    # drones

    def _odometry(self, source: Source, msg: Odometry) -> None:
        stamp = self._stamp(source, msg.header)
        if not self._in_world(source, msg.header.frame_id):
            return
        position, orientation, linear, angular = convert.odometry_state(msg)
        if msg.child_frame_id and msg.child_frame_id in self._frames:
            # the twist is in the child frame, and this child frame is the world
            linear, angular = convert.xyz(msg.twist.twist.linear), convert.xyz(msg.twist.twist.angular)
        self._samples.append((source.index, stamp, position, orientation, linear, angular))

    def _pose(self, source: Source, msg: PoseStamped) -> None:
        stamp = self._stamp(source, msg.header)
        if not self._in_world(source, msg.header.frame_id):
            return
        position, orientation = convert.pose_state(msg.pose)
        linear = angular = None
        if source.twist is not None and abs(source.twist[0] - stamp) <= TWIST_AGE:
            _, linear, angular, in_body = source.twist
            if in_body:
                linear, angular = convert.rotate(orientation, linear), convert.rotate(orientation, angular)
        self._samples.append((source.index, stamp, position, orientation, linear, angular))

    def _twist(self, source: Source, msg: TwistStamped) -> None:
        stamp = self._stamp(source, msg.header)
        in_body = self._in_body(source, msg.header.frame_id)
        if in_body or self._in_world(source, msg.header.frame_id):
            source.twist = (stamp, convert.xyz(msg.twist.linear), convert.xyz(msg.twist.angular), in_body)

    def _wrench(self, source: Source, msg: WrenchStamped) -> None:
        stamp = self._stamp(source, msg.header)
        frame_id = msg.header.frame_id
        if frame_id and not self._in_body(source, frame_id):
            hint = f'{frame_id!r}, a wrench is in body axes: {source.values["body_frame"]!r} or empty'
            self.ledger.note('wrong_frame', source.key, hint)
            return
        self._scene.feed_wrench(source.key, stamp, convert.xyz(msg.wrench.force), convert.xyz(msg.wrench.torque))

    def _motor_speed(self, source: Source, msg) -> None:
        self._scene.feed_motor_speeds(source.key, self._stamp(source, msg.header), np.array(msg.velocity))

    # fleets

    def _read_names(self, names: NameMap, sent: list[str], what: str, **sizes: tuple[int, int]) -> bool:
        """Whether every flat array has its width per name; counts what has not, and names without a drone."""
        for field, (size, width) in sizes.items():
            if size != width * len(sent):
                self.ledger.note('wrong_size', what, f'{field}: {width} x {len(sent)} numbers expected, got {size}')
                return False
        names.read(sent)
        for cause, name in names.refused:
            self.ledger.note(cause, name, what)
        return True

    def _fleet_states(self, source: Source, msg: FleetState) -> None:
        stamp = self._stamp(source, msg.header)
        sizes = {
            'positions': (len(msg.positions), 3),
            'orientations': (len(msg.orientations), 4),
            'linear_velocities': (len(msg.linear_velocities), 3),
            'angular_velocities': (len(msg.angular_velocities), 3),
        }
        if not self._in_world(source, msg.header.frame_id):
            return
        names = self._states
        if not self._read_names(names, msg.names, 'fleet/states', **sizes):
            return
        position, orientation, linear, angular = (
            np.frombuffer(a, dtype=np.float64).reshape(-1, width)[names.rows]
            for a, width in (
                (msg.positions, 3),
                (msg.orientations, 4),
                (msg.linear_velocities, 3),
                (msg.angular_velocities, 3),
            )
        )
        with np.errstate(all='ignore'):  # the scene says what is not finite
            angular = convert.rotate_many(orientation, angular)
        if len(names.indices):
            self._scene.feed_drones(names.indices, stamp, position, orientation, linear, angular)

    def _fleet_wrenches(self, source: Source, msg: FleetWrench) -> None:
        stamp = self._stamp(source, msg.header)
        sizes = {'forces': (len(msg.forces), 3), 'torques': (len(msg.torques), 3)}
        names = self._wrenches
        if not self._read_names(names, msg.names, 'fleet/wrenches', **sizes):
            return
        force, torque = (
            np.frombuffer(a, dtype=np.float64).reshape(-1, 3)[names.rows] for a in (msg.forces, msg.torques)
        )
        if len(names.indices):
            self._scene.feed_wrenches(names.indices, stamp, force, torque)

    # hands

    def _hand_joints(self, source: Source, msg: HandJoints) -> None:
        stamp = self._stamp(source, msg.header)
        if self._in_world(source, msg.header.frame_id):
            self._scene.feed_hand(msg.hand or source.key, stamp, *convert.hand_arrays(msg))

    def _hand_poses(self, source: Source, msg: PoseArray) -> None:
        stamp = self._stamp(source, msg.header)
        if self._in_world(source, msg.header.frame_id):
            self._scene.feed_hand(source.key, stamp, *convert.pose_arrays(msg.poses), None, None)

    def _hand_pose(self, source: Source, msg: PoseStamped) -> None:
        stamp = self._stamp(source, msg.header)
        if self._in_world(source, msg.header.frame_id):
            radii = np.array([source.values['radius']])
            self._scene.feed_hand(source.key, stamp, *convert.pose_arrays([msg.pose]), radii, None)
