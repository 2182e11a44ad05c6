# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Into a simulator: what an impact did to its drones, in its own messages. docs/outputs.md.

One message, or one call, for every new contact of a drone whose parameters ask for it, and for every renewed impulse of
an observed one, at most one for each of its samples. Gazebo's wrench also tells of constraints, in every tick. Without
an impact nothing else is done; where no drone asks, nothing of
this is there, and the packages need not be installed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from geometry_msgs.msg import Vector3
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup

from hakoniwa_rigid.engine.model.solvers import SOLVERS
from hakoniwa_rigid.rotations import Rigid
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.drones.authority import OBSERVE
from hakoniwa_rigid.scene.frames.frame_tree import FrameError
from hakoniwa_rigid.scene.frames.frames import Frames
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.records import ImpactRecord, Tick
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig

from ..convert import set_stamp
from ..errors import StartError
from ..qos import STATES, advertise, advertise_for_a_while
from .sim_messages import fill_contact, fill_entity_load, fill_entity_state, fill_entity_wrench, fill_impulse

__all__ = ['SimOutputs']

# different answers of a service that are logged, and letters of each: a simulator may say something else every time
MOST_LOGGED, MOST_LETTERS = 16, 200


def third_party(parameter: str, package: str, kind: str, *names: str) -> list[type]:
    """Classes of a package that only this parameter needs; kind: msg or srv. StartError where it is not installed."""
    try:
        module = import_module(f'{package}.{kind}')
    except ImportError as error:
        raise StartError(f'parameter {parameter}: needs the package {package}, which is not installed') from error
    return [getattr(module, name) for name in names]


class SimOutputs:
    """All of them for one configured node; `close` ends them."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._by_drone: dict[str, list] = {}
        self._parts, self._contacts = [], None
        self._scene, self._dt = scene, settings.world.dt
        # by row of the fleet, the wrench outputs, of which constraints are told
        self._loads: dict[int, WrenchOutput] = {}
        self._node, self._settings = node, settings
        self._world = Frames(settings, lambda: '').find('', 0)
        try:
            self._open()
        except StartError:
            self.close()
            raise

    @property
    def asked(self) -> bool:
        """Whether there is anything to do."""
        return bool(self._parts)

    def _open(self) -> None:
        models = {drone.name: drone for drone in self._settings.world.drones}
        for name, values in self._settings.drones.items():
            self._add(name, values, models[name])
        self._report()
        if self._settings.node['publish_contacts']:
            self._contacts = ContactsOutput(self._node, self._scene, self._settings)
            self._parts.append(self._contacts)

    def open_drone(self, name: str, values: Values) -> None:
        """A drone came.  StartError, with nothing opened."""
        drone = next(drone for drone in self._scene.config.drones if drone.name == name)
        try:
            self._add(name, values, drone, advertise_for_a_while)
            self._report()
        except StartError:
            self.close_drone(name)
            raise

    def close_drone(self, name: str) -> None:
        """It left."""
        for part in self._by_drone.pop(name, ()):
            self._parts.remove(part)
            self._loads = {row: load for row, load in self._loads.items() if load is not part}
            part.close()

    def _add(self, name: str, values: Values, drone: DroneConfig, announce: Callable = advertise) -> None:
        node, row, parts = self._node, self._scene.drone_names.index(name), []
        self._by_drone[name] = parts
        if values['impulse']:
            parts.append(ImpulseOutput(node, name, values, _axes(name, values, self._settings, drone), announce))
            self._parts.append(parts[-1])
        if values['topic_entity_wrench']:
            duration, com = self._settings.node['wrench_duration'], drone.model.com
            parts.append(WrenchOutput(node, name, values, self._world, com, duration, announce))
            self._parts.append(parts[-1])
            self._loads[row] = parts[-1]
        if values['topic_set_state']:
            parts.append(StateOutput(node, name, values, self._world, row))
            self._parts.append(parts[-1])

    def _report(self) -> None:
        if self._parts and SOLVERS[self._settings.world.solver].has_springs:
            raise StartError(f'solver {self._settings.world.solver} of the world has no impacts to report a simulator '
                             'of; others have')
        there = self._scene.drone_names     # those of the world file may have left
        self._scene.report_impacts([name for name, reported in self._by_drone.items() if reported and name in there])

    def close(self) -> None:
        """End publishers and clients."""
        for part in self._parts:
            part.close()
        self._parts.clear()

    def publish(self, tick: Tick) -> None:
        """Tell the impacts of a tick."""
        for impact in tick.impacts:
            for part in self._by_drone.get(impact.drone, ()):
                part.report(tick, impact)
        if self._contacts is not None:
            self._contacts.publish(tick)
        if tick.constraint_loads is not None and self._loads:
            self._publish_loads(tick)

    def _publish_loads(self, tick: Tick) -> None:
        """What constraints did to observed drones."""
        authority = self._scene.authorities()
        for k, row in enumerate(tick.constraint_loads.rows.tolist()):
            if row in self._loads and authority[row] == OBSERVE:
                self._loads[row].load(tick, row, k, tick.steps * self._dt)


def _axes(name: str, values: Values, settings: Settings, drone) -> Rigid:
    """The frame of a drone's own coordinates in the world: that of its inputs without a frame_id."""
    frames = Frames(settings, lambda: 'it has to stand still')
    try:
        found = frames.find(values['frame'], 0)
    except FrameError as error:
        raise StartError(f'parameter drones.{name}.impulse: {error}') from error
    if not frames.means_world(values['frame']):
        return found
    w, x, y, z = drone.origin.quat
    return Rigid(tuple(drone.origin.position), (x, y, z, w)).after(found)


class _Publisher:
    """A message that is filled and sent again and again."""

    def __init__(self, node, kind: type, topic: str, announce: Callable = advertise) -> None:
        self._node, self._message = node, kind()
        self._publisher = announce(node, kind, topic, STATES)

    def close(self) -> None:
        """Destroy it."""
        self._node.destroy_publisher(self._publisher)


class ImpulseOutput(_Publisher):
    """Hakoniwa's ImpulseCollision of one drone."""

    def __init__(self, node, name: str, values: Values, axes: Rigid, announce: Callable) -> None:
        (kind,) = third_party(f'drones.{name}.impulse', 'hako_msgs', 'msg', 'ImpulseCollision')
        super().__init__(node, kind, values['topic_impulse'], announce)
        self._axes = axes

    def report(self, tick: Tick, impact: ImpactRecord) -> None:
        """Send it."""
        fill_impulse(self._message, impact, self._axes)
        self._publisher.publish(self._message)


class WrenchOutput(_Publisher):
    """Gazebo's EntityWrench of one drone: a force that lasts one step of its physics."""

    def __init__(self, node, name: str, values: Values, axes: Rigid, com: tuple, duration: float,
                 announce: Callable) -> None:
        parameter = f'drones.{name}.topic_entity_wrench'
        kind, entity = third_party(parameter, 'ros_gz_interfaces', 'msg', 'EntityWrench', 'Entity')
        super().__init__(node, kind, values['topic_entity_wrench'], announce)
        self._axes, self._com, self._duration = axes, com, duration
        self._message.entity.name, self._message.entity.type = values['entity'], entity.MODEL

    def report(self, tick: Tick, impact: ImpactRecord) -> None:
        """Send it."""
        fill_entity_wrench(self._message, impact, self._axes, self._com, self._duration)
        self._publisher.publish(self._message)

    def load(self, tick: Tick, row: int, k: int, seconds: float) -> None:
        """Send what constraints did to the drone in a tick that was so long: row of the states, k of the loads."""
        loads = tick.constraint_loads
        fill_entity_load(self._message, tick.stamp_ns, self._axes, loads.forces[k], loads.torques[k],
                         tick.states.orientations_xyzw[row], seconds / self._duration)
        self._publisher.publish(self._message)


class StateOutput:
    """Calls SetEntityState with the corrected state of one drone. An answer is never waited for: while one is open, the
    newest state waits in its place."""

    def __init__(self, node, name: str, values: Values, axes: Rigid, row: int) -> None:
        (self._kind,) = third_party(f'drones.{name}.topic_set_state', 'simulation_interfaces', 'srv', 'SetEntityState')
        self._node, self._name, self._axes, self._row = node, name, axes, row
        # a group keeps a dead reference to each client that it ever had
        self._client = node.create_client(self._kind, values['topic_set_state'],
                                          callback_group=MutuallyExclusiveCallbackGroup())
        self._entity, self._logged, self._open, self._next = values['entity'], set(), None, None

    def close(self) -> None:
        """Give it up."""
        self._open = self._next = None
        self._node.destroy_client(self._client)

    def report(self, tick: Tick, impact: ImpactRecord) -> None:
        """Call it, or leave the state for when the last call is answered."""
        request, states = self._kind.Request(entity=self._entity), tick.states
        # earlier versions of the service set all there is
        for flag in ('set_pose', 'set_twist'):
            if hasattr(request, flag):
                setattr(request, flag, True)
        set_stamp(request.state.header.stamp, tick.stamp_ns)
        fill_entity_state(request.state, self._axes, *(array[self._row] for array in (
            states.positions, states.orientations_xyzw, states.linear_velocities, states.angular_velocities)))
        if not self._client.service_is_ready():
            self._warn('there is no such service')
        elif self._open is None or self._open.done():
            self._call(request)
        else:
            self._next = request

    def _call(self, request) -> None:
        self._open = self._client.call_async(request)
        self._open.add_done_callback(self._on_answer)

    def _on_answer(self, future) -> None:
        if future is not self._open:
            return
        error, self._open = future.exception(), None
        if error is not None:
            self._warn(str(error))
        elif (result := future.result().result).result != result.RESULT_OK:
            self._warn(f'result {result.result} {result.error_message}'.rstrip())
        if self._next is not None:
            request, self._next = self._next, None
            self._call(request)

    def _warn(self, what: str) -> None:
        """Once for everything that may be wrong."""
        what = what[:MOST_LETTERS]
        if what not in self._logged and len(self._logged) < MOST_LOGGED:
            self._logged.add(what)
            service = self._client.srv_name
            self._node.get_logger().warning(f'{self._name}: state not set in the simulator, {service}: {what}')


class ContactsOutput(_Publisher):
    """ros_gz_interfaces/Contacts: while something touches, and once without contacts at the end."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        names = ('Contacts', 'Contact', 'JointWrench', 'Entity')
        kind, self._contact, self._wrench, entity = third_party('publish_contacts', 'ros_gz_interfaces', 'msg', *names)
        super().__init__(node, kind, 'contacts')
        self._scene, self._collision = scene, entity.COLLISION
        self._message.header.frame_id = settings.node['world_frame']
        self._since, self._touching = 0, False

    def publish(self, tick: Tick) -> None:
        """Send the contacts with a touch in this tick."""
        touches, self._since = self._scene.touches(self._since), tick.stamp_ns
        if not touches and not self._touching:
            return
        self._touching = bool(touches)
        set_stamp(self._message.header.stamp, tick.stamp_ns)
        self._message.contacts = []
        for touch in touches if self._publisher.get_subscription_count() else ():
            contact = self._contact()
            fill_contact(contact, touch, Vector3, self._wrench, self._collision)
            self._message.contacts.append(contact)
        self._publisher.publish(self._message)
