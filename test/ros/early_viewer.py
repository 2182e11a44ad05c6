# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A viewer that serves no callback before a page has subscribed to something."""

from __future__ import annotations

import threading

from hakoniwa_rigid.ros.executor import run
from hakoniwa_rigid.ros.viewer.viewer_node import Viewer

WAIT = 120.0    # s
subscribed = threading.Event()


class Early(Viewer):
    """See the module."""

    def __init__(self):
        super().__init__()
        assert subscribed.wait(WAIT)

    def watched(self, topic, count, is_new):
        super().watched(topic, count, is_new)
        subscribed.set()


if __name__ == '__main__':
    raise SystemExit(run(Early))
