# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""Contact impulses: the exact single contact, impacts at an instant, resting contacts over a step, overlap recovery.

Works on contact points and work rows; asks detection for points of later moments.  Nothing here advances time but what
goes to the end of the step as a whole: a crowd, and the spring-damper contacts of `penalty`.
"""
