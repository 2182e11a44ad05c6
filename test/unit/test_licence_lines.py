# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Every source file says whose it is and under which licence."""
import subprocess

import licence_lines
import pytest


def test_every_file_has_the_line():
    try:
        files = licence_lines.files()
    except (OSError, subprocess.CalledProcessError):
        files = []
    if not files:   # as in a copy that lies in a folder which a clone around it ignores
        pytest.skip('no clone of git: which files are sources is not known')
    wrong = [str(file.relative_to(licence_lines.ROOT)) for file in files if not licence_lines.has_line(file)]
    assert len(files) > 500
    assert not wrong, '\n'.join(['python test/licence_lines.py puts these right:', *wrong])


@pytest.mark.parametrize('name, text, expected', [
    ('a.py', '"""Text."""\n', ['# ', '"""Text."""', '']),
    ('a.py', '#!/usr/bin/env python3\nx = 1\n', ['#!/usr/bin/env python3', '# ', 'x = 1', '']),
    ('a.py', '', ['# ', '']),
    ('a.css', 'p {}', ['/* ', 'p {}']),
    ('a.xml', '<?xml version="1.0"?>\n<a/>\n', ['<?xml version="1.0"?>', '<!-- ', '<a/>', '']),
])
def test_the_line_is_put_where_it_may_stand(tmp_path, name, text, expected):
    file = tmp_path / name
    file.write_text(text)
    assert not licence_lines.has_line(file)
    licence_lines.mend(file)
    assert licence_lines.has_line(file)
    place = next(k for k, line in enumerate(expected) if line in ('# ', '/* ', '<!-- '))
    lines = file.read_text().split('\n')
    assert lines[:place] + lines[place + 1:] == expected[:place] + expected[place + 1:]
    assert lines[place].startswith(expected[place]) and licence_lines.LINE in lines[place]
