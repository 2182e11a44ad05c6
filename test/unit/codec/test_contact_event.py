"""The schema of contact events has the fields of msg/ContactEvent, in its order."""
import re
from pathlib import Path

from hakoniwa_rigid.codec.contact_event import NAMES, NUMBERS

MESSAGE = (Path(__file__).resolve().parents[3] / 'msg' / 'ContactEvent.msg').read_text(encoding='utf8')
WIDTHS = {'float64': 1, 'geometry_msgs/Vector3': 3, 'geometry_msgs/Point': 3}


def test_fields_and_widths_are_those_of_the_message():
    rows = re.findall(r'^(\S+) (\w+)(?: +#.*)?$', MESSAGE, re.MULTILINE)
    assert {name: WIDTHS[kind] for kind, name in rows if kind in WIDTHS} == NUMBERS
    assert [name for kind, name in rows if kind in WIDTHS] == list(NUMBERS)
    assert tuple(name for kind, name in rows if kind == 'string') == NAMES
