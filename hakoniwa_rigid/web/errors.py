# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What goes wrong at the socket."""
from __future__ import annotations


class WebError(ValueError):
    """The server cannot run as asked; the message names the setting, its value and what would be right."""


class RefusedError(ValueError):
    """Something a client sent is not taken.  `cause`: the word it is counted by."""

    def __init__(self, cause: str, text: str) -> None:
        super().__init__(text)
        self.cause = cause
