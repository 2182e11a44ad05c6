# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Nodes in processes of their own, each test in a DDS domain of its own; tests wait for facts, never for a time.

Every wait has a bound; what runs out tells what the processes said. Processes are killed when a fixture ends.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import fork_server
import rclpy
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import GetParameters
from rclpy.experimental import EventsExecutor
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from rclpy.signals import SignalHandlerOptions
from rosgraph_msgs.msg import Clock
from tested import PACKAGES

from hakoniwa_rigid.ros.domain import free_domain
from hakoniwa_rigid.ros.leaving import leave

# s; a first start compiles the kernels
START = 60.0
# s; bound of every other wait, for discovery and for a machine that is busy with other things
WAIT = 30.0
# s; after this what may have got lost is said once more: what is best effort, and what a stranger was asked
AGAIN = 0.5
NS = 1_000_000_000
RELIABLE = QoSProfile(depth=5000, reliability=ReliabilityPolicy.RELIABLE)
LATCHED = QoSProfile(depth=10, reliability=ReliabilityPolicy.RELIABLE, durability=DurabilityPolicy.TRANSIENT_LOCAL)


# a test run that is killed itself must not leave nodes behind in its domain.  Not a preexec_fn: that forks a process in
# which DDS has threads, at any moment of theirs
DIES_WITH_PARENT = ('setpriv', '--pdeathsig', 'KILL') if shutil.which('setpriv') else ()


# what nodes of this test process are forked from
_servers = fork_server.Servers(DIES_WITH_PARENT)


class Process:
    """A child process with its output at hand; one of this Python, fresh or forked."""

    def __init__(self, command: list[str], domain: int, stdin: int | None = None, *, forked: bool = False) -> None:
        env = {
            **os.environ,
            'ROS_DOMAIN_ID': str(domain),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST',
            'PYTHONUNBUFFERED': '1',
            'PYTHONPATH': os.pathsep.join([PACKAGES, fork_server.TESTS, os.environ.get('PYTHONPATH', '')]),
            'RCUTILS_COLORIZED_OUTPUT': '0',
        }
        self.lines: list[str] = []
        if forked and (server := _servers.of_now()):
            self._popen = server.start(command, env, None if stdin == subprocess.DEVNULL else stdin)
        else:
            self._popen = subprocess.Popen(
                [*DIES_WITH_PARENT, sys.executable, *command],
                env=env,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        for line in self._popen.stdout:
            self.lines.append(line.rstrip())

    @property
    def output(self) -> str:
        """All it said so far."""
        return '\n'.join(self.lines)

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._popen.poll() is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._popen.pid

    def signal(self, number: int) -> None:
        """Send a signal."""
        self._popen.send_signal(number)

    def wait(self, timeout: float = WAIT) -> int:
        """Its exit code."""
        code = self._popen.wait(timeout)
        self._reader.join(WAIT)
        return code

    def kill(self) -> None:
        """End it at once, if it still runs."""
        if self.alive:
            self._popen.kill()
        self._popen.wait(WAIT)
        self._reader.join(WAIT)
        self._popen.stdout.close()


class Bench:
    """A node of the test's own in one domain, the processes beside it, and the clock where time is simulated."""

    def __init__(self, domain: int) -> None:
        self.domain = domain
        self.processes: list[Process] = []
        self.context = rclpy.Context()
        rclpy.init(
            args=['--ros-args', '--disable-rosout-logs'],
            context=self.context,
            domain_id=domain,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        self.node = rclpy.create_node('bench', context=self.context, start_parameter_services=False)
        self._executor = EventsExecutor(context=self.context)
        self._executor.add_node(self.node)
        self._publishers: dict[str, object] = {}
        self._clients: dict[str, object] = {}
        # how many endpoints of the bench each node knows; how many there were when it was asked, the client and answers
        self._met: dict[str, int] = {}
        self._asked: dict[str, tuple[int, object, list]] = {}
        self._introductions = 0     # clients by which nodes were asked

    def close(self) -> None:
        """Kill every process, leave the domain."""
        ended = not all(process.alive for process in self.processes)
        for process in self.processes:
            process.kill()
        self._executor.remove_node(self.node)
        self._executor.shutdown()
        if ended:
            leave(self.node, self.context)
        else:   # who is killed says nothing of it
            self.node.destroy_node()
            rclpy.try_shutdown(context=self.context)

    # processes

    def start(
        self, module: str, *parameters: str, arguments: tuple[str, ...] = (), stdin: int | None = None
    ) -> Process:
        """Run a module of the package, or a script by its path, with `-p name:=value` for each parameter."""
        target = [module] if module.endswith('.py') else ['-m', module]
        ros = [word for p in parameters for word in ('-p', p)]
        process = Process([*target, *arguments, '--ros-args', *ros], self.domain, stdin, forked=True)
        self.processes.append(process)
        # it may have the name of one that has ended
        self._met.clear()
        self._asked.clear()
        return process

    # waiting

    def until(self, fact: Callable[[], object], what: str, timeout: float = WAIT) -> None:
        """Serve callbacks until `fact()` is true."""
        end = time.monotonic() + timeout
        while not fact():
            if time.monotonic() > end:
                raise AssertionError(f'waited {timeout:g} s in vain for: {what}\n{self.said}')
            self._executor.spin_once(timeout_sec=0.02)

    @property
    def said(self) -> str:
        """Which of the processes run, and all that they said so far."""
        told = (f'{"runs" if p.alive else "has ended"}:\n{p.output}' for p in self.processes)
        return 'processes said:\n' + '\n--\n'.join(told)

    def serve(self) -> None:
        """Serve what is ready now, without waiting for anything."""
        for _ in range(20):
            self._executor.spin_once(timeout_sec=0.0)

    # topics and services

    def meet(self, node: str) -> None:
        """Wait until a node (its full name) knows every writer, reader, service and client made here so far.

        Discovery goes both ways, each in its own time: a reader known here may not know its writer yet, and what it is
        sent meanwhile is lost.  But every node hears of endpoints in the order in which they were made.  So who answers
        a client that is made now knows all that is older.
        """
        self.until(lambda: self.knows(node), f'an answer of {node}', START)

    def knows(self, node: str) -> bool:
        """Whether it does by now; asks it, and asks again, where that is not known."""
        made = self._endpoints()
        if self._met.get(node) == made:
            return True
        if node not in self._asked or self._asked[node][0] != made:
            self._asked[node] = made, self.node.create_client(GetParameters, f'{node}/get_parameters'), []
            self._introductions += 1
        _, client, answers = self._asked[node]
        # an answer to a client that is not known yet is lost
        if client.service_is_ready() and (not answers or time.monotonic() > answers[-1][0] + AGAIN):
            answers.append((time.monotonic(), client.call_async(GetParameters.Request())))
        if any(answer.done() for _, answer in answers):
            self._met[node] = made
        return self._met.get(node) == made

    def _endpoints(self) -> int:
        node = self.node
        # the endpoints of actions are in none of these: an action is a waitable
        kinds = node.publishers, node.subscriptions, node.services, node.clients, node.waitables
        made = sum(len(list(kind)) for kind in kinds)
        return made - self._introductions

    def _introduce(self, topic: str, ends: Callable[[str], list], what: str) -> None:
        """Wait until a topic has other ends, and the nodes they belong to know ours."""
        def introduced() -> bool:
            names = {(end.node_namespace.rstrip('/'), end.node_name) for end in ends(topic)} - {('', 'bench')}
            if not names or any('UNKNOWN' in name for _, name in names):
                return False
            return all(self.knows('/'.join(name)) for name in names)

        self.until(introduced, f'{what} of {topic}', START)

    def publisher(self, kind: type, topic: str, qos: QoSProfile = RELIABLE):
        """A publisher whose readers, of which there is one at least, know it; one per topic."""
        if topic not in self._publishers:
            made = self._publishers[topic] = self.node.create_publisher(kind, topic, qos)
            self._introduce(made.topic_name, self.node.get_subscriptions_info_by_topic, 'a reader')
            self.until(made.get_subscription_count, f'a match of {topic}', START)
        return self._publishers[topic]

    def send(self, topic: str, msg, qos: QoSProfile = RELIABLE) -> None:
        """Publish on `topic`, once its readers know the writer."""
        self.publisher(type(msg), topic, qos).publish(msg)

    def inbox(self, kind: type, topic: str, qos: QoSProfile = RELIABLE) -> list:
        """A list that fills with the messages of `topic`, once its writers know the reader."""
        messages: list = []
        subscription = self.node.create_subscription(kind, topic, messages.append, qos)
        self._introduce(subscription.topic_name, self.node.get_publishers_info_by_topic, 'a writer')
        return messages

    def client(self, kind: type, service: str):
        """A client of a node's service, `<node>/<name>`, that the node knows; one per service."""
        if service not in self._clients:
            self._clients[service] = self.node.create_client(kind, service)
        self.until(self._clients[service].service_is_ready, f'service {service}', START)
        self.meet(service.rpartition('/')[0])
        return self._clients[service]

    def call(self, kind: type, service: str, request=None):
        """The answer of a node's service."""
        future = self.client(kind, service).call_async(request or kind.Request())
        self.until(future.done, f'an answer of {service}', START)
        return future.result()


class SimTime:
    """/clock in the test's hand, in step with the collision node: the next tick comes when the last one has arrived."""

    def __init__(self, bench: Bench, ticks: list, now: int = 10 * NS) -> None:
        """`ticks`: the inbox of fleet/states_corrected; `now` in ns."""
        self._bench, self._ticks = bench, ticks
        self.now = now

    def publish(self) -> None:
        """Tell the time."""
        msg = Clock()
        msg.clock.sec, msg.clock.nanosec = divmod(self.now, NS)
        self._bench.send('/clock', msg)

    def tick(self, step: int = 5_000_000) -> object:
        """Move on by `step` ns and return the FleetState stamped so (steps are whole output periods)."""
        self.now += step
        self._tell_until(self._arrived, f'the tick at {self.now} ns')
        return self._ticks[-1]

    def set_back(self, by: int) -> None:
        """Set the clock back by `by` ns (whole output periods): the node starts a new grid of ticks there."""
        self.now -= by
        self._tell_until(self._arrived, f'the tick at {self.now} ns, to which the clock was set back')

    def _tell_until(self, fact: Callable[[], object], what: str) -> None:
        """Tell the time, which is best effort, until `fact()` is true."""
        reported = 0.0

        def said() -> object:
            nonlocal reported
            if time.monotonic() > reported + AGAIN:
                self.publish()
                reported = time.monotonic()
            return fact()

        self._bench.until(said, what)

    def _arrived(self) -> bool:
        return bool(self._ticks) and stamp_of(self._ticks[-1]) == self.now


def stamp_of(msg) -> int:
    """Header stamp in ns."""
    return msg.header.stamp.sec * NS + msg.header.stamp.nanosec


def state_in(msg, name: str) -> dict:
    """p, q (x, y, z, w), v in the world, w in the body, and flags of a drone in a FleetState."""
    i = list(msg.names).index(name)
    return {
        'p': list(msg.positions[3 * i : 3 * i + 3]),
        'q': list(msg.orientations[4 * i : 4 * i + 4]),
        'v': list(msg.linear_velocities[3 * i : 3 * i + 3]),
        'w': list(msg.angular_velocities[3 * i : 3 * i + 3]),
        'flags': msg.flags[i],
    }


def stamped(msg, ns: int, frame_id: str = 'world'):
    """`msg` with its header set."""
    msg.header.stamp.sec, msg.header.stamp.nanosec = divmod(ns, NS)
    msg.header.frame_id = frame_id
    return msg


def odometry(ns: int, position, quaternion=(0.0, 0.0, 0.0, 1.0), linear=(0.0, 0.0, 0.0), angular=(0.0, 0.0, 0.0)):
    """nav_msgs/Odometry from position (m, world), quaternion xyzw, twist in the child frame."""
    msg = stamped(Odometry(), ns)
    p, q, twist = msg.pose.pose.position, msg.pose.pose.orientation, msg.twist.twist
    p.x, p.y, p.z = map(float, position)
    q.x, q.y, q.z, q.w = map(float, quaternion)
    twist.linear.x, twist.linear.y, twist.linear.z = map(float, linear)
    twist.angular.x, twist.angular.y, twist.angular.z = map(float, angular)
    return msg


def counters(diagnostics: list) -> dict[str, int]:
    """`cause/key` -> count of the newest report on inputs."""
    return {k: int(v) for k, v in values(diagnostics, 'inputs').items() if '/' in k and not k.endswith(' last')}


def values(diagnostics: list, what: str) -> dict[str, str]:
    """key -> value of the newest status whose name ends with `what`."""
    for msg in reversed(diagnostics):
        for status in msg.status:
            if status.name.endswith(f': {what}'):
                return {v.key: v.value for v in status.values}
    return {}


@contextmanager
def bench() -> Iterator[Bench]:
    """A Bench in a free domain."""
    before = os.environ.get('ROS_AUTOMATIC_DISCOVERY_RANGE')
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    with ExitStack() as stack:
        made = Bench(stack.enter_context(free_domain(None)))
        stack.callback(made.close)
        try:
            yield made
        finally:
            if before is None:
                del os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE']
            else:
                os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = before


def interrupt(process: Process, number: int = signal.SIGINT) -> int:
    """End a process as Ctrl-C would; its exit code."""
    process.signal(number)
    return process.wait()
