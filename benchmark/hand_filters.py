# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The filter of hands beside One-Euro (Casiez, Roussel, Vogel 2012) on the recorded hands:

    python -m benchmark.hand_filters

Every recording of config/hands that moves a hand by a closed form is sampled as a headset would, at several rates,
delays and noises.  Both filters move the joints at 200 Hz, and are compared with where the hand is at that moment and
how fast it is.  One-Euro gets the parameters, of a grid, with which it is best in each row; the other has none.
"""
from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from tqdm import tqdm

from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene.hands.hand_layouts import layout_of
from hakoniwa_rigid.scene.hands.hand_tracking import Tracking
from hakoniwa_rigid.scene.records import Ledger
from hakoniwa_rigid.scene.world_files.world_types import HandConfig, SceneParams
from hakoniwa_rigid.sims.hands import acts, moves
from hakoniwa_rigid.sims.hands.motion import HandMotion

# without noise, at any rate
ACTS: dict[str, Callable] = {
    'strike': moves.strike, 'punch': moves.punch, 'lift': moves.lift,
    'grip': lambda rate: acts.grip(rate, None), 'throw': lambda rate: acts.throw(rate, seed=None),
    'catch': lambda rate: acts.catch(rate=rate, seed=None), 'clap': lambda rate: acts.clap(rate=rate, seed=None)}
TICK = 0.005            # s
SETTLED = 0.3           # s after the first sample: what a filter does with a hand that appears is another question
STILL, FAST = 0.002, 0.3    # m/s: a joint slower than that for RESTED s rests, a faster one moves
RESTED = 0.3
# Hz, s, m: rate, delay, noise of every coordinate
ROWS = ((60.0, 0.0, 0.0), (30.0, 0.03, 0.001), (60.0, 0.03, 0.001), (72.0, 0.03, 0.001), (90.0, 0.03, 0.001),
        (60.0, 0.06, 0.001), (60.0, 0.03, 0.002), (30.0, 0.06, 0.002))
# cut-off at rest, Hz; its rise with the speed, Hz per m/s; cut-off of the speed, Hz
GRID = tuple(itertools.product((0.5, 2.0, 4.0, 8.0, 16.0, 64.0), (1.0, 4.0, 16.0, 64.0, 256.0), (1.0, 4.0, 10.0, 30.0)))
SEEDS = (1, 2)


class Stream(NamedTuple):
    """Samples of one hand as they come, and the truth at the ticks."""

    times: np.ndarray       # (S,) s, of capture
    joints: np.ndarray      # (S,J,3) m
    due: np.ndarray         # (S,) ticks at which they are there
    places: np.ndarray      # (T,J,3) m, at the ticks
    speeds: np.ndarray      # (T,J,3) m/s, over the tick that begins there


class OneEuro:
    """Low-pass filters of first order, coordinate by coordinate, whose cut-off rises with the speed."""

    def __init__(self, least: float, rise: float, of_speed: float) -> None:
        self.least, self.rise, self.of_speed = least, rise, of_speed
        self.at: np.ndarray | None = None
        self.speed: np.ndarray = np.zeros(0)

    def feed(self, joints: np.ndarray, interval: float) -> None:
        """A sample (J,3) m, so many s after the one before."""
        if self.at is None:
            self.at, self.speed = joints.copy(), np.zeros_like(joints)
            return
        a = _share(self.of_speed, interval)
        self.speed += a * ((joints - self.at) / interval - self.speed)
        self.at += _share(self.least + self.rise * np.abs(self.speed), interval) * (joints - self.at)


def _share(cutoff, interval: float):
    """Of a new sample, in a low-pass of that cut-off, Hz."""
    turn = 2.0 * np.pi * cutoff * interval
    return turn / (turn + 1.0)


def streams(rate: float, delay: float, noise: float, seed: int) -> Iterator[Stream]:
    """All acts, at Hz, s, m."""
    for number, act in enumerate(ACTS.values()):
        truth, seen = _without_noise(act, 1.0 / TICK), _without_noise(act, rate)
        places = truth.positions.astype(float)
        joints = seen.positions + noise * np.random.default_rng((seed, number)).normal(size=seen.positions.shape)
        yield Stream(seen.times, joints, np.ceil((seen.times + delay) / TICK - 1e-9).astype(int), places[:-1],
                     np.diff(places, axis=0) / TICK)


@lru_cache(maxsize=64)
def _without_noise(act: Callable, rate: float) -> HandMotion:
    return act(rate=rate)


def by_one_euro(stream: Stream, *parameters: float) -> tuple[np.ndarray, np.ndarray]:
    """Places (T,J,3) and speeds of a hand that closes its distance to the filtered, extrapolated track within a sample
    interval."""
    euro, most = OneEuro(*parameters), SceneParams().hand_max_extrapolation
    places, speeds = np.full_like(stream.places, np.nan), np.full_like(stream.speeds, np.nan)
    now, newest, interval = None, 0, TICK
    for tick in range(len(places)):
        while newest < len(stream.times) and stream.due[newest] <= tick:
            interval = stream.times[newest] - stream.times[newest - 1] if newest else TICK
            euro.feed(stream.joints[newest], interval)
            newest += 1
        if euro.at is None:
            continue
        age = min(tick * TICK - stream.times[newest - 1], most)
        target = euro.at + age * euro.speed
        now = target.copy() if now is None else now
        speed = euro.speed + (target - now) / max(interval, TICK)
        places[tick], speeds[tick] = now, speed
        now = now + TICK * speed
    return places, speeds


def by_ours(stream: Stream) -> tuple[np.ndarray, np.ndarray]:
    """The same of the scene's own filter, with nothing in the way."""
    tracking = Tracking(HandConfig('right', handedness=''), SceneParams(), Ledger())
    layout = layout_of(stream.joints.shape[1])
    places, speeds = np.full_like(stream.places, np.nan), np.full_like(stream.speeds, np.nan)
    newest, valid = 0, np.ones(layout.joints, dtype=bool)
    for tick in range(len(places)):
        while newest < len(stream.times) and stream.due[newest] <= tick:
            tracking.feed(round(stream.times[newest] * NANOSECONDS), layout, stream.joints[newest], valid, None)
            newest += 1
        t0 = round(tick * TICK * NANOSECONDS)
        speed = tracking.move(t0, t0 + round(TICK * NANOSECONDS)) if newest else None
        if speed is not None:
            places[tick], speeds[tick] = tracking.joints, speed
            tracking.joints += TICK * speed
    return places, speeds


class Errors(NamedTuple):
    """Of all joints and ticks."""

    place: float    # m, rms
    worst: float    # m, of 99 %
    speed: float    # m/s, rms of joints that move
    still: float    # m/s, rms speed of joints that rest


def errors(found: list[tuple[Stream, np.ndarray, np.ndarray]]) -> Errors:
    """Of streams with what a filter made of them."""
    place, moving, still = [], [], []
    for stream, places, speeds in found:
        begin = stream.due[0] + round(SETTLED / TICK)
        off = np.linalg.norm(places - stream.places, axis=2)[begin:]
        wrong = np.linalg.norm(speeds - stream.speeds, axis=2)[begin:]
        true = np.linalg.norm(stream.speeds, axis=2)[begin:]
        place.append(off.ravel())
        moving.append(wrong[true > FAST])
        before = sliding_window_view(true, round(RESTED / TICK), axis=0).max(axis=-1)
        still.append(wrong[-len(before):][before < STILL])
    off, wrong, shaken = map(np.concatenate, (place, moving, still))
    return Errors(_rms(off), float(np.percentile(off, 99.0)), _rms(wrong), _rms(shaken))


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values * values)))


def main() -> int:
    """Print the table."""
    rows = []
    for rate, delay, noise in tqdm(ROWS, unit='row', disable=None):
        given = [stream for seed in SEEDS for stream in streams(rate, delay, noise, seed)]
        ours = errors([(stream, *by_ours(stream)) for stream in given])
        euros = {parameters: errors([(stream, *by_one_euro(stream, *parameters)) for stream in given])
                 for parameters in tqdm(GRID, leave=False, disable=None)}
        best = [min(euros, key=lambda p, k=k, e=euros: e[p][k]) for k in (0, 2)]
        rows.append((rate, delay, noise, ours, *((p, euros[p]) for p in best)))
    head = ('samples', 'filter', 'place rms, 99 % mm', 'speed of moving joints, rms m/s', 'of resting joints, rms cm/s')
    lines = ['| ' + ' | '.join(head) + ' |', '|---|---|--:|--:|--:|']
    for rate, delay, noise, ours, (where, near), (fast, even) in rows:
        samples = f'{rate:g} Hz, {1e3 * delay:g} ms late, {1e3 * noise:g} mm'
        for name, e in (('ours', ours), (f'One-Euro, best places {where}', near),
                        (f'One-Euro, best speeds {fast}', even)):
            lines.append(f'| {samples} | {name} | {1e3 * e.place:.1f}, {1e3 * e.worst:.0f} | {e.speed:.2f} | '
                         f'{1e2 * e.still:.1f} |')
            samples = ''
    sys.stdout.write('\n'.join(lines) + '\n')
    return 0


if __name__ == '__main__':
    raise SystemExit(main())
