# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The message packages of simulators that the tests generate are the simulators' own: what DDS compares is equal."""

import contextlib
import io

import foreign_packages
from rosbags.typesys import Stores, get_typestore

# of hakoniwa-pdu-registry as released
IMPULSE_COLLISION = 'RIHS01_1314714ce4f05ca0cadd1b3a79622244eaa2c49728b16ed5ec3c850f26bb46de'


def test_hakoniwas_hash():
    assert foreign_packages.type_hash('hako_msgs', 'ImpulseCollision') == IMPULSE_COLLISION


def test_the_hash_of_a_package_that_every_distribution_has():
    known = get_typestore(Stores.ROS2_KILTED).hash_rihs01('tf2_msgs/msg/TFMessage')
    assert foreign_packages.type_hash('tf2_msgs', 'TFMessage') == known


def test_what_a_writer_announces(foreign, bench):
    """The hash that readers see on the wire is the same."""
    from hako_msgs.msg import ImpulseCollision
    bench.node.create_publisher(ImpulseCollision, 'impulse', 1)
    (seen,) = bench.node.get_publishers_info_by_topic('impulse')
    assert str(seen.topic_type_hash) == IMPULSE_COLLISION


def test_packages_are_generated_whatever_becomes_of_stdout(tmp_path, monkeypatch, capsys):
    """empy 3 holds on to the stdout of its process, which tests exchange."""
    monkeypatch.setattr(foreign_packages, '_compile', lambda work, package: None)
    for package in ('hako_msgs', 'tf2_msgs'):
        with contextlib.redirect_stdout(io.StringIO()):
            foreign_packages._make(tmp_path, package)
        assert list((tmp_path / 'python' / package / 'msg').glob('*.py'))
    assert capsys.readouterr().out == ''
