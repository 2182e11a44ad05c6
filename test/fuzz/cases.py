# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The generators and judges by kind: case(kind, seed, number, gentle) makes one, judge(case, meter) runs it."""
from __future__ import annotations

from . import file_cases, message_case, message_ops, scene_case, scene_ops
from .judging import BrokenPromiseError, Meter

KINDS = ('scene', 'messages', 'worlds', 'meshes', 'hands')
# ticks of a scene case; a part of the cases is played twice
TICKS, REPLAYED = 40, 4


def make(kind: str, seed: int, number: int, gentle: bool = False) -> dict:
    """Case number `number` of a seed."""
    entropy = (seed, KINDS.index(kind), number)
    if kind == 'scene':
        case = scene_ops.Maker(entropy, gentle).case(TICKS)
        case['again'] = number % REPLAYED == 0
        return case
    if kind == 'messages':
        return message_ops.Maker(entropy, gentle).case()
    return file_cases.make(kind, entropy)


def judge(case: dict, meter: Meter) -> None:
    """BrokenPromiseError where the package breaks a promise."""
    if case['kind'] == 'scene':
        scene_case.judge(case, meter, case.get('again', True))
    elif case['kind'] == 'messages':
        message_case.judge(case, meter)
    else:
        file_cases.judge(case, meter)


def name_of(case: dict, meter: Meter) -> str:
    """The name of the failure of a case, '' where it passes."""
    try:
        judge(case, meter)
    except BrokenPromiseError as failed:
        return failed.name
    return ''
