# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`make pictures`: what it makes without a browser, and what it has left in the docs."""
from pathlib import Path

import numpy as np
import pytest

from hakoniwa_rigid.cli import parser
from hakoniwa_rigid.static_page import command

Image = pytest.importorskip('PIL.Image', reason='Pillow comes with matplotlib (extra demo)')
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / 'docs'))
    import page_pictures
    return page_pictures


def test_the_pictures_of_the_readme_are_there_small_and_moving(pictures):
    film = ROOT / 'docs/images/demo.gif'
    assert 'docs/images/demo.gif' in (ROOT / 'README.md').read_text()
    assert film.stat().st_size <= pictures.MOST_FILM
    assert Image.open(film).n_frames > 30
    for name, size in (('static_page', pictures.DESKTOP), ('static_page_phone', pictures.PHONE),
                       ('impact', pictures.WIDE), ('grip', pictures.WIDE), ('ar', (1000, 620))):
        path = ROOT / f'docs/images/{name}.png'
        assert path.stat().st_size <= pictures.MOST_PICTURE
        assert Image.open(path).size == size


def test_the_recorded_hand_takes_the_drone_and_lets_it_go(pictures, tmp_path):
    """A bag of inputs alone, through the world that is named: GRASPED, RELEASED; the drone is carried."""
    pictures.record_grip(tmp_path / 'grip')
    options = parser().parse_args(['page', str(tmp_path / 'grip/bag'), '-o', 'unused', '--world', 'ar_room'])
    flight, world = command.flown(options, lambda at: None)
    content, _ = flight.packed()
    assert [(c['phase'], c['a'], c['b']) for c in content['changes']] == [(5, 'right', 'd0'), (6, 'right', 'd0')]
    assert world.name == 'ar_room'
    assert [hand['name'] for hand in content['hands']] == ['right']


def test_a_close_up_looks_across_the_impulse(pictures):
    contact = {'impulse': [3.0, 4.0, 1.0], 'position': [0.0, 0.0, 1.0]}
    x, y, z = pictures.beside(contact)
    assert 3.0 * x + 4.0 * y == pytest.approx(0.0)
    assert z == 0.5 and x + y <= 0.0
    turned = pictures.beside(contact, 0.3)
    assert np.hypot(*turned[:2]) == pytest.approx(1.0)
    assert np.dot(turned[:2], (x, y)) == pytest.approx(np.cos(0.3))


def test_a_film_of_a_few_frames_keeps_their_number(pictures, tmp_path):
    files = []
    for k in range(5):
        files.append(tmp_path / f'{k}.png')
        Image.new('RGB', pictures.FILM, (20 * k, 30, 40)).save(files[-1])
    pictures.make_film(files, tmp_path / 'film.gif')
    assert Image.open(tmp_path / 'film.gif').n_frames == 5
