# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What made a bag, as its metadata say it: parameters, world, versions."""
from __future__ import annotations

import os
import sys

import numba
import numpy as np
import yaml

from hakoniwa_rigid import __version__
from hakoniwa_rigid.law import LAW_KEY, LAW_VERSION
from hakoniwa_rigid.scene.parameters.settings import Values

PREFIX = 'hakoniwa_rigid.'      # of the keys


def plain(parameters: Values) -> Values:
    """Parameters as YAML and JSON know them, without where the recording lies: it has no influence."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in parameters.items() if name != 'record'}


def versions() -> dict[str, str]:
    """Of all that numbers depend on."""
    return {'hakoniwa_rigid': __version__, 'law': str(LAW_VERSION), 'numba': numba.__version__, 'numpy': np.__version__,
            'python': '.'.join(map(str, sys.version_info[:3])), 'machine': os.uname().machine}


def metadata(parameters: Values, world: str, **more: dict) -> dict[str, str]:
    """Metadata of a bag: all parameters by full names, the text of the world, more by name: enough to make it again."""
    content = {'parameters': plain(parameters), 'versions': versions(), **more}
    texts = {PREFIX + key: yaml.safe_dump(value, sort_keys=True) for key, value in content.items()}
    return {PREFIX + 'world': world, LAW_KEY: str(LAW_VERSION), **texts}
