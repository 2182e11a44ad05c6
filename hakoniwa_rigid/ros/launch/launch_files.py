# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the launch files have in common. The only module that imports launch, which the wheels of PyPI lack."""
from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from launch import LaunchContext
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.substitutions import LaunchConfiguration, PythonExpression

from .launch_arguments import Argument, check, check_known

__all__ = ['NodeError', 'declared', 'enclave', 'end_with', 'texts_of']


class NodeError(RuntimeError):
    """A node without which the others are of no use has ended with an error."""


def declared(file: str, arguments: Mapping[str, Argument]) -> list:
    """The arguments of a launch file and, behind them, their check: to stand before every node.

    Unknown arguments are refused where `file` is what was launched. Where another launch file includes it, the command
    line has arguments of that one, too.
    """
    def checked(context: LaunchContext) -> None:
        if any(Path(word).name == Path(file).name for word in sys.argv):
            check_known(context.argv, arguments)
        check(arguments, texts_of(context, arguments))

    return [*(DeclareLaunchArgument(name, default_value=argument.default, description=argument.description)
              for name, argument in arguments.items()), OpaqueFunction(function=checked)]


def enclave(name: str) -> list:
    """ROS arguments that give a node of this name in the launch's namespace its own enclave of SROS2; without security
    they have no effect."""
    path = PythonExpression(["('/' + '", LaunchConfiguration('namespace'), f"'.strip('/')).rstrip('/') + '/{name}'"])
    return ['--enclave', path]


def texts_of(context: LaunchContext, arguments: Mapping[str, Argument]) -> dict[str, str]:
    """What was given for each, or its default."""
    return {name: LaunchConfiguration(name).perform(context) for name in arguments}


def end_with(node, respawn: bool = False) -> RegisterEventHandler:
    """Ends the launch, with exit code 1, where `node` ends with an error; where it is started anew, only if another
    start would not mend it: its parameters are wrong (exit code 1)."""
    def ended(event, context: LaunchContext) -> None:
        if context.is_shutdown or not event.returncode or (respawn and event.returncode != 1):
            return
        # launch ends everything and returns 1 where an event handler raises, and in no other way
        raise NodeError(f'{event.process_name} ended with exit code {event.returncode}: everything ends with it')

    return RegisterEventHandler(OnProcessExit(target_action=node, on_exit=ended))
