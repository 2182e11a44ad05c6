"""Everything the node hears. `flush`, once a tick, empties the readers' queues (inlets.py), checks frames and stamps,
and gives it all to the scene, in one call for all drones.

An input that cannot be used is never an error: it is counted with its key and its offending value (`ledger` here for
what only ROS knows, frames and array sizes; `scene.counters` for the rest), and /diagnostics tells.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from geometry_msgs.msg import PoseArray, PoseStamped, TwistStamped, WrenchStamped
from nav_msgs.msg import Odometry

from hakoniwa_rigid.msg import FleetState, FleetWrench, HandJoints
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.frame_tree import FrameError
from hakoniwa_rigid.scene.records import Ledger
from hakoniwa_rigid.scene.rigid import IDENTITY, Rigid, multiply

from . import convert
from .batches import Batches
from .cdr import MOST_LISTS, ODOMETRY, POSE, TWIST, WRENCH, Fleet, FleetReader, Sample, SampleReader
from .errors import StartError
from .frames import Frames
from .inlets import Inlets, MessageReader, Reader
from .params import topic_token
from .qos import FLEETS, INPUT
from .settings import Settings, Values
from .sources import Origins, Source, Surroundings
from .tf_topics import TfInput, need_tf

try:
    from actuator_msgs.msg import Actuators
except ImportError:  # a package of its own, on no registry; WrenchStamped does the same job
    Actuators = None

__all__ = ['Inputs', 'NameMap']

# ns; a TwistStamped this much older or newer than its PoseStamped is not used with it
TWIST_AGE = 100_000_000
# kinds of samples: position and orientation xyzw without velocities, or with those in the world or in body axes
STILL, IN_WORLD, IN_BODY, FORCES = 'still', 'in_world', 'in_body', 'forces'
# names of the flat arrays, and numbers per drone
STATE_FIELDS = {'positions': 3, 'orientations': 4, 'linear_velocities': 3, 'angular_velocities': 3}
WRENCH_FIELDS = {'forces': 3, 'torques': 3}
Six = tuple[float, float, float, float, float, float]


class Rows(NamedTuple):
    """Rows of a flat array that belong to drones, the drones' indices in the scene (K,), and (cause, name) of the
    others."""

    rows: np.ndarray | slice
    indices: np.ndarray
    refused: tuple[tuple[str, str], ...]


class NameMap:
    """Rows of a flat array to indices of the scene, worked out once for every list of names."""

    def __init__(self, index: dict[str, int]) -> None:
        self._index = index
        self._known: dict[int, Rows] = {}

    def read(self, names: tuple[str, ...], key: int) -> Rows:
        """The rows of `names`; equal keys mean equal names."""
        if key not in self._known:
            if len(self._known) == MOST_LISTS:
                self._known.clear()
            self._known[key] = self._work_out(names)
        return self._known[key]

    def _work_out(self, names: tuple[str, ...]) -> Rows:
        rows, seen, refused = [], set(), []
        for row, name in enumerate(names):
            if name not in self._index:
                refused.append(('unknown_name', name))
            elif name in seen:
                refused.append(('duplicate_name', name))
            else:
                rows.append(row)
                seen.add(name)
        indices = np.array([self._index[names[row]] for row in rows], dtype=np.int64)
        # a plain slice takes no copy
        return Rows(slice(None) if not refused else np.array(rows, dtype=np.int64), indices, tuple(refused))


class Inputs:
    """The subscriptions of one configured node; `close` ends them."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._node = node
        self._scene = scene
        self._settings = settings
        self.ledger = Ledger()
        self.inlets = inlets = Inlets(node, self.ledger.note)
        self._tf = TfInput(node, self.ledger)
        self._frames = Frames(settings, self._tf.listen)
        self._tf.serve(self._frames)
        self._shared = Surroundings(
            self._frames, self.ledger, lambda: inlets.reception, node.get_logger().warning
        )
        self._sources: list[Source] = []
        self._by_tf: list[Source] = []
        # by name, for diagnostics
        self.drones: dict[str, Source] = {}
        self._origins = Origins(settings.world.drones)
        self._samples = Batches()
        index = {name: i for i, name in enumerate(scene.drone_names)}
        self._states = NameMap(index)
        self._wrenches = NameMap(index)
        self.fleet = fleet = self._source('fleet', {'stamp': ''})
        self._listen(FleetState, 'fleet/states', self._fleet_states, fleet, FleetReader(tuple(STATE_FIELDS)))
        self._listen(FleetWrench, 'fleet/wrenches', self._fleet_wrenches, fleet, FleetReader(tuple(WRENCH_FIELDS)))
        for name, values in settings.drones.items():
            self.drones[name] = self._source(name, values, index[name])
            self._add_drone(self.drones[name])
        for name, values in settings.hands.items():
            self._add_hand(self._source(name, values))

    @property
    def received(self) -> int:
        """Messages taken so far, whatever became of them."""
        return self.inlets.received

    def close(self) -> None:
        """Destroy the subscriptions."""
        self._tf.close()
        self.inlets.close()

    def flush(self) -> None:
        """Give the scene everything that has arrived, each drone's samples in the order of arrival."""
        self.inlets.empty()
        for kind, index, stamps, table in self._samples.drain():
            if kind == FORCES:
                self._scene.feed_wrenches(index, stamps, table[:, :3], table[:, 3:])
                continue
            orientation, velocities = table[:, 3:7], (None, None)
            if kind != STILL:
                velocities = table[:, 7:10], table[:, 10:]
            if kind == IN_BODY:
                with np.errstate(all='ignore'):  # the scene says what is not finite
                    velocities = [convert.rotate_many(orientation, v) for v in velocities]
            self._scene.feed_drones(index, stamps, table[:, :3], orientation, *velocities)

    def forget(self) -> None:
        """Drop what is waiting, and what was learnt about time."""
        self.inlets.drop()
        self._samples.clear()
        self._frames.tree.forget()
        for source in self._sources:
            source.forget()

    def _source(self, name: str, values: Values, index: int = -1) -> Source:
        stamp = values['stamp'] or self._settings.node['stamp']
        source = Source(name, values, stamp, self._shared, index, self._origins.way_back(index))
        self._sources.append(source)
        return source

    def _listen(
        self, kind: type, topic: str, callback: Callable, source: Source, reader: Reader | None = None
    ) -> None:
        reader = reader or MessageReader(kind)
        qos = FLEETS if isinstance(reader, FleetReader) else INPUT
        self.inlets.open(source.key, kind, topic, qos, reader, partial(callback, source))

    def _add_drone(self, source: Source) -> None:
        values = source.values
        self._add_motors(source)
        if values['source'] == 'tf':
            need_tf(f'parameter drones.{source.key}.source: tf')
            self._tf.listen()
            self._by_tf.append(source)
        if not self._settings.node['per_drone_topics']:
            return
        if values['source'] == 'odom':
            self._listen(Odometry, values['topic_odom'], self._odometry, source, SampleReader(ODOMETRY))
        elif values['source'] == 'pose':
            self._listen(PoseStamped, values['topic_pose'], self._pose, source, SampleReader(POSE))
            self._listen(TwistStamped, values['topic_twist'], self._twist, source, SampleReader(TWIST))
        self._listen(WrenchStamped, values['topic_wrench'], self._wrench, source, SampleReader(WRENCH))

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
        return source.time(convert.stamp_ns(header.stamp))

    def _now(self) -> int:
        return self._node.get_clock().now().nanoseconds

    def _in_body(self, source: Source, frame_id: str) -> bool:
        return frame_id in ('base_link', source.key, source.values['body_frame'])

    # drones

    def _odometry(self, source: Source, msg: Sample) -> None:
        stamp = self._stamp(source, msg.header)
        place = source.place(msg.header.frame_id, stamp)
        if place is None:
            return
        kind, child, values = IN_BODY, msg.child_frame_id, msg.values
        pose, velocities = _moved(place, values[:7]), values[7:]
        if child and self._frames.means_world(child):
            # the twist is in the child frame, and this child frame is the world
            kind, velocities = IN_WORLD, _turned(self._frames.find(child, stamp), velocities)
        self._samples.add(kind, source.index, stamp, pose + velocities)

    def _pose(self, source: Source, msg: Sample) -> None:
        stamp = self._stamp(source, msg.header)
        place = source.place(msg.header.frame_id, stamp)
        if place is None:
            return
        kind, values = STILL, _moved(place, msg.values)
        if source.twist is not None and abs(source.twist[0] - stamp) <= TWIST_AGE:
            _, velocities, kind = source.twist
            values += velocities
        self._samples.add(kind, source.index, stamp, values)

    def _twist(self, source: Source, msg: Sample) -> None:
        stamp = self._stamp(source, msg.header)
        if self._in_body(source, msg.header.frame_id):
            source.twist = (stamp, msg.values, IN_BODY)
            return
        place = source.place(msg.header.frame_id, stamp)
        if place is not None:
            source.twist = (stamp, _turned(place, msg.values), IN_WORLD)

    def ask_tf(self) -> None:
        """Take the poses of the drones that only /tf tells of."""
        for source in self._by_tf:
            self._ask_tf(source)

    def _ask_tf(self, source: Source) -> None:
        """The newest pose of a drone that /tf tells of, where it is newer than the last."""
        frame, now = source.values['tf_frame'] or source.values['body_frame'], self._now()
        try:
            newest = self._frames.newest(frame)
            if newest == source.tf_stamp:
                return
            place = self._frames.find(frame, now if newest is None else newest)
        except FrameError as error:
            source.trouble = str(error)
            return
        source.tf_stamp, source.trouble = newest, ''
        place = place if source.way_back is None else source.way_back.after(place)
        self.inlets.reception = now
        self._samples.add(STILL, source.index, source.time(newest or 0), (*place.position, *place.orientation))

    def _wrench(self, source: Source, msg: Sample) -> None:
        stamp = self._stamp(source, msg.header)
        frame_id = msg.header.frame_id
        if frame_id and not self._in_body(source, frame_id):
            hint = f'{frame_id!r}, a wrench is in body axes: {source.values["body_frame"]!r} or empty'
            self.ledger.note('wrong_frame', source.key, hint)
            return
        self._samples.add(FORCES, source.index, stamp, msg.values)

    def _motor_speed(self, source: Source, msg) -> None:
        self._scene.feed_motor_speeds(source.key, self._stamp(source, msg.header), np.array(msg.velocity))

    # fleets

    def _read_fleet(
        self, names: NameMap, msg: Fleet, what: str, fields: dict[str, int]
    ) -> tuple[np.ndarray, list[np.ndarray]] | None:
        """Indices of the known drones (K,) and the flat arrays as (K, width); None where an array has not its width per
        name or no drone is known. Counts that, and names without a drone."""
        for array, (field, width) in zip(msg.arrays, fields.items(), strict=True):
            if len(array) != width * len(msg.names):
                hint = f'{field}: {width} x {len(msg.names)} numbers expected, got {len(array)}'
                self.ledger.note('wrong_size', what, hint)
                return None
        found = names.read(msg.names, msg.key)
        for cause, name in found.refused:
            self.ledger.note(cause, name, what)
        if not len(found.indices):
            return None
        widths = fields.values()
        return found.indices, [a.reshape(-1, w)[found.rows] for a, w in zip(msg.arrays, widths, strict=True)]

    def _fleet_states(self, source: Source, msg: Fleet) -> None:
        stamp = self._stamp(source, msg.header)
        place = source.place(msg.header.frame_id, stamp)
        if place is None:
            return
        found = self._read_fleet(self._states, msg, 'fleet/states', STATE_FIELDS)
        if found is None:
            return
        indices, (position, orientation, linear, angular) = found
        with np.errstate(all='ignore'):  # the scene says what is not finite
            angular = convert.rotate_many(orientation, angular)
            if place is not IDENTITY:
                position, orientation = place.points(position), place.orientations(orientation)
                linear, angular = place.vectors(linear), place.vectors(angular)
            if not self._frames.means_world(msg.header.frame_id):
                fed = self._origins.take_back(indices, position, orientation, linear, angular)
                position, orientation, linear, angular = fed
        self._scene.feed_drones(indices, stamp, position, orientation, linear, angular)

    def _fleet_wrenches(self, source: Source, msg: Fleet) -> None:
        stamp = self._stamp(source, msg.header)
        found = self._read_fleet(self._wrenches, msg, 'fleet/wrenches', WRENCH_FIELDS)
        if found is not None:
            indices, (forces, torques) = found
            self._scene.feed_wrenches(indices, stamp, forces, torques)

    # hands

    def _hand_joints(self, source: Source, msg: HandJoints) -> None:
        stamp = self._stamp(source, msg.header)
        place = source.place(msg.header.frame_id, stamp)
        if place is not None:
            positions, *rest = convert.hand_arrays(msg)
            self._scene.feed_hand(msg.hand or source.key, stamp, place.points(positions), *rest)

    def _hand_poses(self, source: Source, msg: PoseArray) -> None:
        stamp = self._stamp(source, msg.header)
        place = source.place(msg.header.frame_id, stamp)
        if place is not None:
            positions, orientations = convert.pose_arrays(msg.poses)
            self._scene.feed_hand(source.key, stamp, place.points(positions), orientations, None, None)

    def _hand_pose(self, source: Source, msg: PoseStamped) -> None:
        stamp = self._stamp(source, msg.header)
        place = source.place(msg.header.frame_id, stamp)
        if place is not None:
            positions, orientations = convert.pose_arrays([msg.pose])
            radii = np.array([source.values['radius']])
            self._scene.feed_hand(source.key, stamp, place.points(positions), orientations, radii, None)


def _moved(place: Rigid, pose: tuple[float, ...]) -> tuple[float, ...]:
    """Position and orientation x, y, z, w, carried over."""
    if place is IDENTITY:
        return pose
    return place.point(pose[:3]) + multiply(place.orientation, pose[3:])


def _turned(place: Rigid, velocities: tuple[float, ...]) -> tuple[float, ...]:
    """Linear and angular velocity, carried over."""
    return velocities if place is IDENTITY else place.vector(velocities[:3]) + place.vector(velocities[3:])
