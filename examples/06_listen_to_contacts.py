# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Print every contact that the collision node reports. Start it beside `hakoniwa-rigid demo` or your own set-up."""
import argparse
import math
import sys
from collections import deque

import rclpy
from hakoniwa_rigid.msg import ContactEvent, ContactEventArray
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node

PHASES = {getattr(ContactEvent, name): name for name in ('BEGIN', 'PERSIST', 'END')}


def line(event):
    """One contact event in words; the impulse is the one on body_b, world frame."""
    stamp, j, v = event.header.stamp, event.impulse, event.relative_velocity_before
    closing = -(v.x * event.normal.x + v.y * event.normal.y + v.z * event.normal.z)
    return (f'{stamp.sec}.{stamp.nanosec:09d} {PHASES[event.phase]:7s} {event.body_a} - {event.body_b}: '
            f'impulse ({j.x:+.3f}, {j.y:+.3f}, {j.z:+.3f}) N s, closing at {closing:.2f} m/s')


class Listener(Node):
    """Subscribes contact_events; one message holds all events of one tick."""

    def __init__(self):
        super().__init__('contact_listener')
        self.seen = deque(maxlen=100_000)    # (time s, pair, impulse N s) of the last
        # the node sends reliably; a long queue keeps every impulse while we print
        self.create_subscription(ContactEventArray, 'contact_events', self.on_events, 1000)

    def on_events(self, msg):
        """Yours: play a sound, count a score, change the state of your simulator (see correction_adapter)."""
        for event in msg.events:
            print(line(event), flush=True)
            j, stamp = event.impulse, event.header.stamp
            self.seen.append((stamp.sec + 1e-9 * stamp.nanosec, f'{event.body_a} - {event.body_b}',
                              math.hypot(j.x, j.y, j.z)))


def draw(out, seen):
    """Impulses over time, pair by pair."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(9, 5), layout='constrained')
    axes, start = figure.subplots(), min((t for t, _, _ in seen), default=0.0)
    for pair in sorted({pair for _, pair, _ in seen}):
        t, j = zip(*((t - start, j) for t, p, j in seen if p == pair), strict=True)
        axes.plot(t, j, '.', label=pair)
    axes.set(xlabel='time since the first contact, s', ylabel='impulse, N s', title=f'{len(seen)} contact events')
    if seen:
        axes.legend(loc='upper left', bbox_to_anchor=(1, 1), fontsize='small')
    figure.savefig(out, dpi=120)
    print(f'picture: {out}')


def main():
    """Until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--out', help='write a picture to this file at the end')
    options, others = parser.parse_known_args()
    rclpy.init(args=[sys.argv[0], *others])
    listener = Listener()
    try:
        rclpy.spin(listener)
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()
        if options.out:
            draw(options.out, listener.seen)


if __name__ == '__main__':
    main()
