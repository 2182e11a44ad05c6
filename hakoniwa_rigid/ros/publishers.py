"""Everything the node says about states and contacts: corrected odometry, fleet arrays and contact events of a tick."""

from __future__ import annotations

from nav_msgs.msg import Odometry

from hakoniwa_rigid.msg import ContactEventArray, FleetState
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.records import Tick

from . import convert
from .qos import EVENTS, STATES
from .settings import Settings

__all__ = ['Outputs']


class Outputs:
    """The publishers of one configured node; `close` ends them. Messages are built once and filled again every tick."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._node = node
        self._publishers = []
        frame = settings.node['world_frame']
        self._frame = frame
        self._events = self._advertise(ContactEventArray, 'contact_events', EVENTS)
        self._fleet = self._advertise(FleetState, 'fleet/states_corrected', STATES)
        self._fleet_msg = FleetState(names=list(scene.drone_names))
        self._fleet_msg.header.frame_id = frame
        # (row in the scene's arrays, publisher, message) of every drone with topics of its own
        self._drones = []
        row = {name: i for i, name in enumerate(scene.drone_names)}
        for name, values in settings.drones.items() if settings.node['per_drone_topics'] else ():
            msg = Odometry(child_frame_id=values['body_frame'])
            msg.header.frame_id = frame
            publisher = self._advertise(Odometry, values['topic_odom_corrected'], STATES)
            self._drones.append((row[name], publisher, msg))

    def close(self) -> None:
        """Destroy the publishers."""
        for publisher in self._publishers:
            self._node.destroy_publisher(publisher)
        self._publishers.clear()

    def _advertise(self, kind: type, topic: str, qos):
        publisher = self._node.create_publisher(kind, topic, qos)
        self._publishers.append(publisher)
        return publisher

    def publish(self, tick: Tick) -> None:
        """Send one tick. Events come before the states they explain."""
        if tick.events:
            self._publish_events(tick)
        self._publish_fleet(tick)
        self._publish_odometry(tick)

    def _publish_events(self, tick: Tick) -> None:
        msg = ContactEventArray(events=[convert.contact_event(record, self._frame) for record in tick.events])
        msg.header.frame_id = self._frame
        convert.set_stamp(msg.header.stamp, tick.stamp_ns)
        self._events.publish(msg)

    def _publish_fleet(self, tick: Tick) -> None:
        msg, states = self._fleet_msg, tick.states
        convert.set_stamp(msg.header.stamp, tick.stamp_ns)
        msg.positions = convert.doubles_of(states.positions)
        msg.orientations = convert.doubles_of(states.orientations_xyzw)
        msg.linear_velocities = convert.doubles_of(states.linear_velocities)
        msg.angular_velocities = convert.doubles_of(states.angular_velocities)
        msg.flags = convert.bytes_of(states.flags)
        self._fleet.publish(msg)

    def _publish_odometry(self, tick: Tick) -> None:
        # a message nobody reads costs as much as one that is read
        heard = [entry for entry in self._drones if entry[1].get_subscription_count()]
        if not heard:
            return
        states = tick.states
        linear = convert.rotate_back_many(states.orientations_xyzw, states.linear_velocities).tolist()
        position, orientation = states.positions.tolist(), states.orientations_xyzw.tolist()
        angular = states.angular_velocities.tolist()
        for row, publisher, msg in heard:
            convert.fill_odometry(msg, tick.stamp_ns, position[row], orientation[row], linear[row], angular[row])
            publisher.publish(msg)
