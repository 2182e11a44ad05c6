# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Runs beside each other have domains of their own, and one that comes later has none of a run that ended just now."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack

import pytest

from hakoniwa_rigid.ros.domain import free_domain
from hakoniwa_rigid.ros.errors import StartError


@pytest.fixture(autouse=True)
def own_files(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))


def test_every_domain_is_used_before_one_is_used_again():
    used = []
    for _ in range(101):
        with free_domain(None) as domain:
            used.append(domain)
    assert sorted(used) == list(range(1, 102))
    with free_domain(None) as domain:
        assert domain == used[0]


def test_what_is_in_use_is_not_given_twice():
    with ExitStack() as held:
        domains = [held.enter_context(free_domain(None)) for _ in range(101)]
        assert sorted(domains) == list(range(1, 102))
        with pytest.raises(StartError, match='all ROS domains'):
            held.enter_context(free_domain(None))


def test_a_long_use_counts_from_its_end():
    with free_domain(None) as long:
        for _ in range(100):
            with free_domain(None) as domain:
                assert domain != long
    with free_domain(None) as domain:
        assert domain != long


def test_the_domain_that_is_wanted():
    with free_domain(7) as one, free_domain(7) as two:
        assert one == two == 7
