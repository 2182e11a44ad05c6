"""Typed errors of the engine.  Every message names the key and the offending value, and the remedy if there is one."""


class EngineError(ValueError):
    """Bad input to the engine: the message names the body or key and the value."""


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
