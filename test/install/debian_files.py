# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The folder `debian/` of a package of a ROS 2 distribution, written from package.xml as bloom does for ament_cmake.

    python3 test/install/debian_files.py kilted trixie debian

Names are bloom's: `ros-kilted-hakoniwa-rigid`, below /opt/ros/kilted.  Beyond what bloom writes, rules ask for machine
code (HAKONIWA_RIGID_KERNELS), leave the tests to others, and let the browser page come from the tree.
"""
from __future__ import annotations

import re
import sys
from email.utils import formatdate
from pathlib import Path
from textwrap import fill
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
KERNELS = 'x86-64-v3 x86-64-v4'
# of package.xml, needed to build; to run
BUILD = ('buildtool_depend', 'depend')
RUN = ('depend', 'exec_depend')


def names(kinds: tuple[str, ...], ros: str) -> list[str]:
    """Debian's names of dependencies: those of Python modules are Debian's own already, all others are of ROS."""
    keys = {tag.text for kind in kinds for tag in _package().iter(kind)}
    return sorted(key if key.startswith('python3-') else debian_name(key, ros) for key in keys)


def _package() -> ElementTree.Element:
    return ElementTree.parse(ROOT / 'package.xml').getroot()


def debian_name(name: str, ros: str) -> str:
    """Of a ROS package, as bloom has it."""
    return f'ros-{ros}-{name.replace("_", "-")}'


def write(target: Path, ros: str, suite: str, kernels: str = KERNELS) -> str:
    """Write the files into a folder, which is made; the name of the package."""
    package = _package()
    name, version = debian_name(package.findtext('name'), ros), package.findtext('version')
    maintainer = package.find('maintainer')
    who = f'{maintainer.text} <{maintainer.get("email")}>'
    urls = [tag.text for tag in package.iter('url') if tag.get('type') == 'website']
    about = ' '.join(package.findtext('description').split())
    words = {'name': name, 'version': version, 'suite': suite, 'who': who, 'date': formatdate(_changed()),
             'prefix': f'/opt/ros/{ros}', 'kernels': kernels,
             'homepage': f'Homepage: {urls[0]}\n' if urls else '',
             'build': ', '.join(['debhelper-compat (= 13)', 'cmake', *names(BUILD, ros),
                                 *[n for n in names(RUN, ros) if n in COMPILER]]),
             'run': ', '.join(names(RUN, ros)),
             'summary': about.split(':')[0].removeprefix('A '),
             'about': fill(about, 78, initial_indent=' ', subsequent_indent=' ')}
    for file, text in FILES.items():
        place = target / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(re.sub(r'@(\w+)@', lambda found: words[found[1]], text))
    (target / 'rules').chmod(0o755)
    return name


def _changed() -> float:
    """Of package.xml, s since 1970: two builds of the same tree have one date."""
    return (ROOT / 'package.xml').stat().st_mtime


# what compiling the kernels needs
COMPILER = ('python3-numba', 'python3-numpy', 'python3-scipy', 'python3-tqdm', 'python3-yaml')
FILES = {
    'source/format': '3.0 (quilt)\n',
    'changelog': """@name@ (@version@-0@suite@) @suite@; urgency=medium

  * See CHANGELOG.rst in the sources.

 -- @who@  @date@
""",
    'control': """Source: @name@
Section: misc
Priority: optional
Maintainer: @who@
Build-Depends: @build@
@homepage@Standards-Version: 4.6.2
Rules-Requires-Root: no

Package: @name@
Architecture: any
Depends: ${shlibs:Depends}, ${misc:Depends}, @run@
Description: @summary@
@about@
""",
    'copyright': """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: hakoniwa_rigid

Files: *
Copyright: 2026 hakoniwa_rigid contributors
License: Apache-2.0

License: Apache-2.0
 On Debian systems the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
""",
    'rules': """#!/usr/bin/make -f
# what the kernels are compiled for: they go into the package, and nothing is compiled where it is installed
export HAKONIWA_RIGID_KERNELS ?= @kernels@
# numba and what it imports must find no home to write to
export HOME = /nonexistent
PREFIX := @prefix@
# the packages of the distribution that this one is built with
SOURCED := if [ -f $(PREFIX)/setup.sh ]; then . $(PREFIX)/setup.sh; fi;

%:
	dh $@ -v --buildsystem=cmake --builddirectory=.obj

override_dh_auto_configure:
	$(SOURCED) dh_auto_configure -- -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DCMAKE_PREFIX_PATH=$(PREFIX) \\
		-DBUILD_TESTING=OFF

override_dh_auto_build:
	$(SOURCED) dh_auto_build

override_dh_auto_test:

override_dh_auto_install:
	$(SOURCED) dh_auto_install

override_dh_shlibdeps:
	$(SOURCED) dh_shlibdeps -l$(CURDIR)/debian/@name@$(PREFIX)/lib:$(PREFIX)/lib
""",
}


if __name__ == '__main__':
    print(write(Path(sys.argv[3]), sys.argv[1], sys.argv[2]))
