# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`drones: auto`: which topics are a drone's, what it is called, what its parameters and its model are.

The preset of the simulator, or the defaults without one, say how a drone's topic is called: /model/{drone}/odometry.
Read backwards that gives the name of the drone.  Where parameters of a drone of that name are given, they must have
this topic.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import SettingsError
from .param_file import GivenParameters
from .params import DRONE, topics
from .presets import Preset, is_numbered
from .settings import Values

__all__ = ['AUTO', 'KINDS', 'NAME', 'DroneTopicRules', 'Models', 'backwards', 'check_name', 'drone_values', 'named',
           'pattern_of', 'rule_of']

# stands in the parameters drones and hands for all whose topic appears
AUTO = 'auto'
# names of drones that come and get topics of their own; those of files and topics are made of these letters
NAME = re.compile(r'[A-Za-z0-9_-]{1,64}')
# by source: parameters of the topics that make a drone, and their type
KINDS = {
    'odom': (('topic_odom', 'nav_msgs/msg/Odometry'), ('topic_odom_rfu', 'nav_msgs/msg/Odometry')),
    'pose': (('topic_pose', 'geometry_msgs/msg/PoseStamped'),),
    'pose_or_tf': (('topic_pose', 'geometry_msgs/msg/PoseStamped'),),
    'px4': (('topic_px4', 'px4_msgs/msg/VehicleOdometry'),),
    'twist_pose': (('topic_pos', 'geometry_msgs/msg/Twist'),),
    'tf': (),
}
# stands for a word in braces while the name of a topic is resolved
MARK = 'hakoniwa_rigid_{}_'
WORDS = {'drone': r'[A-Za-z_][A-Za-z0-9_]*', 'hand': r'[A-Za-z_][A-Za-z0-9_]*',
         'number': '[1-9][0-9]{0,8}', 'stem': '[A-Za-z_][A-Za-z0-9_]*?'}
# {topic} and {name} of the defaults without a preset mean what {drone} does
ALIKE = {'topic': 'drone', 'name': 'drone'}
PLACE = re.compile(r'\{(.*?)\}')


def named(listed: list[str]) -> list[str]:
    """What a value of the parameters drones or hands names."""
    return [name for name in listed if name != AUTO]


def drone_values(preset: Preset, given: Mapping[str, Any], name: str) -> Values:
    """The parameters of a drone that comes: given ones by full names, then the preset's.  SettingsError, also for a
    name of which no topics can be made."""
    check_name('drone', name)
    prefix = f'drones.{name}.'
    own = {key: value for key, value in given.items() if key.startswith(prefix)}
    return GivenParameters(own).declare(preset.drone(name), prefix, name)


def check_name(kind: str, name: str) -> None:
    """SettingsError for a name of which no topics can be made."""
    if not NAME.fullmatch(name):
        raise SettingsError(f'{kind} {name[:64]!r}: topics of its own need a name of 1 to 64 letters, digits, _ and -')


class Models:
    """Names of the models of drones that the world file does not declare: the parameters default_drone_model and
    drone_models.  SettingsError."""

    def __init__(self, values: Values) -> None:
        self._default = values['default_drone_model']
        self._rules: list[tuple[re.Pattern, str]] = []
        for rule in values['drone_models']:
            self._rules.append(rule_of('drone_models', rule, 'MODEL'))

    @property
    def names(self) -> list[str]:
        """All of them."""
        return list(dict.fromkeys([self._default, *(model for _, model in self._rules)]))

    def of(self, name: str) -> str:
        """The model of a drone."""
        return next((model for pattern, model in self._rules if pattern.fullmatch(name)), self._default)


def rule_of(parameter: str, text: str, word: str) -> tuple[re.Pattern, str]:
    """PATTERN=WORD.  SettingsError."""
    pattern, equals, value = text.rpartition('=')
    if not equals or not value:
        raise SettingsError(f'parameter {parameter}: must be PATTERN={word}, got {text!r:.80}')
    return pattern_of(parameter, pattern), value


def pattern_of(parameter: str, text: str) -> re.Pattern:
    """A regular expression.  SettingsError."""
    try:
        return re.compile(text)
    except re.error as error:
        raise SettingsError(f'parameter {parameter}: must be a regular expression, got {text!r:.80}: {error}') from None


class Rule(NamedTuple):
    """Full names of topics, the type they must have; is_numbered: whether it is one of drones with a number other than
    0 (true), of the others (false), or of all (None)."""

    pattern: re.Pattern
    type: str
    is_numbered: bool | None


class DroneTopicRules:
    """The topics and frames that make a drone, by the full names that `resolve` gives.  SettingsError where the preset
    has none.

    given: parameters by full names.  sim: what drones are called of which a preset has no name but at most a number."""

    def __init__(self, preset: Preset, given: Mapping[str, Any], values: Values, resolve: Callable[[str], str]) -> None:
        self._preset, self._given, self._resolve = preset, given, resolve
        self._exceptions = {key.split('.')[1] for key in given if key.startswith('drones.')}
        self._sim = re.sub('[^A-Za-z0-9_]', '_', Path(values['sim']).stem) or 'drone'
        self._pattern = pattern_of('drone_pattern', values['drone_pattern'] or '.*')
        self.source, self.stamp = self._text_of('drone', 'source'), self._text_of('drone', 'stamp')
        if self.source not in KINDS:
            raise SettingsError(f'parameter drones: {AUTO}: source {self.source} has no topic of each drone')
        self.rules = tuple(self._rules())
        self.frames = re.compile('(?!)')
        if self.source in ('tf', 'pose_or_tf'):
            text = self._text_of('drone', 'tf_frame') or self._text_of('drone', 'body_frame')
            self.frames = backwards(text, lambda frame: frame)

    def _rules(self) -> Iterator[Rule]:
        for section in ('drone', 'unnumbered'):
            for parameter, kind in KINDS[self.source]:
                spec = next(spec for spec in DRONE if spec.name == parameter)
                differs = parameter in self._preset.sections.get('unnumbered', {})
                for topic in filter(None, topics(spec, self._text_of(section, parameter))):
                    yield Rule(backwards(topic, self._resolve), kind, section == 'drone' if differs else None)

    def _text_of(self, section: str, parameter: str) -> str:
        """Of a preset's section; of `drone` also the default."""
        found = self._preset.sections.get(section, {}).get(parameter)
        if found is None and section == 'drone':
            found = next(spec.default for spec in DRONE if spec.name == parameter)
        return found or ''

    def type_of(self, topic: str) -> str:
        """The type that a topic has to have to make a drone; '' where none of its name does."""
        return next((rule.type for rule in self.rules if rule.pattern.fullmatch(topic)), '')

    def drone_of(self, topic: str) -> str:
        """The name of the drone that a topic makes; '' for none."""
        for rule in self.rules:
            found = rule.pattern.fullmatch(topic)
            name = self._name(found.groupdict()) if found else ''
            if name and self._fits(name) and rule.is_numbered in (None, is_numbered(name)) and (
                    name not in self._exceptions or topic in self.topics_of(self.values_of(name))):
                return name
        return ''

    def drone_in(self, frame: str) -> str:
        """The name of the drone that a frame of /tf makes; '' for none."""
        found = self.frames.fullmatch(frame)
        name = self._name(found.groupdict()) if found else ''
        return name if name and self._fits(name) else ''

    def _name(self, words: Mapping[str, str | None]) -> str:
        if words.get('drone'):
            return words['drone']
        stem = words.get('stem') or f'{self._sim}_'
        return f'{stem}{words.get("number") or ("" if words.get("stem") else 0)}'

    def _fits(self, name: str) -> bool:
        return bool(NAME.fullmatch(name)) and bool(self._pattern.fullmatch(name))

    def values_of(self, name: str) -> Values:
        """See drone_values."""
        return drone_values(self._preset, self._given, name)

    def topics_of(self, values: Values) -> list[str]:
        """Full names of the topics that make a drone with these parameters."""
        return [self._resolve(topic) for parameter, _ in KINDS.get(values['source'], ())
                for topic in values[parameter].split(',') if topic]


def backwards(text: str, resolve: Callable[[str], str]) -> re.Pattern:
    """What the names that a text with words in braces gives have in common; each word is a group, once."""
    marked = resolve(PLACE.sub(lambda place: MARK.format(ALIKE.get(place[1], place[1])), text))
    pattern = re.escape(marked)
    for word, letters in WORDS.items():
        mark = re.escape(MARK.format(word))
        pattern = pattern.replace(mark, f'(?P<{word}>{letters})', 1).replace(mark, f'(?P={word})')
    return re.compile(pattern)
