# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a replay is made of before the first message: parameters, the scene they ask for, compiled kernels."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from hakoniwa_rigid.replay.bag.reader import TopicInfo
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.replay.rerun.outcome import Options
from hakoniwa_rigid.replay.topics import POSE, Names
from hakoniwa_rigid.scene import CollisionScene, warmup
from hakoniwa_rigid.scene.parameters.param_file import GivenParameters, read_param_file
from hakoniwa_rigid.scene.parameters.presets import declare_node
from hakoniwa_rigid.scene.parameters.settings import Settings, Values
from hakoniwa_rigid.scene.read_settings import read_settings

FLEET = 'fleet/states'


def settings_of(options: Options, recorded: Values | None = None,
                find: Callable[[Values, GivenParameters], Values] = lambda values, _: values,
                ) -> tuple[GivenParameters, Settings]:
    """The parameters that are given, on top of those of a recording, and what they ask for.  find: the node's own
    parameters, with the names that `auto` means."""
    try:
        given = read_param_file(options.params) if options.params else {}
    except OSError as error:
        raise BagError(f'{options.params}: parameters cannot be read: {error}') from error
    extra = {'world': options.world, 'rate': options.rate}
    given |= {**options.values, **{key: value for key, value in extra.items() if value is not None}}
    source = GivenParameters({**(recorded or {}), **given}, str(options.params or 'parameters'))
    settings = read_settings(source, find(declare_node(source), source))
    # of a recording are all parameters of drones that another world need not have
    source.given = given
    source.check_unknown()
    return source, settings


def with_poses(given: GivenParameters, settings: Settings, there: Iterable[TopicInfo],
               names: Names) -> tuple[Settings, list[str]]:
    """The settings where drones that the bag has no Odometry of are read from their PoseStamped, and notes of that.

    A drone keeps a `source` that is given or a preset's; nothing changes beside a fleet topic.
    """
    kinds = {topic.name: topic.type for topic in there}
    drones, notes = dict(settings.drones), []
    if names.resolve(FLEET) in kinds:
        return settings, notes
    for name, values in drones.items():
        key = f'drones.{name}.source'
        if values['source'] != 'odom' or key in given.given:
            continue
        odometry = f'{values["topic_odom"]},{values["topic_odom_rfu"]}'
        if any(names.resolve(topic) in kinds for topic in odometry.split(',') if topic):
            continue
        poses = [names.resolve(topic) for topic in values['topic_pose'].split(',') if topic]
        found = [topic for topic in poses if kinds.get(topic) == POSE]
        if found:
            drones[name] = {**values, 'source': 'pose'}
            given.values[key] = 'pose'
            notes.append(f'{name}: no Odometry in the bag, {found[0]} is read (as with {key}: pose)')
    return replace(settings, drones=drones), notes


@cache
def warm_up() -> None:
    """Once a process: compiling is no part of the speed that is reported."""
    warmup()


def scene_of(settings: Settings) -> CollisionScene:
    """The scene as a node configures it."""
    scene = CollisionScene.from_config(settings.world)
    for name, values in settings.drones.items():
        if values['authority']:
            scene.set_authority(name, values['authority'])
    return scene


def check_apart(bag: Path, out: Path) -> None:
    """BagError where writing the output would destroy the bag."""
    if out.exists() and (out.samefile(bag) or out.resolve() in bag.resolve().parents
                         or bag.resolve() in out.resolve().parents):
        raise BagError(f'{out}: is the bag to be replayed, or part of it; write to another place')
