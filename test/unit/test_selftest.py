"""`hakoniwa-rigid selftest`: this machine gives the bits that stand in the repository."""
import numpy as np
import pytest
from numba import config

from hakoniwa_rigid import cli, selftest


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason='takes an hour without compiled kernels')
def test_this_machine_gives_the_expected_bits(capsys):
    assert cli.main(['selftest']) == 0, capsys.readouterr().out


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
