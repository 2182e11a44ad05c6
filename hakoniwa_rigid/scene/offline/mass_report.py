# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A mesh file weighed: its mass properties as text and as JSON."""
from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...engine import MassProperties, TriangleMesh, mass_properties
from ...engine.constants import ROUNDING

DEFAULT_DENSITY = 1000.0    # kg/m^3, water


class Weighed(NamedTuple):
    """A mesh of a file with its mass properties; SI units."""

    path: Path
    mesh: TriangleMesh
    properties: MassProperties
    volume: float
    density: float
    assumed: bool       # density or mass were not given


def weigh(path: str | Path, mesh: TriangleMesh, density: float | None = None, mass: float | None = None) -> Weighed:
    """Mass properties of a closed mesh from its density or mass, with DEFAULT_DENSITY if neither is given.

    Errors: those of mass_properties.
    """
    assumed = density is None and mass is None
    if mass is None:
        density = DEFAULT_DENSITY if assumed else float(density)
        properties = mass_properties(mesh, density=density)
        volume = properties.mass / density
    else:
        properties = mass_properties(mesh, mass=mass)
        volume = mass_properties(mesh, density=1.0).mass
        density = properties.mass / volume
    return Weighed(Path(path), mesh, properties, volume, density, assumed)


def as_json(weighed: Weighed, picture: str | None = None) -> str:
    """One JSON object, SI units: the fields of MassProperties, and what they were computed from."""
    p = weighed.properties
    return json.dumps({
        'file': str(weighed.path),
        'vertices': len(weighed.mesh.vertices),
        'faces': len(weighed.mesh.faces),
        'volume': weighed.volume,
        'density': weighed.density,
        'density_assumed': weighed.assumed,
        'mass': p.mass,
        'com': p.com.tolist(),
        'inertia': p.inertia.tolist(),
        'principal_moments': p.principal_moments.tolist(),
        'principal_axes': p.principal_axes.tolist(),
        'picture': picture,
    }, indent=2)


def as_text(weighed: Weighed) -> str:
    """Lines to read: aligned, with units; what is no more than rounding beside its neighbours is shown as 0."""
    p, mesh = weighed.properties, weighed.mesh
    guess = '   (assumed: give --density or --mass)' if weighed.assumed else ''
    axes = zip('123', p.principal_moments, _cleaned(p.principal_axes, 1.0).T, strict=True)
    return '\n'.join([
        f'{weighed.path}: {len(mesh.faces)} triangles, {len(mesh.vertices)} vertices, closed',
        '',
        f'volume           {weighed.volume:13.8g} m^3',
        f'density          {weighed.density:13.8g} kg/m^3{guess}',
        f'mass             {p.mass:13.8g} kg',
        f'centre of mass   {_row(_cleaned(p.com, np.abs(mesh.vertices).max()))} m',
        '',
        *_block('inertia about the centre of mass, in the axes of the file, kg m^2',
                _cleaned(p.inertia, np.abs(p.inertia).max())),
        '',
        'principal moment, kg m^2, and its axis in the axes of the file',
        *(f'  {number}   {moment:13.8g}   {_row(axis)}' for number, moment, axis in axes),
    ])


def _cleaned(values: np.ndarray, scale: float) -> np.ndarray:
    return np.where(np.abs(values) <= ROUNDING * scale, 0.0, values)


def _row(values: np.ndarray) -> str:
    return ' '.join(f'{x:13.8g}' for x in values)


def _block(title: str, rows: np.ndarray) -> list[str]:
    return [title, *(f'  {name}              {_row(row)}' for name, row in zip('xyz', rows, strict=True))]
