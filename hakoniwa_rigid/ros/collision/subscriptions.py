"""What the node hears: an Intake (scene/intake) over subscriptions, /tf and the node's clock."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module

from geometry_msgs.msg import PoseArray, PoseStamped, Twist, TwistStamped, WrenchStamped
from nav_msgs.msg import Odometry

from hakoniwa_rigid.msg import FleetState, FleetWrench, HandJoints
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.inputs.input_adapter import Intake
from hakoniwa_rigid.scene.parameters.settings import Settings

from .polled_subscriptions import Inlets, MessageReader
from .recorder import Recorder
from .tf_topics import TfInput, need_tf

__all__ = ['Inputs']

OURS = (FleetState, FleetWrench, HandJoints, Odometry, PoseArray, PoseStamped, Twist, TwistStamped, WrenchStamped)
KINDS = {f'{kind.__module__.split(".")[0]}/msg/{kind.__name__}': kind for kind in OURS}


class Inputs:
    """The subscriptions of one configured node; `close` ends them."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._tf = TfInput(node)
        self.intake = Intake(scene, settings, _reader_of, self._tf.listen, node.get_logger().warning)
        self._tf.serve(self.intake)
        for source in self.intake.by_tf:
            need_tf(f'parameter drones.{source.key}.source: {source.values["source"]}')
            self._tf.listen()
        kinds = {topic.type: _kind(topic.type) for topic in self.intake.topics}
        self.inlets = Inlets(node, self.intake, kinds)
        self._recorder = Recorder()

    def record(self, recorder: Recorder) -> None:
        """Tell it of everything from now on."""
        self._recorder = self.inlets.recorder = self._tf.recorder = recorder

    def close(self) -> None:
        """Destroy the subscriptions."""
        self._tf.close()
        self.inlets.close()

    def read(self, now: int) -> None:
        """Give the scene everything that has arrived. `now`: ROS time in ns."""
        self.inlets.empty(now)

    def ask_tf(self, now: int) -> None:
        """Give it the poses that only /tf tells of."""
        if self.intake.by_tf:
            self.intake.ask_tf(now)
            self.intake.flush()
            self._recorder.add('ask_tf')

    def forget(self) -> None:
        """Drop what is waiting, and what was learnt about time."""
        self.inlets.drop()
        self.intake.forget()


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
