# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Bags through many worlds: every combination of a grid of values, one row of a table each.

``grid`` and ``world_values`` say what can be varied, ``job`` is one run, ``pool`` and ``cluster`` spread runs over
processes and machines, ``run`` brings them together, ``table``, ``text``,
``html_report`` and ``picture`` show what came out.

    sweep(Request(('flight',), (parse('restitution=0.2:0.8:4'),), world='gym'))

The physics and the clock of a run are those of ``replay``; nothing here changes a bag or a world file.
"""
