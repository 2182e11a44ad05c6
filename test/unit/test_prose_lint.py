# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The linter of prose: what it finds in Markdown, and what it leaves alone."""
import prose_lint
import pytest
from prose_lint import LINE, LONGEST, PARAGRAPH, SENTENCE, Links, Page, commands, cut, plain, sentences, style

WORDS = prose_lint.private_words()


def found(text: str, name: str = 'docs/page.md') -> list[str]:
    return [what for _, what in style(Page(name, text), WORDS)]


def words(count: int) -> str:
    return ' '.join(['Word'] + ['word'] * (count - 1))


def test_blocks_of_a_page():
    page = '\n'.join(['---', 'title: x', '---', '# Head', 'Text', 'goes on', '', '| a |', '- item', '  goes on', '',
                      '      still the item', '', 'Text.', '', '    code', '', '    more', '', '> quoted', '```sh',
                      'ls', '# no head', '```', '<!-- comment', '-->', '<p>html</p>'])
    assert [(block.kind, block.line) for block in cut(page)] == [
        ('heading', 4), ('text', 5), ('table', 8), ('text', 9), ('text', 12), ('text', 14), ('code', 16), ('text', 20),
        ('code', 21), ('comment', 25), ('html', 27)]
    assert cut(page)[6].text == 'code\n\nmore'
    assert cut(page)[8].lines == ['ls', '# no head']


def test_markup_is_no_prose():
    assert plain('**A** [link](a.md#b), `x y z`, ![image](a.png) <b>b</b> $a + b$') == 'A link, Code,  b Code'


def test_where_a_sentence_ends():
    assert sentences('One, e.g. Two. `a` is 0.5 m. (Three.) "Four?" Five: six; seven') == [
        'One, e.g. Two.', '`a` is 0.5 m.', '(Three.)', '"Four?"', 'Five: six; seven']
    assert sentences('It runs in v. small letters.') == ['It runs in v. small letters.']


@pytest.mark.parametrize('good, bad, what', [
    ('a' * LINE, 'a' * (LINE + 1), 'columns'),
    ('# ' + 'a' * (LINE - 2), '# ' + 'a' * LINE, 'columns'),
    ('. '.join([words(9)] * (PARAGRAPH // 9)), '. '.join([words(9)] * (PARAGRAPH // 9 + 1)), 'paragraph of 99 words'),
    ('\n'.join([words(20) + '.'] * 6 + [words(SENTENCE + 1)]), words(SENTENCE + 1), 'are longer than 25 words'),
    (words(20), '\n\n'.join([words(20)] * 20 + [words(LONGEST + 1)]), 'sentence of 41 words'),
    ('`deflection` is a name', 'The deflection is one', 'private word "deflection"'),
    ('lasting', 'A LASTING one', 'private word "LASTING"'),
    ('seed 12', '| seed 003 |', 'private word "seed 003"'),
    ('```text\nx\n```', '```\nx\n```', 'without a language'),
    ('- item\n\n    text of the item', 'Text:\n\n    code', 'without a language'),
    ('!!! note "Title"\n    Text.\n\n    More.\n\n=== "Tab"\n\n    Text.', '    code', 'without a language'),
    ('```sh\nX=1 hakoniwa-rigid demo\n```', '```sh\nls\n```', 'no test looks'),
    ('<!-- not run: it lists -->\n\n```sh\nls\n```', '<!-- not run: -->\n```sh\nls\n```', 'no test looks'),
])
def test_what_is_wrong(good, bad, what):
    assert not [text for text in found(good) if what in text]
    assert [text for text in found(bad) if what in text]


@pytest.mark.parametrize('text', [
    '[' + 'a' * 90 + '](' + 'b' * 90 + ')',                   # a link's target does not count
    '| ' + words(200) + ' |', '```sh\nmake ' + 'a' * 200 + '\n```', '<p>' + 'a' * 200 + '</p>',
])
def test_what_may_be_long(text):
    assert not found(text)


def test_pages_that_a_test_runs_need_no_reason():
    block = '```sh\nls\n```'
    assert found(block)
    assert not found(block, 'docs/ten_minutes.md')


def test_commands_of_a_block():
    text = '$ cd x && A=1 make  # comment\nls \\\n    -l | cat\n# ls\n\nb c#d &\na "b; c" || d'
    assert commands(text) == ['cd x', 'make', 'ls  -l', 'cat', 'b c#d', 'a "b; c"', 'd']


@pytest.fixture
def pages(tmp_path):
    (tmp_path / 'docs').mkdir()
    (tmp_path / 'docs/b.md').write_text('# It is: `A_b` & [c](d)!\n# Twice\n## Twice\n<a id="old"></a>\n'
                                        '```\n# code\n```\n')
    (tmp_path / 'picture.png').touch()
    return tmp_path


@pytest.mark.parametrize('text', [
    '[x](docs/b.md)', '[x](docs/b.md#it-is-a_b--c)', '[x](docs/b.md#twice) [x](docs/b.md#twice-1)', '[x](docs)',
    '[x](docs/b.md#old)', '[x](#here)\n# Here', '![x](picture.png)', '[![x](picture.png)](docs/b.md)',
    '[x](https://a.example/b#c)', '`[x](nowhere.md)`', '```\n[x](nowhere.md)\n```', '<img src="picture.png">',
])
def test_links_that_lead_somewhere(pages, text):
    assert not list(Links(pages).wrong(Page('a.md', text), pages / 'a.md'))


@pytest.mark.parametrize('text, line', [
    ('\n[x](nowhere.md)', 2), ('[x](docs/b.md#code)', 1), ('[x](docs/b.md#twice-2)', 1), ('[x](#here)', 1),
    ('![x](nowhere.png)', 1), ('[![x](nowhere.png)](docs/b.md)', 1), ('| a |\n| [x](no.md) |', 2),
    ('[x]: nowhere.md', 1), ('<a href="nowhere.md">', 1), ('[x](../a.md)', 1),
])
def test_links_that_lead_nowhere(pages, text, line):
    (pages.parent / 'a.md').touch()
    assert [where for where, _ in Links(pages).wrong(Page('a.md', text), pages / 'a.md')] == [line]


def test_the_command(pages, capsys):
    (pages / 'README.md').write_text('[x](docs/b.md)\n')
    (pages / 'docs/b.md').write_text('```\nx\n```\n')
    assert prose_lint.main(['--root', str(pages)]) == 1
    assert 'docs/b.md:1: code block' in capsys.readouterr().out
    assert prose_lint.main(['--root', str(pages), '--except', 'docs/b.md']) == 0
    assert prose_lint.main(['--root', str(pages), str(pages / 'README.md'), '--except', 'README.md']) == 0
    assert 'README.md is clean' in capsys.readouterr().out
    (pages / 'SECURITY.md').write_text('[x](nowhere.md)\n')
    assert prose_lint.main(['--root', str(pages), '--except', 'docs/b.md']) == 1
