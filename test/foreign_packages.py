# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Message packages of simulators, made for the tests from their public field definitions (test/foreign_msgs).

    foreign_packages.provide()      # from now on `import hako_msgs`, `import px4_msgs`, ... work in this process
    PYTHONPATH=foreign_packages.folder()    # and with it in a process that a test starts

They are generated as our own messages are, by rosidl, and compiled without CMake: a library for each of two type
supports, Fast DDS and the introspection that Jazzy's middleware asks for besides, and the module of Python.  What is
there for the same definitions is used again (build/foreign_msgs).
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
SOURCES = HERE / 'foreign_msgs'
KEPT = HERE.parent / 'build' / 'foreign_msgs'
SUPPORT, INTROSPECTION = SUPPORTS = ('rosidl_typesupport_fastrtps_c', 'rosidl_typesupport_introspection_c')
# packages that are on every ROS installation, and what foreign messages are made of
BASES = ('builtin_interfaces', 'service_msgs', 'std_msgs', 'geometry_msgs', 'unique_identifier_msgs', 'action_msgs')
# whose headers and libraries the generated code needs besides
RUNTIME = ('rosidl_runtime_c', 'rosidl_runtime_cpp', 'rosidl_typesupport_interface', 'rosidl_typesupport_c',
           'rosidl_typesupport_cpp', *SUPPORTS, 'rosidl_typesupport_fastrtps_cpp', 'rosidl_dynamic_typesupport',
           'rosidl_typesupport_introspection_cpp', 'rmw', 'rcutils', 'fastcdr')


def packages() -> list[str]:
    """The names of the foreign packages."""
    return sorted(p.name for p in SOURCES.iterdir() if p.is_dir())


def provide() -> Path:
    """Make the packages importable; returns their folder.  What is installed under the same names is hidden."""
    where = folder()
    if str(where) not in sys.path:
        sys.path.insert(0, str(where))
    return where


def folder() -> Path:
    """The folder with the Python packages, built where it is missing."""
    where = KEPT / _digest()
    if not where.is_dir():
        KEPT.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=KEPT) as work:
            _build(Path(work))
            try:
                (Path(work) / 'python').rename(where)
            except OSError:
                # another process was faster; else it is an error
                if not where.is_dir():
                    raise
    return where


def definitions(folder: Path) -> Path:
    """An installation of the foreign packages as far as a recorder needs one: their field definitions."""
    share = folder / 'prefix' / 'share'
    marks = share / 'ament_index' / 'resource_index' / 'packages'
    marks.mkdir(parents=True)
    for package in packages():
        (marks / package).touch()
        (share / package).symlink_to(SOURCES / package)
    return share.parent


def type_hash(package: str, name: str) -> str:
    """The RIHS01 hash of a message of a foreign package, as its type description says."""
    described = json.loads((folder() / package / 'msg' / f'{name}.json').read_text())
    return next(h['hash_string'] for h in described['type_hashes'] if h['type_name'] == f'{package}/msg/{name}')


def _digest() -> str:
    """What the packages depend on: definitions, this file, the generator and the Python they are built for."""
    digest = hashlib.sha256(f'{sys.version} {sys.prefix} {np.__version__}'.encode())
    templates = _share('rosidl_generator_py') / 'resource'
    for path in (Path(__file__), *sorted(SOURCES.glob('*/*/*')), *sorted(templates.iterdir())):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _build(work: Path) -> None:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda name: _make(work, name), packages()))


def _make(work: Path, package: str) -> None:
    # empy 3 keeps hold of a process's stdout, which pytest exchanges: a process of its own for it
    _run([sys.executable, Path(__file__), work, package])
    _compile(work, package)


class Generator:
    """rosidl's generators on one package: sources into <package> in the folders c, introspection and python of work."""

    def __init__(self, work: Path, package: str) -> None:
        self.work, self.package = work, package
        self.c, self.python = work / 'c' / package, work / 'python' / package
        # apart: its sources have names of the C generator's
        self.introspection = work / 'introspection' / package
        self.files = [f.relative_to(SOURCES / package) for f in sorted(SOURCES.joinpath(package).glob('*/*'))]
        self.kinds = sorted({file.parent for file in self.files})
        self.idls = [file.with_suffix('.idl') for file in self.files]

    def run(self) -> None:
        """In the order in which they need each other's results."""
        from rosidl_generator_c import generate_c
        from rosidl_generator_py import generate_py
        from rosidl_generator_type_description import generate_type_hash
        from rosidl_typesupport_c import generate_c as generate_dispatch
        from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c
        from rosidl_typesupport_introspection_c import generate_c as generate_introspection

        self._translate()
        generate_type_hash(self._arguments('rosidl_generator_type_description', self.python,
                                           include_paths=[f'{name}:{_share(name)}' for name in BASES]))
        described = [f'{idl}:{self.python / idl.with_suffix(".json")}' for idl in self.idls]
        quoted = [str(self.c / file) for file in self.files]
        generate_c(self._arguments('rosidl_generator_c', self.c, type_description_tuples=described,
                                   ros_interface_files=quoted))
        generate_typesupport_fastrtps_c(self._arguments(SUPPORT, self.c))
        generate_introspection(self._arguments(INTROSPECTION, self.introspection))
        for kind in self.kinds:
            for generator in ('rosidl_generator_c', SUPPORT):
                _visibility(generator, self.package, self.c / kind)
            _visibility(INTROSPECTION, self.package, self.introspection / kind)
        generate_dispatch(self._arguments('rosidl_typesupport_c', self.c), list(SUPPORTS))
        (self.python / '__init__.py').touch()
        generate_py(self._arguments('rosidl_generator_py', self.python), ['rosidl_typesupport_c'])

    def _translate(self) -> None:
        """Definitions to IDL; the C generator quotes the originals."""
        from rosidl_adapter.action import convert_action_to_idl
        from rosidl_adapter.msg import convert_msg_to_idl
        from rosidl_adapter.srv import convert_srv_to_idl

        converts = {'.msg': convert_msg_to_idl, '.srv': convert_srv_to_idl, '.action': convert_action_to_idl}
        for kind, top in product(self.kinds, (self.c, self.python)):
            (top / kind).mkdir(parents=True)
        for file in self.files:
            converts[file.suffix](SOURCES / self.package, self.package, file, self.c / file.parent)
            shutil.copy(SOURCES / self.package / file, self.c / file)

    def _arguments(self, generator: str, out: Path, **more) -> str:
        """The file that a generator is called with."""
        values = {
            'package_name': self.package,
            'idl_tuples': [f'{self.c}:{idl}' for idl in self.idls],
            'ros_interface_dependencies': [f'{n}:{path}' for n in BASES for path in _share(n).glob('*/*.idl')],
            'target_dependencies': [],
            'output_dir': str(out),
            'template_dir': str(_share(generator) / 'resource'),
        }
        path = self.work / f'{self.package}.{generator}.json'
        path.write_text(json.dumps({**values, **more}))
        return str(path)


def _visibility(generator: str, package: str, out: Path) -> None:
    """The header that exports a package's symbols."""
    name = f'{generator}__visibility_control.h'
    text = (_share(generator) / 'resource' / f'{name}.in').read_text()
    text = text.replace('@PROJECT_NAME@', package).replace('@PROJECT_NAME_UPPER@', package.upper())
    (out / name).write_text(text)


def _compile(work: Path, package: str) -> None:
    """All sources of a package into the module that rclpy asks for, and the libraries of its type supports, which are
    looked for by name: the module loads them.  Those of C++ are one translation unit: their headers take longer than
    they do."""
    c, introspection, python = (work / folder / package for folder in ('c', 'introspection', 'python'))
    module = f'{package}_s__rosidl_typesupport_c'
    include = [f'-I{work / "c"}', f'-I{work / "introspection"}']
    include += [f'-I{sysconfig.get_paths()["include"]}', f'-I{np.get_include()}']
    for name in (*BASES, *RUNTIME):
        top = _prefix(name) / 'include'
        include += [f'-I{top / name}', f'-I{top}']
    flags = ['-w', '-fPIC', '-O0', *dict.fromkeys(include)]
    together = work / f'{package}.cpp'
    together.write_text(''.join(f'#include "{p}"\n' for p in sorted(c.rglob('*.cpp'))))
    units = {SUPPORT: [*sorted(c.rglob('*.c')), together], INTROSPECTION: sorted(introspection.rglob('*.c')),
             module: sorted(python.rglob('*.c'))}
    objects = {part: [work / f'{part}.{package}.{k}.o' for k in range(len(units[part]))] for part in units}
    for part in units:
        for unit, made in zip(units[part], objects[part], strict=True):
            _run([_compiler(unit), *flags, '-c', unit, '-o', made])
    linked = ['-Wl,--no-as-needed', '-Wl,-rpath,$ORIGIN']
    for support in SUPPORTS:
        library = python / f'lib{package}__{support}.so'
        named = f'-Wl,-soname,{library.name}'
        _run(['g++', '-shared', '-o', library, named, *objects[support], *linked, *_libraries()])
        linked.append(library)
    _run(['g++', '-shared', '-o', python / f'{module}.so', *objects[module], *linked, *_libraries()])
    for source in python.rglob('*.c'):
        source.unlink()


def _compiler(unit: Path) -> str:
    return 'g++' if unit.suffix == '.cpp' else 'gcc'


def _libraries() -> list[str]:
    parts = ('rosidl_generator_c', 'rosidl_generator_py', *SUPPORTS)
    names = [f'{base}__{part}' for base in BASES for part in parts]
    names += ['rosidl_runtime_c', 'rosidl_typesupport_c', *SUPPORTS, 'rosidl_typesupport_fastrtps_cpp', 'rcutils',
              'rmw', 'fastcdr']
    folders = dict.fromkeys(_prefix(name) / 'lib' for name in (*BASES, *RUNTIME))
    found = [path for name in names for top in folders for path in sorted(top.glob(f'lib{name}.so*'))[:1]]
    return [str(path) for path in found] + [f'-Wl,-rpath,{top}' for top in folders]


def _run(command: list) -> None:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f'{" ".join(map(str, command[:1] + command[-4:]))}:\n{done.stderr[-4000:]}')


def _prefix(package: str) -> Path:
    """Where a package is installed: the wheels set no AMENT_PREFIX_PATH."""
    for prefix in (*filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)), sys.prefix):
        if (Path(prefix) / 'share' / package).is_dir():
            return Path(prefix)
    raise LookupError(f'the ROS package {package} is not installed: foreign message packages cannot be built')


def _share(package: str) -> Path:
    return _prefix(package) / 'share' / package


if __name__ == '__main__':
    Generator(Path(sys.argv[1]), sys.argv[2]).run()
