# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The error of bags and of what is read into them."""


class BagError(ValueError):
    """A bag or table that cannot be read or written; names the file, what is wrong and what would be right."""
