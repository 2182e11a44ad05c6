"""Messages to plain numbers and back. Every function is pure; nothing here knows a node.

Conventions: positions m and velocities m/s in the world frame (ENU), angular velocity rad/s, quaternions x, y, z, w (as
in geometry_msgs), rotating body FLU into the world. Stamps are integer nanoseconds.
"""

from __future__ import annotations

from array import array

import numpy as np

from hakoniwa_rigid.msg import ContactEvent

__all__ = [
    'bytes_of',
    'contact_event',
    'doubles_of',
    'fill_odometry',
    'hand_arrays',
    'odometry_state',
    'pose_arrays',
    'pose_state',
    'rotate',
    'rotate_back_many',
    'rotate_many',
    'set_stamp',
    'stamp_ns',
    'xyz',
]

NANOSECONDS = 1_000_000_000
Triple = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


def stamp_ns(stamp) -> int:
    """builtin_interfaces/Time to ns."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def set_stamp(stamp, ns: int) -> None:
    """Write ns into a builtin_interfaces/Time in place."""
    stamp.sec, stamp.nanosec = divmod(ns, NANOSECONDS)


def xyz(v) -> Triple:
    """Point or Vector3 to a tuple."""
    return v.x, v.y, v.z


def xyzw(q) -> Quaternion:
    """geometry_msgs/Quaternion to a tuple x, y, z, w."""
    return q.x, q.y, q.z, q.w


def rotate(q: Quaternion, v: Triple) -> Triple:
    """R(q) v for one unit quaternion x, y, z, w: v + 2w (u x v) + 2 u x (u x v)."""
    x, y, z, w = q
    a, b, c = v
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * tx + y * tz - z * ty, b + w * ty + z * tx - x * tz, c + w * tz + x * ty - y * tx


def rotate_many(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R(q_i) v_i for (N, 4) unit quaternions x, y, z, w and (N, 3) vectors: body to world. Returns (N, 3)."""
    return _turned(q, v, 1.0)


def rotate_back_many(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """R(q_i)^T v_i, world to body; shapes as rotate_many."""
    return _turned(q, v, -1.0)


def _turned(q: np.ndarray, v: np.ndarray, sign: float) -> np.ndarray:
    # as `rotate`, by columns: numpy.cross takes five times as long for a fleet of fifty
    x, y, z = sign * q[:, 0], sign * q[:, 1], sign * q[:, 2]
    w = q[:, 3]
    a, b, c = v[:, 0], v[:, 1], v[:, 2]
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    result = np.empty((len(v), 3))
    result[:, 0] = a + w * tx + y * tz - z * ty
    result[:, 1] = b + w * ty + z * tx - x * tz
    result[:, 2] = c + w * tz + x * ty - y * tx
    return result


def pose_state(pose) -> tuple[Triple, Quaternion]:
    """geometry_msgs/Pose to position (m) and orientation (x, y, z, w)."""
    return xyz(pose.position), xyzw(pose.orientation)


def odometry_state(msg) -> tuple[Triple, Quaternion, Triple, Triple]:
    """nav_msgs/Odometry to position, orientation, linear and angular velocity, all in the world frame."""
    position, orientation = pose_state(msg.pose.pose)
    twist = msg.twist.twist
    return position, orientation, rotate(orientation, xyz(twist.linear)), rotate(orientation, xyz(twist.angular))


def pose_arrays(poses) -> tuple[np.ndarray, np.ndarray]:
    """A sequence of J geometry_msgs/Pose to positions (J, 3) and orientations (J, 4) x, y, z, w."""
    rows = np.array([(*xyz(p.position), *xyzw(p.orientation)) for p in poses], dtype=np.float64).reshape(-1, 7)
    return rows[:, :3], rows[:, 3:]


def hand_arrays(msg) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """HandJoints to positions (J, 3), orientations (J, 4), radii (J,) m, is_valid (J,); the last two None if empty."""
    positions, orientations = pose_arrays(msg.poses)
    radii = np.array(msg.radii, dtype=np.float64) if len(msg.radii) else None
    is_valid = np.array(msg.is_valid, dtype=np.bool_) if len(msg.is_valid) else None
    return positions, orientations, radii, is_valid


def doubles_of(values: np.ndarray) -> array:
    """A float64 array of any shape as the flat array.array('d') that rclpy takes over unexamined."""
    return array('d', np.ascontiguousarray(values, dtype=np.float64).tobytes())


def bytes_of(values: np.ndarray) -> array:
    """The same for uint8."""
    return array('B', np.ascontiguousarray(values, dtype=np.uint8).tobytes())


def fill_odometry(
    msg, ns: int, position: Triple, orientation: Quaternion, linear_body: Triple, angular_body: Triple
) -> None:
    """Write one state into a nav_msgs/Odometry in place; the twist is in the child frame, as the message demands."""
    set_stamp(msg.header.stamp, ns)
    pose, twist = msg.pose.pose, msg.twist.twist
    p, q, v, w = pose.position, pose.orientation, twist.linear, twist.angular
    p.x, p.y, p.z = position
    q.x, q.y, q.z, q.w = orientation
    v.x, v.y, v.z = linear_body
    w.x, w.y, w.z = angular_body


VECTORS = (
    'normal',
    'impulse',
    'relative_velocity_before',
    'relative_velocity_after',
    'delta_v_a',
    'delta_v_b',
    'delta_omega_a',
    'delta_omega_b',
)
NUMBERS = ('depth', 'peak_force', 'duration', 'restitution', 'friction')
NAMES = ('body_a', 'body_b', 'part_a', 'part_b')


def contact_event(record, frame_id: str) -> ContactEvent:
    """A scene ContactEventRecord to msg/ContactEvent; fields of the same name, unit and frame."""
    # plain ints and floats: generated messages do not check, and NumPy's would reach their C code
    msg = ContactEvent(id=int(record.id), phase=int(record.phase), kind=int(record.kind))
    msg.header.frame_id = frame_id
    set_stamp(msg.header.stamp, int(record.stamp_ns))
    for name in NAMES:
        setattr(msg, name, getattr(record, name))
    for name in NUMBERS:
        setattr(msg, name, float(getattr(record, name)))
    for name in ('position', *VECTORS):
        vector = getattr(msg, name)
        vector.x, vector.y, vector.z = map(float, getattr(record, name))
    return msg
