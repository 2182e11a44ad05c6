# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Elementary functions against mpmath: random points, edges, special values; compiled and plain bits are equal."""
import hashlib
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from kernels import from_python
from numba import config

from hakoniwa_rigid.engine.maths import elementary

NAMES = ('sin', 'cos', 'exp', 'expm1', 'log', 'asin', 'acos', 'hypot', 'atan2', 'power')
CALL = {name: from_python(getattr(elementary, name)) for name in NAMES}
COUNT = 300 if config.DISABLE_JIT else 3000
INF, NAN = math.inf, math.nan


def points(name, count=COUNT):
    """Arguments: ranges of the callers, then all doubles, then places where the method changes."""
    r = np.random.default_rng(7)
    spread = np.ldexp(r.uniform(1.0, 2.0, count), r.integers(-300, 300, count)) * r.choice([-1.0, 1.0], count)
    if name in ('sin', 'cos'):
        k = r.integers(0, 1 << 20, count)
        x = np.concatenate([r.uniform(-10.0, 10.0, count), r.uniform(-1e6, 1e6, count), k * (math.pi / 2), spread,
                            [1.6e6, -1.6e6, 1.6000001e6, 2.0**-27, 0.785, 0.7853981633974483, 5e-324,
                             1.7976931348623157e308, 6381956970095103 * 2.0**797]])
        return [(float(v),) for v in x]
    if name in ('exp', 'expm1'):
        x = np.concatenate([r.uniform(-1.0, 1.0, count), r.uniform(-745.0, 709.7, count),
                            r.uniform(-1.0, 1.0, count) * 1e-3,
                            [709.782712893384, -745.1332191019412, -708.4, 40.0, -40.0, 1e-20, -5e-324]])
        return [(float(v),) for v in x]
    if name == 'log':
        x = np.concatenate([r.uniform(0.5, 2.0, count), 1.0 + r.uniform(-0.01, 0.01, count), np.abs(spread),
                            [5e-324, 2.0**-1022, 1.7976931348623157e308, 1.0 - 2.0**-53, 1.0 + 2.0**-52]])
        return [(float(v),) for v in x]
    if name in ('asin', 'acos'):
        x = np.concatenate([r.uniform(-1.0, 1.0, count), 1.0 - 10.0**r.uniform(-16.0, -1.0, count),
                            10.0**r.uniform(-12.0, -1.0, count), [1.0 - 2.0**-53, -1.0 + 2.0**-53, 0.5, 2.0**-27]])
        return [(float(v),) for v in x]
    if name == 'power':
        pairs = [(r.uniform(0.0, 3.0, count), r.uniform(-20.0, 20.0, count)),
                 (np.abs(spread), r.uniform(-3.0, 3.0, count)),
                 (1.0 + r.uniform(-1e-6, 1e-6, count), r.uniform(-1e8, 1e8, count))]
    else:
        pairs = [(r.normal(size=count), r.normal(size=count)), (spread, spread * r.uniform(-2.0, 2.0, count)),
                 (spread, r.permutation(spread)), (r.normal(size=count), r.normal(size=count) * 1e-9)]
    return [(float(a), float(b)) for x, y in pairs for a, b in zip(x, y, strict=True)]


@pytest.mark.parametrize('name', NAMES)
def test_error_is_below_one_unit_in_the_last_place(name):
    mpmath = pytest.importorskip('mpmath', reason='of the extra test')
    exact = getattr(mpmath, name)
    worst, where = 0.0, None
    with mpmath.workprec(200):
        for x in points(name):
            # mpmath works with the precision of its context, which takes digits of pi for a large angle by itself
            truth, found = exact(*map(mpmath.mpf, x)), CALL[name](*x)
            size = abs(truth)
            if size >= mpmath.mpf(2)**1024 or not math.isfinite(found):
                assert found == math.copysign(INF, found) and size > 1.797e308, x
                continue
            error = float(abs(mpmath.mpf(found) - truth) / math.ulp(float(size)))
            if error > worst:
                worst, where = error, x
    assert worst < 1.0, where


SPECIAL = [
    ('sin', (-0.0,), -0.0), ('sin', (INF,), NAN), ('sin', (NAN,), NAN), ('cos', (0.0,), 1.0), ('cos', (-INF,), NAN),
    ('exp', (INF,), INF), ('exp', (-INF,), 0.0), ('exp', (NAN,), NAN), ('exp', (0.0,), 1.0), ('expm1', (-0.0,), -0.0),
    ('expm1', (INF,), INF), ('expm1', (-INF,), -1.0), ('expm1', (NAN,), NAN), ('log', (0.0,), -INF),
    ('log', (-1.0,), NAN),
    ('log', (1.0,), 0.0), ('log', (INF,), INF), ('log', (NAN,), NAN), ('asin', (-0.0,), -0.0), ('asin', (1.1,), NAN),
    ('asin', (1.0,), math.pi / 2), ('acos', (1.0,), 0.0), ('acos', (-1.0,), math.pi), ('acos', (0.0,), math.pi / 2),
    ('acos', (NAN,), NAN), ('hypot', (0.0, -0.0), 0.0), ('hypot', (3.0, -4.0), 5.0), ('hypot', (NAN, INF), INF),
    ('hypot', (NAN, 1.0), NAN), ('hypot', (1e308, 1e308), math.sqrt(2.0) * 1e308), ('hypot', (0.0, 5e-324), 5e-324),
    ('atan2', (0.0, 1.0), 0.0), ('atan2', (-0.0, 1.0), -0.0), ('atan2', (-0.0, -1.0), -math.pi),
    ('atan2', (0.0, -0.0), math.pi),
    ('atan2', (1.0, 0.0), math.pi / 2), ('atan2', (INF, -INF), 0.75 * math.pi), ('atan2', (1.0, INF), 0.0),
    ('atan2', (NAN, 1.0), NAN), ('power', (0.0, 0.0), 1.0), ('power', (0.0, 2.0), 0.0), ('power', (0.0, -1.0), INF),
    ('power', (-1.0, 0.5), NAN), ('power', (INF, 0.5), INF), ('power', (2.0, INF), INF), ('power', (0.5, INF), 0.0),
    ('power', (4.0, 0.5), 2.0), ('power', (2.0, -3.0), 0.125), ('power', (NAN, 0.0), 1.0), ('power', (NAN, 1.0), NAN)]


@pytest.mark.parametrize(('name', 'x', 'value'), SPECIAL)
def test_special_values(name, x, value):
    found = CALL[name](*x)
    if math.isnan(value):
        assert math.isnan(found)
    else:
        assert (found, math.copysign(1.0, found)) == (value, math.copysign(1.0, value))


@pytest.mark.parametrize('name', ['sin', 'asin', 'cos'])
def test_symmetry(name):
    sign = 1.0 if name == 'cos' else -1.0
    for (x,) in points(name, 200):
        assert CALL[name](-x) == sign * CALL[name](x)


@pytest.mark.parametrize(('name', 'low', 'high'),
                         [('exp', -5.0, 5.0), ('log', 0.7, 1.5), ('asin', -1.0, 1.0), ('sin', -1.5, 1.5)])
def test_rises(name, low, high):
    values = [CALL[name](float(x)) for x in np.linspace(low, high, 2000)]
    assert np.all(np.diff(values) >= 0.0)


def test_three_powers_are_those_of_power():
    both = from_python(elementary.powers)
    edges = [(x, y) for x in (0.0, -1.0, 1.0, INF, NAN, 5e-324, 0.5) for y in (0.0, 1.0, 2.0, -3.0, INF, -INF, NAN)]
    for x, y in [*points('power', 300), *edges]:
        wanted = [CALL['power'](x, y - k) for k in (0.0, 1.0, 2.0)]
        assert np.array(both(x, y)).tobytes() == np.array(wanted).tobytes(), (x, y)


def digest():
    """A hash of the bits of all functions."""
    bits = [np.array([CALL[name](*x) for x in points(name, 100)]).tobytes() for name in NAMES]
    return hashlib.sha256(b''.join(bits)).hexdigest()


@pytest.mark.skipif(config.DISABLE_JIT, reason='compares with the compiled functions')
def test_plain_python_gives_the_same_bits():
    code = 'import test_elementary; print(test_elementary.digest())'
    path = os.pathsep.join([*sys.path, os.path.dirname(__file__)])
    plain = {**os.environ, 'NUMBA_DISABLE_JIT': '1', 'PYTHONPATH': path}
    reported = subprocess.run([sys.executable, '-c', code], env=plain, capture_output=True, text=True, check=True)
    assert reported.stdout.strip() == digest()
