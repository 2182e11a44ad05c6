# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""What a scene holds, by names: drones, objects, walls and hands as entities, where they are, how far they reach, which
of them are asked for.  Seen from outside: nothing here moves a body; CollisionScene.set_state does."""
