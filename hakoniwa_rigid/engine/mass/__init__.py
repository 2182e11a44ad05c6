# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Mass, centre of mass, inertia: from shapes, and checks of what a user gives.  No poses in the world, no motion."""
from .principal import principal_axes
from .properties import MassProperties, mass_properties

__all__ = ['MassProperties', 'mass_properties', 'principal_axes']
