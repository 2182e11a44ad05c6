# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Typed errors of the engine.  Every message names the key and the offending value, and the remedy if there is one."""


class EngineError(ValueError):
    """Bad input to the engine: the message names the body or key and the value.  body: its index, where a step names
    one, else -1."""

    body = -1


class MassError(EngineError):
    """A mass or density that is missing, given twice, not positive, or that adds up to nothing."""


class InertiaError(EngineError):
    """A tensor that no body has: not symmetric, not positive, or against the triangle inequality I1 + I2 >= I3."""


class VolumeError(EngineError):
    """A body, hull or element without volume: flat, collinear, a single point."""


class MeshError(EngineError):
    """Vertices, faces or elements that do not make a body."""


class OpenMeshError(MeshError):
    """An edge that does not belong to exactly two faces; `edge` is its pair of vertex indices."""

    def __init__(self, message, edge=None):
        super().__init__(message)
        self.edge = edge


class WindingError(MeshError):
    """Two neighbours that run along their edge the same way; `edge` is its pair of vertex indices."""

    def __init__(self, message, edge=None):
        super().__init__(message)
        self.edge = edge


class InvertedMeshError(MeshError):
    """A mesh, or a closed part of one, whose faces run clockwise as seen from outside: its volume is negative."""


class CapacityError(RuntimeError):
    """The engine could not allocate the buffers that a scene needs."""


class OffSurfaceError(EngineError):
    """A body that should be on a surface and is not; `gap` is how far off it is (m, negative where it is inside)."""

    def __init__(self, message, gap=None):
        super().__init__(message)
        self.gap = gap


class ConstraintVelocityError(EngineError):
    """Velocities that leave the surface, press into it, or slip where rolling is asked for; `speed` says by how much
    (m/s)."""

    def __init__(self, message, speed=None):
        super().__init__(message)
        self.speed = speed


class TwoContactsError(EngineError):
    """A body that meets its floor at two points; `point` (3,) m is the second one, `gap` (m) the gap there."""

    def __init__(self, message, point=None, gap=None):
        super().__init__(message)
        self.point, self.gap = point, gap


class CurvatureError(EngineError):
    """Surfaces that do not touch at a point: the floor is at least as hollow as the body is round; both curvatures 1/m
    in the direction where that is worst, positive where a surface bends away from the other."""

    def __init__(self, message, body=None, floor=None):
        super().__init__(message)
        self.body, self.floor = body, floor
