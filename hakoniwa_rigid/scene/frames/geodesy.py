"""Where a place on the earth lies from another one: on the ellipsoid WGS 84."""
from __future__ import annotations

import math

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
    x, y, z = (a - b for a, b in zip(_centred(place), _centred(reference), strict=True))
    sine, cosine = math.sin(latitude), math.cos(latitude)
    out = math.cos(longitude) * x + math.sin(longitude) * y     # away from the axis of the earth
    east = math.cos(longitude) * y - math.sin(longitude) * x
    return east, cosine * z - sine * out, cosine * out + sine * z


def _centred(place: Three) -> Three:
    """From the centre of the earth, m: x through Greenwich, z through the north pole."""
    latitude, longitude = math.radians(place[0]), math.radians(place[1])
    across = AXIS / math.sqrt(1.0 - SQUARE * math.sin(latitude) ** 2)
    out = (across + place[2]) * math.cos(latitude)
    return (out * math.cos(longitude), out * math.sin(longitude),
            (across * (1.0 - SQUARE) + place[2]) * math.sin(latitude))
