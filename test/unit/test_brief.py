# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What messages say of names that are not known."""
from hakoniwa_rigid.brief import MOST_COMPARED, did_you_mean


def test_the_nearest_name_is_told_and_none_where_none_is_near():
    assert did_you_mean('gyn', ['hall', 'gym']) == '; did you mean gym?'
    assert did_you_mean('cathedral', ['hall', 'gym']) == ''
    assert did_you_mean('', []) == ''


def test_names_that_are_too_long_to_be_names_are_not_compared():
    long = 'a' * (MOST_COMPARED + 1)
    assert did_you_mean(long, [long[:-1]]) == ''
    assert did_you_mean(long[:-1], [long]) == ''
    assert did_you_mean(long[:-1], [long[:-2]]) != ''
