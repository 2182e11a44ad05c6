# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Typed errors of the scene."""


class WorldFileError(ValueError):
    """A world or drone file is wrong: ``file: key.path: message, got value``."""


class UnknownModelError(WorldFileError):
    """There is no drone model of a name."""


class SettingsError(ValueError):
    """A setting of an input asks for what is not to be had: ``parameter name: message``."""


class StateError(ValueError):
    """A saved state cannot be gone on from: what is wrong with it."""


class SpawnError(ValueError):
    """A body that cannot come or leave while a scene runs: ``add: name: message, got value``."""


class BadNameError(SpawnError):
    """A name that no body can have."""


class NameInUseError(SpawnError):
    """A name that another body has."""


class OverlapError(SpawnError):
    """It would be inside of what is there."""


class ConstraintError(ValueError):
    """A constraint that cannot be attached or detached: ``attach: key: message, got value``."""


class EntityError(ValueError):
    """What is asked of an entity, or of all of them, cannot be: ``key: message, got value``."""


class UnknownEntityError(EntityError):
    """There is no entity of that name."""


class PoseError(EntityError):
    """A pose that no body can have."""
