# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Golden files read back: see golden.py for what is in them."""
from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import numpy as np

from hakoniwa_rigid import yaml_text
from hakoniwa_rigid.codec.message_fields import NANOSECONDS
from hakoniwa_rigid.scene.errors import WorldFileError
from hakoniwa_rigid.scene.world_files.yaml_node import Node, read_yaml

from .golden import COLUMNS, FORMAT, MOST_WORLD, GoldenOptions
from .records import (
    CONSTRAINTS,
    KINDS,
    PHASES,
    CompareError,
    ConstraintChange,
    Contact,
    Run,
    Trajectory,
    Vec,
    trajectory,
)
from .setup import Setup

LONGEST_NS = 2**62      # 146 years; stamps are kept in 64 bits


def read_golden(path: str | Path) -> Run:
    """The run in a golden file.  CompareError names the file, the key, the value and what would be right."""
    path = Path(path)
    try:
        top = read_yaml(path)
        if top.get('format', None) != FORMAT:
            raise top.error('format', f'must be {FORMAT!r}', top.get('format', None))
        origin = _time(top, 'origin')
        law = top.integer('law') if top.has('law') else None
        options = _options(top)
        contacts = None
        if top.has('contacts'):
            contacts = tuple(_read_contact(node, origin) for node in top.children('contacts'))
        constraints = tuple(_read_change(node, origin) for node in top.children('constraints'))
        trajectories = tuple(_read_trajectory(node, origin) for node in top.children('trajectories'))
        setup = _read_setup(top)
        top.done()
    except WorldFileError as error:
        raise CompareError(str(error)) from None
    return Run(str(path), trajectories, contacts, resolution=options.resolution, law=law, constraints=constraints,
               setup=setup)


def _read_setup(top: Node) -> Setup:
    world = top.text('world', at_most=MOST_WORLD + 1) if top.has('world') else ''
    parameters = top.get('parameters') if top.has('parameters') else {}
    if not isinstance(parameters, dict):
        raise top.error('parameters', 'must be a mapping of names to values', parameters)
    return Setup(world, parameters)


def _options(top: Node) -> GoldenOptions:
    thin = top.child('thinned')
    options = GoldenOptions(top.integer('decimals'), thin.number('translation', above=0.0),
                            thin.number('rotation', above=0.0), thin.number('gap', above=0.0))
    thin.done()
    return options


def _time(node: Node, key: str, origin: int = 0) -> int:
    """'12.345 s' in ns, to the digit."""
    text = node.text(key)
    number, _, unit = text.partition(' ')
    try:
        ns = Decimal(number) * NANOSECONDS
        if unit == 's' and abs(ns) < LONGEST_NS and ns == int(ns):
            return origin + int(ns)
    except (ArithmeticError, ValueError):
        pass
    raise node.error(key, "must be a time such as '12.345 s', of at most nine decimals", text)


def _read_contact(node: Node, origin: int) -> Contact:
    bodies, parts = _two_names(node, 'bodies'), _two_names(node, 'parts')
    kind = node.text('kind')
    if kind not in KINDS and not kind.isdecimal():
        raise node.error('kind', f'must be one of {", ".join(KINDS)}', kind)
    contact = Contact(*bodies, *parts, KINDS.index(kind) if kind in KINDS else int(kind), _phases(node),
                      _time(node, 'begin', origin), _time(node, 'end', origin) if node.has('end') else None,
                      *(_row(node, key) for key in ('position', 'normal', 'impulse', 'total')))
    node.done()
    return contact


def _read_change(node: Node, origin: int) -> ConstraintChange:
    bodies = _two_names(node, 'bodies')
    change = ConstraintChange(node.text('name'), node.text('phase', one_of=PHASES),
                              node.text('kind', one_of=CONSTRAINTS), *bodies, _time(node, 'at', origin),
                              _row(node, 'impulse'), _row(node, 'force'))
    node.done()
    return change


def _phases(node: Node) -> str:
    text = node.text('phases')
    if not re.fullmatch(r'( ?[0-9]{0,6}[BPE])+', text):
        raise node.error('phases', "must be letters B, P and E, one per event; 'B 12P E' for twelve P", text)
    return ''.join(letter * int(times or 1) for times, letter in re.findall('([0-9]*)([BPE])', text))


def _two_names(node: Node, key: str) -> tuple[str, str]:
    names = node.get(key)
    if not (isinstance(names, list) and len(names) == 2 and all(isinstance(n, str) for n in names)):
        raise node.error(key, 'must be two names: [d0, wall]', names)
    return names[0], names[1]


def _row(node: Node, key: str) -> Vec:
    text = node.text(key)
    try:
        x, y, z = (float(word) for word in text.split())
    except ValueError:
        raise node.error(key, "must be three numbers such as '0.1 0 -2'", text) from None
    return x, y, z


def _read_trajectory(node: Node, origin: int) -> Trajectory:
    drone, topic, frame = node.text('drone'), node.get('topic'), node.get('frame')
    stamps, poses = [], []
    for number, line in enumerate(node.text('poses', at_most=yaml_text.MOST_BYTES).splitlines()):
        try:
            time, *values = line.split()
            ns = Decimal(time) * NANOSECONDS
            if len(values) != 7 or not abs(ns) < LONGEST_NS:
                raise ValueError
            stamps.append(origin + int(ns))
            poses.append([float(v) for v in values])
        except (ArithmeticError, ValueError):
            raise node.error(f'poses[{number}]', f'must be eight numbers: {COLUMNS}', line) from None
    node.done()
    table = np.array(poses, dtype=float).reshape(len(stamps), 7)
    return trajectory(drone, stamps, table[:, :3], table[:, 3:], str(topic), str(frame))
