# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which topics of a bag are the inputs of the scene, by the names that the parameters give."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hakoniwa_rigid.replay.bag.reader import TopicInfo
from hakoniwa_rigid.replay.bag.types import check_layout, known_definition, type_hash
from hakoniwa_rigid.replay.errors import BagError
from hakoniwa_rigid.scene.inputs.fixed_layouts import LAYOUTS
from hakoniwa_rigid.scene.inputs.input_adapter import Topic

TF, TF_STATIC, TF_TYPE = '/tf', '/tf_static', 'tf2_msgs/msg/TFMessage'
ODOMETRY, POSE = 'nav_msgs/msg/Odometry', 'geometry_msgs/msg/PoseStamped'
NODE = 'collision_node'
MOST_LISTED = 30    # topics in a message
# packages on no registry: their messages are read by the definitions in the bag
THIRD_PARTY = ('actuator_msgs', 'hako_mavlink_msgs', 'px4_msgs')


class Names:
    """Names of topics as a node resolves them: against a namespace, then remapped."""

    def __init__(self, namespace: str = '/', maps: Iterable[str] = ()) -> None:
        """``maps``: 'name:=other' as on the command line of a node.  BagError where one is not of that form."""
        self.namespace = '/' + namespace.strip('/')
        self.maps: dict[str, str] = {}
        for text in maps:
            name, sign, other = text.partition(':=')
            if not sign or not name or not other:
                raise BagError(f'--map {text}: must be NAME:=OTHER, the name that is looked for and the one in the bag')
            self.maps[self._full(name)] = self._full(other)
        self.used: set[str] = set()

    def resolve(self, name: str) -> str:
        """The full name."""
        full = self._full(name)
        if full in self.maps:
            self.used.add(full)
        return self.maps.get(full, full)

    def check_used(self) -> None:
        """BagError for a --map whose name no input has."""
        for name in self.maps:
            if name not in self.used:
                raise BagError(f'--map {name}:={self.maps[name]}: nothing is called {name} here: neither an input nor '
                               'an output')

    def _full(self, name: str) -> str:
        if name.startswith('~'):
            name = NODE + name[1:]
        return name if name.startswith('/') else f'{self.namespace.rstrip("/")}/{name}'


class MatchedTopics(NamedTuple):
    """What a replay reads: numbers of the adapter's topics by name in the bag; whether there are transforms; notes."""

    numbers: dict[str, tuple[int, ...]]
    transforms: tuple[str, ...]
    notes: tuple[str, ...]


def matched(path: str, there: Iterable[TopicInfo], wanted: Iterable[Topic], names: Names, by_tf: bool) -> MatchedTopics:
    """The topics of the bag at ``path`` that are wanted.

    BagError where none is, and where one has another type; ``by_tf``: a drone is on /tf only.
    """
    there, wanted = {topic.name: topic for topic in there}, list(wanted)
    numbers: dict[str, tuple[int, ...]] = {}
    missed: dict[str, list[Topic]] = {}
    for topic in wanted:
        full = names.resolve(topic.name)
        found = there.get(full)
        if found is None:
            missed.setdefault(topic.source.key, []).append(topic)
            continue
        _check_type(path, found, topic)
        numbers[full] = (*numbers.get(full, ()), topic.number)
    transforms = tuple(name for name in (TF_STATIC, TF) if name in there and there[name].type == TF_TYPE)
    if not numbers and not (by_tf and transforms):
        raise BagError(_nothing(path, there, wanted, names, by_tf))
    found_keys = {wanted[n].source.key for found in numbers.values() for n in found}
    # of a drone on /tf a wrench may be missing; whether its transforms are there will be seen
    by_transforms = (t.source.key for t in wanted if t.source.values.get('source') in ('tf', 'pose_or_tf'))
    known_keys = {'fleet', *found_keys, *by_transforms}
    notes = [] if 'fleet' in found_keys else [f'{key}: none of its topics is in the bag: {_listed(names, topics)}'
                                              for key, topics in missed.items() if key not in known_keys]
    return MatchedTopics(numbers, transforms, tuple(notes))


def _check_type(path: str, found: TopicInfo, topic: Topic) -> None:
    if found.type != topic.type:
        raise BagError(f'{path}: {found.name} is {found.type}, {topic.type} was expected for {topic.source.key}; name '
                       'another topic by parameter or --map, or set its parameter source (drones) or type (hands)')
    if not found.definition:
        return
    if topic.type in LAYOUTS:
        check_layout(f'{path}: {found.name}', found.type, found.definition, LAYOUTS[topic.type])
    elif topic.type.partition('/')[0] not in THIRD_PARTY:
        theirs, ours = type_hash(found.type, found.definition), type_hash(found.type, known_definition(found.type))
        if theirs and theirs != ours:
            raise BagError(f'{path}: {found.name}: its {found.type} has other fields than that of ROS 2 Kilted; '
                           'convert the bag first')


def _nothing(path: str, there: dict[str, TopicInfo], wanted: list[Topic], names: Names, by_tf: bool) -> str:
    transforms = f', {TF} ({TF_TYPE})' if by_tf else ''
    text = (f'{path}: no topic to replay.\n  looked for: {_listed(names, wanted)}{transforms}\n'
            f'  there is: {some([f"{t.name} ({t.type})" for t in there.values()]) or "nothing"}')
    spaces = Counter(name.removesuffix(full) for topic in wanted for full in [names.resolve(topic.name)]
                     for name, info in there.items()
                     if name.endswith(full) and name != full and info.type == topic.type)
    if spaces:
        return f'{text}\n  did you mean --namespace {spaces.most_common(1)[0][0]} ?'
    drones = [t.name for t in wanted if t.type == ODOMETRY and t.name.endswith('/odom')]
    poses = [name for name, info in there.items() if info.type == POSE]
    if drones and poses:
        text += f'\n  poses: --map {drones[0].removesuffix("odom")}pose:={poses[0]}'
    return f'{text}\n  other names: --map NAME:=OTHER, or the parameters topic_*; other drones: --world, --params'


def _listed(names: Names, topics: Iterable[Topic]) -> str:
    return some([f'{names.resolve(t.name)} ({t.type})' for t in topics])


def some(texts: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = f', and {len(texts) - MOST_LISTED} more' if len(texts) > MOST_LISTED else ''
    return ', '.join(texts[:MOST_LISTED]) + more
