# Copyright 2026 hakoniwa_rigid contributors. SPDX-License-Identifier: Apache-2.0
"""World files: YAML in, typed frozen structures out, and back.

Here: the structures (`world_types`), reading (`world_file` and a file per section), writing, shapes and meshes.
Not here: anything that moves; engine worlds are built by scene/bodies.py.  Elsewhere in the scene no file is read but
those of parameters (scene/parameters).
"""
