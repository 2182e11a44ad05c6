# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What is in a bag: topics and their clocks, drones and how near they came to each other.  One pass, streamed.

``topics`` and ``drones`` take messages in, ``proximity`` measures distances, ``run`` leads, ``report`` and ``picture``
show. Not here: changing or comparing bags (replay/diff).
"""
