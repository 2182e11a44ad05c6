"""Typed errors of the engine.  Every message names the key and the offending value."""


class EngineError(ValueError):
    """Bad input to the engine: the message names the body or key and the value."""


class CapacityError(RuntimeError):
    """The engine could not allocate the buffers that a scene needs."""
