# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""All standard services of a node, and which features they make."""

from __future__ import annotations

from simulation_interfaces import srv
from simulation_interfaces.msg import SimulatorFeatures

from hakoniwa_rigid.scene.records import Tick

from .entity_services import ENTITY_SERVICES
from .serving import Run, Service, serve
from .simulation_services import Simulation
from .spawn_services import FORMATS, SPAWN_SERVICES
from .steps import FEATURES, Stepping

__all__ = ['StandardServices']

ABOUT = 'hakoniwa_rigid, collision_node: docs/standard_services.md says what each feature covers'


class StandardServices:
    """Opened once for a node; `begin` and `end` of the run that they act on come with configure and cleanup."""

    def __init__(self, node) -> None:
        self.run: Run | None = None
        self._simulation = Simulation(node)
        services = (*ENTITY_SERVICES, *SPAWN_SERVICES, *self._simulation.services,
                    Service('GetSimulatorFeatures', self._get_features, is_always_on=True))
        kinds = [getattr(srv, service.kind) for service in services]    # all of them, before any is opened
        for service, kind in zip(services, kinds, strict=True):
            node.create_service(kind, f'~/{service.name}', serve(node, lambda: self.run, service))
        self._stepping = Stepping(node, lambda: self.run)
        names = [name for service in services for name in service.features]
        self.features = sorted(getattr(SimulatorFeatures, name) for name in (*names, *FEATURES))

    def begin(self, run: Run) -> None:
        """The node is configured."""
        self.run = run

    def saw(self, tick: Tick) -> None:
        """A tick is over."""
        self.run.entities.look(tick)

    def end(self) -> None:
        """The node is no longer configured."""
        self.run.pace.clear('the node was cleaned up')
        self.run = None

    def close(self) -> None:
        """The node ends, which destroys its services."""
        self._stepping.close()

    def _get_features(self, run: Run | None, request, response) -> None:
        response.features.features = self.features
        response.features.spawn_formats = list(FORMATS)
        response.features.custom_info = ABOUT
