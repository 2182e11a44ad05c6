# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Courses: what each drone of the simulator is to fly, as periodic rest-to-rest waypoints read from YAML.

Between two waypoints the position follows the seventh-order polynomial that minimises snap from rest to rest,
s(tau) = 35 tau^4 - 84 tau^5 + 70 tau^6 - 20 tau^7 (Mellinger & Kumar, ICRA 2011, single segment; peak speed 35/16 L/T).
Equal neighbours are a hover.
"""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.brief import brief
from hakoniwa_rigid.files import read_bytes

REST_TO_REST = (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0)   # coefficients of tau^0 ... tau^7
ORDERS = np.arange(5)


def _derivative_rows() -> np.ndarray:
    """Coefficients (5,8) of s(tau) and its first four derivatives in powers of tau."""
    rows = np.zeros((len(ORDERS), len(REST_TO_REST)))
    for order in ORDERS:
        derived = np.polynomial.Polynomial(REST_TO_REST).deriv(order) if order else REST_TO_REST
        rows[order, :len(REST_TO_REST) - order] = getattr(derived, 'coef', derived)
    return rows


DERIVATIVE_ROWS = _derivative_rows()
POWERS = np.arange(len(REST_TO_REST))


class CourseError(ValueError):
    """A course file or course that cannot be flown; the message names the file, the key and the value."""


@dataclass(frozen=True)
class Course:
    """A closed course: ``times`` (K,) s rising from 0, ``positions`` (K,3) m, world frame, last equal to first."""

    times: np.ndarray
    positions: np.ndarray

    @property
    def period(self) -> float:
        """Duration of one round, s."""
        return float(self.times[-1])

    def derivatives(self, t: float) -> np.ndarray:
        """Position and its first four time derivatives at ``t`` s, (5,3) in m, m/s ... m/s^4, world frame.

        Before the start (t <= 0) the vehicle hovers at the first waypoint.
        """
        local = t % self.period if t > 0.0 else 0.0
        k = min(int(np.searchsorted(self.times, local, side='right')) - 1, len(self.times) - 2)
        duration = float(self.times[k + 1] - self.times[k])
        leg = self.positions[k + 1] - self.positions[k]
        tau = (local - float(self.times[k])) / duration
        out = ((DERIVATIVE_ROWS @ tau**POWERS) / duration**ORDERS)[:, None] * leg
        out[0] += self.positions[k]
        return out


def read_courses(path: str | Path) -> dict[str, Course]:
    """The courses of a YAML file, by drone name in file order. CourseError names what is wrong."""
    path = Path(path)
    try:
        data = yaml_text.load(read_bytes(path, yaml_text.MOST_BYTES))
    except OSError as error:
        raise CourseError(f'{path}: cannot be read: {error.strerror}') from error
    except yaml_text.YamlError as error:
        raise CourseError(f'{path}: {error}') from error
    _check_keys(f'{path}: ', data, {'courses'})
    courses = data['courses']
    if not isinstance(courses, Mapping) or not courses:
        raise CourseError(f'{path}: courses: must name at least one drone, got {brief(courses)}')
    return {str(name): _course(f'{path}: courses.{name}', rows) for name, rows in courses.items()}


def _check_keys(where: str, data: object, known: set[str]) -> None:
    if not isinstance(data, Mapping):
        raise CourseError(f'{where}must be a mapping with the keys {sorted(known)}, got {type(data).__name__}')
    wrong = set(map(str, data)) ^ known
    if wrong:
        key = sorted(wrong)[0]
        raise CourseError(f'{where}{key}: {"missing" if key in known else "unknown key"}; known: {sorted(known)}')


def _course(where: str, rows: object) -> Course:
    """One course from a list of rows ``[t, x, y, z]``."""
    try:
        table = np.array(rows, dtype=float)
    except (TypeError, ValueError):
        raise CourseError(f'{where}: must be a list of rows [t, x, y, z], got {brief(rows)}') from None
    if table.ndim != 2 or table.shape[1] != 4 or len(table) < 2:
        raise CourseError(f'{where}: must be at least two rows [t, x, y, z], got shape {table.shape}')
    if not np.isfinite(table).all():
        raise CourseError(f'{where}: must be finite numbers')
    times, positions = table[:, 0].copy(), table[:, 1:].copy()
    if times[0] != 0.0:
        raise CourseError(f'{where}[0]: time must be 0, got {times[0]}')
    late = np.flatnonzero(np.diff(times) <= 0.0)
    if len(late):
        k = int(late[0]) + 1
        raise CourseError(f'{where}[{k}]: time must rise, got {times[k]} after {times[k - 1]}')
    if not np.array_equal(positions[0], positions[-1]):
        raise CourseError(f'{where}: must end where it starts, {positions[0].tolist()}, got {positions[-1].tolist()}')
    return Course(times, positions)
