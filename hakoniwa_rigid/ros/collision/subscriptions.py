# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the node receives: an InputAdapter (scene/inputs) over subscriptions, /tf and the node's clock."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

from geometry_msgs.msg import PoseArray, PoseStamped, Twist, TwistStamped, WrenchStamped
from nav_msgs.msg import Odometry

from hakoniwa_rigid.msg import FleetState, FleetWrench, HandJoints
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
from hakoniwa_rigid.scene.parameters.settings import Settings, Values

from .polled_subscriptions import MessageReader, PolledSubscriptions
from .recorder import Recorder
from .tf_topics import TfInput, need_tf

__all__ = ['Inputs']

OURS = (FleetState, FleetWrench, HandJoints, Odometry, PoseArray, PoseStamped, Twist, TwistStamped, WrenchStamped)
KINDS = {f'{kind.__module__.split(".")[0]}/msg/{kind.__name__}': kind for kind in OURS}


class Inputs:
    """The subscriptions of one configured node; `close` ends them."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._tf = TfInput(node)
        self.adapter = InputAdapter(scene, settings, _reader_of, self._tf.listen, node.get_logger().warning)
        self._tf.serve(self.adapter)
        for source in self.adapter.by_tf:
            need_tf(f'parameter drones.{source.key}.source: {source.values["source"]}')
            self._tf.listen()
        kinds = {topic.type: _kind(topic.type) for topic in self.adapter.topics}
        self.polled = PolledSubscriptions(node, self.adapter, kinds)
        self._recorder = Recorder()

    def record(self, recorder: Recorder) -> None:
        """Tell it of everything from now on."""
        self._recorder = self.polled.recorder = self._tf.recorder = recorder

    def open_newcomer(self, name: str, values: Values) -> list[list]:
        """Read a drone or a hand that came: values of its parameters.  For the journal: number, name, type and full
        name of each topic.  SettingsError, StartError, LookupError, with nothing opened."""
        topics = self.adapter.connect(name, values)
        try:
            if values.get('source') in ('tf', 'pose_or_tf'):
                need_tf(f'parameter drones.{name}.source: {values["source"]}')
                self._tf.listen()
            full = self.polled.open_newcomer(name, topics, {topic.type: _kind(topic.type) for topic in topics})
        except Exception:
            self.adapter.disconnect(name)
            raise
        return [[topic.number, topic.name, topic.type, at] for topic, at in zip(topics, full, strict=True)]

    def close_newcomer(self, name: str) -> None:
        """Read it no longer."""
        self.polled.close_newcomer(name)
        self.adapter.disconnect(name)

    def listen_tf(self) -> None:
        """Hear /tf from now on.  StartError where that cannot be."""
        need_tf('parameter drones: auto')
        self._tf.listen()

    def close(self) -> None:
        """Destroy the subscriptions."""
        self._tf.close()
        self.polled.close()

    def read(self, now: int) -> None:
        """Give the scene everything that has arrived. `now`: ROS time in ns."""
        self.polled.empty(now)

    def ask_tf(self, now: int) -> None:
        """Give it the poses that only /tf tells of."""
        if self.adapter.by_tf:
            self.adapter.ask_tf(now)
            self.adapter.flush()
            self._recorder.add('ask_tf')

    def forget(self) -> None:
        """Drop what is waiting, and what was learnt about time."""
        self.polled.drop()
        self.adapter.forget()


def _reader_of(kind: str) -> MessageReader | None:
    found = _kind(kind)
    return found and MessageReader(found)


def _kind(kind: str) -> type | None:
    """The class of a type, by its name; None where its package, one of a simulator, is not installed."""
    if kind not in KINDS:
        package, _, name = kind.split('/')
        with suppress(ImportError, AttributeError):
            KINDS[kind] = getattr(import_module(f'{package}.msg'), name)
    return KINDS.get(kind)
