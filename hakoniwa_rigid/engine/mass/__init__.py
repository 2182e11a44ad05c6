"""Mass, centre of mass, inertia: from shapes, and checks of what a user gives."""
from .primitives import uniform_inertia
from .principal import principal_axes

__all__ = ['principal_axes', 'uniform_inertia']
