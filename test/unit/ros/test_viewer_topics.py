# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What the viewer reads from a message without all of it: whether the constraints' list of lines is drawn."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('rclpy', reason='needs ROS 2: make test installs its wheels')
pytest.importorskip('aiohttp', reason="pip install 'hakoniwa_rigid[web]'")

from geometry_msgs.msg import Point
from rclpy.serialization import serialize_message
from visualization_msgs.msg import Marker, MarkerArray

from hakoniwa_rigid.ros.viewer.viewer_topics import list_is_drawn

NAMES = st.text(st.characters(codec='utf-8', exclude_characters='\0'), max_size=12)


def marker(ns, action, frame='world', text='', points=0):
    message = Marker(ns=ns, action=action, text=text, points=[Point(x=1.0)] * points)
    message.header.frame_id = frame
    return message


def told(markers):
    return list_is_drawn(bytes(serialize_message(MarkerArray(markers=markers))), 'constraints')


@pytest.mark.parametrize('action', [Marker.ADD, Marker.DELETE, Marker.DELETEALL])
@pytest.mark.parametrize('before', range(4))
def test_the_action_is_that_of_the_first_of_the_namespace(action, before):
    others = [marker('drones', Marker.ADD, text='constraints are drawn', points=k) for k in range(before)]
    assert told([*others, marker('constraints', action), marker('constraints', Marker.ADD)]) == (action == Marker.ADD)


def test_without_one_nothing_is_told():
    assert told([]) is None
    assert told([marker('drones', Marker.ADD), marker('constraints_of_others', Marker.ADD)]) is None
    assert list_is_drawn(b'', 'constraints') is None


@given(st.lists(st.tuples(NAMES, NAMES, NAMES, st.integers(0, 3)), max_size=4), st.sampled_from([0, 2, 3]), NAMES)
def test_names_of_any_length_before_it_move_nothing(others, action, frame):
    """CDR aligns what follows a string."""
    markers = [marker(ns + '_', Marker.DELETE, where + '_', text + '_', points) for ns, where, text, points in others]
    assert told([*markers, marker('constraints', action, frame + '_')]) == (action == Marker.ADD)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_bytes_of_any_kind_are_refused_or_read(noise, cut):
    whole = bytes(serialize_message(MarkerArray(markers=[marker('constraints', Marker.ADD)])))
    for data in (noise, whole[:cut], whole[:cut] + noise):
        assert list_is_drawn(data, 'constraints') in (None, True, False)
