# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The parameter `simulation_interfaces`: whether the standard services are there.  The package is imported here only,
and only where it is asked for or installed."""

from __future__ import annotations

from hakoniwa_rigid.scene.entities.entities import Entities
from hakoniwa_rigid.scene.records import Tick

from ...errors import StartError

__all__ = ['NoStandard', 'Standard', 'open_standard']


class NoStandard:
    """Serves nothing."""

    def saw(self, tick: Tick) -> None:
        """A tick is over."""

    def forget(self) -> None:
        """Scene and inputs are at their start."""

    def close(self) -> None:
        """The node is no longer configured."""


class Standard(NoStandard):
    """A run of the services, which stay open behind it."""

    def __init__(self, services, run) -> None:
        self._services = services
        services.begin(run)

    def saw(self, tick: Tick) -> None:
        """See NoStandard."""
        self._services.saw(tick)

    def forget(self) -> None:
        """See NoStandard."""
        self._services.run.entities.forget()

    def close(self) -> None:
        """See NoStandard."""
        self._services.end()


def open_standard(node, scene, settings, inputs, **parts) -> NoStandard:
    """What the parameter asks for; the services themselves are node.standard, made by the first call.  parts: the rest
    of a Run."""
    wanted = settings.node['simulation_interfaces']
    if wanted == 'never':
        return NoStandard()
    try:
        from .services import StandardServices
        from .serving import Run
        if node.standard is None:
            node.standard = StandardServices(node)
    except (ImportError, AttributeError) as error:
        if wanted == 'always':
            raise StartError('parameter simulation_interfaces: needs the package simulation_interfaces, which is not '
                             f'installed, or too old: {error}') from error
        return NoStandard()
    return Standard(node.standard, Run(scene, Entities(scene), inputs.adapter.frames, **parts))
