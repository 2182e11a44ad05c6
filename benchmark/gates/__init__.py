# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a change did beside the commit before it: bits (`make state-hashes`) and time (`make bench-check`).

Both unpack that commit (`reference`) and run the scenes and cases of this tree against both packages, each in a child
process (`child`, led by `talk`).  No tests here, and nothing that the package needs.
"""
