# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Typed errors of the scene."""


class WorldFileError(ValueError):
    """A world or drone file is wrong: ``file: key.path: message, got value``."""


class SettingsError(ValueError):
    """A setting of an input asks for what is not to be had: ``parameter name: message``."""


class StateError(ValueError):
    """A saved state cannot be gone on from: what is wrong with it."""


class SpawnError(ValueError):
    """A body that cannot come or leave while a scene runs: ``add: name: message, got value``."""


class ConstraintError(ValueError):
    """A constraint that cannot be attached or detached: ``attach: key: message, got value``."""


class EntityError(ValueError):
    """What is asked of an entity, or of all of them, cannot be: ``key: message, got value``."""


class UnknownEntityError(EntityError):
    """There is no entity of that name."""


class PoseError(EntityError):
    """A pose that no body can have."""
