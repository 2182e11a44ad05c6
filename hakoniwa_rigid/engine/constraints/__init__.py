# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Constraints between two bodies: where they hold, the rows by which they act, cables, what their log says.

One constraint at a time, on the work rows of its bodies.  No solver here: rows of an island are solved with its
contacts in `solve`, in time in `integrate`.
"""
