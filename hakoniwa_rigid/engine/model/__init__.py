# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The world's memory: layout of the arrays, tables of shapes and materials, settings by name.  No physics, no steps."""
