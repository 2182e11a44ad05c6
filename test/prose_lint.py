# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A linter of the prose in Markdown: `python test/prose_lint.py [PAGE...]`, from the root of the repository.

Style is looked at in README.md, CONTRIBUTING.md and docs/ (not docs/adr): length of lines, paragraphs and sentences,
private words (prose_words.txt), code blocks without a language, and code blocks that no test looks at and that do not
say why.  Links, anchors and images are looked at in every page of the repository.  A code block is excused by a line
before it:

    <!-- not run: it needs a bag of yours -->

Exit status: 0 where there is nothing to say, 1 otherwise.
"""
from __future__ import annotations

import argparse
import functools
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

LINE, PARAGRAPH, SENTENCE, LONGEST = 120, 90, 25, 40    # columns; words
SHARE = 0.15     # of a page's sentences may be longer than SENTENCE
WORDS = Path(__file__).with_name('prose_words.txt')
# pages of which test_ten_minutes runs every block
EXECUTED = ('docs/ten_minutes.md',)
# languages whose blocks a test looks at, and names that are those under another
CHECKED = ('sh', 'python', 'yaml')
OTHER_NAMES = {'bash': 'sh', 'shell': 'sh', 'console': 'sh', 'py': 'python', 'python3': 'python', 'yml': 'yaml'}
# commands that test_docs_code looks at; a block of sh has one of them, or a reason
COMMANDS = ('hakoniwa-rigid', 'make', 'ros2 launch hakoniwa_rigid', 'ros2 run hakoniwa_rigid')
NOT_RUN = re.compile(r'<!--\s*not run:\s*(.*?)\s*-->', re.DOTALL)
ABBREVIATIONS = {'e.g.', 'i.e.', 'cf.', 'vs.', 'etc.', 'fig.', 'eq.', 'eqs.', 'no.', 'approx.', 'sec.', 'al.', 'pp.'}
OUTSIDE = re.compile(r'[a-z][a-z0-9+.-]*:', re.IGNORECASE)    # https:, mailto:

FENCE = re.compile(r'\s*(`{3,}|~{3,})\s*(\{\w[\w-]*\}|[\w+-]*)')     # a directive of the site is in braces
ITEM = re.compile(r'\s*(?:[-*+]|\d+[.)])\s+')
LINK = re.compile(r'(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)')
REFERENCE = re.compile(r'\s*\[[^\]]+\]:\s*(\S+)')
ATTRIBUTE = re.compile(r'\b(?:href|src)\s*=\s*"([^"]+)"')
CODE = re.compile(r'(`+)(.+?)(?<!`)\1(?!`)', re.DOTALL)
# a command of a line, up to ; | & where these are not quoted
PART = re.compile(r"""(?:'[^']*'|"[^"]*"|[^;&|])+""")
MATHS = re.compile(r'\$[^$\s](?:[^$]*[^$\s])?\$')


@dataclass
class Block:
    """A piece of a page: `heading`, `text` (a paragraph or an item of a list), `table`, `code`, `comment`, `html`."""

    kind: str
    line: int                # of its first line, from 1
    lines: list[str] = field(default_factory=list)
    language: str = ''       # of code; '' where it has none
    reason: str | None = None    # why it is not run, of code

    @property
    def text(self) -> str:
        """Its lines as one string."""
        return '\n'.join(self.lines)


class Page:
    """A Markdown file, cut into blocks."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.blocks = name, cut(text)

    @property
    def code(self) -> list[Block]:
        """Its code blocks."""
        return [block for block in self.blocks if block.kind == 'code']

    @functools.cached_property
    def anchors(self) -> set[str]:
        """What a link to a part of the page may name, by GitHub's rules."""
        found: dict[str, int] = {}
        given = set()
        for block in self.blocks:
            if block.kind == 'heading':
                slug = anchor(block.text)
                count = found[slug] = found.get(slug, -1) + 1
                given.add(f'{slug}-{count}' if count else slug)
            if block.kind != 'code':
                given.update(re.findall(r'<a\s+(?:id|name)="([^"]+)"', block.text))
        return given


def anchor(heading: str) -> str:
    """GitHub's name of a heading: small letters, no punctuation, hyphens for blanks."""
    text = LINK.sub(r'\2', heading.lstrip('#').strip()).replace('`', '')
    return re.sub(r'[^\w\- ]', '', text.lower()).replace(' ', '-')


def cut(text: str) -> list[Block]:
    """The blocks of a page."""
    cutter = _Cutter(text.split('\n'))
    while cutter.at < len(cutter.lines):
        cutter.one()
    return cutter.blocks


class _Cutter:
    def __init__(self, lines: list[str]) -> None:
        self.lines, self.at, self.blocks = lines, 0, []
        self.open: Block | None = None      # a paragraph that may go on
        self.inside = False                 # of a list or an admonition, whose text is indented
        if lines[0] == '---' and '---' in lines[1:]:
            self.at = lines.index('---', 1) + 1

    def one(self) -> None:
        """Take what begins at this line."""
        line = re.sub(r'^\s*>\s?', '', self.lines[self.at])
        start = line.strip()
        if not start or re.fullmatch(r'[-*_]{3,}', start):
            self.open = None
            self.at += 1
        elif match := FENCE.match(line):
            self.fenced(match)
        elif start.startswith('<!--'):
            self.several('comment', lambda text: '-->' in text)
        elif re.match(r'#{1,6}\s', line):
            self.inside = False
            self.alone('heading', line)
        elif start.startswith('|'):
            self.alone('table', line)
        elif re.match(r'</?[a-zA-Z]', start) or REFERENCE.match(line):
            self.alone('html', line)
        elif not self.open and not self.inside and line.startswith(('    ', '\t')):
            self.indented()
        else:
            self.prose(line)

    def prose(self, line: str) -> None:
        """A line of a paragraph, which may begin one."""
        item, note = ITEM.match(line), re.match(r'\s*(?:!!!|\?\?\?\+?|===)\s', line)
        if item or note or not self.open:
            self.open = Block('text', self.at + 1)
            self.blocks.append(self.open)
            self.inside = bool(item or note) or (self.inside and line[0] in ' \t')
        self.open.lines.append(line[item.end():] if item else line.strip())
        self.at += 1

    def alone(self, kind: str, line: str) -> None:
        self.open = None
        self.blocks.append(Block(kind, self.at + 1, [line]))
        self.at += 1

    def several(self, kind: str, ends) -> Block:
        block = Block(kind, self.at + 1)
        self.open = None
        self.blocks.append(block)
        while self.at < len(self.lines):
            block.lines.append(self.lines[self.at])
            self.at += 1
            if ends(block.lines[-1]):
                break
        return block

    def fenced(self, match: re.Match) -> None:
        mark = match[1]
        self.at += 1
        block = self.several('code', lambda text: text.strip().startswith(mark) and not text.strip().strip(mark[0]))
        block.line, block.language, block.reason = block.line - 1, match[2], self.excuse()
        indent = len(match[0]) - len(match[0].lstrip())
        block.lines = [line[indent:] if not line[:indent].strip() else line for line in block.lines[:-1]]

    def indented(self) -> None:
        block = self.several('code', lambda _: not self.still_indented())
        block.reason = self.excuse()
        block.lines = [line[4:] for line in block.lines]

    def still_indented(self) -> bool:
        """Whether the code goes on, maybe after empty lines."""
        following = next((line for line in self.lines[self.at:] if line.strip()), '')
        return following.startswith(('    ', '\t'))

    def excuse(self) -> str | None:
        """What the comment before a code block gives as its reason."""
        before = self.blocks[-2] if len(self.blocks) > 1 else None
        match = NOT_RUN.search(before.text) if before and before.kind == 'comment' else None
        return match[1] if match and match[1] else None


def plain(text: str, code: str = 'Code') -> str:
    """Text without markup; every code span and formula is one word."""
    text = re.sub(r'<!--.*?-->', '', text, flags=re.DOTALL)
    text = CODE.sub(code, text)
    text = LINK.sub(lambda match: '' if match[1] else match[2], text)
    text = MATHS.sub(code, text)
    return re.sub(r'<[^<>\s][^<>]*>', '', text).replace('*', '')


def count(text: str) -> int:
    """Words, of what has a letter or a digit."""
    return sum(any(c.isalnum() for c in word) for word in text.split())


def sentences(text: str) -> list[str]:
    """The sentences of plain text."""
    found, words = [], text.split()
    for k, word in enumerate(words):
        if not found or found[-1] is None:
            found[-1:] = [[]]
        found[-1].append(word)
        following = words[k + 1] if k + 1 < len(words) else 'End'
        ends = re.search(r'[.!?]["\')\]]*$', word) and word.lower().lstrip('("[') not in ABBREVIATIONS
        if ends and not following.lstrip('"\'([')[:1].islower():
            found.append(None)
    return [' '.join(sentence) for sentence in found if sentence]


def private_words(file: Path = WORDS) -> list[tuple[re.Pattern, str]]:
    """(pattern, what to write instead)."""
    found = []
    for line in file.read_text(encoding='utf8').split('\n'):
        if line and not line.startswith('#'):
            word, _, advice = line.partition(': ')
            flags = 0 if re.search(r'(?<!\\)[A-Z]', word) else re.IGNORECASE
            found.append((re.compile(rf'(?<![\w-])(?:{word})(?![\w-])', flags), advice))
    return found


def style(page: Page, words: list[tuple[re.Pattern, str]]) -> list[tuple[int, str]]:
    """(line, what is wrong), in no order."""
    return [*_lines(page), *_paragraphs(page), *_sentences(page), *_words(page, words), *_code(page)]


def _lines(page: Page):
    for block in page.blocks:
        if block.kind in ('text', 'heading'):
            for k, line in enumerate(block.lines):
                length = len(re.sub(r'\]\([^)]*\)', ']', line))
                if length > LINE:
                    yield block.line + k, f'line of {length} columns, at most {LINE}'


def _paragraphs(page: Page):
    for block in page.blocks:
        if block.kind == 'text' and (length := count(plain(block.text))) > PARAGRAPH:
            yield block.line, f'paragraph of {length} words, at most {PARAGRAPH}'


def _sentences(page: Page):
    total, long = 0, []
    for block in page.blocks:
        if block.kind == 'text':
            found = sentences(plain(block.text))
            total += len(found)
            long += [(block.line, count(text), text) for text in found if count(text) > SENTENCE]
    for line, length, text in long:
        if length > LONGEST:
            yield line, f'sentence of {length} words, at most {LONGEST}: {text[:60]}...'
    if len(long) > SHARE * total:
        yield 0, (f'{len(long)} of {total} sentences are longer than {SENTENCE} words: '
                  f'{len(long) / total:.0%}, at most {SHARE:.0%}')
        yield from ((line, f'  {length} words: {text[:60]}...') for line, length, text in long if length <= LONGEST)


def _words(page: Page, words: list[tuple[re.Pattern, str]]):
    for block in page.blocks:
        if block.kind in ('text', 'heading', 'table'):
            text = plain(block.text, ' ')
            for pattern, advice in words:
                if match := pattern.search(text):
                    yield block.line, f'private word "{match[0]}"; the field says: {advice}'


def _code(page: Page):
    for block in page.code:
        if not block.language:
            yield block.line, 'code block without a language: ```sh, ```python, ```yaml, ```text, ...'
        elif block.reason is None and page.name not in EXECUTED and not looked_at(block):
            yield block.line, (f'no test looks at this block of {block.language}: give it one of the commands '
                               f'{", ".join(COMMANDS)}, or write <!-- not run: reason --> before it')


def language(block: Block) -> str:
    """By one name."""
    return OTHER_NAMES.get(block.language, block.language)


def looked_at(block: Block) -> bool:
    """Whether test_docs_code does, or nothing in it could be."""
    return language(block) != 'sh' or any(command.startswith(COMMANDS) for command in commands(block.text))


def commands(text: str) -> list[str]:
    """The commands of a block of sh: no comments, no prompts, lines that go on put together, `A && B` as two."""
    found = []
    for line in re.sub(r'\\\n\s*', ' ', text).split('\n'):
        line = re.sub(r'^\s*\$\s+', '', line)
        line = re.sub(r'(^|\s)#(?=\s|$|[^\s}]).*', '', line).strip()
        found += [part.strip() for part in PART.findall(line) if part.strip()]
    return [re.sub(r'^(?:[A-Z_][A-Z0-9_]*=\S*\s+|time\s+|sudo\s+)+', '', command) for command in found]


class Links:
    """Links, anchors and images of pages below a folder."""

    def __init__(self, root: Path) -> None:
        self.root, self.pages = root, {}

    def page(self, path: Path) -> Page:
        """Read once."""
        path = path.resolve()
        if path not in self.pages:
            self.pages[path] = Page(path.name, path.read_text(encoding='utf8'))
        return self.pages[path]

    def wrong(self, page: Page, path: Path):
        """(line, what is wrong) for every link that leads nowhere."""
        for block in page.blocks:
            if block.kind not in ('code', 'comment'):
                for k, line in enumerate(block.text.split('\n') if block.kind != 'text' else [block.text]):
                    for target in targets(line):
                        if reason := self.why(target, page, path):
                            yield block.line + k, reason

    def why(self, target: str, page: Page, path: Path) -> str | None:
        """What is wrong with a link, or None."""
        if OUTSIDE.match(target) or target.startswith('//'):
            return None
        name, _, part = unquote(target).partition('#')
        file = path.parent / name if name else path
        if name and not file.exists():
            return f'link to {target}: there is no {name}'
        if name and not file.resolve().is_relative_to(self.root.resolve()):
            return f'link to {target}: it leads out of the repository'
        goal = self.page(file) if name and file.suffix == '.md' else page
        if part and (not name or file.suffix == '.md') and part not in goal.anchors:
            return f'link to {target}: {name or "the page"} has no heading with the anchor #{part}'
        return None


def targets(text: str) -> list[str]:
    """What links and images in a piece of Markdown lead to."""
    text = CODE.sub('Code', text)
    return ([match[3] for match in LINK.finditer(text)] + ATTRIBUTE.findall(text)
            + [match[1] for match in [REFERENCE.match(text)] if match]
            + [match[3] for outer in LINK.finditer(text) for match in LINK.finditer(outer[2])])


def styled(root: Path) -> list[Path]:
    """Pages whose style is looked at."""
    found = [root / 'README.md', root / 'CONTRIBUTING.md', *sorted((root / 'docs').rglob('*.md'))]
    # docs/generated is made from the sources, whose docstrings are not prose
    apart = root / 'docs/adr', root / 'docs/generated'
    return [path for path in found if path.is_file() and path.parent not in apart]


def linked(root: Path) -> list[Path]:
    """Other pages, whose links are looked at."""
    return sorted(path for pattern in ('*.md', 'docs/adr/*.md', 'examples/**/*.md', 'test/*/*.md')
                  for path in root.glob(pattern) if path not in styled(root))


def main(arguments: list[str] | None = None) -> int:
    """Look at pages and print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('pages', nargs='*', metavar='PAGE', help='only these')
    parser.add_argument('--except', dest='excepted', nargs='*', default=[], metavar='PAGE',
                        help='not yet clean: only links of these are looked at')
    parser.add_argument('--root', type=Path, default=Path.cwd(), help='of the repository; default: here')
    options = parser.parse_args(arguments)
    words, links, said = private_words(), Links(options.root), 0
    all_styled = styled(options.root)
    for path in [options.root / page for page in options.pages] or all_styled + linked(options.root):
        name = path.resolve().relative_to(options.root.resolve()).as_posix()
        page = Page(name, path.read_text(encoding='utf8'))
        wrong = list(links.wrong(page, path))
        of_style = style(page, words) if path in all_styled or options.pages else []
        if name not in options.excepted:
            wrong += of_style
        elif not of_style:
            print(f'{name} is clean: take it off the list --except')
        for line, what in sorted(wrong):
            print(f'{name}:{line}: {what}')
        said += len(wrong)
    return 1 if said else 0


if __name__ == '__main__':
    sys.exit(main())
