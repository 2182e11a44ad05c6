# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Speed: side by side with other engines in one run (`make bench`), and of single parts (`make bench-parts`).

Scenes, engines and figures only: no test of correctness and no bound on wall time.
"""
