# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What comes in: messages as bytes, checked for frames and time, given to the scene in one call for all drones.

Here: the input adapter that node and replay both drive, the clocks of sources, limits on what is taken, fast paths for
messages like the last one, and messages of fleets and hands.
Not here: layouts of bytes (codec), what the scene makes of a sample (scene/drones, scene/hands), subscriptions (ros).
"""
