# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The names of free places of a scene (places.py), which no world file can have."""

FREE = '\0free '


def is_free(name: str) -> bool:
    """Whether a name is that of a free place."""
    return name.startswith(FREE)
