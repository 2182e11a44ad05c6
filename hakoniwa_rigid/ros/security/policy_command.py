# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid policy`: looks at the nodes that run in this ROS domain, and writes what they use as a policy."""

from __future__ import annotations

import argparse
import sys
import time

import rclpy

from hakoniwa_rigid.files import write_whole

from ..leaving import leave
from .graph import uses_of
from .policy import Use, write

__all__ = ['run']

# s between two looks
PAUSE = 0.2
COMMENT = 'Made by hakoniwa-rigid policy from running nodes; docs/security.md says how it is used.'


def run(options: argparse.Namespace) -> int:
    """Look for so long, and write; the exit code is 1 where no node was found."""
    rclpy.init()
    node = rclpy.create_node('hakoniwa_rigid_policy', start_parameter_services=False, enable_rosout=False)
    found: dict[str, Use] = {}
    try:
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            for name, use in uses_of(node, lambda name: not options.node or name in options.node).items():
                found[name] = found.get(name, Use()) | use
            time.sleep(PAUSE)
    except KeyboardInterrupt:
        pass    # what was found so far
    finally:
        leave(node)
    missing = [name for name in options.node if name not in found]
    if missing or not found:
        sys.stderr.write(f'error: no such node here: {", ".join(missing) or "none runs in this domain"}\n')
        return 1
    text = write(found, COMMENT)
    if options.out is None:
        sys.stdout.write(text)
    else:
        write_whole(options.out, text)
    return 0
