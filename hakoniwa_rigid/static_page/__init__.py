# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""`hakoniwa-rigid page`: a recording as a folder that any browser plays, without a server.

`recorded` reads what a node has published out of a bag, `replayed` runs a bag through its world; both fill a
`flight`, which `folder` writes beside the built player (web/page/src/player).  `scene_page` does so for programs.
Not here: the live page and its server (web), how bags are read and replayed (replay).
"""
