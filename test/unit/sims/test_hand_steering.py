# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The steered hand: bytes of a terminal to events, and a hand that follows them with bounded speed."""
import contextlib
import os
import pty
import termios

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from hakoniwa_rigid.sims.hands.figure import PALM_CENTRE, WEBXR_NAMES
from hakoniwa_rigid.sims.hands.sample import SourceEnded
from hakoniwa_rigid.sims.hands.steering import STROKE, SteeredHand, Steering
from hakoniwa_rigid.sims.hands.terminal import Decoder, Mouse, Terminal

FRAME = 1.0 / 60.0


def events(*pieces):
    decoder = Decoder()
    return [event for piece in pieces for event in decoder.events(piece, 100, 50)]


def test_keys_arrows_and_the_mouse_are_distinguished():
    assert events(b'wA \x1b[A\x1bOD\x1b[C') == ['w', 'a', ' ', 'up', 'left', 'right']
    # column and row count from 1: the middle of the first cell; the wheel; a press and its release; a move
    assert events(b'\x1b[<35;1;50M\x1b[<64;51;1M\x1b[<65;51;1M\x1b[<0;100;1M\x1b[<0;100;1m') == [
        Mouse(0.005, 0.99, 0, False), Mouse(0.505, 0.01, 1, False), Mouse(0.505, 0.01, -1, False),
        Mouse(0.995, 0.01, 0, True), Mouse(0.995, 0.01, 0, False)]


def test_unknown_sequences_and_lone_escapes_are_passed_over():
    assert events(b'\x1b[15~w\x1bs\x1b[1;5Bd') == ['w', 's', 'd']


@given(st.lists(st.sampled_from([b'w', b' ', b'\x1b[A', b'\x1bOB', b'\x1b[<35;7;9M', b'\x1b[<0;1;1m', b'\x1b[3~']),
                max_size=20), st.data())
def test_pieces_make_no_difference(parts, data):
    whole = b''.join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    pieces = [whole[a:b] for a, b in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert events(*pieces) == events(whole)


def palm(hand):
    """The middle of the palm, m, found from the pose."""
    points, _ = hand.pose()
    wrist, knuckle = points[0], points[WEBXR_NAMES.index('middle-finger-phalanx-proximal')]
    return wrist + (knuckle - wrist) * PALM_CENTRE[0] / np.linalg.norm(knuckle - wrist)


def test_a_held_key_moves_the_hand_at_its_speed_and_letting_go_stops_it():
    hand = SteeredHand(position=(1.0, 2.0, 1.2), yaw=np.radians(90.0), speed=0.6)
    assert_allclose(palm(hand), [1.0, 2.0, 1.2], atol=1e-9)
    track = [palm(hand)]
    for k in range(240):
        if k < 120 and k % 2 == 0:
            hand.press('up')    # repeated 30 times a second
        hand.step(FRAME)
        track.append(palm(hand))
    track = np.array(track)
    speed = np.linalg.norm(np.diff(track, axis=0), axis=1) / FRAME
    assert speed.max() <= 0.6 + 1e-9
    assert_allclose(speed[60:115], 0.6, rtol=0.02)
    # yawed by 90 degrees, ahead is +y; after letting go it stops within what it can brake on, and stays
    assert_allclose(track[-1, [0, 2]], [1.0, 1.2], atol=1e-9)
    assert 0.0 < track[-1, 1] - track[120, 1] < 0.16
    assert speed[-1] < 1e-4
    assert (np.diff(track[:, 1]) > -1e-12).all(), 'it never overshoots'


@pytest.mark.parametrize(('keys', 'sign'), [('wr', (1, 0, 1)), ('sf', (-1, 0, -1)), ('a', (0, 1, 0)),
                                            ('d', (0, -1, 0))])
def test_the_keys_have_their_directions(keys, sign):
    hand = SteeredHand()
    before = palm(hand)
    for key in keys:
        hand.press(key)
    for _ in range(120):
        hand.step(FRAME)
    # one step of speed / 20 each
    assert_allclose(palm(hand) - before, np.array(sign) * 0.03, atol=1e-4)


def test_space_strikes_out_of_the_palm_and_comes_back():
    hand = SteeredHand(strike_speed=1.5)
    home = palm(hand)
    hand.press(' ')
    track = []
    for _ in range(120):
        hand.step(FRAME)
        hand.press(' ') if len(track) == 5 else None    # no second stroke within the first
        track.append(palm(hand) - home)
    track = np.array(track)
    assert_allclose(track[:, 1:], 0.0, atol=1e-9)
    assert_allclose(track[:, 0].max(), STROKE, atol=1e-3)
    speed = np.abs(np.diff(track[:, 0])) / FRAME
    assert_allclose(speed.max(), 1.5, rtol=0.02)
    assert_allclose(track[-1], 0.0, atol=1e-12)
    assert (np.diff(np.sign(np.diff(track[track[:, 0] > 1e-6, 0]))) != 0).sum() == 1, 'out once and back once'


def test_p_turns_the_palm_up_and_a_strike_then_goes_up():
    hand = SteeredHand()
    home = palm(hand)
    hand.press('p')
    for _ in range(60):
        hand.step(FRAME)
    points, _ = hand.pose()
    knuckles = points[[WEBXR_NAMES.index(f'{f}-finger-phalanx-proximal') for f in ('index', 'middle', 'pinky')]]
    assert_allclose(knuckles[:, 2], 1.2, atol=1e-9)
    assert_allclose(palm(hand), home, atol=1e-9)
    # fingers ahead; the thumb of a right hand, palm up, is to the right
    assert knuckles[1, 0] > home[0]
    assert knuckles[0, 1] < knuckles[2, 1]
    hand.press(' ')
    hand.step(0.05)
    assert palm(hand)[2] > 1.2


def test_the_mouse_leads_the_hand_across_the_window():
    hand = SteeredHand(speed=2.0)
    home = palm(hand)
    hand.point(Mouse(1.0, 0.0, 1, False))
    for _ in range(180):
        hand.step(FRAME)
    # the right upper corner is to the right (-y) and up; one notch of the wheel ahead
    assert_allclose(palm(hand) - home, [0.05, -0.8, 0.5], atol=1e-3)
    hand.point(Mouse(1.0, 0.0, 0, True))
    hand.step(0.1)
    assert (palm(hand) - home)[0] > 0.1


@given(st.lists(st.tuples(st.sampled_from(['w', 's', 'a', 'd', 'r', 'f', 'x', Mouse(0.0, 1.0, 3, False)]),
                          st.floats(0.0, 0.2)), max_size=40))
def test_whatever_is_typed_the_speed_is_bounded(typed):
    hand = SteeredHand(speed=0.5)
    for event, time in typed:
        before = palm(hand)
        hand.point(event) if isinstance(event, Mouse) else hand.press(event)
        hand.step(time)
        assert np.linalg.norm(palm(hand) - before) <= 0.5 * time + 1e-9


@pytest.fixture
def terminal():
    """Both ends of a terminal: what a person types into, and what is read."""
    ours, theirs = pty.openpty()
    yield ours, theirs
    for fd in (ours, theirs):
        with contextlib.suppress(OSError):
            os.close(fd)


def test_a_terminal_is_read_key_by_key_and_left_as_it_was(terminal):
    ours, theirs = terminal
    before = termios.tcgetattr(theirs)
    reader = Terminal(theirs, mouse=True)
    assert os.read(ours, 64) == b'\x1b[?1003h\x1b[?1006h'
    assert reader.read() == []
    os.write(ours, b'w\x1b[A')
    assert reader.read() == ['w', 'up']
    reader.close()
    assert os.read(ours, 64) == b'\x1b[?1006l\x1b[?1003l'
    assert termios.tcgetattr(theirs) == before


def test_q_or_a_closed_terminal_ends_the_source(terminal):
    ours, theirs = terminal
    source = Steering(Terminal(theirs), SteeredHand(), 'left', 'room', rate=50.0)
    (first,) = source.samples(10**9)
    assert (first.hand, first.frame, first.stamp_ns, len(first.positions)) == ('left', 'room', 10**9, 25)
    assert source.due(10**9) == 10**9 + 20_000_000
    os.write(ours, b'wq')
    with pytest.raises(SourceEnded, match='q was pressed'):
        source.samples(2 * 10**9)
    os.close(ours)
    with pytest.raises(SourceEnded, match='gone'):
        source.samples(3 * 10**9)
