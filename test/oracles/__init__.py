# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Independent references the engine is judged against: plain numpy, scipy and MuJoCo, never the engine's own code."""
