# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What `hakoniwa-rigid warmup` leaves for the first start of a node: nothing to compile, and nothing said of it."""
import subprocess
import sys

import numba
import pytest
from harness import START, Bench
from rig import NODE

# prints, in a process of its own, which of the kernels named are loaded once all are warm
ASK = """
import sys
from hakoniwa_rigid import cli
from hakoniwa_rigid.engine import ask
from hakoniwa_rigid.replay.bag.mcap import kernel as mcap_kernel
from hakoniwa_rigid.ros import bulk
from hakoniwa_rigid.scene.hands import tracking_kernels
from hakoniwa_rigid.scene.observed_drones import response_kernels
assert cli.main(['warmup']) == 0
kernels = {'nearest': ask.nearest, 'take_all': bulk.take_all, 'publish_all': bulk.publish_all,
           'rest': tracking_kernels.rest, 'note_samples': response_kernels.note_samples,
           'find_messages': mcap_kernel.find_messages}
sys.exit(', '.join(name for name, kernel in kernels.items() if not kernel.overloads) or None)
"""


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
def test_warm_kernels_are_those_of_the_first_start():
    run = subprocess.run([sys.executable, '-c', ASK], capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stderr
    assert 'all kernels are ready' in run.stdout
    again = subprocess.run([sys.executable, '-m', 'hakoniwa_rigid.cli', 'warmup'], capture_output=True, text=True,
                           timeout=900)
    assert again.returncode == 0, again.stderr
    assert 'compiling' not in again.stdout + again.stderr


@pytest.mark.ros
@pytest.mark.skipif(numba.config.DISABLE_JIT, reason='nothing is compiled')
def test_a_warm_node_says_nothing_of_compiling(bench: Bench, world):
    subprocess.run([sys.executable, '-m', 'hakoniwa_rigid.cli', 'warmup'], check=True, timeout=900)
    node = bench.start(NODE, f'world:={world}')
    bench.until(lambda: 'ready: ' in node.output or not node.alive, 'the node', START)
    assert 'ready: 3 drones' in node.output
    assert 'compiling' not in node.output
