# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The arguments of the launch files: default, description, and what their texts must be. Knows nothing of launch.

A check takes the text of an argument and returns what is wrong with it, or ''.
"""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from hakoniwa_rigid.brief import MOST_VALUE, brief, cut, did_you_mean
from hakoniwa_rigid.files import is_file
from hakoniwa_rigid.paths import config_file, preset_file, world_file

__all__ = ['COMMON', 'OF_LAUNCH', 'Argument', 'ArgumentError', 'bag_path', 'check', 'check_known', 'choice', 'existing',
           'flag', 'hand', 'is_true', 'number', 'numbers', 'places', 'state_path', 'without']

Check = Callable[[str], str]

# what `ros2 launch` and its actions take from the command line beside the arguments of a launch file
OF_LAUNCH = ('launch-prefix', 'launch-prefix-filter', 'sigterm_timeout', 'sigkill_timeout')
LEVELS = ('debug', 'info', 'warn', 'error', 'fatal')
FLAGS = {form(word) for word in ('true', 'false', '1', '0') for form in (str.lower, str.capitalize, str.upper)}
NAMESPACE = re.compile(r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*/?|/', re.ASCII)


class ArgumentError(ValueError):
    """Arguments of a launch file that are wrong; the message names each with its text."""


def anything(text: str) -> str:
    """Every text is right."""
    return ''


def flag(text: str) -> str:
    """true or false."""
    return '' if text in FLAGS else 'must be true or false'


def number(low: float, high: float, unit: str = '', kind: type = float) -> Check:
    """A number in a range; `kind` int: a whole one."""
    what = 'a whole number' if kind is int else 'a number'
    span = f'>= {low:g}' if high == math.inf else f'from {low:g} to {high:g}'

    def fault(text: str) -> str:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        return '' if low <= value <= high and math.isfinite(value) else f'must be {what} {span}{unit and f" {unit}"}'

    return fault


def choice(*words: str) -> Check:
    """One of some words."""
    return lambda text: '' if text in words else f'must be one of {", ".join(words)}'


def found(where: Callable[[str], Path]) -> Check:
    """A file that `where` finds; it raises OSError where there is none."""
    def fault(text: str) -> str:
        try:
            path = where(text)
        except OSError as error:
            return str(error)
        return '' if is_file(path) else 'no such file'

    return fault


def _hand_path(name: str) -> Path:
    """A recorded hand by path (a bag is a folder: some file of it), or by the name of one in config/hands."""
    path = Path(name)
    if path.is_dir():
        return next((item for item in sorted(path.iterdir()) if is_file(item)), path)
    return path if is_file(path) or len(path.parts) > 1 else config_file('hands', path.name)


def hand(text: str) -> str:
    """A recorded hand."""
    return found(_hand_path)(text)


def existing(text: str) -> str:
    """A file by path."""
    return '' if is_file(text) else 'no such file'


def parameter_file(text: str) -> str:
    """A file of ROS parameters."""
    if not is_file(text):
        return 'no such file'
    try:
        root = yaml.safe_load(Path(text).read_text(encoding='utf8'))
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        return f'not YAML: {" ".join(str(error).split())}'
    if not isinstance(root, dict) or not _has_parameters(root):
        return 'no ros__parameters in it; it must look like /**: {ros__parameters: {world: gym}}'
    return ''


def _has_parameters(node: object) -> bool:
    return isinstance(node, dict) and ('ros__parameters' in node or any(map(_has_parameters, node.values())))


def mapping(text: str) -> str:
    """A YAML mapping of names to values."""
    try:
        root = yaml.safe_load(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        return f'not YAML: {" ".join(str(error).split())}'
    right = isinstance(root, dict) and all(isinstance(key, str) and value is not None for key, value in root.items())
    return '' if right else 'must be a YAML mapping of names to values'


def names(text: str) -> str:
    """Names with commas between, every one once."""
    given = [name.strip() for name in text.split(',')]
    return '' if all(given) and len(set(given)) == len(given) else 'must be names with commas between, every one once'


def numbers(count: int) -> Check:
    """So many numbers with commas between, in brackets or not."""
    one = number(-math.inf, math.inf)

    def fault(text: str) -> str:
        words = text.strip('[] ').replace(',', ' ').split()
        return '' if len(words) == count and not any(map(one, words)) else f'must be {count} finite numbers'

    return fault


def places(text: str) -> str:
    """Places x,y,z with semicolons between."""
    wrong = any(map(numbers(3), (place for place in text.split(';') if place.strip())))
    return 'must be x,y,z with semicolons between' if wrong else ''


def bag_path(text: str) -> str:
    """A bag: a folder or a file."""
    return '' if text and Path(text).exists() else 'no such file or folder; give bag:=PATH'


def namespace(text: str) -> str:
    """A namespace of ROS."""
    return '' if NAMESPACE.fullmatch(text) else 'must be names of letters, digits and _ with slashes between'


def log_level(text: str) -> str:
    """A level, for all or for one logger (NAME:=LEVEL)."""
    return '' if text.rpartition(':=')[2].lower() in LEVELS else f'must be one of {", ".join(LEVELS)}'


@dataclass(frozen=True)
class Argument:
    """One argument; its text may be empty where its default is and it is not `needed`."""

    default: str
    description: str
    check: Check = anything
    needed: bool = False

    def fault(self, text: str) -> str:
        """What is wrong with a text, or ''."""
        return '' if text == self.default == '' and not self.needed else self.check(text)


COMMON = {
    'namespace': Argument('', 'Namespace of all nodes and topics.', namespace),
    'sim': Argument('', 'Simulator, a name in config/sims or a file like those; empty: as in params_file.',
                    found(preset_file)),
    'drones': Argument('', 'Drones to serve, with commas between, or auto; empty: as in params_file, or all of the '
                       'world.', names),
    'hands': Argument('', 'Hands to serve, with commas between, or auto; empty: as in params_file, or all of the '
                      'world.', names),
    'params_file': Argument('', 'Parameters (YAML), such as a copy of config/collision_node.yaml; empty: none.',
                            parameter_file),
    'world': Argument('', 'World: a YAML file, or the name of one here or in config/worlds; empty: as in params_file.',
                      found(world_file)),
    'rate': Argument('', 'Output rate of collision_node in Hz; empty: as in params_file.', number(1.0, 1000.0, 'Hz')),
    'record': Argument('', 'Bag to record what is received into, for hakoniwa-rigid replay; empty: as in params_file.'),
    'parameters': Argument(
        '', 'Further parameters, as a YAML mapping: {default_authority: observe, drones.d0.frame: odom}.', mapping),
    'use_sim_time': Argument('false', 'Take the time from /clock: true or false.', flag),
    'autostart': Argument('', 'Configure and activate at start, true or false; empty: as in params_file.', flag),
    'respawn': Argument('false', 'Start a node that died anew, collision_node with its last state: true or false.',
                        flag),
    'viewer': Argument('false', 'Start the browser page, too: true or false.', flag),
    'viewer_params_file': Argument(str(config_file('viewer.yaml')), 'Parameters of the viewer (YAML).',
                                   parameter_file),
    'log_level': Argument('info', 'debug, info, warn, error or fatal.', log_level),
}


def is_true(text: str) -> bool:
    """What a text means that `flag` takes."""
    return text.lower() in ('true', '1')


def state_path(namespace: str, environment: Mapping[str, str]) -> Path:
    """Where the state of a collision node lies that is started anew: in ROS's folder of this user."""
    home = environment.get('ROS_HOME') or str(Path(environment.get('HOME') or '~').expanduser() / '.ros')
    name = namespace.strip('/').replace('/', '_')
    return Path(home, 'hakoniwa_rigid', f'{name}_collision_node.state' if name else 'collision_node.state')


def without(*left_out: str, **defaults: str) -> dict[str, Argument]:
    """COMMON without some, and with other defaults."""
    return {name: replace(argument, default=defaults.get(name, argument.default))
            for name, argument in COMMON.items() if name not in left_out}


def check(arguments: Mapping[str, Argument], texts: Mapping[str, str]) -> None:
    """Raises ArgumentError where a text is wrong, naming all that are."""
    faults = {name: argument.fault(texts[name]) for name, argument in arguments.items()}
    if wrong := [f'{name}: {fault}, got {brief(texts[name])}' for name, fault in faults.items() if fault]:
        raise ArgumentError('; '.join(wrong))


def check_known(given: Iterable[str], known: Iterable[str]) -> None:
    """Raises ArgumentError for words NAME:=TEXT of a command line whose name no launch file declares."""
    known, wrong = list(known), []
    for name in sorted({word.partition(':=')[0] for word in given if ':=' in word} - {*known, *OF_LAUNCH}):
        hint = did_you_mean(name, known) or f'; there are {", ".join(sorted(known))}'
        wrong.append(f'{cut(name, MOST_VALUE)}: no such argument{hint}')
    if wrong:
        raise ArgumentError('; '.join(wrong))
