# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is no number is written in one way, whatever sign and payload a processor gave it."""
import math
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from hakoniwa_rigid.codec.cdr_writers import ContactEventsWriter, FleetStateWriter, OdometryWriter
from hakoniwa_rigid.codec.contact_event import NAMES, NUMBERS, ContactEventRecord, Kind, Phase

# as x86 makes it of inf - inf, with the other sign, and with something in it
SEVERAL = [struct.unpack('<d', struct.pack('<Q', bits))[0] for bits in
           (0xFFF8000000000000, 0x7FF8000000000000, 0x7FF8000000000123, 0xFFFFFFFFFFFFFFFF)]


def states(value):
    """Of one drone, all of it this number."""
    return SimpleNamespace(positions=np.full((1, 3), value), orientations_xyzw=np.full((1, 4), value),
                           linear_velocities=np.full((1, 3), value), angular_velocities=np.full((1, 3), value),
                           flags=np.zeros(1, np.uint8))


def fleet(value):
    return FleetStateWriter('world', ('d0',)).write(5, states(value))


def odometry(value):
    writer = OdometryWriter('world', ['d0'])
    writer.fill(5, states(value), np.zeros(1, np.int64))
    return writer.messages()[0]


def event(value):
    numbers = {name: value if width == 1 else (value,) * width for name, width in NUMBERS.items()}
    record = ContactEventRecord(stamp_ns=5, id=1, phase=Phase.BEGIN, kind=Kind.DRONE_WALL,
                                **dict.fromkeys(NAMES, 'd0'), **numbers)
    return ContactEventsWriter('world').write(5, [record])


@pytest.mark.parametrize('write', [fleet, odometry, event])
def test_what_is_no_number_has_one_form(write):
    assert len({struct.pack('<d', x) for x in SEVERAL}) == len(SEVERAL)
    assert {write(x) for x in SEVERAL} == {write(math.nan)}
    assert struct.pack('<d', math.nan) in write(math.nan)


@pytest.mark.parametrize('write', [fleet, event])
def test_numbers_stay_as_they_are(write):
    for x in (-0.0, 5e-324, -math.inf, 0.1):
        assert struct.pack('<d', x) in write(x)
