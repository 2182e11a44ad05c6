# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A node without ROS: the calls of a tick on a scene and an adapter, and the recording of them."""
from __future__ import annotations

from contextlib import suppress
from functools import partial

import numpy as np
from bags import STORE, odometry

from hakoniwa_rigid.codec.cdr_writers import ContactEventsWriter, FleetStateWriter
from hakoniwa_rigid.replay.bag.types import Decoder, typestore
from hakoniwa_rigid.replay.rerun.bag_input import TypeReader, reader_of
from hakoniwa_rigid.replay.rerun.journal import Header, RecordedTopic
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.provenance import plain, versions
from hakoniwa_rigid.replay.rerun.recording import Calls, Limits, Recording
from hakoniwa_rigid.replay.rerun.staging import scene_of, settings_of
from hakoniwa_rigid.replay.topics import TF_TYPE
from hakoniwa_rigid.scene.inputs.input_adapter import InputAdapter
from hakoniwa_rigid.scene.saved_states import state_file
from hakoniwa_rigid.scene.world_files import world_writer

START = 100 * 10**9
PERIOD = 5_000_000
WORLD = """
name: lane
gravity: [0, 0, 0]
materials: {hard: {restitution: 0.5, friction: 0.0}}
models:
  cube: {mass: 0.5, inertia: [0.002, 0.002, 0.002], shape: {type: box, size: [0.2, 0.2, 0.2]}, material: hard}
walls: [{name: end, type: plane, normal: [-1, 0, 0], offset: -2.0, material: hard}]
drones:
  - {name: d0, model: cube}
  - {name: d1, model: cube, position: [0, 3, 0]}
  - {name: d2, model: cube, position: [1, 0, 0]}
hands: [{name: right, material: hard}]
"""
# d1 is on a clock of its own, only /tf tells of d2
PARAMETERS = {'drones.d1.stamp': 'synced', 'drones.d2.source': 'tf', 'drones.d2.tf_frame': 'sim/d2', 'rate': 200.0}


def header_of(settings, parameters, adapter: InputAdapter) -> Header:
    topics = tuple(RecordedTopic(t.source.key, t.name, t.type, f'/{t.name}') for t in adapter.topics)
    outputs = {'contact_events': '/ns/hits', 'constraint_events': '/ns/held', 'fleet/states_corrected': '/ns/fleet'}
    return Header(topics, outputs, plain(parameters), world_writer.write(settings.world), versions())


class Live:
    """What a node does, and what it would publish: `states`, `events` and `constraint_events`."""

    def __init__(self, world, path, limits: Limits | None = None, values=PARAMETERS) -> None:
        source, settings = settings_of(Options('', world=str(world), values=values))
        self.scene = scene_of(settings)
        self.identity = state_file.Identity(settings.world, source.values).header()
        decoder = Decoder({})
        self.adapter = InputAdapter(self.scene, settings, partial(reader_of, decoder), lambda: '', lambda text: None)
        self.number = {t.name: t.number for t in self.adapter.topics}
        self.header = header_of(settings, source.values, self.adapter)
        self.recording = Recording(path, self.header, limits=limits)
        self.calls, self.now = Calls(), START
        self._transforms = TypeReader(decoder, TF_TYPE)
        self.fleet = FleetStateWriter('world', self.scene.drone_names)
        self.states: list[bytes] = []
        self.events: list[bytes] = []
        self.constraint_events: list[bytes] = []

    def put_transforms(self, data: bytes, static: bool) -> None:
        self.calls.transforms(data, static)
        self.adapter.put_transforms(self._transforms.read(data), static)

    def read(self, pieces) -> None:
        """Pieces of (topic, data, age in ns)."""
        self.adapter.ask_tf(self.now)
        self.adapter.flush()
        self.calls.add('ask_tf')
        for piece in pieces:
            datas = [data for _, data, _ in piece]
            lengths = np.array([len(data) for data in datas])
            topics, ages = np.array([self.number[t] for t, *_ in piece]), np.array([age for *_, age in piece])
            data = np.frombuffer(b''.join(datas), np.uint8)
            self.calls.take(data, np.cumsum(lengths) - lengths, lengths, topics, ages)
            self.adapter.take(data, np.cumsum(lengths) - lengths, lengths, topics, self.now + ages)
        self.adapter.flush()
        self.calls.add('flush')

    def advance(self) -> None:
        self._publish('advance', self.scene.advance(self.now))

    def hold(self) -> None:
        self._publish('hold', self.scene.hold(self.now))

    def release_hands(self) -> None:
        self.scene.release_hands()
        self.calls.add('release_hands')

    def _publish(self, call: str, tick) -> None:
        self.calls.add(call, self.now)
        self.states.append(self.fleet.write(tick.stamp_ns, tick.states))
        if tick.events:
            self.events.append(ContactEventsWriter('world').write(tick.stamp_ns, tick.events))
        # the gates run this with a package of before there were constraints
        if getattr(tick, 'constraint_events', ()):
            from hakoniwa_rigid.codec.cdr_writers import ConstraintEventsWriter
            self.constraint_events.append(ConstraintEventsWriter('world').write(tick.stamp_ns, tick.constraint_events))

    def restart(self) -> None:
        self.adapter.forget()
        self.scene.reset()
        self.calls.add('restart')

    def go_on(self, state: bytes) -> None:
        """From the file of a saved state, as a node does that was killed."""
        self.scene.restore(state_file.unpack(state, self.identity)[0])
        self.calls.restored(state)

    def saved(self) -> bytes:
        return state_file.pack(self.identity, self.scene.saved())

    def enable(self, on: bool) -> None:
        self.scene.set_enabled(on)
        self.calls.add('enable', on)

    def attach(self, *arguments, **settings) -> None:
        with suppress(ValueError):     # what is refused is no input
            name = self.scene.attach(*arguments, **settings)
            self.calls.add('attach', self.scene.attached_config(name))

    def set_state(self, name, pose=(), twist=()):
        """Put a body elsewhere, as SetEntityState does."""
        self.scene.set_state(name, *(part or None for part in (pose[:3], pose[3:], twist[:3], twist[3:])))
        self.calls.add('set_state', name, list(pose), list(twist))

    def change(self, name: str, **keys) -> None:
        """Other values for some keys of a body, as ~/change gives them."""
        self.scene.change(name, **keys)
        self.calls.add('change', name, keys)

    def replace(self, name: str, **keys) -> None:
        """A drone leaves and comes again before the next tick, as by ~/remove and ~/spawn."""
        self.remove(name)
        self.add(name, **keys)

    def add(self, name: str, **keys) -> None:
        """A drone comes, as by ~/spawn."""
        self.scene.add_drone(name, **keys)
        self.calls.add('add', 'drone', self.scene.added_entry(name))

    def add_hand(self, name: str, **keys) -> None:
        """A hand comes, as by ~/spawn."""
        self.scene.add_hand(name, **keys)
        self.calls.add('add', 'hand', self.scene.added_entry(name))

    def remove(self, name: str) -> None:
        """It leaves."""
        self.scene.remove(name)
        self.calls.add('remove', name)

    def connect(self, name: str, values, names) -> None:
        """A drone or hand that has come is read from topics of its own; names: ChannelNames."""
        made = [[t.number, t.name, t.type, f'/{t.name}'] for t in self.adapter.connect(name, values)]
        self.number |= {topic: number for number, topic, *_ in made}
        plain_values = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
        self.calls.add('connect', name, plain_values, names.of(made), '')

    def disconnect(self, name: str) -> None:
        """It is read no longer."""
        self.adapter.disconnect(name)
        self.calls.add('disconnect', name)

    def detach(self, name: str) -> None:
        with suppress(ValueError):
            self.scene.detach(name)
            self.calls.add('detach', name)

    def set_authority(self, name: str, authority: str) -> None:
        self.scene.set_authority(name, authority)
        self.calls.add('authority', name, authority)

    def end(self) -> None:
        self.recording.write(self.now, self.calls.drain())


def header(stamp_ns: int, frame: str):
    t = STORE.types
    time = t['builtin_interfaces/msg/Time'](sec=stamp_ns // 10**9, nanosec=stamp_ns % 10**9)
    return t['std_msgs/msg/Header'](stamp=time, frame_id=frame)


def pose(position):
    t = STORE.types
    return t['geometry_msgs/msg/Pose'](position=t['geometry_msgs/msg/Point'](*map(float, position)),
                                       orientation=t['geometry_msgs/msg/Quaternion'](0.0, 0.0, 0.0, 1.0))


def transform(stamp_ns: int, parent: str, child: str, position) -> bytes:
    """A TFMessage."""
    t = STORE.types
    where = t['geometry_msgs/msg/Transform'](translation=t['geometry_msgs/msg/Vector3'](*map(float, position)),
                                             rotation=t['geometry_msgs/msg/Quaternion'](0.0, 0.0, 0.0, 1.0))
    one = t['geometry_msgs/msg/TransformStamped'](header=header(stamp_ns, parent), child_frame_id=child,
                                                  transform=where)
    return bytes(STORE.serialize_cdr(t[TF_TYPE](transforms=[one]), TF_TYPE))


def hand(stamp_ns: int, x: float, name: str = 'right') -> bytes:
    """A HandJoints: 25 joints along z."""
    store, kind = typestore(), 'hakoniwa_rigid/msg/HandJoints'
    poses = [pose((x, 0.0, z)) for z in np.linspace(-0.1, 0.1, 25).tolist()]
    message = store.types[kind](header=header(stamp_ns, 'world'), hand=name, names=[], poses=poses,
                                radii=np.full(25, 0.01, np.float32), is_valid=np.array([], dtype=bool))
    return bytes(store.serialize_cdr(message, kind))


def fly_to_wall(live: Live, ticks: int) -> None:
    """d0 comes to the wall and is pressed against it; a hand strikes it."""
    live.restart()
    for k in range(ticks):
        live.now = START + k * PERIOD
        live.put_transforms(transform(live.now, 'world', 'sim/d2', (1, 2, 0)), False)
        x = min(1.3 + 0.01 * k, 1.95)
        pieces = [('d0/odom', odometry(live.now, (x, 0, 0), velocity=(1, 0, 0)), 0),
                  ('d1/odom', odometry(live.now - 7 * 10**9, (0.5, 3, 0)), -500)]
        pieces += [('hands/right', hand(live.now, x - 0.3 + 0.002 * k), -5)] if k % 4 == 0 else []
        live.read([pieces])
        live.advance()
        live.end()
