# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Names by a POSIX extended regular expression, in bounded time whatever the expression is.

    pattern = NamePattern('^d[0-9]+$')
    pattern.finds('d12')                # True

The expression becomes a nondeterministic automaton that is followed with sets of states (Thompson 1968), so a name
costs at most its length times the size of the automaton; what has been worked out is kept.  Nothing is tried twice, as
Python's own `re` does, which takes exponential time over (a+)+$.

An expression matches where any part of a name does; ^ and $ hold it to the ends.  Left out, with an error: collating
symbols [.x.], classes of equivalence [=x=], and what POSIX leaves undefined.  Letters are compared by code point.
"""
from __future__ import annotations

import string
from typing import NamedTuple

from hakoniwa_rigid.brief import brief

from ..errors import EntityError

__all__ = ['MOST_PATTERN', 'MOST_WORK', 'NamePattern']

# letters of an expression; parts of its automaton, which x{100} multiplies; parentheses in each other; POSIX's
# RE_DUP_MAX
MOST_PATTERN, MOST_PARTS, MOST_DEPTH, MOST_REPEATS = 256, 2000, 20, 255
# states looked at by one expression, over all names: some 50 ms
MOST_WORK = 40_000
SPECIAL = '^.[]$()|*+?{}\\'
CLASSES = {
    'alpha': str.isalpha, 'digit': string.digits.__contains__, 'alnum': str.isalnum, 'upper': str.isupper,
    'lower': str.islower, 'space': str.isspace, 'blank': ' \t'.__contains__, 'punct': string.punctuation.__contains__,
    'print': str.isprintable, 'graph': lambda c: c.isprintable() and not c.isspace(),
    'cntrl': lambda c: ord(c) < 32 or ord(c) == 127, 'xdigit': string.hexdigits.__contains__,
}
# kinds of parts: one letter of a set; both ways; the beginning; the end; found
LETTER, SPLIT, BEGIN, END, FOUND = range(5)


class Letters(NamedTuple):
    """Which letters: single ones, ranges and tests of classes; or all others."""

    single: frozenset[str]
    ranges: tuple[tuple[str, str], ...] = ()
    classes: tuple = ()
    others: bool = False

    def hold(self, letter: str) -> bool:
        """Whether it is one of them."""
        found = (letter in self.single or any(a <= letter <= b for a, b in self.ranges)
                 or any(test(letter) for test in self.classes))
        return found != self.others


ANY = Letters(frozenset(), others=True)


class NamePattern:
    """An expression that was read; EntityError says what is wrong with it."""

    def __init__(self, text: str) -> None:
        if len(text) > MOST_PATTERN:
            raise EntityError(f'filter: must have at most {MOST_PATTERN} letters, got {len(text)}')
        self._parts: list[tuple] = [(FOUND,)]
        self._text = text
        self._start = self._build(_Reader(text).read(), 0)
        self._next: dict[tuple, tuple[int, ...] | None] = {}
        self._last: dict[tuple, bool] = {}
        self._work = 0

    def finds(self, name: str) -> bool:
        """Whether any part of the name matches; EntityError where all names together take too long."""
        states: tuple[int, ...] | None = ()
        for k, letter in enumerate(name):
            key = states, k == 0, letter
            if key not in self._next:
                self._next[key] = self._go(*key)
            states = self._next[key]
            if states is None:
                return True
        key = states, not name
        if key not in self._last:
            self._last[key] = 0 in self._reached(*key, True)
        return self._last[key]

    def _go(self, states: tuple[int, ...], begins: bool, letter: str) -> tuple[int, ...] | None:
        """The states behind a letter, None where the expression has been found before it."""
        reached = self._reached(states, begins, False)
        if 0 in reached:
            return None
        parts = self._parts
        return tuple(sorted({parts[k][2] for k in reached if parts[k][0] == LETTER and parts[k][1].hold(letter)}))

    def _reached(self, states: tuple[int, ...], begins: bool, ends: bool) -> set[int]:
        """All states that are reached without a letter, from these and from the start."""
        seen, left = set(), [self._start, *states]
        while left:
            k = left.pop()
            if k in seen:
                continue
            seen.add(k)
            kind, *to = self._parts[k]
            if kind == SPLIT or (kind == BEGIN and begins) or (kind == END and ends):
                left += to
        self._work += len(seen)
        if self._work > MOST_WORK:
            raise EntityError(f'filter: takes too long to compare with all names, got {brief(self._text)}')
        return seen

    # from what was read to the automaton, from the end to the beginning

    def _add(self, *part) -> int:
        if len(self._parts) >= MOST_PARTS:
            raise EntityError(f'filter: its repetitions make more than {MOST_PARTS} parts of it, '
                              f'got {brief(self._text)}')
        self._parts.append(part)
        return len(self._parts) - 1

    def _build(self, tree: tuple, after: int) -> int:
        """The state in which a part begins behind which there is `after`."""
        kind, *rest = tree
        if kind == 'row':
            for part in reversed(rest[0]):
                after = self._build(part, after)
            return after
        if kind == 'choice':
            first, *others = [self._build(part, after) for part in rest[0]]
            for other in others:
                first = self._add(SPLIT, first, other)
            return first
        if kind == 'repeat':
            return self._repeat(*rest, after)
        return self._add(LETTER, rest[0], after) if kind == 'letter' else self._add(
            BEGIN if kind == 'begin' else END, after)

    def _repeat(self, tree: tuple, least: int, most: int | None, after: int) -> int:
        if most is None:
            loop = self._add(SPLIT, after, after)
            self._parts[loop] = (SPLIT, self._build(tree, loop), after)
            begin = loop
        else:
            begin = after
            for _ in range(most - least):
                begin = self._add(SPLIT, self._build(tree, begin), after)
        for _ in range(least):
            begin = self._build(tree, begin)
        return begin


class _Reader:
    """Reads an expression into a tree of ('row', parts), ('choice', parts), ('repeat', part, least, most), ('letter',
    Letters), ('begin',), ('end',)."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._depth = text, 0, 0

    def read(self) -> tuple:
        tree = self._choice()
        if self._at < len(self._text):
            raise self._wrong('a ) without its (')
        return tree

    def _wrong(self, what: str) -> EntityError:
        return EntityError(f'filter: {what} at letter {self._at + 1}, got {brief(self._text)}')

    def _peek(self) -> str:
        return self._text[self._at:self._at + 1]

    def _choice(self) -> tuple:
        rows = [self._row()]
        while self._peek() == '|':
            self._at += 1
            rows.append(self._row())
        return ('choice', rows) if len(rows) > 1 else rows[0]

    def _row(self) -> tuple:
        parts = []
        while self._peek() and self._peek() not in '|)':
            parts.append(self._repeated())
        return 'row', parts

    def _repeated(self) -> tuple:
        part, bounds = self._one(), self._bounds()
        if bounds is None:
            return part
        if self._bounds() is not None:
            raise self._wrong('a repetition of a repetition')
        return 'repeat', part, *bounds

    def _bounds(self) -> tuple[int, int | None] | None:
        """How often at least and at most, None for ever; or None where no repetition stands here."""
        sign = self._peek()
        if sign not in ('*', '+', '?', '{'):
            return None
        self._at += 1
        return self._braces() if sign == '{' else {'*': (0, None), '+': (1, None), '?': (0, 1)}[sign]

    def _braces(self) -> tuple[int, int | None]:
        end = self._text.find('}', self._at)
        low, comma, high = self._text[self._at:max(end, self._at)].partition(',')
        numbers = [n for n in (low, high) if n]
        if end < 0 or not low or any(not (n.isascii() and n.isdigit()) or len(n) > 4 for n in numbers):
            raise self._wrong('{ needs a number, or two with a comma between, and }')
        least, most = int(low), int(high) if high else None if comma else int(low)
        if max(least, most or 0) > MOST_REPEATS or (most is not None and most < least):
            raise self._wrong(f'{{{low}{comma}{high}}} must be in order and at most {MOST_REPEATS}')
        self._at = end + 1
        return least, most

    def _one(self) -> tuple:
        letter = self._peek()
        if letter in '*+?{':
            raise self._wrong(f'{letter} has nothing to repeat')
        self._at += 1
        if letter == '(':
            return self._group()
        if letter == '[':
            return 'letter', self._bracket()
        if letter == '\\':
            letter = self._peek()
            if not letter or letter not in SPECIAL:
                raise self._wrong(f'\\ stands before one of {SPECIAL} only; for \\d and \\w POSIX has [0-9] and '
                                  '[[:alnum:]_]')
            self._at += 1
        elif letter in '^$':
            return ('begin' if letter == '^' else 'end',)
        elif letter == '.':
            return 'letter', ANY
        return 'letter', Letters(frozenset(letter))

    def _group(self) -> tuple:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self._wrong(f'more than {MOST_DEPTH} parentheses in each other')
        tree = self._choice()
        if self._peek() != ')':
            raise self._wrong('a ( without its )')
        self._at += 1
        self._depth -= 1
        return tree

    def _bracket(self) -> Letters:
        others = self._peek() == '^'
        self._at += others
        single, ranges, classes, first = set(), [], [], self._at
        while self._peek() != ']' or self._at == first:
            if not self._peek():
                raise self._wrong('a [ without its ]')
            if self._text.startswith('[:', self._at):
                classes.append(self._class())
                continue
            low = self._element()
            if self._peek() == '-' and self._text[self._at + 1:self._at + 2] not in ('', ']'):
                self._at += 1
                high = self._element()
                if high < low:
                    raise self._wrong(f'{low}-{high} is in the wrong order')
                ranges.append((low, high))
            else:
                single.add(low)
        self._at += 1
        return Letters(frozenset(single), tuple(ranges), tuple(classes), others)

    def _element(self) -> str:
        if self._text.startswith(('[.', '[=', '[:'), self._at):
            raise self._wrong('[. and [= are not known')
        self._at += 1
        return self._text[self._at - 1]

    def _class(self) -> object:
        end = self._text.find(':]', self._at)
        name = self._text[self._at + 2:max(end, self._at + 2)]
        if end < 0 or name not in CLASSES:
            raise self._wrong(f'[: needs one of {", ".join(CLASSES)} and :]')
        self._at = end + 2
        return CLASSES[name]
