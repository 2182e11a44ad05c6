# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Shares of the largest rotor speeds, as flight controllers command them, to rotor speeds.

An approximation: the speed is the share times `max_speed` of the rotor table.  PX4's simulation for Gazebo does the
same above an idle speed; a motor on a battery, as Hakoniwa's, turns faster than that at small shares.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import SettingsError
from ..parameters.settings import Values, topic_token
from ..world_files.world_types import DroneConfig

__all__ = ['ACTUATORS', 'DUTIES', 'Duty', 'fault', 'largest', 'need', 'speeds', 'speeds_topic']

ACTUATORS = 'actuator_msgs/msg/Actuators'


class Duty(NamedTuple):
    """A message with shares: parameter of its topic, type, fields of the shares and of the time (us)."""

    parameter: str
    type: str
    shares: str
    time: str


DUTIES = (Duty('topic_px4_motors', 'px4_msgs/msg/ActuatorMotors', 'control', 'timestamp_sample'),
          Duty('topic_motor_duty', 'hako_mavlink_msgs/msg/HakoHilActuatorControls', 'controls', 'time_usec'))


def need(drone: str, parameter: str, kind: str, known: object, hint: str = '') -> None:
    """SettingsError where nothing reads a type that a parameter of a drone asks for."""
    if known is None:
        package = kind.partition('/')[0]
        raise SettingsError(f'parameter drones.{drone}.{parameter}: needs the package {package}, which is not '
                            f'installed{hint}')


def speeds_topic(drone: str, values: Values, known: bool, per_drone_topics: bool) -> str:
    """The topic of its rotor speeds, '' for none; `known`: actuator_msgs is installed.  SettingsError where it is
    asked for and not."""
    topic = values['topic_motor_speed']
    if topic:
        need(drone, 'topic_motor_speed', ACTUATORS, known or None, f', got {topic!r}; install it or send WrenchStamped')
    return topic or (f'{topic_token(drone)}/motor_speed' if known and per_drone_topics else '')


def largest(config: DroneConfig) -> np.ndarray:
    """The largest speeds of its rotors (R,) rad/s; 0: not known."""
    return np.array([rotor.max_speed for rotor in config.model.rotors])


def fault(duty: Duty, config: DroneConfig, known: bool) -> str:
    """Why shares cannot be taken; '' where they can."""
    if not known:
        return f'needs the package {duty.type.partition("/")[0]}, which is not installed'
    if not len(config.model.rotors) or not largest(config).all():
        return f'the model {config.model.name} must have rotors, each with a max_speed'
    return ''


def speeds(duty: Duty, message: object, most: np.ndarray) -> np.ndarray:
    """Rotor speeds (R,) rad/s of a message, fewer where it has fewer; NaN is a motor that is off."""
    shares = np.array(getattr(message, duty.shares), dtype=float)[:len(most)]
    with np.errstate(all='ignore'):     # the scene says what is not finite
        return np.where(np.isnan(shares), 0.0, shares) * most[:len(shares)]
