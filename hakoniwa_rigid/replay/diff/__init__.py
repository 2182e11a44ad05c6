# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""The verdict on two recordings: are their contacts and trajectories the same within tolerances?

``records`` is what is compared, ``load`` and ``golden`` fetch it from bags and golden files, ``compare`` finds the
differences, ``headline`` says them in one sentence with their likely cause, which ``setup`` finds in world files and
parameters; ``text``, ``html_report``, ``report_files`` and ``picture`` show them.  Comparing knows no
files, so a run in memory can be compared as well:

    compare(load_run('a.mcap'), load_run('golden.yaml'), Tolerances()).equal

No ROS, no clock; nothing here changes a recording.
"""
