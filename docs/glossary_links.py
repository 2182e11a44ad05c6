# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The first use of each term of glossary.md on a page of the site becomes a link to it (docs/conf.py)."""
import re

# words of everyday language too: a link at each page's first "part" would help no reader
PLAIN = {'apply a correction', 'event', 'grasp', 'law', 'overlap', 'part', 'phase', 'reference', 'sleep', 'stamp',
         'step'}
# what stays as it is: fences, code, links and pictures, headings, comments, quoted labels in braces
KEPT = re.compile(r'```.*?```|^#.*?$|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|<!--.*?-->|^\|.*?$|\{[^}\n]*\}',
                  re.DOTALL | re.MULTILINE)


def terms(glossary: str) -> list[str]:
    """Of the first column, the longest first; 'overlap, clearance' is two, what is in parentheses one more."""
    found = [word.strip() for row in re.findall(r'^\| ([^|]+) \|', glossary, re.MULTILINE)
             for word in re.split(r'[,()]', row) if word.strip() and set(row) != {'-'}]
    return sorted({word for word in found if word not in PLAIN and word != 'term' and not set(word) <= {'-'}},
                  key=lambda word: (-len(word), word))


def linked(text: str, words: list[str], where: str) -> str:
    """A page with its first use of each word as a link to `where`."""
    # 'restitution e' is written 'restitution'; plurals count
    spoken = {re.sub(r' \w$', '', word): word for word in words}
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(spoken, key=len, reverse=True)))})(s?)\b", re.IGNORECASE)
    waiting, out, at = {word.lower() for word in spoken}, [], 0

    def link(match):
        word = match[1].lower()
        if word not in waiting:
            return match[0]
        waiting.discard(word)
        return f'[{match[0]}]({where})'
    for kept in KEPT.finditer(text):
        out += [pattern.sub(link, text[at:kept.start()]), kept[0]]
        at = kept.end()
    return ''.join([*out, pattern.sub(link, text[at:])])
