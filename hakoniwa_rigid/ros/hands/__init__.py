# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""hand_bridge: a tracked, recorded or steered hand as a topic; and recorded hands as files in any format.

Not here: trackers, cameras and keys themselves (sims/hands), hands in the scene (scene/hands).
"""
