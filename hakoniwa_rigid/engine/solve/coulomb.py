"""One contact, exactly: unilateral, restitution as a target, Coulomb friction opposed to the final slip.

Physics.md section 3.  Contact frame (n, t1, t2); u = velocity of b minus a; J = impulse on b; u' = u + K J with K
symmetric positive definite (nn, n1, n2, 11, 12, 22).  General K: normal and tangential parts are coupled, nothing is
neglected.
"""
import math

from ..maths.jit import kernel

# rad: the slip direction is accepted at this change of angle
ANGLE = 1e-15
SCAN = 48


@kernel
def respond(k, j):
    """K J"""
    return (k[0] * j[0] + k[1] * j[1] + k[2] * j[2],
            k[1] * j[0] + k[3] * j[1] + k[4] * j[2],
            k[2] * j[0] + k[4] * j[1] + k[5] * j[2])


@kernel
def stick(k, u, target):
    """Impulse after which the normal velocity is `target` and the slip is zero: Cholesky of K.

    Raises no error: K is positive definite for any body of positive mass; a rank-deficient K gives non-finite values.
    """
    l00 = math.sqrt(k[0])
    l10, l20 = k[1] / l00, k[2] / l00
    l11 = math.sqrt(k[3] - l10 * l10)
    l21 = (k[4] - l20 * l10) / l11
    l22 = math.sqrt(k[5] - l20 * l20 - l21 * l21)
    y0 = (target - u[0]) / l00
    y1 = (-u[1] - l10 * y0) / l11
    y2 = (-u[2] - l20 * y0 - l21 * y1) / l22
    z2 = y2 / l22
    z1 = (y1 - l21 * z2) / l11
    return (y0 - l10 * z1 - l20 * z2) / l00, z1, z2


@kernel
def _slip_state(k, u, gain, mu, angle):
    """At slip direction t = (cos, sin)(angle): (misalignment t x w, w . t, denominator, slope of the misalignment).

    w is the final slip times the denominator D = K_nn - mu k.t; the law holds where w is parallel to t and D > 0.
    """
    c, s = math.cos(angle), math.sin(angle)
    kt = k[1] * c + k[2] * s
    kd = -k[1] * s + k[2] * c
    d = k[0] - mu * kt
    m1, m2 = k[3] * c + k[4] * s, k[4] * c + k[5] * s
    w1 = d * u[1] + gain * (k[1] - mu * m1)
    w2 = d * u[2] + gain * (k[2] - mu * m2)
    v1 = -mu * kd * u[1] - gain * mu * (-k[3] * s + k[4] * c)
    v2 = -mu * kd * u[2] - gain * mu * (-k[4] * s + k[5] * c)
    return c * w2 - s * w1, c * w1 + s * w2, d, c * v2 - s * v1 - (c * w1 + s * w2)


@kernel
def _refine(k, u, gain, mu, low, high):
    """Root of the misalignment between two angles of opposite sign: bisection to the last bit."""
    sign = _slip_state(k, u, gain, mu, low)[0] > 0.0
    for _ in range(64):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        if (_slip_state(k, u, gain, mu, middle)[0] > 0.0) == sign:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def slip_angle(k, u, gain, mu, guess):
    """Angle of the final slip: Newton from the guess; where it fails, a scan of the circle for the nearest root."""
    angle = guess
    for _ in range(12):
        f, along, d, slope = _slip_state(k, u, gain, mu, angle)
        if slope == 0.0:
            break
        step = f / slope
        if abs(step) > 0.5:
            break
        angle -= step
        if abs(step) <= ANGLE:
            if along >= 0.0 and d > 0.0:
                return angle
            break
    best, found = math.inf, guess
    width = 2.0 * math.pi / SCAN
    # to both sides in turn, until no root can be nearer to the guess
    for i in range(SCAN):
        if best < (i // 2) * width:
            break
        low = guess + (i // 2 if i % 2 == 0 else SCAN - 1 - i // 2) * width
        f0 = _slip_state(k, u, gain, mu, low)[0]
        f1 = _slip_state(k, u, gain, mu, low + width)[0]
        if (f0 > 0.0) == (f1 > 0.0):
            continue
        root = _refine(k, u, gain, mu, low, low + width)
        _, along, d, _ = _slip_state(k, u, gain, mu, root)
        away = min(abs(root - guess), 2.0 * math.pi - abs(root - guess))
        if along >= 0.0 and d > 0.0 and away < best:
            best, found = away, root
    return found


@kernel
def contact_impulse(k, u, target, mu):
    """Impulse (N s, on b) of one contact.

    k (6,) 1/kg, u (3,) m/s before, target m/s: the normal velocity to reach (-e u_n for an impact, 0 at rest), mu.
    No impulse where the contact already separates at `target` or faster.  Otherwise stick if its impulse lies in the
    cone, else the impulse on the cone's edge that is opposed to the final slip.
    """
    gain = target - u[0]
    if not gain > 0.0:
        return 0.0, 0.0, 0.0
    if mu == 0.0:
        return gain / k[0], 0.0, 0.0
    j = stick(k, u, target)
    t = math.sqrt(j[1] * j[1] + j[2] * j[2])
    if j[0] > 0.0 and t <= mu * j[0]:
        return j
    guess = math.atan2(-j[2], -j[1]) if t > 0.0 else math.atan2(u[2], u[1])
    angle = slip_angle(k, u, gain, mu, guess)
    c, s = math.cos(angle), math.sin(angle)
    d = k[0] - mu * (k[1] * c + k[2] * s)
    if not d > 0.0:
        return gain / k[0], 0.0, 0.0
    jn = gain / d
    return jn, -mu * jn * c, -mu * jn * s
