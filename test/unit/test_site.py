# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The site of the documentation: every page is in its navigation, and what is made from the sources is whole.  `make
docs` builds it."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import site_pages
    return site_pages


def test_every_page_is_in_the_navigation_once(pages):
    index = (DOCS / 'index.md').read_text(encoding='utf8')
    listed = [line for block in re.findall(r'```{toctree}\n(.*?)```', index, re.DOTALL)
              for line in block.splitlines() if line and not line.startswith(':')]
    there = {path.relative_to(DOCS).with_suffix('').as_posix() for path in DOCS.rglob('*.md')
             if path.parent.name not in ('generated', 'adr')} - {'index'}
    assert sorted(listed) == sorted({*there, *(f'generated/{name}' for name in pages.PAGES), 'adr/*'})


def test_what_is_made_from_the_sources_is_whole(pages):
    from hakoniwa_rigid.scene.parameters import params
    messages, table, gallery = pages.messages(), pages.parameters(), pages.gallery()
    for folder in ('msg', 'srv'):
        for path in (ROOT / folder).glob(f'*.{folder}'):
            assert f'## {path.stem}\n' in messages and path.read_text(encoding='utf8').rstrip() in messages
    for prefix, rows in (('', params.NODE), ('drones.<name>.', params.DRONE), ('hands.<name>.', params.HAND)):
        assert [row.name for row in rows if f'| `{prefix}{row.name}` |' not in table] == []
    assert [path.name for path in pages.examples() if f'[{path.name}]' not in gallery] == []
    assert len(pages.examples()) == len(re.findall('^## ', gallery, re.MULTILINE))
    commands = pages.commands()
    for verb in ('demo', 'replay', 'diff', 'bench soak', 'selftest'):
        assert f'## hakoniwa-rigid {verb}\n' in commands


def test_pictures_of_the_gallery_are_there(pages):
    found = re.findall(r'!\[[^\]]*\]\((\S+)\)', pages.gallery())
    assert found and all((DOCS / 'generated' / path).resolve().exists() for path in found)
    assert set(pages.PICTURES) <= {path.stem for path in pages.examples()}


@pytest.fixture
def links(monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    import glossary_links
    return glossary_links


def test_first_uses_of_terms_are_links_to_the_glossary(links):
    text = """# A tick

Ticks, `tick` and [a tick](x.md): the tick of an island. Islands.

```sh
tick
```

| tick | NED |
"""
    assert links.linked(text, ['tick', 'island', 'NED', 'restitution e'], 'glossary.md') == text.replace(
        'Ticks,', '[Ticks](glossary.md),').replace('an island', 'an [island](glossary.md)')
    assert links.linked('restitution', ['restitution e'], '../g.md') == '[restitution](../g.md)'


def test_terms_are_those_of_the_glossary(links):
    found = links.terms((DOCS / 'glossary.md').read_text(encoding='utf8'))
    assert {'authority', 'tick', 'TOI', 'time of impact', 'clearance', 'NED', 'golden file'} <= set(found)
    assert not {'term', 'part', 'step'} & set(found)


def test_most_pages_lead_to_the_glossary(links):
    words = links.terms((DOCS / 'glossary.md').read_text(encoding='utf8'))
    pages = [path for path in DOCS.glob('*.md') if path.stem not in ('glossary', 'index')]
    counts = [links.linked(path.read_text(encoding='utf8'), words, 'g.md').count('](g.md)') for path in pages]
    assert sum(count > 0 for count in counts) >= 0.75 * len(pages) and max(counts) < len(words)
