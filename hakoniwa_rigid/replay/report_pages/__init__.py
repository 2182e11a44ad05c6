# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""One HTML page that needs nothing else: ``page`` has texts, tables and folded parts, ``chart`` lines, marks and stems
as inline SVG, ``heat_map`` a grid of values.

Every text from a file goes through ``page.escaped``.  Not here: what is shown (diff, sweep).
"""
