# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Where a place on the earth lies from another one: on the ellipsoid WGS 84."""
from __future__ import annotations

import math

from ...engine.maths.pointwise import cos, sin
from ...rotations import Three

__all__ = ['offset']

# m and -: semi-major axis and flattening of WGS 84
AXIS, FLATTENING = 6378137.0, 1.0 / 298.257223563
# of the first eccentricity
SQUARE = FLATTENING * (2.0 - FLATTENING)


def offset(reference: Three, place: Three) -> Three:
    """From one place to another in the east, north and up of the first, m; latitudes and longitudes in degrees,
    altitudes in m."""
    latitude, longitude = math.radians(reference[0]), math.radians(reference[1])
    turn, across = sin(longitude), cos(longitude)
    x, y, z = (a - b for a, b in zip(_centred(place), _centred(reference), strict=True))
    sine, cosine = sin(latitude), cos(latitude)
    out = across * x + turn * y     # away from the axis of the earth
    east = across * y - turn * x
    return east, cosine * z - sine * out, cosine * out + sine * z


def _centred(place: Three) -> Three:
    """From the centre of the earth, m: x through Greenwich, z through the north pole."""
    latitude, longitude = math.radians(place[0]), math.radians(place[1])
    sine = sin(latitude)
    across = AXIS / math.sqrt(1.0 - SQUARE * (sine * sine))
    out = (across + place[2]) * cos(latitude)
    return out * cos(longitude), out * sin(longitude), (across * (1.0 - SQUARE) + place[2]) * sine
