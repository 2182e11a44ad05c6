"""Typed errors of the scene."""


class WorldFileError(ValueError):
    """A world or drone file is wrong: ``file: key.path: message, got value``."""
