# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What goes wrong between a simulator and a scene in lockstep."""


class LockstepError(RuntimeError):
    """A step that cannot be taken; the message names what is missing or does not go together."""
