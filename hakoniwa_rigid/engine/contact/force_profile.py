# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact over time (f(t) of the Hakoniwa article): how an impulse J is spread over its duration T.

A profile is a shape of the force over t / T with integral 1.  The engine hands out differences of its running integral,
so that the sum of force times step is J to rounding whatever the step is.
"""
import math

import numpy as np

from ..checks import array, choice, number
from ..errors import EngineError
from ..maths import elementary
from ..maths.entries import entry
from ..maths.jit import kernel
from ..maths.quadrature import gauss_legendre
from ..model import layout as L
from ..model.choices import PROFILES

# integral of sin(pi x)^1.5 over [0, 1]: gamma(5/4) / (sqrt(pi) gamma(7/4))
HERTZ_MEAN = 0.5564178944493822
# duration of a Hertz contact in units of its greatest compression over its approach speed (Johnson, Contact Mechanics,
# section 11.4): twice the integral of (1 - x^2.5)^-1/2 over [0, 1], 4/5 gamma(2/5) sqrt(pi) / gamma(9/10)
HERTZ_TIME = 2.9432751843247047
# s: durations taken
SHORTEST = 1e-12
_NODES, _WEIGHTS = gauss_legendre(16)


@kernel
def shape_at(kind, x):
    """Force at x = t / T, in units of J / T."""
    if not 0.0 <= x <= 1.0:
        return 0.0
    if kind == L.RECTANGLE:
        return 1.0
    s = max(elementary.sin(math.pi * x), 0.0)
    return 0.5 * math.pi * s if kind == L.HALF_SINE else s * math.sqrt(s) / HERTZ_MEAN


@kernel
def _hertz_until(x):
    """Integral of the Hertz shape over [0, x], x <= 1/2; with x = y^2 the integrand is smooth at 0."""
    top, total = math.sqrt(x), 0.0
    for k in range(len(_NODES)):
        y = 0.5 * top * (1.0 + _NODES[k])
        s = elementary.sin(math.pi * y * y)
        total += _WEIGHTS[k] * s * math.sqrt(s) * y
    return total * top / HERTZ_MEAN


@kernel
def share_until(kind, x):
    """Share of J that was delivered at x = t / T: 0 before, 1 after."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    if kind == L.RECTANGLE:
        return x
    if kind == L.HALF_SINE:
        s = elementary.sin(0.5 * math.pi * x)
        return s * s
    return _hertz_until(x) if x <= 0.5 else 1.0 - _hertz_until(1.0 - x)


@kernel
def duration_of(kind, stiffness, mass, speed):
    """T (s) of an elastic contact; see contact_duration."""
    if kind == L.HERTZ:
        return HERTZ_TIME * elementary.power(1.25 * mass / (stiffness * math.sqrt(speed)), 0.4)
    return math.pi * math.sqrt(mass / stiffness)


@entry
def _shapes(kind, x, out):
    """Writes: out."""
    for i in range(len(x)):
        out[i] = shape_at(kind, x[i])


@entry
def _duration(kind, stiffness, mass, speed):
    return duration_of(kind, stiffness, mass, speed)


def contact_force(profile, impulse, duration, time):
    """Force (N) at a time (s, a number or array) after the impact began, of an impulse (N s) over duration (s).

    profile: 'rectangle', 'half_sine', or 'hertz' (a half-sine to the power 1.5).  0 before and after.  Errors:
    EngineError naming the value.  Arrays of impulse, duration and time are broadcast.
    """
    kind = _kind(profile)
    given = _finite('impulse', impulse), _durations(duration), _finite('time', time)
    try:
        impulse, duration, time = np.broadcast_arrays(*given)
    except ValueError:
        raise EngineError('impulse, duration, time: must be numbers or arrays that go together, got shapes '
                          f'{", ".join(str(a.shape) for a in given)}') from None
    out = np.empty(time.size)
    _shapes(kind, (time / duration).ravel(), out)
    force = impulse / duration * out.reshape(time.shape)
    return force if force.ndim else float(force)


def peak_force(profile, impulse, duration):
    """Greatest force (N) of contact_force: J/T, pi/2 J/T, or 1.797 J/T."""
    return contact_force(profile, impulse, duration, 0.5 * _durations(duration))


def contact_duration(profile, stiffness, mass, speed):
    """Duration (s) of an elastic contact of two bodies with effective mass (kg) along the normal and approach speed
    (m/s).

    'rectangle', 'half_sine': linear spring of stiffness k (N/m), half a period, whatever the speed.  'hertz': force k
    x^1.5, k in N/m^1.5 (Johnson, Contact Mechanics, section 11.4).  Errors: EngineError naming the value.
    """
    kind, values = _kind(profile), []
    for key, value in (('stiffness', stiffness), ('mass', mass), ('speed', speed)):
        values.append(number(key, value, positive=True))
    return float(_duration(kind, *values))


def _finite(key, value):
    try:
        return array(key, value, np.shape(value))
    except ValueError:
        raise EngineError(f'{key}: must be finite numbers, got {value!r}') from None


def _durations(value):
    value = _finite('duration', value)
    if not (value >= SHORTEST).all():
        raise EngineError(f'duration: must be at least {SHORTEST:g} s, got {value.tolist()}')
    return value


def _kind(profile):
    return PROFILES[choice('profile', profile, PROFILES)]
