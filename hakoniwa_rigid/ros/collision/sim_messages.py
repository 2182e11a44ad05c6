# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""An impact as the messages of simulators say it. Every function fills a message in place; nothing here knows a node.

`axes` is the frame of the simulator in the world: what is sent is in its coordinates.
"""

from __future__ import annotations

import math

import numpy as np

from hakoniwa_rigid import rotations as rot
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.rotations import Rigid, multiply_xyzw, rotate_xyzw, to_rpy
from hakoniwa_rigid.scene import ImpactRecord, Touch

from ..convert import set_stamp

__all__ = ['IMMOVABLE', 'fill_contact', 'fill_entity_state', 'fill_entity_wrench', 'fill_impulse']

# kg, and kg m^2: sent for what cannot be moved, for plants that divide by it whatever is_target_static says
IMMOVABLE = 1e12


def fill_impulse(msg, impact: ImpactRecord, axes: Rigid) -> None:
    """hako_msgs/ImpulseCollision: offsets from the centres of mass and velocities in the simulator's axes. The normal
    points to the drone; the plant's formula is even in it."""
    back = axes.inverse()
    static = math.isinf(impact.other_mass)
    msg.collision, msg.is_target_static = True, static
    msg.restitution_coefficient = float(impact.restitution)
    for vector, value in (
        (msg.self_contact_vector, impact.arm),
        (msg.target_contact_vector, impact.other_arm),
        (msg.normal, impact.normal),
        (msg.target_velocity, impact.other_velocity),
        (msg.target_angular_velocity, impact.other_angular_velocity),
    ):
        vector.x, vector.y, vector.z = back.vector(value)
    w, x, y, z = impact.other_orientation
    euler, inertia = msg.target_euler, msg.target_inertia
    euler.x, euler.y, euler.z = to_rpy(multiply_xyzw(back.orientation, (x, y, z, w)))
    inertia.x, inertia.y, inertia.z = (IMMOVABLE,) * 3 if static else impact.other_inertia
    msg.target_mass = IMMOVABLE if static else impact.other_mass


def fill_entity_wrench(msg, impact: ImpactRecord, axes: Rigid, com: tuple, duration: float) -> None:
    """ros_gz_interfaces/EntityWrench: the force that gives the impulse within `duration` s, at the link's origin. com:
    the centre of mass from there, in body axes, m."""
    set_stamp(msg.header.stamp, impact.t0_ns + round(impact.time * NANOSECONDS))
    back, push = axes.inverse(), np.array(impact.impulse)
    turn = np.array(impact.angular_impulse) + np.cross(rot.rotate(np.array(impact.orientation), np.array(com)), push)
    for vector, value in ((msg.wrench.force, push), (msg.wrench.torque, turn)):
        vector.x, vector.y, vector.z = back.vector(tuple((value / duration).tolist()))


def fill_entity_load(msg, ns: int, axes: Rigid, force, torque, orientation_xyzw, share: float) -> None:
    """ros_gz_interfaces/EntityWrench: the force (3,) N and torque (3,) N m at the link's origin, body axes, of a tick
    at ns, in the simulator's world.  share: a tick's length over the time for which the simulator applies it."""
    set_stamp(msg.header.stamp, ns)
    back, q = axes.inverse(), tuple(orientation_xyzw.tolist())
    for vector, value in ((msg.wrench.force, force), (msg.wrench.torque, torque)):
        vector.x, vector.y, vector.z = back.vector(rotate_xyzw(q, tuple((share * value).tolist())))


def fill_entity_state(state, axes: Rigid, position, orientation_xyzw, linear, angular) -> None:
    """simulation_interfaces/EntityState of base_link: the rows of FleetArrays; velocities come out in the simulator's
    world."""
    q = tuple(orientation_xyzw.tolist())
    spin = rotate_xyzw(q, tuple(angular.tolist()))
    p, q, v, w = axes.inverse().motion(tuple(position.tolist()), q, tuple(linear.tolist()), spin)
    pose, twist = state.pose, state.twist
    pose.position.x, pose.position.y, pose.position.z = p
    pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w = q
    twist.linear.x, twist.linear.y, twist.linear.z = v
    twist.angular.x, twist.angular.y, twist.angular.z = w


def fill_contact(msg, touch: Touch, vector_type: type, wrench_type: type, collision: int) -> None:
    """ros_gz_interfaces/Contact in the world: bodies are called as in contact events, body::part."""
    sides = f'{touch.body_a}::{touch.part_a}', f'{touch.body_b}::{touch.part_b}'
    for entity, name in zip((msg.collision1, msg.collision2), sides, strict=True):
        entity.name, entity.type = name, collision
    vectors = [dict(zip('xyz', values, strict=True)) for values in (touch.position, touch.normal)]
    msg.positions, msg.normals = ([vector_type(**v)] for v in vectors)
    msg.depths = [touch.depth]
    wrench = wrench_type()
    wrench.body_1_name.data, wrench.body_2_name.data = sides
    for side, sign in ((wrench.body_1_wrench, -1.0), (wrench.body_2_wrench, 1.0)):
        side.force.x, side.force.y, side.force.z = (sign * f + 0.0 for f in touch.force)
    msg.wrenches = [wrench]
