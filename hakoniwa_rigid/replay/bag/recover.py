# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""``hakoniwa-rigid recover``: a whole bag of one that was cut off, up to where it can be read."""
from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hakoniwa_rigid.replay.bag.part import CRASHED, SUFFIX, free_name, is_written
from hakoniwa_rigid.replay.bag.reader import Bag
from hakoniwa_rigid.replay.bag.writer import BagWriter
from hakoniwa_rigid.replay.errors import BagError


def recover(path: Path, out: Path) -> tuple[int, list[str]]:
    """Copies every message that can be read; their number, and what is to be said of the rest.  BagError where there
    is none, or the bag is being written; what is at ``path`` stays as it is."""
    if is_written(path):
        raise BagError(f'{path}: is being written; end the node first')
    if out.resolve().is_relative_to(path.resolve()):
        raise BagError(f'{out}: lies in what is to be recovered, which stays as it is; write to another place')
    number = 0
    with Bag(path) as bag, BagWriter(out, bag.metadata, is_record=True) as made:
        topics = {t.name: made.topic(t.name, t.type, t.definition or None, t.qos) for t in bag.topics}
        try:
            for message in bag.messages():
                made.write(topics[message.topic], message.stamp_ns, message.data)
                number += 1
        except BagError as error:
            bag.warnings.append(f'{error}; what comes behind is left out')
        if not number:
            raise BagError(f'{path}: there is no message that can be read')
        return number, list(bag.warnings)


def name_for(path: Path) -> Path:
    """The name of what is recovered where none is given: FLIGHT_recovered of FLIGHT.crashed and .FLIGHT.PID.part."""
    name = path.name
    if name.endswith(SUFFIX):
        name = name.rsplit('.', 2)[0].lstrip('.')
    name = name.removesuffix(CRASHED)
    stem = name.removesuffix('.mcap')
    return free_name(path.with_name(f'{stem}_recovered{".mcap" if stem != name else ""}'))


def run(options: argparse.Namespace) -> int:
    """The command: 0 and where the bag is, 2 and why there is none."""
    out = options.out or name_for(options.bag)
    try:
        if out.exists():
            raise BagError(f'{out}: is there already; nothing is replaced')
        number, warnings = recover(options.bag, out)
    except (BagError, OSError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f'\nerror: interrupted: {out} not written', file=sys.stderr)
        return 2
    for text in warnings:
        print(f'warning: {text}', file=sys.stderr)
    print(f'{number} messages: {out}')
    return 0
