# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The viewer beside a collision node in simulated time: what a page sees and does, through a socket and DDS."""
from __future__ import annotations

import asyncio
import json
import re
import signal
import threading
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
import rclpy
import yaml

pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

import harness
from geometry_msgs.msg import Point, Pose, Vector3, Wrench, WrenchStamped
from hakoniwa_rigid.msg import (
    ConstraintEvent,
    ConstraintEventArray,
    ContactEvent,
    ContactEventArray,
    FleetState,
    FleetWrench,
    HandJoints,
)
from harness import LATCHED, START, WAIT, Process, interrupt, odometry, values
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from rig import WORLD, Rig
from sockets import connected
from std_msgs.msg import Bool
from visualization_msgs.msg import Marker, MarkerArray

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.replay.bag.types import Decoder
from hakoniwa_rigid.ros.collision.markers import ORANGE, RED
from hakoniwa_rigid.ros.qos import INPUT, subscribe, subscribe_for_a_while
from hakoniwa_rigid.ros.viewer import viewer_rotors
from hakoniwa_rigid.ros.viewer.viewer_params import VIEWER as VIEWER_PARAMETERS
from hakoniwa_rigid.scene.world_files import world_file as worlds
from hakoniwa_rigid.sims.hands.figure import WEBXR_NAMES

pytestmark = pytest.mark.ros
VIEWER = 'hakoniwa_rigid.ros.viewer.viewer_node'
TOPICS = ('fleet/states_corrected', 'contact_events', 'hands/right', 'markers', 'scene', 'server_stats', 'clock_reply',
          'objects', 'rotors', 'constraints', 'constraint_events', 'paused', 'hands_of_others')


class Page:
    """A client in a thread of its own, so that the test's thread can serve ROS."""

    def __init__(self, address):
        self.got = defaultdict(list)    # payloads by topic
        self.answers, self.statuses = [], []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._open = connected(address)
        self.client = self.do(self._open.__aenter__())
        self._reader = asyncio.run_coroutine_threadsafe(self._read(), self._loop)

    def do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT)

    async def _read(self):
        async for frame in self.client.ws:
            if isinstance(frame.data, str):
                self.statuses.append(json.loads(frame.data))
            elif frame.data[0] == 1:
                self.got[TOPICS[int.from_bytes(frame.data[1:5], 'little')]].append(frame.data[13:])
            else:
                self.answers.append(json.loads(frame.data[13 + int.from_bytes(frame.data[9:13], 'little'):]))

    def subscribe(self, *topics):
        self.do(self.client.subscribe(**{topic: TOPICS.index(topic) for topic in topics}))

    def call(self, bench, name, **arguments):
        """The answer of a service."""
        ids = {s['name']: s['id'] for s in self.client.reported['advertiseServices']['services']}
        count = len(self.answers)
        self.do(self.client.call(ids[name], json.dumps(arguments).encode()))
        bench.until(lambda: len(self.answers) > count, f'an answer of {name}')
        return self.answers[-1]

    def close(self):
        self.do(self._open.__aexit__(None, None, None))
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT)


@pytest.fixture(scope='module')
def rig(tmp_path_factory):
    """The node of the small world, for all tests."""
    path = tmp_path_factory.mktemp('viewer') / 'world.yaml'
    path.write_text(WORLD)
    with harness.bench() as bench:
        made = Rig(bench, path)
        made.world = path
        yield made


@pytest.fixture(scope='module')
def viewer(rig):
    """The viewer's process, beside the node's."""
    process = rig.bench.start(VIEWER, f'world:={rig.world}', 'port:=0', 'use_sim_time:=true')
    rig.bench.until(lambda: 'socket:' in process.output or not process.alive, 'the viewer', START)
    assert process.alive, process.output
    return process


@pytest.fixture
def page(viewer):
    page = Page(re.search(r'page: (http://localhost:\d+/)', viewer.output).group(1))
    yield page
    page.close()


def hand(stamp, x):
    """A flat hand of 25 joints in front of c, which hovers at (0, 5, 1)."""
    return {'stamp_ns': str(stamp), 'hand': 'right', 'frame_id': 'world', 'names': list(WEBXR_NAMES),
            'positions': [[x, 4.95 + 0.004 * k, 1.0] for k in range(25)], 'radii': [0.02] * 25,
            'orientations_xyzw': [[0, 0, 0, 1]] * 25, 'is_valid': [True] * 25}


def seen(rig, page, topic):
    """Tick until a message of a topic has come."""
    rig.bench.until(lambda: page.got[topic] or not rig.time.tick(), f'{topic} at the page')
    return page.got[topic]


def wait_for_the_time(rig, page):
    """Probe the viewer's clock until it is the node's: it has to find /clock first."""
    page.subscribe('clock_reply')
    page.do(page.client.advertise(1, '/clock_probe'))
    rig.bench.until(lambda: tick_and_compare(rig, page), 'the time of the node')


def tick_and_compare(rig, page):
    """A tick; whether the viewer's clock, which may be behind, shows it."""
    rig.time.tick()
    count = len(page.got['clock_reply'])
    page.do(page.client.publish(1, {'client': 'c', 'id': 1, 't0': '0'}))
    rig.bench.until(lambda: len(page.got['clock_reply']) > count, 'the time')
    return int(json.loads(page.got['clock_reply'][-1])['server_ns']) == rig.time.now


def test_a_page_sees_and_pushes(rig, page):
    bench = rig.bench
    wait_for_the_time(rig, page)
    # the viewer opens them in this order: once the last one comes, the node knows of all
    page.subscribe('scene', 'hands/right', 'contact_events', 'fleet/states_corrected')
    seen(rig, page, 'fleet/states_corrected')

    # what the node published, byte for byte; readable by its schema alone
    published = []
    bench.node.create_subscription(FleetState, 'fleet/states_corrected', published.append, INPUT, raw=True)
    bench.until(lambda: rig.time.tick() and page.got['fleet/states_corrected'][-1] in published, 'the same state')
    channel = next(c for c in page.client.reported['advertise']['channels'] if c['topic'] == '/fleet/states_corrected')
    state = Decoder({channel['schemaName']: channel['schema']}).decode(channel['schemaName'],
                                                                       page.got['fleet/states_corrected'][-1])
    assert list(state.names) == ['a', 'b', 'c']
    scene = json.loads(page.got['scene'][0])
    assert [d['name'] for d in scene['drones']] == ['a', 'b', 'c']
    assert scene['drones'][0]['parts'][0]['type'] == 'sphere'
    assert scene['hands'] == ['right']

    # a hand from the page strikes c, and every client sees it
    tracker = bench.inbox(HandJoints, 'hands/right', INPUT)
    page.do(page.client.advertise(9, '/hands/right'))
    for k in range(600):
        bench.send('c/odom', odometry(rig.time.now, (0, 5, 1)))
        page.do(page.client.publish(9, hand(rig.time.now, -0.6 + 0.01 * min(k, 60))))
        bench.until(lambda: tick_and_compare(rig, page), 'the viewer, for which stamps may not be far ahead')
        if any(e.kind == ContactEvent.DRONE_HAND for e in rig.events):
            break
    hit = [e for e in rig.events if e.kind == ContactEvent.DRONE_HAND][0]
    assert {hit.body_a, hit.body_b} == {'c', 'right'}
    assert abs(hit.impulse.x) > 0.0
    bench.until(lambda: page.got['contact_events'], 'the event at the page')
    received = deserialize_message(page.got['contact_events'][0], ContactEventArray).events[0]
    assert received.id == rig.events[0].id
    assert list(tracker[0].names) == list(WEBXR_NAMES)
    assert tracker[0].header.frame_id == 'world'
    bench.until(lambda: page.got['hands/right'], 'the hand at the page')

    # refused, with the cause
    page.do(page.client.publish(9, hand(rig.time.now + 10**9, 0.0)))
    bench.until(lambda: page.statuses, 'a status')
    assert 'hand_from_future: stamp_ns: 1.0' in page.statuses[0]['message']
    page.subscribe('server_stats')
    stats = json.loads(seen(rig, page, 'server_stats')[-1])
    assert (stats['clients'], stats['dropped']['hand_from_future']) == (1, 1)
    bench.until(lambda: values(rig.diagnostics, 'sockets').get('hand_from_future') == '1', 'a report')


def paused_in(page):
    """What a page was told of pauses."""
    return [deserialize_message(data, Bool).data for data in page.got['paused']]


def test_pages_that_want_and_want_no_more_while_messages_come(rig, monkeypatch):
    """The executor gives up a subscription and its events before they are destroyed: it would go on to what is gone."""
    monkeypatch.setenv('RESTLESS', '3')
    path = str(Path(__file__).with_name('restless_viewer.py'))
    process = rig.bench.start(path, f'world:={rig.world}', 'port:=0', 'use_sim_time:=true')
    rig.bench.until(lambda: 'rests:' in process.output or not process.alive or not rig.time.tick(), 'rest', START)
    assert process.alive, process.output
    changes, messages, there, known, leave = map(int, re.findall(r'\d+', process.output.partition('rests:')[2])[:5])
    assert changes > 100 and messages > 0
    assert (there, leave) == (known, 0)
    assert interrupt(process) == 0, process.output


def test_a_viewer_whose_clock_is_changed_goes_on(bench):
    """rclpy destroys the subscription to /clock itself."""
    process = bench.start(VIEWER, 'world:=gym', 'port:=0', 'use_sim_time:=true')
    bench.until(lambda: 'socket:' in process.output, 'the viewer', START)
    page = Page(re.search(r'page: (\S+)', process.output).group(1))
    for simulated in (False, True, False):
        request = SetParameters.Request(parameters=[Parameter('use_sim_time', value=simulated).to_parameter_msg()])
        answer = bench.call(SetParameters, '/viewer/set_parameters', request)
        assert answer.results[0].successful, answer
    page.subscribe('server_stats')
    bench.until(lambda: len(page.got['server_stats']) > 1 or not process.alive, 'what the viewer says of itself')
    page.close()
    assert interrupt(process) == 0, process.output


def test_a_wrong_override_of_what_a_page_wants_ends_it_with_a_sentence(bench):
    """It is read as the topic is opened."""
    process = bench.start(VIEWER, 'world:=gym', 'port:=0', 'qos_overrides./contact_events.subscription.depth:=0')
    bench.until(lambda: 'socket:' in process.output, 'the viewer', START)
    page = Page(re.search(r'page: (\S+)', process.output).group(1))
    page.subscribe('contact_events')
    assert process.wait() == 1, process.output
    assert 'error: parameter qos_overrides' in process.output and 'depth must be' in process.output
    page.close()


def test_a_page_asks_the_node(rig, page, viewer):
    bench = rig.bench
    wait_for_the_time(rig, page)
    # what the node answers before it knows of the viewer is lost
    bench.until(lambda: page.call(bench, '/set_paused', paused=True) == {
        'success': True, 'message': 'the scene stands still, time goes on'}, 'the pause')
    still = fly(rig, 10)
    assert fly(rig, 10) == still
    # a page that comes later is told, and one that is there hears of the end
    late = Page(re.search(r'page: (http://localhost:\d+/)', viewer.output).group(1))
    late.subscribe('paused')
    bench.until(lambda: late.got['paused'], 'the pause at a late page')
    assert paused_in(late) == [True]
    assert page.call(bench, '/step', ticks=3)['success']
    assert fly(rig, 10) != still
    assert page.call(bench, '/set_paused', paused=False)['success']
    bench.until(lambda: paused_in(late)[-1] is False, 'the end of the pause')
    late.close()
    assert not page.call(bench, '/step')['success']
    for name, arguments in (('/reset', {}), ('/set_enabled', {'enabled': True})):
        assert page.call(bench, name, **arguments)['success']
    count = len(page.statuses)
    ids = {s['name']: s['id'] for s in page.client.reported['advertiseServices']['services']}
    for wrong in (b'{"paused": 1}', b'{}', b'nonsense'):
        page.do(page.client.call(ids['/set_paused'], wrong))
    bench.until(lambda: len(page.statuses) == count + 3, 'failures')
    assert 'paused must be true or false, got 1' in page.statuses[count]['message']


def fly(rig, ticks):
    """Positions after some ticks in which a moves."""
    for k in range(ticks):
        rig.bench.send('a/odom', odometry(rig.time.now, (-1 + 0.01 * k, 0.02 * k, 1)))
        rig.time.tick()
    return list(rig.ticks[-1].positions)


def test_a_viewer_that_hangs_holds_nobody_up_and_one_that_is_to_end_ends(rig, page, viewer):
    page.subscribe('fleet/states_corrected', 'contact_events', 'markers')
    seen(rig, page, 'markers')
    viewer.signal(signal.SIGSTOP)
    fly(rig, 300)
    viewer.signal(signal.SIGCONT)
    assert interrupt(rig.process) == 0, rig.process.output
    rig.bench.until(lambda: 'is not there' in page.call(rig.bench, '/reset')['message'], 'the viewer to know it')
    assert interrupt(viewer) == 0, viewer.output


def test_a_start_that_fails_says_why_in_one_line(bench):
    wrong = {
        'host:=0.0.0.0': 'parameter host: 0.0.0.0 can be reached from other machines, which needs token, certificate,',
        'world:=nowhere': 'parameter world: ',
        'max_rate:=0': 'parameter max_rate: must be between 1 and 100000, got 0',
    }
    said = {bench.start(VIEWER, parameter): text for parameter, text in wrong.items()}
    code = f'import sys; sys.modules["aiohttp"] = None; from {VIEWER} import main; sys.exit(main())'
    bench.processes.append(Process(['-c', code], bench.domain))
    said[bench.processes[-1]] = "the viewer needs aiohttp: pip install 'hakoniwa_rigid[web]'"
    for process, text in said.items():
        assert process.wait(START) == 1
        assert process.output.startswith(f'error: {text}')
        assert len(process.lines) == 1


def test_the_shipped_file_lists_every_parameter_with_its_default():
    listed = yaml.safe_load(config_file('viewer.yaml').read_text())['/**']['ros__parameters']
    assert listed == {param.name: param.default for param in VIEWER_PARAMETERS}


def lift(drone, reported):
    """N, of the speeds of a drone's rotors."""
    speeds = reported['speeds'][reported['names'].index(drone.name)]
    return sum(r.thrust_coefficient * w * w for r, w in zip(drone.model.rotors, speeds, strict=True))


class Polled:
    """A subscription, and what waits in it."""

    def __init__(self, _, kind, topic, __, profile):
        self.handle, self.msg_type, self.topic, self.qos_profile, self.waiting = self, kind, topic, profile, []

    def take_message(self, kind, _):
        return (self.waiting.pop(0), {}) if self.waiting else None


def test_motor_speeds_come_before_thrust(monkeypatch):
    """Each rotor turns at its own speed, in its own direction; what does not fit the rotor table is no speed."""
    world = worlds.load(config_file('worlds', 'gym.yaml'))
    drone = next(d for d in world.drones if d.model.rotors)
    topics = {drone.name: {'topic_wrench': 'w', 'topic_motor_speed': 'm'}}
    monkeypatch.setattr(viewer_rotors, 'poll_for_a_while', Polled)
    monkeypatch.setattr(viewer_rotors, 'Actuators', object)
    rotors = viewer_rotors.Rotors(SimpleNamespace(world=world, drones=topics))
    node = SimpleNamespace(polled=set())
    made = rotors.subscribe(node)
    assert node.polled == set(made) and [one.topic for one in made] == ['fleet/wrenches', 'w', 'm']
    waiting = {one.topic: one.waiting for one in made}
    assert rotors.message(1) is None
    waiting['fleet/wrenches'].append(FleetWrench(names=[drone.name], forces=[0.0, 0.0, 2.0], torques=[0.0] * 3))
    assert abs(lift(drone, rotors.message(1)) - 2.0) < 1e-9
    waiting['m'].append(SimpleNamespace(velocity=[1.0]))
    assert abs(lift(drone, rotors.message(1)) - 2.0) < 1e-9
    waiting['m'] += [SimpleNamespace(velocity=[1.0] * 4), SimpleNamespace(velocity=[100.0, 200.0, -300.0, 400.0])]
    speeds, = rotors.message(1)['speeds']
    assert not waiting['m']
    signs = [1 if rotor.spin == 'ccw' else -1 for rotor in drone.model.rotors]
    assert speeds == [sign * speed for sign, speed in zip(signs, (100.0, 200.0, 300.0, 400.0), strict=True)]


def test_constraints(bench):
    """Their lines from the markers, with which of them are loaded; their events as the node publishes them."""
    process = bench.start(VIEWER, 'world:=gym', 'port:=0')
    bench.until(lambda: 'socket:' in process.output, 'the viewer', START)
    page = Page(re.search(r'page: (\S+)', process.output).group(1))
    page.subscribe('constraints', 'constraint_events')
    ends = [Point(x=float(k)) for k in range(4)]
    lines = Marker(ns='constraints', points=ends, colors=[RED, RED, ORANGE, ORANGE])
    drawing = bench.node.create_publisher(MarkerArray, 'markers', LATCHED)
    event = ConstraintEventArray(events=[ConstraintEvent(phase=ConstraintEvent.TAUT, name='sling')])

    def reported():
        drawing.publish(MarkerArray(markers=[Marker(ns='contacts'), lines]))
        bench.send('constraint_events', event)
        bench.serve()
        return page.got['constraints'] and page.got['constraint_events']

    bench.until(reported, 'lines and events')
    shown = json.loads(page.got['constraints'][-1])
    assert shown['lines'] == [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]]]
    assert shown['loaded'] == [True, False]
    assert deserialize_message(page.got['constraint_events'][-1], ConstraintEventArray) == event


def test_subscriptions_that_come_and_go_leave_nothing_behind(bench):
    """A callback group of rclpy keeps a dead reference to all it ever had: pages that come and go would fill it."""
    node = rclpy.create_node('visited', context=bench.context)
    kept = node.default_callback_group.entities
    before = len(kept)
    for create, left in ((subscribe_for_a_while, 0), (subscribe, 10)):
        for _ in range(10):
            node.destroy_subscription(create(node, MarkerArray, 'markers', lambda _: None, LATCHED, raw=True))
        assert len(kept) - before >= left and (left or len(kept) == before)
    node.destroy_node()


def test_a_page_that_comes_before_the_first_callback(bench):
    """As one that connects anew while the viewer starts: what it asked for comes all the same."""
    process = bench.start(str(Path(__file__).with_name('early_viewer.py')), 'world:=gym', 'port:=0')
    bench.until(lambda: 'socket:' in process.output, 'the viewer', START)
    page = Page(re.search(r'page: (\S+)', process.output).group(1))
    page.subscribe('contact_events')
    bench.until(lambda: bench.node.count_subscribers('contact_events'), 'its subscription')
    assert interrupt(process) == 0, process.output


def test_objects_and_rotors(bench):
    """Objects from the markers; rotors from the thrust, by wrench or fleet: the hummingbird's four share it."""
    world = worlds.load(config_file('worlds', 'gym.yaml'))
    process = bench.start(VIEWER, 'world:=gym', 'port:=0')
    bench.until(lambda: 'socket:' in process.output, 'the viewer', START)
    page = Page(re.search(r'page: (\S+)', process.output).group(1))
    page.subscribe('objects', 'rotors')
    drone = next(d for d in world.drones if d.model.rotors)
    markers = MarkerArray(markers=[Marker(ns='drones', id=0)] + [
        Marker(ns='objects', id=k, pose=Pose(position=Point(x=1.0 + k))) for k in range(len(world.objects))])
    wrench = WrenchStamped(wrench=Wrench(force=Vector3(z=5.0)))
    wrench.header.frame_id = 'a name of any length'

    drawing = bench.node.create_publisher(MarkerArray, 'markers', LATCHED)

    def reported():
        drawing.publish(markers)
        bench.send(f'{drone.name}/wrench', wrench)
        bench.serve()
        return page.got['objects'] and page.got['rotors']

    bench.until(reported, 'objects and rotors')
    objects, rotors = (json.loads(page.got[topic][-1]) for topic in ('objects', 'rotors'))
    assert objects['names'] == [body.name for body in world.objects]
    assert [p[0] for p in objects['positions']] == [1.0 + k for k in range(len(world.objects))]
    assert rotors['names'] == [drone.name]
    assert abs(lift(drone, rotors) - 5.0) < 1e-9
    fleet = FleetWrench(names=['unknown', drone.name], forces=[9.0, 9.0, 9.0, 0.0, 0.0, 3.0], torques=[0.0] * 6)

    def told_of_the_fleet():
        bench.send('fleet/wrenches', fleet)
        bench.serve()
        return abs(lift(drone, json.loads(page.got['rotors'][-1])) - 3.0) < 1e-9

    bench.until(told_of_the_fleet, 'rotors of the fleet')
    page.close()
    assert interrupt(process) == 0, process.output
