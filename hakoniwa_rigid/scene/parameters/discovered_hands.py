# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hands: auto`: which topics are a hand's, what it is called, what its parameters are and which hand it is like."""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import SettingsError
from ..world_files.world_types import HandConfig
from .discovered import NAME, backwards, check_name, pattern_of, rule_of
from .param_file import GivenParameters
from .params import HAND, HAND_TYPES
from .presets import Preset
from .settings import Values

__all__ = ['HandModels', 'HandTopicRules', 'hand_values']


def hand_values(preset: Preset, given: Mapping[str, Any], name: str, types: Iterable[str] = ()) -> Values:
    """The parameters of a hand that comes: given ones by full names, then the preset's; where neither says which type
    its messages have, that of its topic.  types: those that this topic has.  SettingsError, also for a name of which
    no topic can be made."""
    check_name('hand', name)
    prefix = f'hands.{name}.'
    own = {key: value for key, value in given.items() if key.startswith(prefix)}
    if not _is_type_said(preset, own, prefix):
        types = set(types)
        own |= {f'{prefix}type': word for word in reversed(HAND_TYPES) if HAND_TYPES[word] in types}
    return GivenParameters(own).declare(preset.hand(name), prefix, name)


def _is_type_said(preset: Preset, given: Mapping[str, Any], prefix: str) -> bool:
    return f'{prefix}type' in given or 'type' in preset.sections.get('hand', {})


class HandModels:
    """The hands of a world file that others are like: the parameter hand_models.  SettingsError."""

    def __init__(self, values: Values, hands: Sequence[HandConfig]) -> None:
        by_name = {hand.name: hand for hand in hands}
        self._rules: list[tuple[re.Pattern, HandConfig]] = []
        for rule in values['hand_models']:
            pattern, name = rule_of('hand_models', rule, 'HAND')
            if name not in by_name:
                raise SettingsError('parameter hand_models: must name a hand of the world file '
                                    f'({", ".join(by_name) or "it has none"}), got {rule!r:.80}')
            self._rules.append((pattern, by_name[name]))

    def of(self, name: str) -> HandConfig:
        """The hand of that name."""
        like = next((hand for pattern, hand in self._rules if pattern.fullmatch(name)), HandConfig(name))
        return replace(like, name=name)

    def check_that_they_come(self) -> None:
        """SettingsError where a hand that comes by itself cannot be like one of them."""
        for _, hand in self._rules:
            if math.isinf(hand.effective_mass):
                raise SettingsError(f'parameter hand_models: {hand.name} has an infinite mass, what comes by itself '
                                    'has a finite one')


class HandTopicRules:
    """The topics that make a hand, by the full names that `resolve` gives.  SettingsError.

    given: parameters by full names."""

    def __init__(self, preset: Preset, given: Mapping[str, Any], values: Values, resolve: Callable[[str], str]) -> None:
        self._preset, self._given, self._resolve = preset, given, resolve
        self._exceptions = {key.split('.')[1] for key in given if key.startswith('hands.')}
        self._pattern = pattern_of('hand_pattern', values['hand_pattern'] or '.*')
        default = next(spec.default for spec in HAND if spec.name == 'topic')
        text = preset.sections.get('hand', {}).get('topic', default)
        self._topic = backwards(text.replace('{topic}', '{hand}'), resolve)

    def hand_of(self, topic: str) -> str:
        """The name of the hand that a topic makes; '' for none."""
        found = self._topic.fullmatch(topic)
        name = found.groupdict().get('hand', '') if found else ''
        fits = NAME.fullmatch(name) and self._pattern.fullmatch(name) and (
            name not in self._exceptions or topic == self.topic_of(name))
        return name if fits else ''

    def topic_of(self, name: str) -> str:
        """The full name of its topic."""
        return self._resolve(self.values_of(name)['topic'])

    def types_of(self, name: str) -> tuple[str, ...]:
        """The types of which its topic has to have one."""
        if _is_type_said(self._preset, self._given, f'hands.{name}.'):
            return HAND_TYPES[self.values_of(name)['type']],
        return tuple(HAND_TYPES.values())

    def values_of(self, name: str, types: Iterable[str] = ()) -> Values:
        """See hand_values."""
        return hand_values(self._preset, self._given, name, types)
