# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A source's clock learnt from stamps and times of reception: the truth is known, for it is made here."""
import numpy as np
import pytest

from hakoniwa_rigid.scene.inputs.clock_offset import STEP, STEP_SAMPLES, STEP_TIME, ClockOffset

NS = 1_000_000_000
MS = 1_000_000
LEAST = 2 * MS   # ns, delay of the fastest message


class Link:
    """A source whose clock is `offset` behind ours and drifts (s/s, ours minus its), over a way with uneven delays."""

    def __init__(self, seed: int = 1, offset: float = 1e3, drift: float = 0.0, rate: float = 100.0, loss: float = 0.0,
                 jitter: float = 5e-3, start: float = 100.0):
        self.rng = np.random.default_rng(seed)
        self.offset, self.drift, self.rate, self.loss, self.jitter, self.now = offset, drift, rate, loss, jitter, start
        self.start, self.arrived = start, 0

    def run(self, clock: ClockOffset, seconds: float):
        """Errors (K,) ns of the stamps in our time, and of the offset at the end."""
        errors = []
        end = self.now + seconds
        while self.now < end:
            self.now += 1.0 / self.rate
            truth = round(self.now * NS)
            stamp = truth - round((self.offset + self.drift * (self.now - self.start)) * NS)
            delay = LEAST + round(self.rng.exponential(self.jitter) * NS)
            if self.rng.random() >= self.loss:
                # a queue: nothing overtakes
                self.arrived = max(truth + delay, self.arrived + 1)
                errors.append(clock.observe(stamp, self.arrived) - truth)
        return np.array(errors)


@pytest.mark.parametrize('offset', [1e3, -1e3, 0.0, 1.7e9])
def test_the_offset_is_found_to_the_least_delay(offset):
    clock, link = ClockOffset(), Link(offset=offset, loss=0.05)
    errors = link.run(clock, 20.0)[500:]
    # too late by the least delay, and by what a minimum over some tenths of a second lies above it: jitter/samples
    assert errors.min() >= LEAST - MS // 10
    assert errors.max() <= LEAST + MS
    assert clock.steps == 0


@pytest.mark.parametrize('drift', [1e-4, -1e-4])
@pytest.mark.parametrize('rate', [30.0, 200.0])
def test_a_drift_of_100_ppm_is_followed_for_ten_minutes(drift, rate):
    clock, link = ClockOffset(), Link(drift=drift, rate=rate, loss=0.05)
    errors = link.run(clock, 600.0)[int(5 * rate):]
    assert errors.min() >= LEAST - MS // 10
    assert errors.max() <= LEAST + 2 * MS
    assert clock.steps == 0
    # the slope over at least ten seconds, of an offset known to a millisecond at either end
    assert clock.drift == pytest.approx(drift, abs=2e-4)


def test_jitter_does_not_reach_the_stamps():
    clock, link = ClockOffset(), Link(jitter=20e-3)
    errors = link.run(clock, 60.0)[1000:]
    # the raw times of reception scatter by 20 ms
    assert errors.std() < MS


@pytest.mark.parametrize('jump', [5.0, -5.0, 0.3, -0.3, 1e6, -1e6])
def test_a_clock_that_is_set_is_noticed_within_a_few_samples(jump):
    clock, link = ClockOffset(), Link(jitter=1e-3)
    link.run(clock, 10.0)
    link.offset += jump
    errors = link.run(clock, 2.0)
    wrong = np.flatnonzero(np.abs(errors) > 20 * MS)
    assert len(wrong) == 0 or wrong.max() < STEP_SAMPLES - 1
    assert clock.steps == 1


def test_a_step_that_hides_in_a_pause_is_noticed_within_half_a_second():
    """Silent for 5 s, and set back by 2 s meanwhile: the stamps never go back, so this could be a full queue."""
    clock, link = ClockOffset(), Link(jitter=1e-3)
    link.run(clock, 10.0)
    link.now += 5.0
    link.offset += 2.0
    errors = link.run(clock, 2.0)
    wrong = np.flatnonzero(np.abs(errors) > 20 * MS)
    assert wrong.max() <= STEP_TIME * link.rate / NS + STEP_SAMPLES
    assert clock.steps == 1


def test_a_stalled_network_is_no_step():
    """0.3 s nothing comes, then all of it at once: those stamps are old, and stay what they were."""
    clock, link = ClockOffset(), Link(jitter=1e-3)
    link.run(clock, 10.0)
    offset = clock.offset
    arrival = round((link.now + 0.3) * NS) + LEAST
    for k in range(30):
        truth = round((link.now + 0.01 * (k + 1)) * NS)
        late = clock.observe(truth - 1000 * NS, arrival + k)
        assert abs(late - truth) < 5 * MS
    link.now += 0.3
    link.run(clock, 1.0)
    assert clock.steps == 0
    assert clock.offset == pytest.approx(offset, abs=MS)


@pytest.mark.parametrize('error', [1000 * NS, -1000 * NS, 10**18, 2 * STEP])
def test_one_bad_stamp_changes_nothing(error):
    clock = ClockOffset()
    for k in range(1, 100):
        clock.observe(k * 10 * MS, k * 10 * MS + LEAST)
    received = 1000 * MS + LEAST
    assert clock.observe(1000 * MS + error, received) <= received
    assert clock.observe(1010 * MS, received + 10 * MS) == pytest.approx(received + 10 * MS, abs=MS // 10)
    assert clock.steps == 0


def test_never_in_the_future():
    clock, link = ClockOffset(), Link(jitter=1e-3)
    rng = np.random.default_rng(3)
    for _ in range(2000):
        link.now += 0.01
        received = round(link.now * NS)
        assert clock.observe(received - 500 * NS + int(rng.normal(0, 0.1) * NS), received) <= received


def test_a_paused_clock_of_ours_and_one_that_goes_on():
    """Simulated time stands still for 3 s while the source goes on; then both run."""
    clock = ClockOffset()
    for k in range(200):
        clock.observe(k * 10 * MS, 50 * NS + k * 10 * MS)
    paused = 50 * NS + 1990 * MS
    for k in range(200, 500):
        assert clock.observe(k * 10 * MS, paused) <= paused
    for k in range(500, 700):
        received = paused + (k - 499) * 10 * MS
        assert clock.observe(k * 10 * MS, received) == pytest.approx(received, abs=MS)


def test_equal_sequences_give_equal_offsets():
    one, two = ClockOffset(), ClockOffset()
    a, b = Link(7, loss=0.05).run(one, 30.0), Link(7, loss=0.05).run(two, 30.0)
    assert (a == b).all()
    one.clear()
    assert one.offset is None
    assert (Link(7, loss=0.05).run(one, 30.0) == a).all()
