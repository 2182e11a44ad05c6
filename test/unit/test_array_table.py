# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Tables of addresses: entries see the very arrays, of every type, for as long as the table lives; what entries say of
the arrays of a flight is true, as plain Python finds; arrays that a table cannot mean are refused or copied."""
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from adapters import make_adapter, make_settings
from cdr_messages import REPRESENTATIONS, fleet, sample
from numba import config, njit
from numpy.testing import assert_allclose
from scene_worlds import MODEL, TICK, UPRIGHT, make_scene

from hakoniwa_rigid.array_table import address_table, bool_array, byte_array, float_array, int_array
from hakoniwa_rigid.codec.cdr import FleetReader
from hakoniwa_rigid.codec.cdr_writers import FIELDS, FleetStateWriter
from hakoniwa_rigid.codec.message_batch import MessageBatch
from hakoniwa_rigid.engine.maths.jit import kernel
from hakoniwa_rigid.scene.world_files.world_types import DroneConfig

TEST_DIR = Path(__file__).parents[1]
NS = 1_000_000_000
PLAIN = REPRESENTATIONS[0]


@kernel
def _write(t, n):
    float_array(t, 0, (n, 3))[n - 1, 2] = 0.5
    int_array(t, 1, (n,))[n - 1] = -7
    bool_array(t, 2, (n,))[0] = True
    byte_array(t, 3, (n,))[0] = 255


def arrays_of(n):
    return np.zeros((n, 3)), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=bool), np.zeros(n, dtype=np.uint8)


def flight():
    """Every table there is in use: drones of all authorities by topics and fleets, a hand, states published."""
    drones = [DroneConfig(name, MODEL, authority=authority)
              for name, authority in zip('abcp', ('correct', 'simulate', 'observe', 'correct'), strict=True)]
    adapter = make_adapter(make_settings(*drones, hands=['right'], drone={'p': {'source': 'pose'}}))
    scene, number = adapter.scene, {topic.name: topic.number for topic in adapter.topics}
    writer, reader, reported = FleetStateWriter('world', scene.drone_names), FleetReader([f for f, _ in FIELDS]), []
    for k in range(1, 7):
        now, t = k * TICK, k * TICK * 1e-9
        stamp, pose = divmod(now, NS), [t, 2.0, 1.0, *UPRIGHT]
        none, twist = [0.0] * 36, [1.0, 0.0, 0.0, 0.1, 0.2, 0.3]
        odometry = sample('Odometry', PLAIN, stamp, ('world', 'a'), [*pose, *none, *twist, *none])
        moved = sample('PoseStamped', PLAIN, stamp, ('world',), [t, 6.0, 1.0, *UPRIGHT])
        wrench = sample('WrenchStamped', PLAIN, stamp, ('',), [0.1, 0.0, 8.0, 0.01, 0.0, 0.0])
        states = fleet(PLAIN, stamp, 'world', ('c',), [[t, 4.0, 1.0], UPRIGHT, [1.0, 0, 0], [0, 0, 1.0]])
        for piece in ([('a/odom', odometry), ('p/pose', moved), ('b/wrench', wrench)], [('fleet/states', states)]):
            datas = [data for _, data in piece]
            lengths = np.array([len(data) for data in datas])
            adapter.take(np.frombuffer(b''.join(datas), np.uint8), np.cumsum(lengths) - lengths, lengths,
                        np.array([number[name] for name, _ in piece]), np.full(len(piece), now))
        adapter.flush()
        if k > 3:
            scene.feed_hand('right', now, np.linspace((0.0, 9.0, 1.0), (0.2, 9.0, 1.0), 25))
        if k == 5:
            scene.set_authority('b', 'correct')
        reported.append([a.tolist() for a in reader.read(writer.write(now, scene.advance(now).states)).arrays])
    assert not scene.counters and not adapter.ledger.counters, (scene.counters, adapter.ledger.counters)
    return reported


def test_what_is_written_by_address_is_in_the_arrays():
    arrays = arrays_of(4)
    njit(lambda t, n: _write(t, n))(address_table(arrays).addresses, 4)
    assert arrays[0][3, 2] == 0.5 and np.count_nonzero(arrays[0]) == 1
    assert arrays[1].tolist() == [0, 0, 0, -7]
    assert arrays[2].tolist() == [True, False, False, False]
    assert arrays[3].tolist() == [255, 0, 0, 0]


def test_arrays_with_gaps_are_refused():
    with pytest.raises(ValueError, match='arrays: must be contiguous'):
        address_table([np.zeros((4, 3))[:, :2]])


def test_arrays_live_as_long_as_their_table():
    array = np.zeros(3)
    seen, table = weakref.ref(array), address_table([array])
    del array
    assert seen() is not None
    del table
    assert seen() is None


PLAIN_PYTHON = """
import json
import numpy as np
from test_array_table import _write, arrays_of, flight, address_table
lies = []
for k, wrong in ((0, np.zeros((4, 2))), (1, np.zeros(4)), (2, np.zeros(3, bool)), (3, np.zeros(4, np.int8))):
    arrays = list(arrays_of(4))
    arrays[k] = wrong
    try:
        _write(address_table(arrays).addresses, 4)
    except ValueError as error:
        lies.append(str(error).partition(':')[0])
print(json.dumps((lies, flight())))
"""


@pytest.mark.skipif(config.DISABLE_JIT, reason='compares with compiled code')
def test_entries_find_the_arrays_that_they_name():
    """As plain Python, entries look at type and shape of every array of a table; the flight is the same to rounding."""
    env = dict(os.environ, NUMBA_DISABLE_JIT='1')
    env['PYTHONPATH'] = os.pathsep.join([str(TEST_DIR), str(Path(__file__).parent), env.get('PYTHONPATH', '')])
    done = subprocess.run([sys.executable, '-c', PLAIN_PYTHON], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    lies, reported = json.loads(done.stdout)
    assert lies == [f'array {k} of a table' for k in range(4)]
    for here, there in zip(flight(), reported, strict=True):
        for compiled, plain in zip(here, there, strict=True):
            assert_allclose(compiled, plain, rtol=0, atol=1e-9)


def test_mail_in_other_arrays_is_the_same_mail():
    """Offsets and lengths of any whole type, with gaps: entries see int64 without."""
    raw = bytes(range(40))
    rows = np.array([[3, 10], [5, 7], [0, 1], [0, 0]])
    plain = MessageBatch(np.frombuffer(raw, np.uint8), *rows)
    spread = np.zeros((4, 6), dtype=np.int32)
    spread[:, ::3] = rows
    other = MessageBatch(np.repeat(np.frombuffer(raw, np.uint8), 2)[::2], *spread[:, ::3])
    assert [other.message(k) for k in range(2)] == [plain.message(k) for k in range(2)] == [raw[3:8], raw[10:17]]
    for batch in (plain, other):
        assert [a.dtype for a in (batch.offsets, batch.lengths, batch.topics, batch.receptions)] == [np.int64] * 4
        assert batch.where[1:] == (40, 2)


def test_a_scene_follows_its_engine_to_other_arrays():
    """Growth and reset put other arrays into the engine; a scene that looks for them at every tick is no different."""
    names = [f'd{k}' for k in range(18)]
    grid = [(x * 0.202, y * 0.202, z * 0.052) for x in range(3) for y in range(3) for z in range(2)]
    hashes = []
    for always in (False, True):
        scene = make_scene(*names)
        room = len(scene.world._s.pair_i)
        for k in range(8):
            if k == 4:
                scene.reset()
            for name, (x, y, z) in zip(names, grid, strict=True):
                t = k * TICK * 1e-9
                scene.feed_drone(name, k * TICK, (x + 5.0 * t, y, z), UPRIGHT, (5.0, 0, 0), (0, 0, 0))
            if always:
                scene._stepper._view = scene._stepper._view._replace(state=())
            scene.advance((k + 1) * TICK)
            hashes.append(scene.state_hash())
        assert len(scene.world._s.pair_i) > room
    assert hashes[:8] == hashes[8:] and len(set(hashes[:8])) == 8
