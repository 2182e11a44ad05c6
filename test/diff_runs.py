# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Runs for the tests of ``hakoniwa-rigid diff``: made in memory, and written into bags."""
from dataclasses import replace

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer

from hakoniwa_rigid.codec.message_fields import NANOSECONDS as NS
from hakoniwa_rigid.replay.bag.types import typestore
from hakoniwa_rigid.replay.diff.records import Contact, Run, trajectory

START = 100 * NS      # ns, of every run here
TICK = 5_000_000      # ns
FLEET, EVENTS = '/fleet/states_corrected', '/contact_events'
EVENT_ARRAY = 'hakoniwa_rigid/msg/ContactEventArray'


def ticks(duration=3.0, period_ns=TICK):
    """Stamps from START on."""
    return START + period_ns * np.arange(round(duration * NS / period_ns) + 1)


def yawed(angle):
    """Quaternions (T,4) xyzw of turns by angle (T,) about z."""
    half, zero = 0.5 * np.asarray(angle, dtype=float), np.zeros(np.shape(angle))
    return np.stack([zero, zero, np.sin(half), np.cos(half)], axis=-1)


def line(drone='d0', stamps=None, velocity=(1.0, 0.0, 0.0), offset=(0.0, 0.0, 0.0), yaw=0.0, yaw_rate=0.0,
         topic=FLEET, frame='world'):
    """Straight flight from `offset` at `velocity`, m and m/s, turning about z from `yaw` at `yaw_rate`."""
    stamps = ticks() if stamps is None else stamps
    t = (stamps - START) / NS
    return trajectory(drone, stamps, np.array(offset) + t[:, None] * velocity, yawed(yaw + yaw_rate * t), topic, frame)


def contact(at=1.0, lasts=0.1, **changes):
    """d0 flies into the wall, x ahead."""
    begin = START + round(at * NS)
    plain = Contact('d0', 'wall', 'body', 'face', 1, 'BPE', begin, begin + round(lasts * NS), (1.0, 2.0, 0.5),
                    (1.0, 0.0, 0.0), (-0.5, 0.1, 0.0), (-0.6, 0.1, 0.0))
    return replace(plain, **changes)


def run(trajectories=None, contacts=(), name='run', **changes):
    """A Run; one straight flight if nothing else is asked."""
    return Run(name, (line(),) if trajectories is None else tuple(trajectories), contacts, **changes)


def write_bag(path, trajectories=(), contacts=None, fleet=True, unstamped=False):
    """A bag of one FleetState (or per drone one Odometry) per stamp, and the events of the contacts; its path."""
    store = typestore()
    with Writer(path, version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        rows = [] if contacts is None else _event_messages(store, contacts)
        if trajectories:
            rows += (_fleet_messages if fleet else _odometry_messages)(store, trajectories, unstamped)
        topics = {topic: kind for _, topic, kind, _ in rows} | ({} if contacts is None else {EVENTS: EVENT_ARRAY})
        connections = {topic: writer.add_connection(topic, kind, typestore=store) for topic, kind in topics.items()}
        for stamp, topic, kind, message in sorted(rows, key=lambda row: row[0]):
            writer.write(connections[topic], stamp, store.serialize_cdr(message, kind))
    return path


def _event_messages(store, contacts):
    return [(stamp, EVENTS, EVENT_ARRAY, store.types[EVENT_ARRAY](header=_header(store, stamp, 'world'), events=events))
            for stamp, events in _events(store, contacts)]


def _fleet_messages(store, trajectories, unstamped):
    kind, first = 'hakoniwa_rigid/msg/FleetState', trajectories[0]
    zeros = np.zeros(3 * len(trajectories))
    for k, stamp in enumerate(first.stamps.tolist()):
        yield stamp, FLEET, kind, store.types[kind](
            header=_header(store, 0 if unstamped else stamp, first.frame), names=[t.drone for t in trajectories],
            positions=np.concatenate([t.positions[k] for t in trajectories]),
            orientations=np.concatenate([t.orientations[k] for t in trajectories]),
            linear_velocities=zeros, angular_velocities=zeros, flags=np.zeros(len(trajectories), dtype=np.uint8))


def _odometry_messages(store, trajectories, unstamped):
    kind, types = 'nav_msgs/msg/Odometry', store.types
    vector, point = types['geometry_msgs/msg/Vector3'], types['geometry_msgs/msg/Point']
    still = types['geometry_msgs/msg/Twist'](vector(0.0, 0.0, 0.0), vector(0.0, 0.0, 0.0))
    for t in trajectories:
        for stamp, p, q in zip(t.stamps.tolist(), t.positions.tolist(), t.orientations.tolist(), strict=True):
            pose = types['geometry_msgs/msg/Pose'](point(*p), types['geometry_msgs/msg/Quaternion'](*q))
            yield stamp, f'/{t.drone}/odom_corrected', kind, types[kind](
                header=_header(store, 0 if unstamped else stamp, t.frame), child_frame_id=f'{t.drone}/base_link',
                pose=types['geometry_msgs/msg/PoseWithCovariance'](pose, np.zeros(36)),
                twist=types['geometry_msgs/msg/TwistWithCovariance'](still, np.zeros(36)))


def _events(store, contacts):
    """(stamp, events) in order of time; the whole impulse is reported at END, a P comes in the middle."""
    found = []
    for number, c in enumerate(contacts):
        end = c.begin_ns if c.end_ns is None else c.end_ns
        for phase, letter in enumerate('BPE'):
            if letter in c.phases:
                stamp = (c.begin_ns, (c.begin_ns + end) // 2, end)[phase]
                found.append((stamp, [_event(store, c, number, phase, stamp)]))
    return sorted(found, key=lambda item: item[0])


def _event(store, c, number, phase, stamp):
    types = store.types
    vector, point = types['geometry_msgs/msg/Vector3'], types['geometry_msgs/msg/Point']
    impulse = c.total if phase == 2 else c.impulse
    nothing = {key: vector(0.0, 0.0, 0.0) for key in ('relative_velocity_before', 'relative_velocity_after',
                                                      'delta_v_a', 'delta_v_b', 'delta_omega_a', 'delta_omega_b')}
    return types['hakoniwa_rigid/msg/ContactEvent'](
        header=_header(store, stamp, 'world'), id=number, phase=phase, kind=c.kind, body_a=c.body_a, body_b=c.body_b,
        part_a=c.part_a, part_b=c.part_b, position=point(*c.position), normal=vector(*c.normal), depth=0.0,
        impulse=vector(*impulse), peak_force=1.0, duration=0.1, restitution=0.5, friction=0.5, energy_lost=0.0,
        **nothing)


def _header(store, stamp, frame):
    time = store.types['builtin_interfaces/msg/Time'](sec=stamp // NS, nanosec=stamp % NS)
    return store.types['std_msgs/msg/Header'](stamp=time, frame_id=frame)
