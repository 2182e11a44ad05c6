# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The schemas of events have the fields of their messages, in their order."""
import re
from pathlib import Path

import pytest

from hakoniwa_rigid.codec.constraint_event import CONSTRAINT_EVENT
from hakoniwa_rigid.codec.contact_event import CONTACT_EVENT

MESSAGES = Path(__file__).resolve().parents[3] / 'msg'
WIDTHS = {'float64': 1, 'geometry_msgs/Vector3': 3, 'geometry_msgs/Point': 3}


@pytest.mark.parametrize('name, schema', [('ContactEvent', CONTACT_EVENT), ('ConstraintEvent', CONSTRAINT_EVENT)])
def test_fields_and_widths_are_those_of_the_message(name, schema):
    text = (MESSAGES / f'{name}.msg').read_text(encoding='utf8')
    rows = re.findall(r'^(\S+) (\w+)(?: +#.*)?$', text, re.MULTILINE)
    assert {name: WIDTHS[kind] for kind, name in rows if kind in WIDTHS} == schema.numbers
    assert [name for kind, name in rows if kind in WIDTHS] == list(schema.numbers)
    assert tuple(name for kind, name in rows if kind == 'string') == schema.names
