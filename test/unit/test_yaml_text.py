# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""YAML of strangers: what is read, and what costs no time."""
import time

import pytest

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.yaml_text import YamlError, load


def bomb(levels, width=9):
    """Lists of aliases of lists: 9 to the power of levels values."""
    lines = [f'a0: &a0 [{", ".join("x" * width)}]']
    lines += [f'a{k}: &a{k} [{", ".join([f"*a{k - 1}"] * width)}]' for k in range(1, levels)]
    return '\n'.join(lines)


def test_plain_values():
    assert load(b'a: 1\nb: [1.5, 1e-3, .inf, yes, ~, "1", 2024-01-01, 0x10]\nc: {d: text}') == {
        'a': 1, 'b': [1.5, 1e-3, float('inf'), True, None, '1', '2024-01-01', 16], 'c': {'d': 'text'}}
    assert load(b'') is None
    assert load(b'\xef\xbb\xbfa: 1') == {'a': 1}


def test_aliases_may_be_used():
    assert load(b'a: &x {b: 1}\nc: *x\nd: [*x, *x]') == {'a': {'b': 1}, 'c': {'b': 1}, 'd': [{'b': 1}, {'b': 1}]}


@pytest.mark.parametrize(('text', 'words'), [
    ('a: !!timestamp foo', "type 'timestamp'"),
    ('a: !!timestamp 2024-13-45', "type 'timestamp'"),
    ('a: !!python/object/apply:os.system [ls]', "type 'python/object/apply:os.system'"),
    ('a: !!set {b}', "type 'set'"),
    ('a: !other b', "type '!other'"),
    ('a: !!bool foo', "'foo' is no bool"),
    ('a: !!int foo', "'foo' is no int"),
    ('a: !!float foo', "'foo' is no float"),
    ('a: !!binary "%%%"', "type 'binary'"),
    ('a: 0x_', "'0x_' is no int"),
    ('a: ' + '9' * 4400, 'a number must have at most 1000 letters, got 4400'),
    ('- &a [*a]', 'must not contain itself'),
    ('a: 1\n"a": 2', "line 2: key 'a' is given twice"),
    ('1: 2', 'keys must be text, got 1'),
    ('? [a]\n: 1', 'keys must be text'),
    ('a: "\\UFFFFFFFF"', 'is no YAML'),
    ('a: \0', 'is no YAML'),
    ('a: [1', 'line 1: is no YAML'),
    ('a: *b', 'is no YAML'),
    ('a: 1\n---\nb: 2', 'is no YAML'),
])
def test_everything_else_is_refused_with_its_line(text, words):
    with pytest.raises(YamlError, match='line|YAML') as caught:
        load(text.encode())
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300


def test_bytes_that_are_no_text():
    with pytest.raises(YamlError, match='is not UTF-8 text: .* at byte 3'):
        load(b'a: \xff')


@pytest.mark.parametrize('depth', [41, 400, 100_000])
def test_too_deep(depth):
    """With libyaml's own loader 100,000 are the end of the process."""
    with pytest.raises(YamlError, match='line 1: must not be nested more than 40 deep'):
        load(b'[' * depth + b']' * depth)
    assert load(b'[' * 40 + b']' * 40)


def test_an_alias_goes_no_deeper():
    links = '\n'.join(f'a{k}: &a{k} [*a{k - 1}]' for k in range(1, 60))
    with pytest.raises(YamlError, match='40 deep'):
        load(f'a0: &a0 [x]\n{links}'.encode())


@pytest.mark.parametrize('levels', [7, 60])
def test_a_bomb_of_aliases_costs_nothing(levels):
    before = time.process_time()
    with pytest.raises(YamlError, match='holds too much: at most 500000 values'):
        load(bomb(levels).encode())
    assert time.process_time() - before < 5.0   # 12 s of 7 levels once, and never of 60


def test_too_large():
    with pytest.raises(YamlError, match='is too large'):
        load(b'#' * (yaml_text.MOST_BYTES + 1))
