# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Frames of a flight: which are kept, how far quantised numbers are off, how many there may be."""
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.static_page import flight as flights
from hakoniwa_rigid.static_page.flight import Bones, Flight, Frame

MS = 10**6
KINDS = {'times': 'f8', 'At': 'f4', 'Turned': 'i2', 'flags': 'u1', 'Bones': 'i2', 'ties': 'u4', 'tieEnds': 'f4',
         'tieLoads': 'u1'}


def read(content, data, name):
    """An array of the block, as the player reads it."""
    offset, count = content['parts'][name]
    kind = next(kind for end, kind in KINDS.items() if name.endswith(end))
    assert offset % 8 == 0
    return np.frombuffer(data, f'<{kind}', count, offset)


def frame(x=0.0, **more):
    return Frame({'d0': ((x, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))}, **more)


def test_frames_are_at_most_as_many_as_asked_for_and_never_before_their_time():
    """Ticks of 5 ms at 60 Hz: every third or fourth, so that frame k is the first tick from k / 60 s on."""
    flight = Flight('flight', 60.0)
    for k in range(401):
        flight.add(7 * 10**18 // 10**3 * 10**3 + 5 * MS * k, frame(0.01 * k))
    content, data = flight.packed()
    times = read(content, data, 'times')
    np.testing.assert_allclose(times, [np.ceil(k / 60 / 0.005 - 1e-9) * 0.005 for k in range(121)], atol=1e-6)
    np.testing.assert_allclose(read(content, data, 'dronesAt').reshape(-1, 3)[:, 0], 2.0 * times, atol=1e-6)
    assert content['duration'] == 2.0


def test_quaternions_and_bones_are_off_by_half_a_step_at_most():
    chance = np.random.default_rng(1)
    turns = Rotation.random(50, random_state=2).as_quat()
    ends = chance.uniform(-3.0, 3.0, 3) + chance.uniform(-0.2, 0.2, (50, 4, 6)).reshape(50, 4, 2, 3)
    flight = Flight('flight', 240.0)
    for k in range(50):
        hand = {'right': Bones(ends[k].reshape(4, 6), np.full(4, 0.01))}
        flight.add(k * 10 * MS, Frame({'d0': ((0, 0, 0), turns[k])}, hands=hand))
    content, data = flight.packed()
    np.testing.assert_allclose(read(content, data, 'dronesTurned').reshape(-1, 4) / 32767, turns, atol=0.51 / 32767)
    bones = read(content, data, 'hand0Bones').reshape(50, 4, 2, 3) / 10_000
    np.testing.assert_allclose(bones + read(content, data, 'hand0At').reshape(50, 1, 1, 3), ends, atol=5.1e-5)


def test_what_is_not_there_is_nowhere():
    flight = Flight('flight', 60.0)
    flight.add(0, Frame({'d0': ((1, 2, 3), (0, 0, 0, 1))}, {'d0': 5}))
    ends = np.full((2, 6), np.nan)
    ends[1] = 1.0
    flight.add(100 * MS, Frame({'d1': ((4, 5, 6), (0, 0, 0, 1))}, hands={'right': Bones(ends, np.array([0.1, 0.2]))}))
    content, data = flight.packed()
    places = read(content, data, 'dronesAt').reshape(2, 2, 3)
    np.testing.assert_array_equal(places, [[[1, 2, 3], [np.nan] * 3], [[np.nan] * 3, [4, 5, 6]]])
    np.testing.assert_array_equal(read(content, data, 'flags'), [5, 0, 0, 0])
    bones = read(content, data, 'hand0Bones').reshape(2, 2, 6)
    assert (bones[0] == -32768).all() and (bones[1, 0] == -32768).all() and (bones[1, 1] == 0).all()
    assert content['hands'] == [{'name': 'right', 'radii': [0.1, 0.2]}]


def test_lines_of_constraints_may_come_and_go():
    flight = Flight('flight', 60.0)
    for k, count in enumerate((0, 2, 1)):
        flight.add(k * 100 * MS, frame(lines=np.full((count, 6), float(k)), loaded=np.arange(count) == 1))
    content, data = flight.packed()
    np.testing.assert_array_equal(read(content, data, 'ties'), [0, 2, 1])
    np.testing.assert_array_equal(read(content, data, 'tieEnds').reshape(3, 6)[:, 0], [1, 1, 2])
    np.testing.assert_array_equal(read(content, data, 'tieLoads'), [0, 1, 0])


def test_stamps_that_go_back_are_left_out_and_counted():
    flight = Flight('flight', 60.0)
    for stamp in (0, 100, 50, 60, 200):
        flight.add(stamp * MS, frame())
    assert (len(flight), flight.backward) == (3, 2)


def test_a_flight_without_frames_or_with_too_many_is_an_error_that_says_what_to_do(monkeypatch):
    with pytest.raises(BagError, match='flight: no state of a drone'):
        Flight('flight', 60.0).packed()
    monkeypatch.setattr(flights, 'MOST_BYTES', 1 << 20)
    flight = Flight('flight', 60.0)
    with pytest.raises(BagError, match=r'flight: .* more than 1 MB after .* --from and --to, or fewer .* --rate'):
        for k in range(100_000):
            flight.add(k * 20 * MS, frame())


def test_too_many_names_are_an_error(monkeypatch):
    monkeypatch.setattr(flights, 'MOST_NAMES', 3)
    flight = Flight('flight', 60.0)
    flight.add(0, Frame({f'd{k}': ((0, 0, 0), (0, 0, 0, 1)) for k in range(4)}))
    with pytest.raises(BagError, match='has 4 drones, a page shows at most 3'):
        flight.packed()
