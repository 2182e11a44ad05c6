# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid selftest`: this machine gives the bits that stand in the repository."""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import config

from hakoniwa_rigid import cli, selftest
from hakoniwa_rigid.law import LAW_VERSION
from hakoniwa_rigid.selftest_hashes import TOTALS


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason='takes an hour without compiled kernels')
def test_this_machine_gives_the_expected_bits(capsys):
    assert cli.main(['selftest']) == 0, capsys.readouterr().out


PLAIN = 'shapes land', 'tumbling', 'drones that are corrected'


def test_plain_python_gives_the_same_bits():
    """Without compiled kernels, in a process of its own; so much of each part as takes seconds."""
    code = f"""if True:
        from itertools import islice
        from hakoniwa_rigid import selftest
        for name in {PLAIN}:
            print(selftest.digest(lambda: islice(selftest.PARTS[name](), 3000)))"""
    found = [subprocess.run([sys.executable, '-c', code], env={**os.environ, 'NUMBA_DISABLE_JIT': off}, text=True,
                            capture_output=True, check=True).stdout.split() for off in '01']
    assert found[0] == found[1] and len(set(found[0])) == len(PLAIN)


def test_a_bit_that_differs_is_named(monkeypatch, capsys):
    def wrong():
        yield np.array([0.1 + 0.2]).tobytes()

    def right():
        yield np.array([0.3]).tobytes()
    monkeypatch.setattr(selftest, 'PARTS', {'one': right, 'two': wrong})
    monkeypatch.setattr(selftest, 'EXPECTED', {'one': selftest.digest(right), 'two': selftest.digest(right)})
    assert cli.main(['selftest']) == 1
    out, err = capsys.readouterr()
    assert 'as expected' in out.splitlines()[0] and f'expected {selftest.digest(right)}' in out.splitlines()[1]
    assert 'first in: two (1 of 2 parts differ)' in err


def test_what_is_found_can_be_shown(monkeypatch, capsys):
    monkeypatch.setattr(selftest, 'PARTS', {'one': lambda: iter([b'x'])})
    assert cli.main(['selftest', '--show']) == 0
    found = {}
    exec(capsys.readouterr().out, found)
    assert found['EXPECTED'] == {'one': selftest.digest(lambda: iter([b'x']))}


def test_other_hashes_are_another_version_of_the_law():
    """Hashes that were changed alone do not add up to what stands for their version, nor is one given to two."""
    assert list(TOTALS) == list(range(1, LAW_VERSION + 1))
    assert TOTALS[LAW_VERSION] == selftest.total(selftest.EXPECTED)
    assert len(set(TOTALS.values())) == len(TOTALS)
    reported = (Path(__file__).parents[2] / 'CHANGELOG.rst').read_text(encoding='utf8')
    assert all(f'Version {law} of the law' in reported for law in TOTALS)


def test_new_hashes_are_shown_with_the_next_version(monkeypatch):
    shown = {}
    exec(selftest.as_tables({'one': 'x'}), shown)
    assert shown['TOTALS'] == {**TOTALS, LAW_VERSION + 1: selftest.total({'one': 'x'})}
    monkeypatch.setattr(selftest, 'TOTALS', {LAW_VERSION: selftest.total({'one': 'x'})})
    exec(selftest.as_tables({'one': 'x'}), shown)
    assert shown['TOTALS'] == {LAW_VERSION: selftest.total({'one': 'x'})} and shown['EXPECTED'] == {'one': 'x'}
