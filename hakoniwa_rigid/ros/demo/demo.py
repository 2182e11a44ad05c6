# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The demo: starts every node as a process of its own, records, and says what happened.

Six drones of a simulator that knows nothing of us, a hand, the collision node and the adapter by which the simulator
accepts corrections talk over DDS on this machine, in a ROS domain that nothing else uses. Ends with a bag, a summary
and a picture.
"""
from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from pathlib import Path

import rclpy
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from nav_msgs.msg import Odometry
from rclpy.experimental import EventsExecutor
from rclpy.serialization import deserialize_message
from rclpy.signals import SignalHandlerOptions
from tqdm import tqdm
from visualization_msgs.msg import MarkerArray

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.msg import ContactEventArray, FleetState, HandJoints
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.replay.diff.setup import WORLD_KEY
from hakoniwa_rigid.ros.child_processes import Child, Children
from hakoniwa_rigid.ros.demo import demo_picture, demo_report
from hakoniwa_rigid.ros.demo.bag_recorder import BagRecorder, Topic
from hakoniwa_rigid.ros.demo.demo_options import arguments
from hakoniwa_rigid.ros.demo.demo_page import HANDS, address_of, choose_address, run_live, start_page
from hakoniwa_rigid.ros.demo.page_lan import show_invitation
from hakoniwa_rigid.ros.domain import free_domain
from hakoniwa_rigid.ros.errors import StartError
from hakoniwa_rigid.ros.leaving import leave
from hakoniwa_rigid.ros.qos import EVENTS, INPUT, LATCHED, STATES
from hakoniwa_rigid.scene.world_files import world_file as worlds
from hakoniwa_rigid.scene.world_files.world_types import WorldConfig

READY_TIMEOUT = 600.0   # s; covers compiling every kernel on a busy machine where nothing is cached yet
LONG = 8.0              # s; nodes whose kernels are there are ready before
START_DELAY = 0.3       # s from the announcement of the start to the start, longer than a message takes
INTERRUPTED = 130       # exit code after Ctrl-C, as shells use it
BRIDGED = 'right'        # the hand of hand_bridge's recording; the page's are silent until they are moved


class DemoError(RuntimeError):
    """The demo cannot go on; the message says what happened and where to look."""


def topics(world: WorldConfig) -> list[Topic]:
    """Everything worth recording."""
    result = [Topic('/contact_events', ContactEventArray, EVENTS), Topic('/fleet/states_corrected', FleetState, STATES),
              Topic('/diagnostics', DiagnosticArray, STATES), Topic('/markers', MarkerArray, LATCHED),
              Topic('/start', Time, LATCHED)]
    for drone in world.drones:
        result += [Topic(f'/{drone.name}/odom', Odometry, INPUT), Topic(f'/{drone.name}/wrench', WrenchStamped, INPUT),
                   Topic(f'/{drone.name}/odom_corrected', Odometry, STATES)]
    return result + [Topic(f'/hands/{hand.name}', HandJoints, INPUT) for hand in world.hands]


class Demo:
    """One run, from the first process to the last."""

    def __init__(self, options: argparse.Namespace, domain: int, signals: list[int]) -> None:
        self.options = options
        self.signals = signals   # SIGINT and SIGTERM received so far; read between steps, so that no step is torn
        self.world_path = config_file('worlds', 'demo_room.yaml')
        self.world = worlds.load(self.world_path)
        options.out.mkdir(parents=True, exist_ok=True)
        rclpy.init(domain_id=domain, signal_handler_options=SignalHandlerOptions.NO)
        self.node = rclpy.create_node('demo')
        self.executor = EventsExecutor()
        self.executor.add_node(self.node)
        self.start_publisher = self.node.create_publisher(Time, 'start', LATCHED)
        self.viewer: Child | None = None
        self.events: list[demo_report.Event] = []
        listen = {demo_report.EVENTS: self.on_events} if options.until_complete else {}
        world = {WORLD_KEY: self.world_path.read_text(encoding='utf8')}
        self.recorder = BagRecorder(self.node, options.out / 'bag', topics(self.world), listen, world)

    def close(self) -> None:
        """Leave ROS."""
        self.executor.shutdown()
        leave(self.node)

    def start_nodes(self, children: Children) -> None:
        """The processes of the demo."""
        package = 'hakoniwa_rigid.ros'
        children.start('collision_node', f'{package}.collision.collision_node',
                       {'world': self.world_path, 'rate': self.options.rate, 'hands': HANDS})
        children.start('drone_sim', f'{package}.simulators.drone_sim', {'wait_for_start': True})
        children.start('hand_bridge', f'{package}.hands.hand_bridge', {'wait_for_start': True})
        if not self.options.no_corrections:
            children.start('correction_adapter', f'{package}.simulators.correction_adapter', {})
        self.viewer = start_page(children, self.world_path, self.options)

    def missing(self) -> list[str]:
        """What is not there yet: first messages, and partners of the topics that have no message yet."""
        counts, node = self.recorder.counts, self.node
        names = [drone.name for drone in self.world.drones]
        wanted = ['/fleet/states_corrected', f'/hands/{BRIDGED}']
        wanted += [f'/{name}/{topic}' for name in names for topic in ('odom', 'odom_corrected')]
        lacking = [f'a message on {topic}' for topic in wanted if not counts[topic]]
        partners = 0 if self.options.no_corrections else 1
        # the recorder is one reader of the outputs, the adapter the other
        for topic in ('/contact_events', *(f'/{name}/odom_corrected' for name in names)):
            if node.count_subscribers(topic) < 1 + partners:
                lacking.append(f'a reader of {topic}')
        for name in names:
            topic = f'/{name}/set_state'
            if node.count_publishers(topic) < partners or not node.count_subscribers(topic):
                lacking.append(f'both ends of {topic}')
        if self.start_publisher.get_subscription_count() < 3:
            lacking.append('readers of /start')
        return lacking

    def wait_until_ready(self, children: Children) -> None:
        """Return when every node talks to every other; DemoError names what was still missing after READY_TIMEOUT."""
        begun = time.monotonic()
        page, told = '', False
        while lacking := self.missing():
            self.check(children)
            page = page or self.tell_page()
            waited = time.monotonic() - begun
            if waited > LONG and not told:
                print('... the first time they compile, for up to five minutes', flush=True)
                told = True
            if waited > READY_TIMEOUT:
                raise DemoError(f'after {READY_TIMEOUT:g} s there is still not {lacking[0]} ({len(lacking)} things '
                                f'missing); logs in {children.logs}')
            self.spin(0.05)
        if self.viewer and not page and not self.tell_page():
            print(f'page: see {self.viewer.log}', flush=True)

    def tell_page(self) -> str:
        """Print where the page is, once the viewer has said so; '' before."""
        address = address_of(self.viewer, self.options.page_params) if self.viewer else ''
        if address:
            print(f'page: {address}   (live from take-off to the end; `demo --ar` stays until Ctrl-C)', flush=True)
            if self.options.lan is not None:
                show_invitation(address)
        return address

    def on_events(self, data: bytes) -> None:
        """Note contact events that were recorded."""
        self.events += [demo_report.event_of(event, 0) for event in deserialize_message(data, ContactEventArray).events]

    def complete(self) -> bool:
        """Whether all that is to occur has occurred, where the run is to end then."""
        return self.options.until_complete and all(demo_report.required_kinds(self.events, self.world).values())

    def check(self, children: Children) -> None:
        """KeyboardInterrupt after a signal; DemoError, with the end of its log, when a node has ended."""
        if self.signals:
            raise KeyboardInterrupt
        for child in children.dead():
            code = child.process.returncode
            raise DemoError(f'{child.name} ended with exit code {code}; {child.log} ends:\n{child.tail()}')

    def spin(self, seconds: float) -> None:
        """Serve the recorder."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0.0:
            self.executor.spin_once(timeout_sec=left)

    def fly(self, children: Children) -> dict[str, float]:
        """Record from just before the start until ``duration`` s after it, or until it is complete; returns each node's
        share of one core."""
        self.recorder.start()
        self.start_publisher.publish(self.stamp(START_DELAY))
        before, begun = cpu_seconds(children), time.monotonic()
        total = START_DELAY + self.options.duration
        if not sys.stderr.isatty():
            print(f'flying {self.options.duration:g} s ...', flush=True)
        with tqdm(total=round(total, 1), unit='s', desc='flying', disable=None,
                  bar_format='{desc} {bar} {n:.0f}/{total:.0f} s{postfix}') as bar:
            while (elapsed := time.monotonic() - begun) < total and not self.complete():
                self.check(children)
                self.spin(min(0.25, total - elapsed))
                bar.set_postfix_str(f'{self.recorder.counts["/contact_events"]} contact messages', refresh=False)
                bar.update(min(time.monotonic() - begun, total) - bar.n)
        elapsed = time.monotonic() - begun
        return {name: (used - before[name]) / elapsed for name, used in cpu_seconds(children).items()}

    def stamp(self, ahead: float) -> Time:
        """ROS time ``ahead`` s from now."""
        sec, nanosec = divmod(self.node.get_clock().now().nanoseconds + int(ahead * NANOSECONDS), NANOSECONDS)
        return Time(sec=sec, nanosec=nanosec)


def cpu_seconds(children: Children) -> dict[str, float]:
    """Processor time so far of every node, and of this process, which records; s."""
    return {child.name: child.cpu_seconds() for child in children.children} | {'recorder': time.process_time()}


def report(demo: Demo, bag: Path, shares: dict[str, float]) -> demo_report.Summary:
    """Summary and picture from the bag; prints the summary and where everything is."""
    try:
        run = demo_report.read_run(bag)
    except ValueError as error:
        raise DemoError(str(error)) from error
    summary = demo_report.summarise(run, demo.world)
    picture = demo_picture.draw(run, summary, demo.world, demo.options.out / 'trajectories.png')
    used = ', '.join(f'{name} {share:.0%}' for name, share in shares.items())
    lines = [f'hakoniwa_rigid demo: {summary.duration:.1f} s, {len(demo.world.drones)} drones, '
             f'{run.messages} messages recorded',
             '', demo_report.text(summary), '',
             f'processor            {used} of one core',
             f'bag                  {bag}', f'picture              {picture}']
    (demo.options.out / 'summary.txt').write_text('\n'.join(lines) + '\n', encoding='utf8')
    print('\n'.join(lines))
    return summary


def fly_and_record(demo: Demo, environment: dict[str, str]) -> tuple[Path, dict[str, float], dict[str, int]]:
    """Run the processes; returns bag, processor shares and exit codes. No process and no half bag is ever left."""
    complete = False
    try:
        with Children(demo.options.out / 'logs', environment) as children:
            demo.start_nodes(children)
            print('waiting for the nodes ...', flush=True)
            demo.wait_until_ready(children)
            shares = demo.fly(children)
            complete = True
            codes = children.stop()
        return demo.recorder.finish(), shares, codes
    finally:
        if not complete:
            demo.recorder.abandon()


def run(options: argparse.Namespace) -> int:
    """The whole demo; returns 0 only if all four kinds of contact occurred and every node ended cleanly."""
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _frame: signals.append(received))
    if fault := choose_address(options):
        print(f'error: {fault}', file=sys.stderr)
        return 1
    try:
        if options.ar:
            return run_live(options, signals)
        with free_domain(options.domain) as domain:
            os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
            os.environ['ROS_DOMAIN_ID'] = str(domain)
            demo = Demo(options, domain, signals)
            try:
                bag, shares, codes = fly_and_record(demo, dict(os.environ))
            finally:
                demo.close()
            summary = report(demo, bag, shares)
    except (DemoError, StartError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('interrupted: all nodes stopped, nothing recorded', file=sys.stderr)
        return INTERRUPTED
    faults = [f'{name} ended with exit code {code}; see {options.out / "logs" / name}.log'
              for name, code in codes.items() if code]
    faults += [f'it did not happen that a {what}' for what, seen in summary.occurred.items() if not seen]
    for fault in faults:
        print(f'error: {fault}', file=sys.stderr)
    if not faults:
        print(whats_next(bag))
    return 1 if faults else 0


def whats_next(bag: Path) -> str:
    """What to try after the demo, without ROS, as it can be typed."""
    command = sys.argv[0] if Path(sys.argv[0]).name == 'hakoniwa-rigid' else 'hakoniwa-rigid'
    tries = ((f'{command} demo --ar', 'they hover: push them with the mouse in the browser page, until Ctrl-C'),
             (f'{command} inspect {bag}', 'what is in the bag, and what came near what'),
             (f'{command} page {bag} -o {bag.parent / "page"}', 'the flight as a folder that any browser plays'),
             (f'{command} simulate gym', 'a room with everything in it falls and comes to rest; a picture'),
             ('docs/ten_minutes.md', 'two drones and a room of your own, recorded, replayed, tested'))
    widest = max(len(what) for what, _ in tries)
    return '\n'.join(['', 'next', *(f'  {what:<{widest}}  {why}' for what, why in tries)])


def main(args: list[str] | None = None) -> int:
    """Entry point of ``ros2 run hakoniwa_rigid demo``."""
    parser = argparse.ArgumentParser(prog='demo', description=__doc__)
    arguments(parser)
    return run(parser.parse_args(args))


if __name__ == '__main__':
    sys.exit(main())
