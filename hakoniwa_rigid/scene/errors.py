"""Typed errors of the scene."""


class WorldFileError(ValueError):
    """A world or drone file is wrong: ``file: key.path: message, got value``."""


class SettingsError(ValueError):
    """A setting of an input asks for what is not to be had: ``parameter name: message``."""
