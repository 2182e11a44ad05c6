# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which topics are a hand's, what its parameters are, and which hand it is like."""
import math

import pytest

from hakoniwa_rigid.scene.errors import SettingsError
from hakoniwa_rigid.scene.parameters.discovered_hands import HandModels, HandTopicRules, hand_values
from hakoniwa_rigid.scene.parameters.params import HAND_TYPES
from hakoniwa_rigid.scene.parameters.presets import read_preset
from hakoniwa_rigid.scene.world_files.world_types import HandConfig

JOINTS, POSE = HAND_TYPES['hand_joints'], HAND_TYPES['pose']
HANDS = (HandConfig('right', grasp_assistance=True), HandConfig('visor', effective_mass=4.4),
         HandConfig('iron', effective_mass=math.inf))


def resolve(topic: str) -> str:
    """As in the namespace /lab."""
    return topic if topic.startswith('/') else f'/lab/{topic}'


def rules(sim: str = '', pattern: str = '', **given) -> HandTopicRules:
    return HandTopicRules(read_preset(sim), given, {'sim': sim, 'hand_pattern': pattern}, resolve)


@pytest.fixture
def tracker(tmp_path) -> str:
    path = tmp_path / 'tracker.yaml'
    path.write_text('hand: {topic: "/tracker/{hand}/joints", type: pose_array, axes: webxr, latency: 0.04}\n')
    return str(path)


@pytest.mark.parametrize('topic, name', [
    ('/lab/hands/left', 'left'), ('/lab/hands/p1_left', 'p1_left'), ('/hands/left', ''), ('/lab/hands/a/b', ''),
    ('/lab/hands/left_', 'left_'), ('/lab/hands/', ''), ('/lab/left', ''), ('/lab/hands/' + 'x' * 65, '')])
def test_the_name_in_a_topic(topic, name):
    assert rules().hand_of(topic) == name


def test_a_pattern_and_parameters_of_one_hand():
    assert [rules(pattern='p[0-9]_.*').hand_of(f'/lab/hands/{name}') for name in ('p1_left', 'left')] == ['p1_left', '']
    own = rules(**{'hands.left.topic': '/leap/one'})
    assert own.hand_of('/lab/hands/left') == '' and own.topic_of('left') == '/leap/one'
    with pytest.raises(SettingsError, match='hand_pattern: must be a regular expression'):
        rules(pattern='(')


def test_the_type_is_that_of_the_topic_unless_it_is_said(tracker):
    assert set(rules().types_of('left')) == set(HAND_TYPES.values())
    assert rules().values_of('left', [POSE])['type'] == 'pose'
    assert rules().values_of('left', [POSE, JOINTS, 'x/msg/Y'])['type'] == 'hand_joints'
    assert rules().values_of('left', ['x/msg/Y'])['type'] == 'hand_joints'
    said = rules(**{'hands.left.type': 'pose'})
    assert said.types_of('left') == (POSE,) and said.values_of('left', [JOINTS])['type'] == 'pose'
    assert rules(tracker).types_of('left') == (HAND_TYPES['pose_array'],)


def test_a_preset_says_what_all_hands_of_a_tracker_share(tracker):
    made = rules(tracker, **{'hands.left.latency': 0.1})
    assert made.hand_of('/tracker/left/joints') == 'left' and made.hand_of('/lab/hands/left') == ''
    values = made.values_of('left')
    assert (values['topic'], values['axes'], values['latency']) == ('/tracker/left/joints', 'webxr', 0.1)
    assert made.values_of('right')['latency'] == 0.04


def test_which_hand_it_is_like():
    models = HandModels({'hand_models': ['head.*=visor', '.*_r=right']}, HANDS)
    assert models.of('head_7') == HandConfig('head_7', effective_mass=4.4)
    assert models.of('p1_r') == HandConfig('p1_r', grasp_assistance=True)
    assert models.of('other') == HandConfig('other')
    models.check_that_they_come()
    with pytest.raises(SettingsError, match='iron has an infinite mass'):
        HandModels({'hand_models': ['.*=iron']}, HANDS).check_that_they_come()
    for wrong, says in (('visor', 'must be PATTERN=HAND'), ('(=visor', 'regular expression'),
                        ('a=b', r'a hand of the world file \(right, visor, iron\)')):
        with pytest.raises(SettingsError, match=says):
            HandModels({'hand_models': [wrong]}, HANDS)


@pytest.mark.parametrize('name', ['', 'a b', 'ä', 'x' * 65, 'a/b'])
def test_names_of_which_no_topic_can_be_made(name):
    with pytest.raises(SettingsError, match='topics of its own need a name'):
        hand_values(read_preset(''), {}, name)
