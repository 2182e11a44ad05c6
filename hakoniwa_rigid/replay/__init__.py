# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is done with bags, a room each: bag (files), rerun (through a scene), diff, inspection, sweep, csv_import.

Below them: report_pages (HTML with pictures).  Beside the rooms: names of topics, errors, the commands (`verbs`),
pictures and reports in files.
Not here: ROS, its graph and its clock: a result depends on the bytes of the bag alone; nor layouts of bytes (codec).
"""
