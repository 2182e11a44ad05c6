# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""How much faster than real time the RotorPy swarm flies in lockstep with a collision node of its own process.

    python -m benchmark.lockstep --drones 2 --seconds 60

Prints the real-time factor, the time of a step, the CPU time of both processes, and a digest of all states that came
back: equal runs have equal ones.
"""
from __future__ import annotations

import argparse
import os
import subprocess
import sys
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from time import perf_counter, process_time

import rclpy

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.ros.domain import free_domain
from hakoniwa_rigid.ros.lockstep import join
from hakoniwa_rigid.sims.courses import read_courses
from hakoniwa_rigid.sims.rotorpy_swarm import Swarm

# s; a node that has not ended by then is killed
END = 30.0


@contextmanager
def collision_node(names: list[str], rate: float, *parameters: str):
    """One in a process of its own, in lockstep, in the domain of this process."""
    words = [f'drones:=[{", ".join(names)}]', f'rate:={rate}', 'pace:=lockstep', *parameters]
    command = [sys.executable, '-m', 'hakoniwa_rigid.ros.collision.collision_node', '--ros-args']
    process = subprocess.Popen([*command, *(word for p in words for word in ('-p', p))])
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(END)
        except subprocess.TimeoutExpired:
            process.kill()


def cpu(pid: int) -> float:
    """CPU time of a process so far, s."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def fly(swarm: Swarm, lockstep, steps: int) -> tuple[float, float, str]:
    """s of wall time of so many steps, those of them in the simulator, and the digest of what came back."""
    digest, simulated, begun = sha256(), 0.0, perf_counter()
    for k in range(steps):
        start = perf_counter()
        swarm.step()
        states = [swarm.state(name) for name in swarm.names]
        simulated += perf_counter() - start
        found = lockstep.step(NANOSECONDS + round(k * swarm.dt * NANOSECONDS), [s.position for s in states],
                              [s.orientation for s in states], [s.velocity for s in states],
                              [s.body_rates for s in states])
        for array in found[1:]:
            digest.update(array.tobytes())
        for i in (found.flags & 1).nonzero()[0].tolist():
            swarm.set_state(swarm.names[i], *(array[i] for array in found[1:5]))
    return perf_counter() - begun, simulated, digest.hexdigest()


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--drones', type=int, default=2, choices=range(1, 7), help='of the demo')
    parser.add_argument('--seconds', type=float, default=60.0, help='of simulated time')
    parser.add_argument('--rate', type=float, default=100.0, help='Hz, of simulator and node')
    parser.add_argument('--record', default='', help='bag of the node')
    options = parser.parse_args()
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    courses = dict(list(read_courses(config_file('demo_courses.yaml')).items())[:options.drones])
    swarm = Swarm(courses, dt=1.0 / options.rate)
    with free_domain(None) as domain:
        os.environ['ROS_DOMAIN_ID'] = str(domain)
        record = [f'record:={options.record}'] if options.record else []
        with rclpy.init(), collision_node(list(courses), options.rate, *record) as node:
            lockstep = join(rclpy.create_node('benchmark'), swarm.names, start_timeout=600.0)
            steps = round(options.seconds * options.rate)
            before = process_time(), cpu(node.pid)
            wall, simulated, digest = fly(swarm, lockstep, steps)
            own, its = process_time() - before[0], cpu(node.pid) - before[1]
    print(f'{options.drones} drones, {options.seconds:g} s at {options.rate:g} Hz in {wall:.2f} s: '
          f'{options.seconds / wall:.1f} x real time; a step takes {wall / steps * 1e6:.0f} us, of them the simulator '
          f'{simulated / steps * 1e6:.0f} us; CPU {own / steps * 1e6:.0f} us here, '
          f'{its / steps * 1e6:.0f} us of the node; states {digest[:16]}')


if __name__ == '__main__':
    main()
