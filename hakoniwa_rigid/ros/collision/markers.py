# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The scene as markers for RViz and Foxglove: walls once, the moving picture at a bounded rate.

Viewers observe: nothing here changes the scene. Ids are fixed, so a picture replaces the one before. Namespaces:
drones, hands, palms (with boxes of heads), contacts (one *_LIST marker each), objects, walls.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.engine import Compound, Shape
from hakoniwa_rigid.rotations import rotate_rows_xyzw
from hakoniwa_rigid.scene import CollisionScene
from hakoniwa_rigid.scene.fleet_messages import without_free
from hakoniwa_rigid.scene.offline.outlines import triangles
from hakoniwa_rigid.scene.parameters.settings import Settings
from hakoniwa_rigid.scene.records import DEFLECTED, FROZEN, IN_CONTACT, STALE, HandBox, Tick
from hakoniwa_rigid.scene.world_files.shape_words import box_around
from hakoniwa_rigid.scene.world_files.world_types import ObjectConfig, WallConfig

from .. import convert
from ..qos import LATCHED, advertise

__all__ = ['MarkerView', 'box_lines', 'drone_lines', 'object_marker', 'wall_marker']

LINE = 0.02  # m, width of drawn lines
PLANE = 20.0  # m, side of the square that stands for a half-space
THIN = 0.01  # m, its thickness, and the width of a palm's lines
SHOWN = NANOSECONDS // 2  # ns a contact stays in view
ARROW = 0.5  # m per N.s, length of a drawn impulse
GREY = ColorRGBA(r=0.6, g=0.6, b=0.6, a=0.35)
BLUE = ColorRGBA(r=0.2, g=0.5, b=1.0, a=1.0)
ORANGE = ColorRGBA(r=1.0, g=0.6, b=0.0, a=1.0)
RED = ColorRGBA(r=1.0, g=0.1, b=0.1, a=1.0)
DIM = ColorRGBA(r=0.4, g=0.4, b=0.4, a=0.6)
# markers that fill the box around a shape, by how it is drawn
TYPES = {'box': Marker.CUBE, 'sphere': Marker.SPHERE, 'ellipsoid': Marker.SPHERE, 'cylinder': Marker.CYLINDER,
         'capsule': Marker.CYLINDER}
SKIN = ColorRGBA(r=0.9, g=0.7, b=0.6, a=1.0)


def half_extent(shape: Shape) -> np.ndarray:
    """Half sides of the box around a shape, m, in its own axes; of a shape off its origin, of the one about the
    origin."""
    low, high = box_around(shape)
    return np.maximum(-low, high)


def _set_scale(marker: Marker, x: float, y: float, z: float) -> None:
    marker.scale.x, marker.scale.y, marker.scale.z = float(x), float(y), float(z)


def _set_pose(marker: Marker, position, quat_wxyz) -> None:
    p, q = marker.pose.position, marker.pose.orientation
    p.x, p.y, p.z = map(float, position)
    q.w, q.x, q.y, q.z = map(float, quat_wxyz)


def _upright(normal) -> tuple[float, float, float, float]:
    """The quaternion wxyz that turns z onto the unit vector `normal`."""
    x, y, z = normal
    if z < -1.0 + 1e-9:
        return 0.0, 1.0, 0.0, 0.0
    q = np.array((1.0 + z, -y, x, 0.0))
    return tuple(q / np.linalg.norm(q))


def wall_marker(wall: WallConfig, number: int) -> Marker:
    """A wall by its shape (_set_shape); a half-space as a thin square just inside its solid side."""
    marker = Marker(ns='walls', id=number, type=Marker.CUBE, action=Marker.ADD, color=GREY, frame_locked=True)
    if wall.kind == 'plane':
        normal = np.array(wall.shape.normal)
        _set_pose(marker, normal * (wall.shape.offset - 0.5 * THIN), _upright(wall.shape.normal))
        _set_scale(marker, PLANE, PLANE, THIN)
    else:
        _set_pose(marker, wall.pose.position, wall.pose.quat)
        _set_shape(marker, wall.shape)
    return marker


def object_marker(body: ObjectConfig, number: int) -> Marker:
    """A free object; see _set_shape."""
    marker = Marker(ns='objects', id=number, type=Marker.CUBE, action=Marker.ADD, color=ORANGE, text=body.name)
    _set_pose(marker, body.pose.position, body.pose.quat)
    _set_shape(marker, body.shape)
    return marker


def _set_shape(marker: Marker, shape: Shape) -> None:
    """A capsule as a cylinder of its whole length, a compound as the box around its origin, what there is no marker for
    as triangles."""
    if shape.drawn_as in TYPES or isinstance(shape, Compound):
        marker.type = TYPES.get(shape.drawn_as, Marker.CUBE)
        _set_scale(marker, *(2.0 * half_extent(shape)))
        return
    marker.type, marker.points = Marker.TRIANGLE_LIST, _points(triangles(shape).reshape(-1, 3))
    _set_scale(marker, 1.0, 1.0, 1.0)


def drone_lines(positions: np.ndarray, orientations_xyzw: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Three lines per drone, (N * 6, 3) m: the diagonals of its box's waist and a stroke up. half (N, 3) m."""
    x, y, z = half[:, 0], half[:, 1], half[:, 2]
    zero = np.zeros_like(x)
    ends = [(x, y, zero), (-x, -y, zero), (x, -y, zero), (-x, y, zero), (zero, zero, zero), (zero, zero, 2.0 * z)]
    local = np.array(ends).transpose(2, 0, 1).reshape(-1, 3)
    turned = rotate_rows_xyzw(np.repeat(orientations_xyzw, 6, axis=0), local)
    return np.repeat(positions, 6, axis=0) + turned


def box_lines(box: HandBox) -> np.ndarray:
    """The twelve edges of a box, (24, 3) m."""
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    # along x, y and z: corners are counted in binary
    edges = [(k, k | bit) for bit in (4, 2, 1) for k in range(8) if not k & bit]
    local = corners[np.array(edges).ravel()] * box.size
    return box.position + rotate_rows_xyzw(np.tile(box.orientation_xyzw, (len(local), 1)), local)


def _points(rows: np.ndarray) -> list[Point]:
    return [Point(x=x, y=y, z=z) for x, y, z in rows.tolist()]


def _colour(flags: int) -> ColorRGBA:
    if flags & (STALE | FROZEN):
        return DIM
    if flags & IN_CONTACT:
        return RED
    return ORANGE if flags & DEFLECTED else BLUE


class MarkerView:
    """Publishes the pictures: `publish` after every tick decides by itself when one is due."""

    def __init__(self, node, scene: CollisionScene, settings: Settings) -> None:
        self._node = node
        self._scene = scene
        self._frame = settings.node['world_frame']
        self._find()
        # two writers on one topic: the latch of one keeps the walls, that of the other the last moving picture
        self._walls_out = advertise(node, MarkerArray, 'markers', LATCHED)
        self._moving_out = advertise(node, MarkerArray, 'markers', LATCHED)
        self._viewers = 0
        self._last: int | None = None
        self._contacts: deque = deque(maxlen=256)  # (stamp ns, position, tip)
        self._send(self._walls_out, self._walls, 0)

    def _find(self) -> None:
        """The bodies that are there."""
        config, self._roster = self._scene.config, self._scene.roster
        self._walls = [wall_marker(wall, i) for i, wall in enumerate(config.walls)]
        self._objects = [(body.name, object_marker(body, i)) for i, body in enumerate(config.objects)]
        half = {drone.name: half_extent(drone.model.shape) for drone in config.drones}
        self._half = np.array([half[name] for name in self._scene.drone_names if name]).reshape(-1, 3)

    def close(self) -> None:
        """Destroy the publishers."""
        self._node.destroy_publisher(self._walls_out)
        self._node.destroy_publisher(self._moving_out)

    def publish(self, tick: Tick, rate: float) -> None:
        """Draw `tick` if `rate` (Hz, 0 = never) allows and there is a subscriber."""
        for event in tick.events:
            position = np.array(event.position)
            self._contacts.append((tick.stamp_ns, position, position + ARROW * np.array(event.impulse)))
        if not rate or (self._last is not None and 0 <= tick.stamp_ns - self._last < NANOSECONDS / rate - 1):
            return
        self._last = tick.stamp_ns
        if self._roster != self._scene.roster:  # markers of what left go with all others
            self._find()
            self._send(self._walls_out, [Marker(action=Marker.DELETEALL), *self._walls], tick.stamp_ns)
        viewers = self._moving_out.get_subscription_count()
        if viewers > self._viewers:  # for subscribers that do not ask for latched messages
            self._send(self._walls_out, self._walls, tick.stamp_ns)
        self._viewers = viewers
        if viewers:
            self._send(self._moving_out, self._picture(tick), tick.stamp_ns)

    def _send(self, publisher, markers: list[Marker], stamp: int) -> None:
        for marker in markers:
            marker.header.frame_id = self._frame
            convert.set_stamp(marker.header.stamp, stamp)
        publisher.publish(MarkerArray(markers=markers))

    def _picture(self, tick: Tick) -> list[Marker]:
        states = without_free(tick.states)
        lines = drone_lines(states.positions, states.orientations_xyzw, self._half)
        colours = [_colour(flags) for flags in states.flags.tolist() for _ in range(6)]
        for name, marker in self._objects:
            _set_pose(marker, *self._scene.object_pose(name))
        return [
            self._lines('drones', lines, LINE, colours=colours),
            self._hands(tick),
            self._palms(tick),
            self._recent_contacts(tick.stamp_ns),
            self._constraints(),
            *(marker for _, marker in self._objects),
        ]

    def _lines(self, ns: str, rows: np.ndarray, width: float, colour=BLUE, colours=()) -> Marker:
        # a list without points is an error to RViz
        marker = Marker(ns=ns, id=0, type=Marker.LINE_LIST, action=Marker.ADD if len(rows) else Marker.DELETE)
        marker.color, marker.colors, marker.points = colour, list(colours), _points(rows)
        marker.scale.x = width
        return marker

    def _hands(self, tick: Tick) -> Marker:
        rows, width = [np.zeros((0, 3))], LINE
        for hand in tick.hands:
            on = hand.enabled.astype(bool)
            if on.any():
                axis = rotate_rows_xyzw(hand.orientations_xyzw[on], np.tile((0.0, 0.0, 1.0), (on.sum(), 1)))
                reach = (0.5 * hand.lengths[on] + hand.radii[on])[:, None] * axis
                rows.append(np.stack((hand.positions[on] - reach, hand.positions[on] + reach), 1).reshape(-1, 3))
                width = 2.0 * float(np.median(hand.radii[on]))
        return self._lines('hands', np.concatenate(rows), width, SKIN)

    def _palms(self, tick: Tick) -> Marker:
        boxes = [box_lines(hand.box) for hand in tick.hands if hand.box is not None]
        return self._lines('palms', np.concatenate([np.zeros((0, 3)), *boxes]), THIN, SKIN)

    def _constraints(self) -> Marker:
        """A line between the anchors of each: red where it is a cable that is taut, or gives all it may."""
        states = [self._scene.constraint(name) for name in self._scene.constraint_names]
        rows = np.array([end for s in states for end in (s.anchor_a, s.anchor_b)]).reshape(-1, 3)
        colours = [RED if s.is_taut or s.slips else ORANGE for s in states for _ in range(2)]
        return self._lines('constraints', rows, LINE, colours=colours)

    def _recent_contacts(self, stamp: int) -> Marker:
        while self._contacts and not 0 <= stamp - self._contacts[0][0] <= SHOWN:
            self._contacts.popleft()
        rows = np.array([end for _, a, b in self._contacts for end in (a, b)]).reshape(-1, 3)
        return self._lines('contacts', rows, LINE, RED)
