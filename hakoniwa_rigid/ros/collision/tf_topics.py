# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""/tf and /tf_static in and /tf out. The package tf2_msgs is optional: without it frames are fixed by parameter."""

from __future__ import annotations

from geometry_msgs.msg import TransformStamped
from rclpy.serialization import deserialize_message

from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.records import Tick

from .. import convert
from ..errors import StartError
from ..qos import STATES, TRANSFORMS, TRANSFORMS_STATIC, advertise, subscribe
from .recorder import Recorder

try:
    from tf2_msgs.msg import TFMessage
except ImportError:
    TFMessage = None

__all__ = ['TfInput', 'TfOutput', 'need_tf']


def need_tf(parameter: str) -> None:
    """StartError where tf2_msgs is not installed."""
    if TFMessage is None:
        raise StartError(f'{parameter}: needs the package tf2_msgs, which is not installed')


class TfInput:
    """Feeds /tf and /tf_static into an adapter, from the first time on that a frame is needed."""

    def __init__(self, node) -> None:
        self._node = node
        self._adapter: InputAdapter | None = None
        self._subscriptions = []
        self.recorder = Recorder()

    def serve(self, adapter: InputAdapter) -> None:
        """Feed this one."""
        self._adapter = adapter

    def listen(self) -> str:
        """Start listening, once; returns what is to be said to a user who misses a frame."""
        if TFMessage is None:
            return 'tf2_msgs is not installed, so /tf is not read'
        if self._subscriptions:
            return '/tf has not given it'
        for topic, callback, profile in (
            ('/tf_static', self._take_static, TRANSFORMS_STATIC),
            ('/tf', self._take_moving, TRANSFORMS),
        ):
            self._subscriptions.append(subscribe(self._node, TFMessage, topic, callback, profile, raw=True))
        return 'from now on /tf is read'

    def close(self) -> None:
        """Destroy the subscriptions."""
        for subscription in self._subscriptions:
            self._node.destroy_subscription(subscription)
        self._subscriptions.clear()

    def _take_static(self, data: bytes) -> None:
        self._node.guard.run('/tf_static', self._take, '/tf_static', self._static, data)

    def _take_moving(self, data: bytes) -> None:
        self._node.guard.run('/tf', self._take, '/tf', self._moving, data)

    def _take(self, topic: str, put, data: bytes) -> None:
        """Read a message, unless it is larger than any node sends: making one of it takes its time."""
        most, ledger = self._adapter.limits.transform_bytes, self._adapter.ledger
        if len(data) > most:
            ledger.note('too_large', topic, f'{len(data)} bytes, at most {most} are taken')
            return
        try:
            msg = deserialize_message(data, TFMessage)
        except Exception as error:  # rclpy has a type of its own for this, without a public name
            ledger.note('malformed', topic, f'{len(data)} bytes are no TFMessage: {error}')
            return
        put(msg)

    def _static(self, msg) -> None:
        self._put(msg, static=True)

    def _moving(self, msg) -> None:
        self._put(msg, static=False)

    def _put(self, msg, static: bool) -> None:
        self.recorder.transforms(msg, static)
        self._adapter.put_transforms(msg, static)


class TfOutput:
    """Where every drone is, as transforms from the world frame to its body frame, every tick on /tf."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        need_tf('parameter publish_tf')
        self._node, self._scene, self._frame = node, scene, settings.node['world_frame']
        self._drones: dict[str, tuple[int, TransformStamped]] = {}  # rows and transforms
        for name, values in settings.drones.items():
            self.open_drone(name, values)
        self._msg = TFMessage()
        self._publisher = advertise(node, TFMessage, '/tf', STATES)

    def open_drone(self, name: str, values: Values) -> None:
        """Tell where this one is, too.  StartError where that is how it is known."""
        source, frame = values['source'], values['tf_frame'] or values['body_frame']
        if source in ('tf', 'pose_or_tf') and frame == values['body_frame']:
            raise StartError(
                f'parameter publish_tf: {frame!r} is where {name} comes from (drones.{name}.source: {source}); '
                f'set drones.{name}.body_frame to another name for the corrected drone'
            )
        transform = TransformStamped(child_frame_id=values['body_frame'])
        transform.header.frame_id = self._frame
        self._drones[name] = self._scene.drone_names.index(name), transform

    def close_drone(self, name: str) -> None:
        """It has left."""
        self._drones.pop(name, None)

    def close(self) -> None:
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)

    def publish(self, tick: Tick) -> None:
        """Send one tick, if there is a subscriber."""
        if not self._publisher.get_subscription_count():
            return
        positions, orientations = tick.states.positions.tolist(), tick.states.orientations_xyzw.tolist()
        names, there = tick.states.names, []
        for row, transform in self._drones.values():
            if not names[row]:      # it has left
                continue
            there.append(transform)
            convert.set_stamp(transform.header.stamp, tick.stamp_ns)
            p, q = transform.transform.translation, transform.transform.rotation
            p.x, p.y, p.z = positions[row]
            q.x, q.y, q.z, q.w = orientations[row]
        self._msg.transforms = there
        self._publisher.publish(self._msg)
