# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A viewer whose pages subscribe and unsubscribe for `RESTLESS` s, as fast as they can; then says that it rests."""

from __future__ import annotations

import gc
import os
import threading
import time

from rclpy.subscription import Subscription

from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.viewer.viewer_node import Viewer

SECONDS = float(os.environ['RESTLESS'])
CHANNELS = ('/fleet/states_corrected', '/contact_events', '/markers', '/constraints', '/rotors', '/paused',
            '/constraint_events', '/diagnostics')


class Restless(Viewer):
    """See the module."""

    def __init__(self):
        self.seen = 0
        super().__init__()
        gc.unfreeze()   # or what is frozen is not listed
        threading.Thread(target=self._change, daemon=True).start()

    def _relay(self, channel, timed, data):
        self.seen += 1
        super()._relay(channel, timed, data)

    def _change(self):
        while self.executor is None:
            time.sleep(0.01)
        end, count = time.monotonic() + SECONDS, 0
        while time.monotonic() < end:
            count += 1
            for channel in CHANNELS:
                self.watched(channel, count % 2, bool(count % 2))
            time.sleep(0.002 * (count % 4))
        quiet = 0
        while quiet < 5:    # looks at what pages want
            time.sleep(0.05)
            quiet = quiet + 1 if self._opening.is_canceled() and not self._leaving else 0
        # those that are gone are gone for good
        gc.collect()
        there = sum(isinstance(thing, Subscription) for thing in gc.get_objects())
        known = len(self._subscriptions)
        self.get_logger().info(f'rests: {count} changes, {self.seen} messages, {there} there, {known} known, '
                               f'{len(self._leaving)} leave')


if __name__ == '__main__':
    raise SystemExit(run(Restless))
