# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""A page of HTML: light or dark as the reader has it, for a desk and for a phone, without network and without scripts.

Colours stand in the SVG as attributes, too: servers that forbid styles in artifacts show the same in black on white.
"""
from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Iterable, Sequence

from hakoniwa_rigid.brief import MOST_VALUE, cut

# what HTML cannot hold, and marks that turn the direction of what comes after them
UNSHOWN = re.compile('[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|'
                     '[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]')
POLICY = "default-src 'none'; style-src 'unsafe-inline'"

STYLE = """
:root{--paper:#fff;--ink:#1d232b;--soft:#5b6570;--rule:#d5dae0;--grid:#e8ebef;--expected:#0072b2;--actual:#d55e00;
--bad:#b3261e;--good:#1b7f4b;--heat:#0072b2}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6e9ed;--soft:#9aa5b1;--rule:#39424d;--grid:#262d35;
--expected:#56b4e9;--actual:#ff9a4d;--bad:#ff8a80;--good:#6fd39b;--heat:#3f9bd6}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif;color-scheme:light dark}
main{max-width:72rem;margin:0 auto;padding:1rem}
h1{font-size:1.3rem;line-height:1.35;margin:.4rem 0 .6rem;padding-left:.7rem;border-left:.4rem solid var(--bad);
overflow-wrap:anywhere}
h1.good{border-color:var(--good)}
h2{font-size:1.05rem;margin:1.6rem 0 .4rem}
p{margin:.3rem 0;overflow-wrap:anywhere}
.soft{color:var(--soft)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.25rem .8rem .25rem 0;border-bottom:1px solid var(--rule);
overflow-wrap:break-word;max-width:24rem}
th{font-weight:600;overflow-wrap:normal}
th.expected{color:var(--expected)}th.actual{color:var(--actual)}
tr.bad td:first-child{box-shadow:inset .25rem 0 var(--bad);padding-left:.5rem}
td.text{min-width:12rem}
details{margin:.8rem 0;border-top:1px solid var(--rule);padding-top:.5rem}
summary{cursor:pointer;font-weight:600}
.charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,25rem),1fr))}
figure{margin:0;max-width:44rem}
figcaption{font-size:.9rem;font-weight:600;overflow-wrap:anywhere}
svg{display:block;width:100%;height:auto}
svg text{fill:var(--ink);font:12px system-ui,sans-serif;stroke:none}
svg .axis text{fill:var(--soft)}
svg .grid{stroke:var(--grid)}
svg .frame{stroke:var(--rule)}
svg .expected{stroke:var(--expected)}svg .actual{stroke:var(--actual)}
svg .rule{stroke:var(--ink)}
svg .limit{stroke:var(--bad)}
svg .error{stroke:var(--ink)}
svg .cell{fill:var(--heat)}
svg .cells text{font-size:11px;text-anchor:middle;paint-order:stroke;stroke:var(--paper);stroke-width:2.5px}
.key{display:inline-block;width:1.6em;height:0;border-top:.28em solid;vertical-align:middle;margin-right:.3em}
.key.expected{border-color:var(--expected);opacity:.55}.key.actual{border-top-width:.14em;border-color:var(--actual)}
"""


def escaped(text: object, most: int = MOST_VALUE) -> str:
    """Text of strangers, for HTML and its attributes: at most so many letters of it."""
    return html.escape(UNSHOWN.sub('\ufffd', cut(str(text), most)))


def page(title: str, parts: Iterable[str], script: str = '') -> str:
    """A whole page of parts that are HTML; script: a few lines that it can do without."""
    policy = POLICY
    if script:      # this one and no other, should a text ever get through
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'"
    body = '\n'.join(part for part in parts if part)
    code = f'<script>{script}</script>\n' if script else ''
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escaped(title)}</title>\n'
            f'<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n{code}</body>\n</html>\n')


def table(head: Sequence[str], rows: Sequence[Sequence[object]], most: int, *, bad: Iterable[int] = (),
          text: Iterable[int] = (), classes: str = '') -> str:
    """The first `most` rows, and how many more there are.  bad: numbers of rows that are marked; text: of columns that
    are sentences.  Columns called expected and actual have the colours of these roles everywhere."""
    bad, text = set(bad), set(text)
    cells = ''.join(f'<th{_role(name)}>{escaped(name)}</th>' for name in head)
    body = []
    for number, row in enumerate(rows[:most]):
        mark = ' class="bad"' if number in bad else ''
        body.append(f'<tr{mark}>' + ''.join(
            f'<td class="text">{escaped(value)}</td>' if k in text else f'<td>{escaped(value)}</td>'
            for k, value in enumerate(row)) + '</tr>')
    more = f'<p class="soft">and {len(rows) - most} more</p>' if len(rows) > most else ''
    mark = f' class="{classes}"' if classes else ''
    return (f'<div class="wide"><table{mark}><thead><tr>{cells}</tr></thead>\n<tbody>\n' + '\n'.join(body)
            + f'\n</tbody></table></div>{more}')


def folded(summary: str, *parts: str) -> str:
    """Parts that are opened by a click, without a script."""
    return f'<details><summary>{escaped(summary)}</summary>\n' + '\n'.join(parts) + '\n</details>'


def paragraph(text: str, soft: bool = False) -> str:
    """A sentence."""
    mark = ' class="soft"' if soft else ''
    return f'<p{mark}>{escaped(text, 4 * MOST_VALUE)}</p>'


def heading(text: str) -> str:
    """Of a section."""
    return f'<h2>{escaped(text)}</h2>'


def charts(parts: Iterable[str]) -> str:
    """Pictures side by side, on a phone below each other."""
    return '<div class="charts">\n' + '\n'.join(parts) + '\n</div>'


def _role(name: str) -> str:
    words = name.split()
    return next((f' class="{role}"' for role in ('expected', 'actual') if role in words), '')
