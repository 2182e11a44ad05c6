# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Courses: the polynomial against finite differences, rest at waypoints, and errors that name the mistake."""
import numpy as np
import pytest
from numpy.testing import assert_allclose

from hakoniwa_rigid.paths import config_file
from hakoniwa_rigid.sims.courses import CourseError, read_courses

TEXT = 'courses: {a: [[0, 0, 0, 1], [2, 3, 0, 1], [3, 3, 0, 1], [5, 0, 0, 1]]}'


def courses(tmp_path, text=TEXT):
    file = tmp_path / 'courses.yaml'
    file.write_text(text)
    return read_courses(file)


def test_derivatives_are_those_of_the_position(tmp_path):
    course, h = courses(tmp_path)['a'], 1e-4
    for t in np.linspace(0.05, 1.95, 14):
        before, here, after = (course.derivatives(t + d) for d in (-h, 0.0, h))
        for order in range(4):
            # central difference, error h^2/6 times the third derivative above
            assert_allclose((after[order] - before[order]) / (2 * h), here[order + 1], rtol=1e-5, atol=1e-4)


def test_rests_at_every_waypoint_and_repeats(tmp_path):
    course = courses(tmp_path)['a']
    assert course.period == 5.0
    for t, x in ((0.0, 0.0), (2.0, 3.0), (2.5, 3.0), (3.0, 3.0), (5.0, 0.0), (7.0, 3.0)):
        rows = course.derivatives(t)
        assert_allclose(rows[0], [x, 0.0, 1.0], atol=1e-12)
        assert_allclose(rows[1:4], 0.0, atol=1e-10)
    assert_allclose(course.derivatives(1.3), course.derivatives(11.3), rtol=1e-10)


def test_hovers_at_the_first_waypoint_before_the_start(tmp_path):
    rows = courses(tmp_path)['a'].derivatives(-0.7)
    assert_allclose(rows[0], [0.0, 0.0, 1.0])
    assert_allclose(rows[1:4], 0.0)


def test_peak_speed_of_a_leg(tmp_path):
    # s'(1/2) = 35/16 for the seventh-order rest-to-rest polynomial
    assert_allclose(courses(tmp_path)['a'].derivatives(1.0)[1, 0], 35 / 16 * 3.0 / 2.0, rtol=1e-12)


@pytest.mark.parametrize(('text', 'words'), [
    ('courses: {a: [[0, 0, 0, 1], [2, 3, 0, 1]]}', ['courses.a', 'must end where it starts']),
    ('courses: {a: [[1, 0, 0, 1], [2, 0, 0, 1]]}', ['courses.a[0]', 'time must be 0, got 1.0']),
    ('courses: {a: [[0, 0, 0, 1], [2, 1, 0, 1], [2, 0, 0, 1]]}', ['courses.a[2]', 'time must rise']),
    ('courses: {a: [[0, 0, 0], [2, 0, 0]]}', ['courses.a', 'rows [t, x, y, z]', '(2, 3)']),
    ('courses: {a: [[0, 0, 0, .nan], [2, 0, 0, 1]]}', ['courses.a', 'finite']),
    ('courses: {a: hover}', ['courses.a', "got 'hover'"]),
    ('courses: {}', ['courses', 'at least one drone']),
    ('course: {}', ['course', 'unknown key']),
    ('{', ['courses.yaml']),
    ('[]', ['must be a mapping']),
])
def test_mistakes_are_named(tmp_path, text, words):
    with pytest.raises(CourseError) as caught:
        courses(tmp_path, text)
    assert 'courses.yaml' in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(CourseError, match='nowhere.yaml'):
        read_courses(tmp_path / 'nowhere.yaml')


def test_the_demo_courses_make_the_hits_certain():
    """By construction, not by luck: d0 and d1, and d2 and d3, come closer than the drones are wide."""
    flown = read_courses(config_file('demo_courses.yaml'))
    assert list(flown) == [f'd{k}' for k in range(6)]
    times = np.arange(0.0, 12.0, 0.01)
    place = {name: np.array([course.derivatives(t)[0] for t in times]) for name, course in flown.items()}
    for a, b in (('d0', 'd1'), ('d2', 'd3')):
        assert np.abs(place[a] - place[b]).max(axis=1).min() < 0.15
    # d4's course goes below where its underside meets the table top (0.745 m + half its height), d5 into the east wall
    assert place['d4'][:, 2].min() < 0.745 + 0.025 - 0.01
    assert place['d5'][:, 0].max() > 5.0
