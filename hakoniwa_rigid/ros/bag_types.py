"""The message types of a bag, for writing and reading it without ROS."""
from __future__ import annotations

from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from hakoniwa_rigid.paths import share_dir

PACKAGE = 'hakoniwa_rigid'


def typestore():
    """rosbags' types of ROS 2 Kilted and of this package; FileNotFoundError where the .msg files are missing."""
    store = get_typestore(Stores.ROS2_KILTED)
    files = sorted((share_dir() / 'msg').glob('*.msg'))
    if not files:
        raise FileNotFoundError(f'{share_dir() / "msg"}: no .msg files; the bag needs the message definitions')
    types = {}
    for file in files:
        types |= get_types_from_msg(file.read_text(encoding='utf8'), f'{PACKAGE}/msg/{file.stem}')
    store.register(types)
    return store


def type_name(message_class: type) -> str:
    """``nav_msgs/msg/Odometry`` of a message class."""
    return f'{message_class.__module__.split(".")[0]}/msg/{message_class.__name__}'
