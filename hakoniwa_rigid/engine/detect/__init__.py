# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Which shapes may touch, where, and when.  Reads body states, loads and shapes, writes contact points; finds no
forces.

A manifold point is (point, unit normal a->b, gap, feature): gap > 0 apart, < 0 overlapping; the point lies midway
between the two surfaces along the normal."""
