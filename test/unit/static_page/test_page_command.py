# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid page`: the numbers on the page are those that the node published, whichever way they come in."""
import base64
import json
import warnings
import zlib

import bags
import numpy as np
import pytest
from recordings import PERIOD, START, WORLD, Live, fly_to_wall
from test_flight import read

from hakoniwa_rigid.cli import main, parser
from hakoniwa_rigid.codec import cdr
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.rerun.run import replay
from hakoniwa_rigid.static_page import command, folder
from hakoniwa_rigid.static_page.view import view

TICKS = 140
MAP = ('--map', 'fleet/states_corrected:=/ns/fleet')    # as the node that was recorded called it


@pytest.fixture(scope='module')
def flown(tmp_path_factory):
    path = tmp_path_factory.mktemp('page')
    (path / 'lane.yaml').write_text(WORLD)
    live = Live(path / 'lane.yaml', path / 'flight')
    fly_to_wall(live, TICKS)
    live.recording.close()
    replay(Options(live.recording.path, path / 'replayed'))
    return live, live.recording.path, path / 'replayed'


@pytest.fixture
def player(tmp_path, monkeypatch):
    """A player, where npm may be missing."""
    path = tmp_path / 'player'
    path.mkdir()
    (path / 'index.html').write_text('<!doctype html>')
    monkeypatch.setattr(folder, 'player', lambda: path)


def page_of(*words):
    """Content and bytes of the page that a command would write."""
    options = parser().parse_args(['page', '-o', 'unused', *map(str, words)])
    flight, world = command.flown(options, lambda at: None)
    return (*flight.packed(), view(world, flight.drones, options.model))


def places(content, data):
    return read(content, data, 'dronesAt').reshape(content['frames'], -1, 3)


@pytest.mark.parametrize('rate', [60.0, 200.0])
def test_a_recording_of_the_node_shows_what_the_node_published(flown, rate):
    live, recording, _ = flown
    content, data, scene = page_of(recording, '--rate', rate)
    fleet = cdr.FleetReader(('positions', 'orientations'))
    published = {f.header.stamp: f.arrays[0].reshape(-1, 3) for f in map(fleet.read, live.states)}
    stamps = int(content['startNs']) + np.rint(1e9 * read(content, data, 'times')).astype(np.int64)
    expected = np.array([published[divmod(int(stamp), 10**9)] for stamp in stamps])
    np.testing.assert_array_equal(places(content, data), expected.astype(np.float32))
    assert len(stamps) == (TICKS if rate == 200.0 else 42)
    assert [wall['name'] for wall in scene['walls']] == ['end']
    assert [hand['name'] for hand in content['hands']] == ['right']


def test_contacts_are_those_of_the_replay_with_their_impulses(flown):
    _, recording, _ = flown
    content, _, _ = page_of(recording)
    begun = list(replay(Options(recording)).events.begun())
    assert [(c['a'], c['b'], c['kind']) for c in content['contacts']] == sorted_pairs(begun)
    found = sorted(np.linalg.norm(c['impulse']) for c in content['contacts'])
    np.testing.assert_allclose(found, sorted(np.linalg.norm(e.impulse) for e in begun), rtol=2e-5, atol=1e-9)
    assert {c['b'] for c in content['contacts']} >= {'end'} and {c['a'] for c in content['contacts']} >= {'d0'}


def sorted_pairs(events):
    found = sorted(events, key=lambda e: (round((e.stamp_ns - START) / 1e9, 6), e.body_a, e.body_b, e.part_a, e.part_b))
    return [(e.body_a, e.body_b, int(e.kind)) for e in found]


def test_published_states_in_a_bag_give_the_same_page_without_a_replay(flown):
    """Both have the world that the bag carries, too."""
    _, recording, replayed = flown
    (one, data, scene), (other, more, seen) = page_of(recording), page_of(replayed, *MAP)
    assert scene == seen
    assert one['contacts'] == other['contacts']
    np.testing.assert_array_equal(places(one, data), places(other, more))
    np.testing.assert_array_equal(read(one, data, 'flags'), read(other, more, 'flags'))
    assert [hand['name'] for hand in other['hands']] == ['right']


def test_a_stretch_of_it(flown):
    for path, more in zip(flown[1:], ((), MAP), strict=True):
        content, data, _ = page_of(path, '--from', 0.2, '--to', 0.4, *more)
        assert 0.18 <= content['duration'] <= 0.2
        assert abs(int(content['startNs']) - START - 0.2e9) <= PERIOD
        assert all(0.0 <= c['begin'] <= 0.2 for c in content['contacts'])
        assert len(read(content, data, 'times')) == content['frames']


def test_the_folder_is_the_player_and_a_script_with_the_flight(flown, player, tmp_path, capsys):
    out = tmp_path / 'out'
    assert main(['page', str(flown[1]), '-o', str(out), '--title', 'A <b>lane</b>\u2028']) == 0
    said = capsys.readouterr().out
    assert 'page: ' in said and 'index.html' in said and '3 drones' in said
    assert sorted(path.name for path in out.iterdir()) == ['flight.js', 'index.html']
    text = (out / 'flight.js').read_text(encoding='ascii').splitlines()[1]
    content = json.loads(text.removeprefix('flight(').removesuffix(');'))
    assert content['title'] == 'A <b>lane</b>\u2028'
    data = zlib.decompress(base64.b64decode(content['data']))
    expected, raw, scene = page_of(flown[1])
    assert data == raw and content['scene'] == scene and content['contacts'] == expected['contacts']
    # equal recordings give equal bytes
    assert main(['page', str(flown[1]), '-o', str(tmp_path / 'again'), '--title', 'A <b>lane</b>\u2028']) == 0
    assert (tmp_path / 'again/flight.js').read_bytes() == (out / 'flight.js').read_bytes()


@pytest.mark.parametrize(('words', 'said'), [
    (('--rate', '0.5'), '--rate: must be 1 to 240 Hz, got 0.5'),
    (('--rate', 'nan'), '--rate: must be 1 to 240 Hz, got nan'),
    (('--from', '-1'), '--from: must be 0 or more, s since the beginning of the recording, got -1'),
    (('--from', '3', '--to', '2'), '--to 2 lies before --from 3'),
    (('--from', '100'), 'no state of a drone in the stretch to show'),
    (('--world', 'nowhere'), 'nowhere'),
    (('--map', 'd9/odom:=x'), 'd9/odom:=/x: nothing is called /d9/odom here'),
])
def test_wrong_options_are_named(flown, player, tmp_path, capsys, words, said):
    assert main(['page', str(flown[2]), *MAP, '-o', str(tmp_path / 'out'), *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith('error: ') and said in error
    assert not (tmp_path / 'out').exists()


def test_a_folder_with_something_in_it_is_left_alone(flown, player, tmp_path, capsys):
    out = tmp_path / 'out'
    out.mkdir()
    (out / 'mine.txt').write_text('mine')
    assert main(['page', str(flown[2]), *MAP, '-o', str(out)]) == 2
    assert 'is there already, and not empty; name a new folder' in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ['mine.txt']
    assert main(['page', str(flown[2]), *MAP, '-o', str(tmp_path / 'no/such/out')]) == 2
    assert 'there is no folder' in capsys.readouterr().err


def test_what_is_no_recording_is_an_error(player, tmp_path, capsys):
    for path in (tmp_path / 'nothing', tmp_path / 'player/index.html'):
        assert main(['page', str(path), '-o', str(tmp_path / 'out')]) == 2
        assert capsys.readouterr().err.startswith('error: ')
    assert not (tmp_path / 'out').exists()


def test_without_a_player_it_says_how_to_build_it(flown, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(folder, 'player', lambda: None)
    assert main(['page', str(flown[2]), *MAP, '-o', str(tmp_path / 'out')]) == 2
    assert 'make page' in capsys.readouterr().err


def test_drones_that_are_in_no_world_have_the_model_that_is_named(tmp_path):
    """A bag of corrected Odometry alone; of a wrong message the number is named."""
    messages = [(f'/{name}/odom_corrected', START + k * 10_000_000,
                 bags.odometry(START + k * 10_000_000, (0.1 * k, n, 1), child=f'{name}/base_link'))
                for k in range(20) for n, name in enumerate(('a', 'b'))]
    bags.written_by_rosbags(tmp_path / 'bag', messages)
    content, data, scene = page_of(tmp_path / 'bag', '--model', 'x500')
    assert [drone['name'] for drone in scene['drones']] == ['a', 'b']
    assert {drone['model'] for drone in scene['drones']} == {'x500'}
    np.testing.assert_allclose(places(content, data)[-1], [[1.9, 0, 1], [1.9, 1, 1]], atol=0.11)
    messages[3] = (*messages[3][:2], b'no message')
    bags.written_by_rosbags(tmp_path / 'wrong', messages)
    with pytest.raises(ValueError, match=r'wrong: /b/odom_corrected\[1\]'):
        page_of(tmp_path / 'wrong')


def spoilt(source, out, topic, spoil):
    """A bag with the third message of a topic changed."""
    with Bag(source) as bag, BagWriter(out) as made:
        numbers = {t.name: made.topic(t.name, t.type, t.definition or None, t.qos) for t in bag.topics}
        for message in bag.messages():
            is_third = message.topic == topic and message.sequence == 2
            made.write(numbers[message.topic], message.stamp_ns, spoil(message.data) if is_third else message.data)
    return out


CUTS = {'empty': lambda data: b'', 'head': lambda data: data[:4], 'stamp': lambda data: data[:10],
        'half': lambda data: data[:len(data) // 2], 'noise': lambda data: b'\xff' * len(data)}


@pytest.mark.parametrize('cut', CUTS)
@pytest.mark.parametrize('topic', ['/ns/fleet', '/ns/hits', '/hands/right'])
def test_a_damaged_message_is_named(flown, tmp_path, topic, cut):
    """Never a traceback; noise may be a message with odd numbers."""
    bag = spoilt(flown[2], tmp_path / 'spoilt', topic, CUTS[cut])
    try:
        page_of(bag, *MAP)
    except BagError as error:
        assert f'{topic}[2]' in str(error) and len(str(error)) < 600
    else:
        assert cut == 'noise'


def test_numbers_that_are_none_or_too_large_are_nowhere(flown, tmp_path):
    """In a state: every coordinate of the fleet is NaN, infinite, or more than float32 holds."""
    for value in (np.nan, np.inf, 1e300):
        def spoil(data, value=value):
            fleet = cdr.FleetReader(('positions',)).read(data)
            return (data[:fleet.begins[0]] + np.full(fleet.arrays[0].size, value).tobytes()
                    + data[fleet.begins[0] + fleet.arrays[0].nbytes:])
        bag = spoilt(flown[2], tmp_path / f'odd_{value}', '/ns/fleet', spoil)
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            content, data, _ = page_of(bag, *MAP, '--rate', 200)
        shown = places(content, data)
        assert not np.isfinite(shown[2]).any()
        assert np.isfinite(shown[4]).all()
