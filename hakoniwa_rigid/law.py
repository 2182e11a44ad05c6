# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which bits a run gives: a number that changes when one of them does, and only then.

Golden files and recordings carry it.  A change of bits that was meant raises it by one, takes the hashes that
``hakoniwa-rigid selftest --show`` prints, and has a line in CHANGELOG.rst.
"""

LAW_VERSION = 13
# of the metadata of a bag
LAW_KEY = 'hakoniwa_rigid.law'


def made_by_another(law: int | str) -> str:
    """What is said of a file that another version made."""
    return f'made by another version of the law ({law}, this is {LAW_VERSION})'
