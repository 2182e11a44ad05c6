# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""POSIX extended expressions: what they find, by the standard's words and by Python's `re` where both agree; what is
hostile is refused, or costs little."""
import re
import time

import numpy as np
import pytest

from hakoniwa_rigid.scene.entities import name_patterns
from hakoniwa_rigid.scene.entities.name_patterns import NamePattern
from hakoniwa_rigid.scene.errors import EntityError

LETTERS = 'ab1'


@pytest.mark.parametrize(('text', 'finds', 'leaves'), [
    ('d', ['d', 'ad', 'da'], ['', 'a', 'D']),                 # anywhere in the name
    ('^d[0-9]+$', ['d0', 'd12'], ['d', 'ad0', 'd0a']),
    ('^(d|drone_)1$', ['d1', 'drone_1'], ['drone1', 'd11']),
    ('^a{2,3}$', ['aa', 'aaa'], ['a', 'aaaa']), ('^a{2}$', ['aa'], ['a', 'aaa']), ('^a{2,}$', ['aa', 'a' * 9], ['a']),
    ('^a{0}b$', ['b'], ['ab']), ('^a?b$', ['b', 'ab'], ['aab']), ('^(ab)*$', ['', 'abab'], ['aba']),
    ('^[]a]$', [']', 'a'], ['b']), ('^[^]a]$', ['b'], [']', 'a']), ('^[a-]$', ['a', '-'], ['b']),
    ('^[[:digit:]_]+$', ['1_2'], ['a', '1a']), ('^[^[:alpha:]]$', ['1'], ['a']),
    (r'^\.\*\\$', ['.*\\'], ['a']), ('^[.*]$', ['.', '*'], ['a']), ('a|', ['', 'x'], []), ('^$', [''], ['a']),
    ('()', ['', 'a'], []), ('a.c', ['abc', 'a\nc', 'xaécx'], ['ac']), ('[[:upper:]]', ['aB'], ['ab']),
])
def test_what_is_found(text, finds, leaves):
    pattern = NamePattern(text)
    assert [name for name in finds if not pattern.finds(name)] == []
    assert [name for name in leaves if pattern.finds(name)] == []


def random_pattern(rng, depth: int = 3) -> str:
    """An expression that both read alike."""
    kind = rng.integers(6) if depth else 0
    if kind < 2:
        return str(rng.choice([*LETTERS, '.', '[ab]', '[^a]', '[0-9]']))
    inner = random_pattern(rng, depth - 1)
    if kind == 2:
        return f'({inner}){rng.choice(["*", "+", "?", "{2}", "{1,2}"])}'
    return f'({inner}|{random_pattern(rng, depth - 1)})' if kind == 3 else inner + random_pattern(rng, depth - 1)


def test_random_expressions_find_what_re_finds():
    rng = np.random.default_rng(7)
    for _ in range(400):
        text = random_pattern(rng)
        text = f'{rng.choice(["", "^"])}({text}){rng.choice(["", "$"])}'
        mine, theirs = NamePattern(text), re.compile(text.replace('$', r'\Z'))
        for _ in range(20):
            name = ''.join(rng.choice(list(LETTERS), rng.integers(7)))
            assert mine.finds(name) == bool(theirs.search(name)), (text, name)


@pytest.mark.parametrize(('text', 'says'), [
    ('(a', 'a ( without its ) at letter 3'), ('a)', 'a ) without its ( at letter 2'), ('[a', 'a [ without its ]'),
    ('*a', '* has nothing to repeat at letter 1'), ('a|+', '+ has nothing to repeat at letter 3'),
    ('a**', 'a repetition of a repetition'), ('a{', '{ needs a number'), ('a{,2}', '{ needs a number'),
    ('a{2,1}', 'must be in order and at most 255'), ('a{256}', 'must be in order and at most 255'),
    ('a{99999999999}', '{ needs a number'), (r'\d', '\\ stands before one of'), ('a\\', '\\ stands before one of'),
    ('[z-a]', 'z-a is in the wrong order'), ('[[:nope:]]', 'needs one of alpha, digit'), ('[[.a.]]', '[. and [='),
    ('(' * 21 + ')' * 21, 'more than 20 parentheses in each other'), ('a' * 257, 'must have at most 256 letters'),
    ('((a{99}){99}){99}', 'more than 2000 parts'),
])
def test_what_is_refused(text, says):
    with pytest.raises(EntityError) as error:
        NamePattern(text)
    assert str(error.value).startswith('filter: ') and says in str(error.value)


HOSTILE = ('^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(a*)*b', '^((a?){40}){6}a{200}$', '^(.*a){20}$', '(a{1,40}){1,40}b')


@pytest.mark.parametrize('text', HOSTILE)
def test_what_takes_others_for_ever_takes_no_time(text):
    """(a+)+$ costs a backtracking search 2^255 steps here."""
    begun, pattern = time.process_time(), None
    try:
        pattern = NamePattern(text)
        for k in range(200):
            pattern.finds('a' * (255 - k % 3) + 'b!')
    except EntityError as error:
        assert 'takes too long' in str(error) or 'more than 2000 parts' in str(error)
    assert time.process_time() - begun < 2.0
    assert pattern is None or pattern._work <= name_patterns.MOST_WORK + name_patterns.MOST_PARTS
