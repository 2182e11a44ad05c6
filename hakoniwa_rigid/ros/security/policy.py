# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Policies of SROS2 (version 0.2.0): which topics and services each node may use, as XML and back.  Knows no ROS."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import NamedTuple

from ..errors import StartError

__all__ = ['Use', 'read', 'write']

VERSION = '0.2.0'
# of Use: the element that lists, that of one, and the attribute
FIELDS = {
    'publish': ('topics', 'topic'),
    'subscribe': ('topics', 'topic'),
    'reply': ('services', 'service'),
    'request': ('services', 'service'),
}


class Use(NamedTuple):
    """What one node uses, by full names: topics published and subscribed to, services served and called. Parameters are
    services of their node, an action is two topics and three services."""

    publish: frozenset[str] = frozenset()
    subscribe: frozenset[str] = frozenset()
    reply: frozenset[str] = frozenset()
    request: frozenset[str] = frozenset()

    def __or__(self, other: Use) -> Use:
        return Use(*(a | b for a, b in zip(self, other, strict=True)))


def write(uses: Mapping[str, Use], comment: str = '') -> str:
    """The XML of a policy: an enclave for each node, by its full name, with what it uses and nothing else."""
    policy = ElementTree.Element('policy', version=VERSION)
    enclaves = ElementTree.SubElement(policy, 'enclaves')
    for name, use in sorted(uses.items()):
        namespace, _, node = name.rpartition('/')
        profiles = ElementTree.SubElement(ElementTree.SubElement(enclaves, 'enclave', path=name), 'profiles')
        profile = ElementTree.SubElement(profiles, 'profile', ns=namespace or '/', node=node)
        for right, (many, one) in FIELDS.items():
            if names := sorted(getattr(use, right)):
                listed = ElementTree.SubElement(profile, many, {right: 'ALLOW'})
                for entry in names:
                    ElementTree.SubElement(listed, one).text = entry
    ElementTree.indent(policy)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' + (f'<!-- {comment} -->\n' if comment else '')
    return head + ElementTree.tostring(policy, encoding='unicode') + '\n'


def read(text: str) -> dict[str, Use]:
    """What a policy allows, by node. StartError where it is none, or says more than `write` does: a denial, a rule of
    another file."""
    try:
        policy = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise StartError(f'policy: is no XML: {error}') from error
    if policy.tag != 'policy' or policy.get('version') != VERSION:
        raise StartError(f'policy: must be <policy version="{VERSION}">, got <{policy.tag}>')
    uses: dict[str, Use] = {}
    for enclave in policy.iterfind('enclaves/enclave'):
        for profile in enclave.iterfind('profiles/profile'):
            name = f'{profile.get("ns", "").rstrip("/")}/{profile.get("node", "")}'
            if name != enclave.get('path'):
                raise StartError(f'policy: enclave {enclave.get("path")}: must be that of its node, {name}')
            uses[name] = uses.get(name, Use()) | _use(name, profile)
    return uses


def _use(name: str, profile: ElementTree.Element) -> Use:
    found: dict[str, frozenset[str]] = {}
    for listed in profile:
        (right, qualifier), *others = listed.attrib.items() or (('', ''),)
        many, one = FIELDS.get(right, ('', ''))
        if others or listed.tag != many or qualifier != 'ALLOW' or any(item.tag != one for item in listed):
            raise StartError(f'policy: {name}: <{listed.tag}> must allow one of {", ".join(FIELDS)}')
        found[right] = found.get(right, frozenset()) | {item.text or '' for item in listed}
    return Use(**found)
