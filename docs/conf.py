# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Sphinx: `make docs` builds these pages into build/docs, a folder that needs no network; rosdoc2 finds this file."""
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]
from glossary_links import linked, terms  # noqa: E402
from site_pages import write_all  # noqa: E402

project = 'hakoniwa_rigid'
copyright = '2026, hakoniwa_rigid contributors'
extensions = ['myst_parser', 'sphinx.ext.autodoc']
exclude_patterns = []
html_theme = 'furo'
html_title = 'hakoniwa_rigid'
myst_heading_anchors = 4
myst_enable_extensions = ['deflist']
autodoc_typehints = 'none'
# docstrings are plain text for people who read the code: what looks like markup in them is none
suppress_warnings = ['docutils', 'autodoc']
# links up and out of a page's folder
UP = re.compile(r'\[([^\]]*)\]\(((?:\.\./)+[^)#\s]+)(#[^)]*)?\)')


def _outside(app, docname, source):
    """Folders and pages outside of docs/ are named, not linked: the site may be anywhere.  Files are copied into it."""
    def named(match):
        target = (HERE / docname).parent.joinpath(match[2]).resolve()
        if target.is_relative_to(HERE) or (target.is_file() and target.suffix != '.md'):
            return match[0]
        words, path = match[1].strip('`'), target.relative_to(HERE.parent).as_posix()
        return f'`{path}`' if words.rstrip('/') == path else f'{words} (`{path}`)'
    source[0] = UP.sub(named, source[0])


def _glossary(app, docname, source):
    """Terms of the glossary are links where a page uses them first; decisions and what is generated stay."""
    if docname not in ('glossary', 'index') and docname.split('/')[0] not in ('adr', 'generated'):
        up = '../' * docname.count('/')
        source[0] = linked(source[0], terms((HERE / 'glossary.md').read_text(encoding='utf8')), f'{up}glossary.md')


def setup(app):
    """Called by Sphinx."""
    write_all(HERE / 'generated')
    app.connect('source-read', _outside)
    app.connect('source-read', _glossary)
