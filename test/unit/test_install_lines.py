# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The lines of README.md by which this is installed: what test/install runs is these; and the files of a Debian
package that it writes."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
INSTALL = ROOT / 'test/install'
NOT_RUN = ('rosdep install', 'make deb')
README = (ROOT / 'README.md').read_text(encoding='utf8')


@pytest.fixture
def install(monkeypatch):
    """The modules of test/install can be imported."""
    monkeypatch.syspath_prepend(str(INSTALL))


def blocks():
    """{first words above it: lines} of every block of a shell in the chapter."""
    chapter = README.split('\n## Install\n', 1)[1].split('[docs/install.md]', 1)[0]
    found = re.findall(r'\n([^\n]+):\n\n(?:<!--[^\n]*-->\n)?```sh\n(.*?)```', chapter, re.S)
    return {above[:20]: lines.splitlines() for above, lines in found}


def test_each_way_has_four_lines_and_runs_all_of_them(install, monkeypatch, tmp_path):
    """But for those that stand for a ROS installation, and the one that is the script itself."""
    import checks
    import deb
    import installs
    ran = []

    def remember(command, *_rest, **_how):
        ran.append(str(command[-1]))
        return 'A=1\0'
    monkeypatch.setattr(installs, 'call', remember)
    monkeypatch.setattr(deb, 'call', remember)
    monkeypatch.setattr(deb, 'copied', lambda base, root: root)
    monkeypatch.setattr(deb, 'ROOT', tmp_path)
    monkeypatch.setattr(deb.shutil, 'copy', lambda *_: None)
    monkeypatch.setattr(installs, 'copy_tree', lambda *_: None)
    monkeypatch.setattr(installs, 'has_all_kernels', lambda *_: None)
    monkeypatch.setattr(installs, 'ROOT', Path('<this repository>'))
    for made in ('wheel/source/dist/kilted', 'wheel/rigid'):
        (tmp_path / made).mkdir(parents=True)
    monkeypatch.setattr(installs, 'fresh', lambda folder: folder)
    (tmp_path / 'wheel/source/dist/kilted/a.whl').touch()
    for way in ('wheel', 'colcon', 'clone'):
        installs.WAYS[way](tmp_path / way, 'kilted')
    deb.install(tmp_path, None, Path('a'), Path('b'), 'kilted', 'trixie')
    lines = {line for words in ran for line in words.splitlines()}
    assert len(blocks()) == len(installs.WAYS)
    for name, block in blocks().items():
        assert 0 < len(block) <= 4
        assert checks.readme(name) == block
        assert [line for line in block if line not in lines and not line.startswith(NOT_RUN)] == []


def test_debian_files_name_what_package_xml_names(tmp_path):
    subprocess.run([sys.executable, INSTALL / 'debian_files.py', 'jazzy', 'trixie', tmp_path / 'debian'], check=True,
                   capture_output=True)
    control = (tmp_path / 'debian/control').read_text()
    assert control.startswith('Source: ros-jazzy-hakoniwa-rigid\n')
    depends = re.search('^Depends: (.*)$', control, re.M)[1].split(', ')
    assert {'python3-numba', 'ros-jazzy-rclpy', 'ros-jazzy-rosidl-default-runtime'} <= set(depends)
    builds = re.search('^Build-Depends: (.*)$', control, re.M)[1].split(', ')
    assert {'python3-numba', 'ros-jazzy-ament-cmake', 'ros-jazzy-rosidl-default-generators'} <= set(builds)
    assert not [word for text in (tmp_path / 'debian').rglob('*') if text.is_file()
                for word in re.findall(r'@\w+@', text.read_text())]
    assert re.match(r'ros-jazzy-hakoniwa-rigid \(\d+\.\d+\.\d+-0trixie\) ', (tmp_path / 'debian/changelog').read_text())
    assert '-DCMAKE_INSTALL_PREFIX=$(PREFIX)' in (tmp_path / 'debian/rules').read_text()
