# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The message types of a bag, for writing and reading it without ROS.

rosbags knows them.  It is loaded where it is used, which takes a third of a second, and may be missing where ROS is
installed: no package of distributions has it.
"""
from __future__ import annotations

import struct
from functools import cache
from importlib import import_module
from itertools import zip_longest

from hakoniwa_rigid.brief import MOST_VALUE, cut
from hakoniwa_rigid.paths import share_dir
from hakoniwa_rigid.replay.errors import BagError

PACKAGE = 'hakoniwa_rigid'
IDL_MARK = '=' * 80 + '\nIDL: '    # how a definition in IDL begins
# letters of a definition with all its parts; the longest of ROS have a twentieth
MOST_DEFINITION = 1 << 20
# bytes of a message that is made into objects of Python, some 150 for a byte at worst; no limit where arrays of numbers
# are all that grows with it
MOST_OBJECTS = 4 << 20
NEEDED = "pip install 'rosbags>=0.11,<0.12'"


def rosbags(module: str):
    """A module of rosbags; BagError where it is not installed."""
    try:
        return import_module(f'rosbags.{module}')
    except ModuleNotFoundError as error:
        raise BagError(f'rosbags is missing, which knows the types of messages: {NEEDED} ({error})') from error


def unreadable() -> tuple:
    """What comes out of bytes that are no message of the type they are read as."""
    return (rosbags('serde').SerdeError, ValueError, IndexError, KeyError, TypeError, OverflowError, MemoryError,
            RecursionError, struct.error)


def unusable() -> tuple:
    """What comes out of a text that is no definition."""
    return (rosbags('typesys').TypesysError, SyntaxError, AssertionError, AttributeError, *unreadable())


@cache
def typestore():
    """rosbags' types of ROS 2 Kilted and of this package; FileNotFoundError where the .msg files are missing."""
    typesys = rosbags('typesys')
    store = typesys.get_typestore(typesys.Stores.ROS2_KILTED)
    files = sorted((share_dir() / 'msg').glob('*.msg'))
    if not files:
        raise FileNotFoundError(f'{share_dir() / "msg"}: no .msg files; the bag needs the message definitions')
    types = {}
    for file in files:
        types |= typesys.get_types_from_msg(file.read_text(encoding='utf8'), f'{PACKAGE}/msg/{file.stem}')
    store.register(types)
    return store


def type_name(message_class: type) -> str:
    """``nav_msgs/msg/Odometry`` of a message class."""
    return f'{message_class.__module__.split(".")[0]}/msg/{message_class.__name__}'


def parsed(type_name: str, definition: str) -> dict:
    """The types of a definition as bags store it (msg or IDL text, dependencies behind it); BagError if it is none."""
    typesys = rosbags('typesys')
    if len(definition) > MOST_DEFINITION:
        raise BagError(f'definition of {type_name} has {len(definition)} letters; at most {MOST_DEFINITION} are read')
    try:
        if definition.startswith(IDL_MARK):
            if '<<' in definition:
                raise ValueError('shifts in constants are not computed')
            return typesys.get_types_from_idl(definition)
        return typesys.get_types_from_msg(definition, type_name)
    except unusable() as error:
        raise BagError(f'definition of {type_name} is not readable: {_first_line(error)}') from error


@cache
def known_definition(type_name: str) -> str:
    """The text of a type of this package or of Kilted, its dependencies behind it; BagError for an unknown type."""
    try:
        return typestore().generate_msgdef(type_name, ros_version=2)[0]
    except (rosbags('typesys').TypesysError, KeyError) as error:
        raise BagError(f'{type_name} is no type of ROS 2 Kilted or {PACKAGE}: give its definition') from error


def check_layout(where: str, type_name: str, definition: str, layout: str) -> None:
    """BagError where a definition does not begin with the fields of a layout, as 'uint8 a, float32[3] b'."""
    known = rosbags('typesys').get_types_from_msg(layout.replace(', ', '\n'), type_name)[type_name][1]
    theirs = parsed(type_name, definition).get(type_name, ((), ()))[1]
    for (name, kind), other in zip_longest(known, theirs[:len(known)]):
        if (name, kind) != other:
            raise BagError(f'{where}: its {type_name} has other fields than are known here: {name!r} is expected, '
                           f'{other[0] if other else "nothing"!r} found; convert the bag first')


def definition_of(type_name: str, definition: str) -> str:
    """The definition a bag has, else the known one; '' where there is neither."""
    try:
        return definition or known_definition(type_name)
    except BagError:
        return ''


@cache
def type_hash(type_name: str, definition: str) -> str:
    """The RIHS01 hash of a type as ROS 2 computes it; '' where the definition cannot be hashed."""
    try:
        return _store_of(type_name, definition).hash_rihs01(type_name)
    except (BagError, *unusable()):
        return ''


class Decoder:
    """Bytes to messages: each type by its own definition, where the bag holds one, else by the known types."""

    def __init__(self, definitions: dict[str, str]) -> None:
        """``definitions``: text by type name; '' where the bag holds none."""
        self.definitions = definitions
        self.stores: dict[str, object] = {}

    def decode(self, type_name: str, data: bytes):
        """The message in ``data`` (CDR); BagError says why it cannot be read."""
        store = self.stores.get(type_name)
        if store is None:
            store = self.stores[type_name] = _store_of(type_name, self.definitions.get(type_name, ''))
        if len(data) > MOST_OBJECTS and _makes_objects(store, type_name, set()):
            raise BagError(f'{len(data)} bytes of {type_name}: at most {MOST_OBJECTS} bytes of objects are read')
        try:
            return store.deserialize_cdr(data, type_name)
        except unreadable() as error:
            raise BagError(f'{len(data)} bytes are no {type_name}: {_first_line(error)}') from error


def _store_of(type_name: str, definition: str):
    """A store that knows ``type_name``.  One for each: two definitions of a bag may differ in a part they share."""
    store = typestore()
    if definition:
        types, typesys = parsed(type_name, definition), rosbags('typesys')
        store = typesys.get_typestore(typesys.Stores.EMPTY)
        try:
            store.register(types)
        except unusable() as error:
            raise BagError(f'definition of {type_name} is not usable: {_first_line(error)}') from error
        # a definition without the types it refers to is completed by the known ones
        store.fielddefs = {**typestore().fielddefs, **store.fielddefs}
        store.types = {**typestore().types, **store.types}
    if type_name not in store.fielddefs:
        raise BagError(f'{type_name}: no definition in the bag, and no type of ROS 2 Kilted or {PACKAGE}; '
                       'record with a version of ROS that stores definitions (Iron or later)')
    return store


def _makes_objects(store, type_name: str, seen: set[str]) -> bool:
    """Whether a type has a list of other things than numbers, at any depth."""
    if type_name in seen or type_name not in store.fielddefs:
        return False
    seen.add(type_name)
    kinds = rosbags('interfaces').Nodetype
    for _, (node, content) in store.fielddefs[type_name][1]:
        if node == kinds.NAME:
            if _makes_objects(store, content, seen):
                return True
        elif node in (kinds.ARRAY, kinds.SEQUENCE):
            inner, what = content[0]
            if inner != kinds.BASE or what[0] in ('string', 'wstring'):
                return True
    return False


def _first_line(error: BaseException) -> str:
    return cut((str(error) or type(error).__name__).splitlines()[0], MOST_VALUE)
