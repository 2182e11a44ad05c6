# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a node or a command raises where it cannot start."""

__all__ = ['StartError']


class StartError(RuntimeError):
    """The node cannot start; the message says which parameter or file is to blame and what would be right."""
